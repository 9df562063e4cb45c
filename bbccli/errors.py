"""Errors that the user can fix: one line on the problem, one on the remedy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from bbccli.platform.text import message, pattern, redacted, shortened, visible

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
"""Parameters whose command-line option has another name."""

_NAMED = pattern("\x02([^\x02\x03\x1f]*)\x1f([^\x02\x03\x1f]*)\x03")
"""A parameter in a raw message: its name in Python, and on the command line."""

_ROW = pattern("\x02row (\\d+)\x1e([^\x02\x03]*)\x03")
"""A row in a raw message, and its file."""


def parameter(name: str, value: object = None, *, option: str | None = None) -> str:
    """Return a reference to a parameter, or to a value of it, for the text of a `BbcError`.

    Python shows ``level`` or ``level=0.95``, the command line (`BbcError.told`) ``--level`` or
    ``--level 0.95``. `option` is the name on the command line where it differs in one command
    alone.
    """
    flag = f"--{(option or FLAGS.get(name, name)).replace('_', '-')}"
    if value is None:
        return f"\x02{name}\x1f{flag}\x03"
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    if value is True:  # a switch has no value on the command line
        return f"\x02{name}=True\x1f{flag}\x03"
    if isinstance(value, str):
        return f'\x02{name}="{shown}"\x1f{flag} {shlex.quote(shown)}\x03'
    return f"\x02{name}={shown}\x1f{flag} {shown}\x03"


def row_of(path: str | PurePath, row: int) -> str:
    """Return a reference to a data row of a file, from 0, for the text of a `BbcError`.

    The command line names the line of a text file instead (`BbcError.told`).
    """
    return f"\x02row {row}\x1e{visible(str(path))}\x03"


MOST_BEGUN = 5
"""Names with the same beginning that a hint lists."""


def _plain(name: str) -> str:
    """Return a name in small letters, with its blanks and its numbers in one spelling."""
    words, numeral = " ".join(name.casefold().split()), r"\d+(?:\.\d*)?(?:e[+-]?\d+)?"
    return re.sub(numeral, lambda number: repr(float(number[0])), words)


ELSEWHERE = {
    **dict.fromkeys(("sigmoid", "logistic"), "platt"),
    **dict.fromkeys(("nnls", "super-learner", "stacking"), "stack"),
    **dict.fromkeys(("average", "averaging"), "mean"),
    "caruana": "greedy",
}
"""What scikit-learn and others call some choices -> what they are called here."""


def nearest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint: the known name that is most like this one; else `otherwise`, or all names.

    Of several known names in one it says that each needs its own option. Numbers are compared by
    value. A beginning of many names is told from a slip.

    Examples
    --------
    >>> nearest("acuracy", ["auc", "accuracy"]), nearest("acc", ["mcc", "accuracy"])
    ('did you mean accuracy?', 'did you mean accuracy?')
    >>> nearest("svm C=1.0", ["svm C=10", "svm C=1"]), nearest("svm", ["svm C=1", "svm C=10", "x"])
    ('did you mean svm C=1?', '2 names begin so: svm C=1, svm C=10')
    """
    import difflib

    names = list(known)
    if ELSEWHERE.get(name) in names:
        return f"did you mean {ELSEWHERE[name]}?"
    parts = re.split(r"[,;\s]+", name.strip())
    if len(parts) > 1 and set(parts) <= set(names):
        return "give one name at a time"
    alike = [known for known in names if _plain(known) == _plain(name)]
    begun = alike or [known for known in names if len(name) > 2 and known.startswith(name)]
    if len(begun) > 1 and not alike:
        more = ", ..." * (len(begun) > MOST_BEGUN)
        return f"{len(begun)} names begin so: {', '.join(begun[:MOST_BEGUN])}{more}"
    near = begun or difflib.get_close_matches(name, names)
    if not begun:  # of names that are as much like it, the shortest
        near.sort(key=lambda n: (-difflib.SequenceMatcher(None, n, name).ratio(), len(n)))
    return f"did you mean {near[0]}?" if near else otherwise or f"one of: {', '.join(names)}"


