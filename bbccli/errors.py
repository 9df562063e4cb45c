"""Errors that the user can fix: one line of what is wrong, one line of what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bbccli.core.text import message, redacted, shortened, visible

if TYPE_CHECKING:
    from bbccli.core.documents import Document

__all__ = [
    "BbcError",
    "InputError",
    "OptionError",
    "UndecidedError",
    "UndefinedError",
    "UnsupportedError",
]

LONGEST_VALUE = 120
LONGEST_PATH = 400


FLAGS = {
    "n_classes": "classes",
    "n_configurations": "configurations",
    "n_orders": "orders",
    "n_samples": "samples",
    "order": "fold_order",
    "pairs": "pair",
    "path": "output",
    "tests": "test",
}
"""Parameters whose option on the command line has another name."""

_NAMED = re.compile("\x02([^\x02\x03\x1f]*)\x1f([^\x02\x03\x1f]*)\x03")
"""A parameter in a text that was not shown yet: as Python names it, and as the command line."""


def parameter(name: str, value: object = None, *, option: str | None = None) -> str:
    """Return what names a parameter, or gives it a value, in the text of a `BbcError`.

    `option` is its name on the command line, where that is another in one command alone.

    In Python the error says ``level`` and ``level=0.95``, on the command line (`BbcError.told`)
    ``--level`` and ``--level 0.95``.
    """
    flag = f"--{(option or FLAGS.get(name, name)).replace('_', '-')}"
    if value is None:
        return f"\x02{name}\x1f{flag}\x03"
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    quoted = f'"{shown}"' if isinstance(value, str) else shown
    return f"\x02{name}={quoted}\x1f{flag} {shown}\x03"


def nearest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint: the known name that is most like this one; else `otherwise`, or all names.

    Examples
    --------
    >>> nearest("acuracy", ["auc", "accuracy"]), nearest("acc", ["mcc", "accuracy"])
    ('did you mean accuracy?', 'did you mean accuracy?')
    """
    import difflib

    names = list(known)
    begun = [one for one in names if len(name) > 2 and one.startswith(name)]
    near = begun or difflib.get_close_matches(name, names)
    if not begun:  # of names that are as much like it, the shortest
        near.sort(key=lambda one: (-difflib.SequenceMatcher(None, one, name).ratio(), len(one)))
    return f"did you mean {near[0]}?" if near else otherwise or f"one of: {', '.join(names)}"


class BbcError(Exception):
    """Base of every error that `bbc` reports without a traceback.

    `status` is the exit status of the command: 2, unless a child says otherwise.

    Parameters
    ----------
    problem
        What is wrong, in one line, with the place where it was found. What would make it several
        lines is escaped, secrets of URLs are hidden, and it ends at 1,000 characters.
    hint
        What to do about it, in one line.
    """

    status = 2

    sources: Mapping[str, str] = MappingProxyType({})
    """Variables and keys of files that set options of the command, by the flags of these."""

    def __init__(self, problem: str, *, hint: str = "") -> None:
        self._given = problem, hint
        self.problem, self.hint = (message(_NAMED.sub(r"\1", text)) for text in self._given)
        super().__init__(self.problem)
        if self.hint:  # what Python prints below the error
            self.add_note(f"hint: {self.hint}")

    def told(self) -> tuple[str, str]:
        """Return problem and hint as the command line says them: parameters are called by flags.

        In the problem, those that no flag set are called by what did (`sources`).
        """
        problem, hint = self._given
        named = _NAMED.sub(lambda found: self.sources.get(found[2], found[2]), problem)
        return message(named), message(_NAMED.sub(r"\2", hint))


class InputError(BbcError):
    """A file cannot be understood; names the path and, where known, row, column and value.

    `row` is the 0-based position of the data row; the header does not count. `further` counts the
    other rows that are wrong in the same way.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | PurePath = "",
        row: int | None = None,
        column: str | None = None,
        value: object = None,
        hint: str = "",
        further: int = 0,
    ) -> None:
        place = [f"column {short(column)}"] if column is not None else []
        place += [f"row {row}"] if row is not None else []
        place += [f"value {short(value)}"] if value is not None else []
        where = f" ({', '.join(place)})" if place else ""
        path = redacted(str(path))
        start = f"{shortened(visible(path), LONGEST_PATH)}: " if path else ""
        super().__init__(f"{start}{problem}{where}", hint=hint)
        self.path = path
        self.row = row
        self.column = column
        self.value = value
        self.further = further


def short(value: object, form: Callable[[Any], str] = repr) -> str:
    """Return a value as a message shows it, cut where it is long."""
    return shortened(form(value), LONGEST_VALUE)


class OptionError(BbcError):
    """An option or argument is out of range or contradicts another."""


class UnsupportedError(BbcError):
    """A metric, task and method that do not go together; the hint lists what would."""


class UndefinedError(BbcError):
    """A quantity that has no value on these data, such as the AUC of one class."""


class UndecidedError(BbcError):
    """A gate has nothing to judge: what it asks about can't be computed. Never a pass.

    Parameters
    ----------
    document
        The result, as far as there is one, with the gate undecided.
    """

    status = 4

    def __init__(self, problem: str, document: Document[Any], *, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.document = document


OF_THE_MACHINE = (MemoryError, RecursionError, OSError, UnicodeError)
"""Errors that the machine or the data can cause anywhere; never shown as bugs."""


def last_resort(error: BaseException) -> BbcError:
    """Return the message of an error `OF_THE_MACHINE` that nobody expected where it happened."""
    if isinstance(error, MemoryError):
        return BbcError(
            "out of memory", hint="a smaller --memory, fewer --jobs, or fewer configurations"
        )
    if isinstance(error, RecursionError):
        return BbcError("the input is nested too deeply", hint="write the file again, flatter")
    if isinstance(error, UnicodeError):
        return BbcError(
            f"text can't be encoded: {error}", hint="a UTF-8 locale, for example LC_ALL=C.UTF-8"
        )
    name, reason = getattr(error, "filename", None), getattr(error, "strerror", None)
    if isinstance(error, FileNotFoundError) and name is None:
        return BbcError("the current folder no longer exists", hint="change to one that does")
    where = f"{name}: " if name is not None else ""
    return BbcError(
        f"{where}{reason or error or type(error).__name__}",
        hint="check the path, the rights and the room on the disk",
    )
