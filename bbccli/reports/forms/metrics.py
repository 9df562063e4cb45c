"""The figures of a result as named numbers, for experiment trackers.

The estimate to report is named after its metric, followed by its interval and the naive figure:
`auc`, `auc_lower`, `auc_upper`, `auc_naive`, `auc_optimism`. Other estimates have their method in
front: `tt_auc`. Infinite and undefined figures are left out, because trackers take NaN for a
number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from bbccli.documents.correct import Envelope, ErrorEnvelope, doubts_of
from bbccli.domain.estimate import Estimate
from bbccli.platform.records import Json, as_json
from bbccli.reports import Style
from bbccli.reports import words as phrases
from bbccli.reports.forms.json import record_from

MET = {"met": 1, "missed": 0}
"""A verdict as a number; one that is undecided has none."""


def render(documents: Sequence[Envelope | ErrorEnvelope], style: Style) -> str:
    """Return one flat object of a single result; of several, an object for each, by its path."""
    if len(documents) == 1:
        return json.dumps(_figures(documents[0]), indent=2, allow_nan=False) + "\n"
    paths = (
        document.path if isinstance(document, ErrorEnvelope) else document.input.path
        for document in documents
    )
    return "".join(_tree(zip(paths, documents, strict=True)))


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write an object per record, by its path; it is empty where there is no result."""
    for part in _tree((record["path"], record_from(record)) for record in records):
        file.write(part.encode(errors="backslashreplace"))


def _tree(named: Iterable[tuple[str, Envelope | ErrorEnvelope]]) -> Iterator[str]:
    """Parts of the text of one object: documents under unique names."""
    lead = "{"
    for name, document in _distinct(named):
        body = json.dumps(_figures(document), indent=2, allow_nan=False).replace("\n", "\n  ")
        yield f"{lead}\n  {json.dumps(name, ensure_ascii=False)}: {body}"
        lead = ","
    yield "{}\n" if lead == "{" else "\n}\n"


def _figures(document: Envelope | ErrorEnvelope) -> dict[str, float]:
    """All figures of a result under plain names, the ones to report first."""
    if isinstance(document, ErrorEnvelope):
        return {}
    estimates = sorted(
        document.estimates, key=lambda estimate: not phrases.is_reported(estimate, document)
    )
    pairs = [pair for estimate in estimates for pair in _of_estimate(estimate, document)]
    pairs.append(("doubts", len(doubts_of(document))))
    if (gate := document.gate) is not None:
        pairs += [("gate_met", MET.get(gate.outcome)), ("gate_threshold", gate.threshold)]
        pairs.append(("gate_margin", gate.margin))
    known = [(name, value) for name, value in pairs if as_json(value) is not None]
    return dict(_distinct((re.sub(r"\W", "_", name, flags=re.A), value) for name, value in known))


def _of_estimate(estimate: Estimate, document: Envelope) -> list[tuple[str, float | None]]:
    first = "" if phrases.is_reported(estimate, document) else f"{estimate.method}_"
    name, (lower, upper) = f"{first}{estimate.metric}", phrases.interval_ends(estimate.interval)
    return [
        (name, estimate.value),
        (f"{name}_lower", lower),
        (f"{name}_upper", upper),
        (f"{name}_naive", estimate.naive),
        (f"{name}_optimism", estimate.optimism),
    ]


def _distinct(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Pairs with distinct names: repeated ones get a number."""
    seen: dict[str, int] = {}
    for name, value in pairs:
        free = name
        while free in seen:
            seen[name] += 1
            free = f"{name}_{seen[name]}"
        seen[free] = 1
        yield free, value