class BbcError(Exception):
    """Base of all errors that `bbc` reports without a traceback; `status` is the exit status.

    Parameters
    ----------
    problem
        What is wrong and where, in one line; it is escaped, cut at 1,000 characters, and secrets in
        URLs are hidden.
    hint
        What to do about it, in one line.
    """

    status = 2

    sources: Mapping[str, str] = MappingProxyType({})
    """Flags whose value came from elsewhere -> the variable or file key that set them."""

    def __init__(self, problem: str, *, hint: str = "") -> None:
        self._given = problem, hint
        self.problem, self.hint = (
            message(_ROW.sub(r"row \1", _NAMED.sub(r"\1", text))) for text in self._given
        )
        super().__init__(self.problem)
        if self.hint:  # printed below the error by Python
            self.add_note(f"hint: {self.hint}")

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows: the error and its hint, no traceback."""
        return [f"{type(self).__name__}: {self.problem}", *getattr(self, "__notes__", ())]

    def told(
        self, line_of: Callable[[str, int], int | None] = lambda _path, _row: None
    ) -> tuple[str, str]:
        """Return problem and hint for the command line: parameters named by flag or by source.

        `line_of` gives the line, from 1, of a row, from 0, of a file; None where rows are no lines.
        """

        def place(row: re.Match[str]) -> str:
            line = line_of(row[2], int(row[1]))
            return f"row {row[1]}" if line is None else f"line {line}"

        problem, hint = (_ROW.sub(place, text) for text in self._given)
        named = _NAMED.sub(lambda match: self.sources.get(match[2], match[2]), problem)
        return message(named), message(_NAMED.sub(r"\2", hint))


class InputError(BbcError):
    """A file cannot be understood; names the path and, where known, row, column and value.

    `row` is the 0-based position of the data row, without the header; the command line names the
    line of a text file instead. `further` counts the other rows that are wrong in the same way.
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
        place += [row_of(redacted(str(path)), row)] if row is not None else []
        place += [f"value {short(value)}"] if value is not None else []
        where = f" ({', '.join(place)})" if place else ""
        path = redacted(str(path))
        start = f"{shortened(visible(path), LONGEST_PATH)}: " if path else ""
        super().__init__(f"{start}{problem}{where}", hint=hint)
        self._unplaced = problem, hint
        self.path = path
        self.row = row
        self.column = column
        self.value = value
        self.further = further

    def at(self, path: str | PurePath) -> InputError:
        """Return the same error about a file, unless it names one."""
        if self.path:
            return self
        problem, hint = self._unplaced
        place: dict[str, Any] = {"row": self.row, "column": self.column, "value": self.value}
        return type(self)(problem, path=path, hint=hint, further=self.further, **place)


@contextmanager
def naming(path: str | PurePath) -> Iterator[None]:
    """Let errors of the body that name no file name this one."""
    try:
        yield
    except InputError as error:
        raise error.at(path) from error.__cause__


def short(value: object, form: Callable[[Any], str] = repr) -> str:
    """Format a value for a message, cut if it is long."""
    return shortened(form(value), LONGEST_VALUE)


class OptionError(BbcError):
    """An option or argument that is out of range or contradicts another."""


class UnsupportedError(BbcError):
    """A metric, task and method that do not go together; the hint lists what does."""


class UndefinedError(BbcError):
    """A quantity that is undefined for these data, such as the AUC of one class."""


class UndecidedError(BbcError):
    """A gate whose figure can't be computed. Never a pass.

    Parameters
    ----------
    record
        The result as far as there is one, with the gate undecided.
    """

    status = 4

    def __init__(self, problem: str, record: Any, *, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.record = record


OF_THE_MACHINE = (MemoryError, RecursionError, OSError, UnicodeError)
"""Errors that the machine or the data can cause anywhere; never reported as bugs."""


def last_resort(error: BaseException) -> BbcError:
    """Return the message for an unexpected error in `OF_THE_MACHINE`."""
    if isinstance(error, MemoryError):
        return BbcError(
            "out of memory", hint="try a smaller --memory, fewer --jobs or fewer configurations"
        )
    if isinstance(error, RecursionError):
        return BbcError("the input is nested too deeply", hint="rewrite the file with less nesting")
    if isinstance(error, UnicodeError):
        return BbcError(
            f"text can't be encoded: {error}", hint="use a UTF-8 locale, for example LC_ALL=C.UTF-8"
        )
    name, reason = getattr(error, "filename", None), getattr(error, "strerror", None)
    if isinstance(error, FileNotFoundError) and name is None:
        return BbcError("the current folder no longer exists", hint="change to an existing folder")
    where = f"{name}: " if name is not None else ""
    return BbcError(
        f"{where}{reason or error or type(error).__name__}",
        hint="check the path, the permissions and the free disk space",
    )
