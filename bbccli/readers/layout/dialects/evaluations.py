"""Evaluations: logs of lm-evaluation-harness, and long tables of scores.

The harness writes `samples_*.jsonl`, a file per model with a line per document and filter. A long
table has a row per item, model and epoch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bbccli.core.notes import listing
from bbccli.errors import InputError, OptionError, parameter
from bbccli.readers.arrow import is_number, is_text
from bbccli.readers.column import name_of
from bbccli.readers.layout.dialects.base import (
    PREDICTION,
    Dialect,
    Layout,
    first_of,
    has,
    lay_out,
    predictions,
    spelled,
)
from bbccli.readers.layout.dialects.long import LONG, configuration_of
from bbccli.readers.roles import ITEM_KEYS, Hints, column_of
from bbccli.readers.table import Table
from bbccli.types import Task

if TYPE_CHECKING:
    import pyarrow as pa

ID, HASH, FILTER = "doc_id", "doc_hash", "filter"
KEY = "doc_id and doc_hash"
_ASIDE = frozenset(
    (ID, HASH, FILTER, "doc", "target", "arguments", "resps", "filtered_resps", "metrics")
) | {"prompt_hash", "target_hash", "doc_key", "task_name", "model_name"}

_ROLES: Final = {"row_id": ITEM_KEYS, "repeat": ("epoch",), "group": ("subject", "template")}
"""Names of the sample, the repeat and the group in evaluations; the first that occurs counts."""


def _is_of_harness(frame: Table, hints: Hints) -> bool:
    """`doc_id` beside a hash of the document, or beside the filter of the answers."""
    return has(frame, ID) and (has(frame, HASH) or has(frame, FILTER))


def _with_key(frame: Table) -> Table:
    """Return the table with a column that names the document by its number and its hash.

    Numbers start anew in every task; the hash keeps documents of two tasks apart.
    """
    left = replace(frame, nested=tuple(n for n in frame.nested if n not in _ASIDE))
    if not has(frame, ID, HASH) or KEY in frame.names:
        return left
    ids, hashes = (_texts(frame, spelled(frame, name) or name) for name in (ID, HASH))
    keys = [f"{i} {h}" if i and h else None for i, h in zip(ids, hashes, strict=True)]
    return replace(left, data=_appended(frame, keys))


def _texts(frame: Table, name: str) -> list[str]:
    values = frame.column(name).values.to_pylist()
    return ["" if value is None else name_of(value) for value in values]


def _appended(frame: Table, keys: list[str | None]) -> pa.Table:
    import pyarrow as pa

    columns = [frame.data.column(name) for name in frame.names]
    return pa.table([*columns, pa.array(keys, pa.string())], names=[*frame.names, KEY])


def _layout_of_harness(frame: Table, hints: Hints) -> Layout:
    """The file is the model; where there are several filters, each is a configuration.

    Raises
    ------
    OptionError
        The task is not given as score.
    """
    if hints.task is not Task.SCORE:
        raise OptionError(
            f"{frame.path}: samples of lm-evaluation-harness hold scores, not predictions",
            hint=parameter("task", Task.SCORE),
        )
    if not has(frame, ID):
        raise InputError(
            f"has no column `{ID}`, so it is not samples_*.jsonl of lm-evaluation-harness",
            path=frame.path,
            hint="give another --dialect",
        )
    several = has(frame, FILTER) and len(frame.column(FILTER).named_codes()[1]) > 1
    return lay_out(
        frame,
        hints,
        (FILTER,) if several else (),
        {PREDICTION: _score(frame, hints)},
        fixed={"row_id": (KEY, ID)},
        unmentioned=(*_ASIDE, KEY),
    )


def _score(frame: Table, hints: Hints) -> str:
    """Column by hand, or the only metric."""
    if hints.roles.prediction is not None:
        return column_of(frame, hints.roles.prediction, "prediction")
    free = [name for name in frame.names if name not in {*_ASIDE, KEY}]
    metrics = [name for name in free if _is_score(frame, name)]
    if len(metrics) == 1:
        return metrics[0]
    raise InputError(
        f"no single metric: {listing(metrics or free or list(frame.names), 8)}",
        path=frame.path,
        hint=f"--prediction {metrics[0]}" if metrics else "--prediction NAME of a metric",
    )


def _is_score(frame: Table, name: str) -> bool:
    kind = frame.type_of(name)
    return is_number(kind) or (not is_text(kind) and frame.column(name).is_boolean)


HARNESS = Dialect(
    "lm-eval",
    "samples_*.jsonl of lm-evaluation-harness",
    _is_of_harness,
    _layout_of_harness,
    _with_key,
)


def _is_of_items(frame: Table, hints: Hints) -> bool:
    """A long table of scores with a column that is called as items are."""
    return (
        hints.task is Task.SCORE
        and first_of(frame, *ITEM_KEYS) is not None
        and LONG.recognises(frame, hints)
    )


def _layout_of_items(frame: Table, hints: Hints) -> Layout:
    """As the long layout, with the names of evaluations; roles by hand win."""
    found = configuration_of(frame, hints)
    configuration = () if found is None else (found,)
    # one name in all files: a table of an evaluation may be split over several
    return lay_out(
        frame, hints, configuration, predictions(frame, hints), fixed=_ROLES, global_names=True
    )


ITEMS = Dialect("items", "scores by item, model and epoch", _is_of_items, _layout_of_items)
