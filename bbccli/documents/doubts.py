"""The notes of a result, and those of them that put its answer in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bbccli.documents.correct import reported_estimate
from bbccli.notes import Note, Severity, severity_of
from bbccli.types import GateOutcome


def notes_of(document: Any) -> list[Note]:
    """Return every note of the record of a document and of its parts, each once."""
    ranks = getattr(document, "ranks", None)
    parts = [*getattr(document, "estimates", ()), *getattr(document, "comparisons", ())]
    parts += [part for name in WHOLE if (part := getattr(document, name, None))]
    parts += ranks.pairs if ranks else ()
    return _each_once([document, *parts])


def doubts_of(document: Any) -> list[Note]:
    """Return the notes by which the figures of the answer may be wrong.

    All surfaces show them above the answer, and --fail-on doubt goes by them. A doubt about a
    figure that is there for comparison alone is a note of that figure.
    """
    notes = _each_once([document, *_answering(document)])
    return [note for note in notes if severity_of(note.code) is Severity.DOUBT]


def outcome_of(document: Any) -> str:
    """Return the outcome of a gate; one that is met over a doubt says so. Empty without a gate."""
    gate = getattr(document, "gate", None)
    if gate is None:
        return ""
    met = gate.outcome == GateOutcome.MET
    word = "failed" if gate.outcome == GateOutcome.MISSED else gate.outcome
    return f"{word}{', with doubts' * (met and bool(doubts_of(document)))}"


WHOLE = ("corrected", "best_set", "ranks")
"""Parts of a document of which there is one."""


def _answering(document: Any) -> Iterator[Any]:
    """Yield the parts whose figures are the answer: those to report, and the one that is judged."""
    estimates = getattr(document, "estimates", ())
    judged = getattr(getattr(document, "gate", None), "method", None)
    for metric in dict.fromkeys(estimate.metric for estimate in estimates):
        of_metric = [estimate for estimate in estimates if estimate.metric == metric]
        reported = reported_estimate(of_metric)
        for one in of_metric:
            if one is (reported or of_metric[0]) or one.method == judged:
                yield one
    yield from getattr(document, "comparisons", ())[:1]
    yield from (part for name in WHOLE if (part := getattr(document, name, None)))


def _each_once(parts: Iterable[Any]) -> list[Note]:
    notes = [note for part in parts for note in getattr(part, "notes", ())]
    return list({(note.code, note.text): note for note in notes}.values())
