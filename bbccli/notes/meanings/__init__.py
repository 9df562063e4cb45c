"""What each note means: the texts of docs/notes.md and of `bbc explain`, and the order of notes."""

from __future__ import annotations

from bbccli.notes.meanings.of_files import OF_FILES
from bbccli.notes.meanings.of_methods import OF_METHODS
from bbccli.notes.meanings.record import Meaning, Severity

__all__ = ["MEANINGS", "OF_FILES", "OF_METHODS", "Meaning", "Severity", "severity_of"]

MEANINGS: dict[str, Meaning] = {one.code: one for one in (*OF_FILES, *OF_METHODS)}


def severity_of(code: str) -> Severity:
    """Return how much a note matters; one of another version may mean anything.

    Examples
    --------
    >>> severity_of("tied-winners").name, severity_of("of-a-later-version").name
    ('HARMLESS', 'DOUBT')
    """
    return MEANINGS[code].severity if code in MEANINGS else Severity.DOUBT
