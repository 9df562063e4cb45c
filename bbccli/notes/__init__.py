"""Every note that a result may carry: what is doubtful, and the remedy.

A note is data: reports print it, JSON carries it, tests match its `code`. Each is described in one
place, a function under `@note`, in the module of its section of docs/notes.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import chain
from typing import Any

from bbccli.notes.note import Note, NoteKind, Severity, counted, listing

__all__ = ["Note", "NoteKind", "Severity", "counted", "listing"]

_SECTIONS = {
    "Notes on the file": ("lacking", "of_data", "of_metadata", "flags", "identities"),
    "Notes on methods": ("methods", "making", "intervals"),
    "Notes on comparisons": ("comparisons",),
    "Notes on plans": ("plans",),
}
"""Modules by section of docs/notes.md; each is imported where one of its notes is made."""

GROUPS: Mapping[str, Mapping[str, NoteKind[...]]]
"""Notes by section."""

NOTES: Mapping[str, NoteKind[...]]


def __getattr__(name: str) -> Any:
    if name not in ("GROUPS", "NOTES"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    groups: dict[str, dict[str, NoteKind[...]]] = {}
    for title, modules in _SECTIONS.items():
        parts = [vars(import_module(f"{__name__}.{module}")).values() for module in modules]
        kinds = [kind for part in parts for kind in part if isinstance(kind, NoteKind)]
        groups[title] = {kind.code: kind for kind in kinds}
    notes = {code: kind for group in groups.values() for code, kind in group.items()}
    globals().update(GROUPS=groups, NOTES=notes)
    return globals()[name]


def severity_of(code: str) -> Severity:
    """Return how much a note matters; one of another version may mean anything.

    >>> severity_of("tied-winners").name, severity_of("of-a-later-version").name
    ('HARMLESS', 'DOUBT')
    """
    kind = kind_of(code)
    return Severity.DOUBT if kind is None else kind.severity


def kind_of(code: str) -> NoteKind[...] | None:
    """Return the kind of a code, of a module that is imported if it can be; None of no code."""
    for module in chain.from_iterable(_SECTIONS.values()):
        imported = sys.modules.get(f"{__name__}.{module}")
        kind = getattr(imported, code.replace("-", "_"), None)
        if isinstance(kind, NoteKind):
            return kind
    kinds: Mapping[str, NoteKind[...]] = __getattr__("NOTES")
    return kinds.get(code)


def by_severity(notes: Iterable[Note]) -> list[Note]:
    """Return notes, those that matter most first."""
    return sorted(notes, key=lambda note: severity_of(note.code))
