"""What each note means: the texts of docs/notes.md and of `bbc explain`, and the order of notes."""

from __future__ import annotations

from bbccli.notes.meanings.of_comparisons import OF_COMPARISONS
from bbccli.notes.meanings.of_files import OF_FILES
from bbccli.notes.meanings.of_intervals import OF_INTERVALS
from bbccli.notes.meanings.of_methods import OF_METHODS
from bbccli.notes.meanings.of_plans import OF_PLANS
from bbccli.notes.meanings.record import Meaning, Severity

__all__ = ["GROUPS", "MEANINGS", "Meaning", "Severity", "severity_of"]

GROUPS = {
    "Of the file": OF_FILES,
    "Of the methods": (*OF_METHODS, *OF_INTERVALS),
    "Of comparisons": OF_COMPARISONS,
    "Of plans": OF_PLANS,
}
"""Sections of the page on notes, in their order."""

MEANINGS: dict[str, Meaning] = {one.code: one for group in GROUPS.values() for one in group}


def severity_of(code: str) -> Severity:
    """Return how much a note matters; one of another version may mean anything.

    Examples
    --------
    >>> severity_of("tied-winners").name, severity_of("of-a-later-version").name
    ('HARMLESS', 'DOUBT')
    """
    return MEANINGS[code].severity if code in MEANINGS else Severity.DOUBT
