"""Every note that a result may carry: what is doubtful, and the remedy.

A note is data: reports print it, JSON carries it, tests match its `code`. Each is described in one
place, a function under `@note`, in the module of its section of docs/notes.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from importlib import import_module
from itertools import chain, compress
from typing import Any, Generic, ParamSpec

from bbccli.platform.dataclass import dataclass

P = ParamSpec("P")
Q = ParamSpec("Q")

Texts = tuple[str, str]
"""Text and remedy of a note; the remedy may be empty."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader of the result must know.

    code: stable identifier, such as few-folds
    text: what was seen, in one sentence
    remedy: what can be done about it; may be empty
    """

    code: str
    text: str
    remedy: str = ""


class Severity(IntEnum):
    """The importance of a note to a result; the most important first."""

    DOUBT = 0
    CARE = 1
    HARMLESS = 2

    @property
    def words(self) -> str:
        """Its meaning for a result."""
        return _WORDS[self]

    @property
    def label(self) -> str:
        """The word before a note of it."""
        return "note" if self is Severity.CARE else self.name.lower()


_WORDS = {
    Severity.DOUBT: "the figure or its interval may be wrong",
    Severity.CARE: "the figure is valid, within the limits that the note gives",
    Severity.HARMLESS: "nothing is wrong",
}

DOUBT, CARE, HARMLESS = Severity


@dataclass(frozen=True, slots=True)
class NoteKind(Generic[P]):
    """All there is to say of the notes of one code; called with figures, it makes a note.

    severity: importance of the note.
    check: check of `bbc inspect` that a note on a file belongs to; empty for other notes.
    texts: figures -> text and remedy, each a sentence in plain text.
    first: the function that describes them, where it is another.
    """

    severity: Severity
    check: str
    texts: Callable[P, Texts]
    first: Callable[..., Texts] | None = None

    def __call__(self, *figures: P.args, **named: P.kwargs) -> Note:
        """Return the note with these figures."""
        return Note(self.code, *self.texts(*figures, **named))

    @property
    def code(self) -> str:
        """Stable identifier, such as few-folds."""
        return (self.first or self.texts).__name__.replace("_", "-")

    @property
    def meaning(self) -> str:
        """The observation and its effect on the result, in Markdown on one line."""
        return self._described[0]

    @property
    def remedy(self) -> str:
        """Advice, in Markdown on one line; may be empty."""
        return self._described[2]

    @property
    def _described(self) -> tuple[str, str, str]:
        words = ((self.first or self.texts).__doc__ or "").split()
        return " ".join(words).partition(" Remedy: ")

    def also(self, texts: Callable[Q, Texts]) -> NoteKind[Q]:
        """Decorate another sentence that says the same of other figures."""
        return NoteKind(self.severity, self.check, texts, self.first or self.texts)


def note(severity: Severity, check: str = "") -> Callable[[Callable[P, Texts]], NoteKind[P]]:
    """Decorate the one place where a note is described.

    The name of the function is the code, it returns text and remedy, and its docstring is what
    docs/notes.md and `bbc explain` say: the meaning and, after `Remedy:`, what can be done.

    >>> @note(CARE)
    ... def few_cats(n: int) -> Texts:
    ...     '''There are fewer cats than mice.
    ...
    ...     Remedy: more cats.'''
    ...     return f"only {n} cats", "get a cat"
    >>> few_cats(2), few_cats.remedy
    (Note(code='few-cats', text='only 2 cats', remedy='get a cat'), 'more cats.')
    """
    return partial(NoteKind, severity, check)


def listing(names: Sequence[str], most: int = 5) -> str:
    """Join names, the first `most` of them in full and the rest as a count."""
    head = ", ".join(names[:most])
    return head if len(names) <= most else f"{head} and {len(names) - most} more"


def counted(names: Sequence[str], counts: Sequence[int], n: int) -> str:
    """Return the counts out of n for the configurations that have any, largest first."""
    some = sorted(compress(zip(counts, names, strict=True), counts), key=lambda pair: -pair[0])
    return listing([f"{name} {number} of {n}" for number, name in some], 10)


__all__ = ["Note", "NoteKind", "Severity", "counted", "listing"]

_SECTIONS = {
    "Notes on the file": ("lacking", "of_data", "of_metadata", "identities"),
    "Notes on methods": ("methods", "intervals"),
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
