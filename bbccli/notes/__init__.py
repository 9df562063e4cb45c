"""Every note that a result may carry: what is doubtful, and the remedy.

A note is data: reports print it, JSON carries it, tests match its `code`. Each is described in one
place, a function under `@note`, in the module of its section of docs/notes.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

from bbccli.notes import (
    comparisons,
    flags,
    identities,
    intervals,
    lacking,
    making,
    methods,
    of_data,
    of_ensembles,
    of_metadata,
    plans,
    sealed,
    searches,
)
from bbccli.notes.comparisons import *
from bbccli.notes.flags import *
from bbccli.notes.identities import *
from bbccli.notes.intervals import *
from bbccli.notes.lacking import *
from bbccli.notes.making import *
from bbccli.notes.methods import *
from bbccli.notes.note import Note, NoteKind, Severity, counted, listing
from bbccli.notes.of_data import *
from bbccli.notes.of_ensembles import *
from bbccli.notes.of_metadata import *
from bbccli.notes.plans import *
from bbccli.notes.sealed import *
from bbccli.notes.searches import *

__all__ = ["Note", "NoteKind", "Severity", "counted", "listing"]


def _kinds(*parts: ModuleType) -> dict[str, NoteKind[...]]:
    every = [var for part in parts for var in vars(part).values() if isinstance(var, NoteKind)]
    return {one.code: one for one in every}


GROUPS = {
    "Notes on the file": _kinds(lacking, of_data, of_metadata, flags, of_ensembles, identities),
    "Notes on methods": _kinds(methods, making, searches, intervals, sealed),
    "Notes on comparisons": _kinds(comparisons),
    "Notes on plans": _kinds(plans),
}
"""Notes by section of docs/notes.md."""

NOTES = {code: one for group in GROUPS.values() for code, one in group.items()}


def severity_of(code: str) -> Severity:
    """Return how much a note matters; one of another version may mean anything.

    >>> severity_of("tied-winners").name, severity_of("of-a-later-version").name
    ('HARMLESS', 'DOUBT')
    """
    return NOTES[code].severity if code in NOTES else Severity.DOUBT


def by_severity(notes: Iterable[Note]) -> list[Note]:
    """Return notes, those that matter most first."""
    return sorted(notes, key=lambda note: severity_of(note.code))
