"""Numbers and times as spreadsheets and tools write them.

Decimal commas, thousands separators, percent signs: a column of text becomes numbers if all its
cells agree and have one reading. A column with two, or none, stays text; `doubt` describes it once
numbers are needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from bbccli.errors import InputError
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import pattern
from bbccli.reading.arrow import apply, cast, is_text, pa, to_numbers
from bbccli.reading.column import Column
from bbccli.reading.roles import NAMES
from bbccli.types import BoolArray, IntArray

NO_VALUE = frozenset(("n/a", "N/A", "None", "none", "missing", "."))
"""Missing value among numbers; among labels it may be the name of a class."""

_BLANK = r"\s\x{a0}\x{202f}"
_APART = r"'\x{2019} \x{a0}\x{202f}"
_SIGN = r"^[+\-\x{2212}]?"
_POWER, _PERCENT = r"[eE][+\-]?\d+", rf"[{_BLANK}]*%"
_EDGES = rf"^[{_BLANK}]*'?|[{_BLANK}]+$"
_PLAINLY = rf"^-?(0|[1-9]\d*)(,\d+)?({_POWER})?$"
_NUMERAL = rf"{_SIGN}(\d[\d.,{_APART}]*|[.,]\d+)({_POWER}|{_PERCENT})?$"
_WITH_POINT, _WITH_COMMA = (
    rf"{_SIGN}((0|[1-9]\d*)?({mark}\d*)?({_POWER}|{_PERCENT})?|"
    rf"[1-9]\d{{0,2}}(({other}\d{{3}})+|([{_APART}]\d{{3}})+)({mark}\d*)?({_PERCENT})?)$"
    for mark, other in ((r"\.", ","), (",", r"\."))
)
_GLANCE = 50
_PROMISING = pattern(r"\s*'?[+\-\u2212]?[.,]?\d")
_CURRENCY = r"([$€£¥]|\b(EUR|USD|GBP|CHF)\b)"
_ODD = tuple(
    (pattern(text), problem, hint)
    for text, problem, hint in (
        (
            r"#[A-Z/0-9]+[!?]",
            "is a formula error",
            "correct the formula in the spreadsheet, or empty the cell",
        ),
        (
            "--?|\u2013|\u2014",
            "may mean missing or 0",
            "leave the cell empty if the value is missing, otherwise write 0",
        ),
        (rf".*(\d\s*{_CURRENCY}|{_CURRENCY}\s*[+-]?\d).*", "has a currency", "store numbers alone"),
        (
            r"\([\d.,\s]*\d[\d.,\s]*\)|\d[\d.,\s]*[-\u2212]",
            "has parentheses or a trailing minus sign, like negative numbers in accounting",
            "write the minus sign first, such as -1.5",
        ),
    )
)
"""Patterns of text that is not a number, each with a problem and a hint."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """Distinct cells of a column, (k,) each: the numerals among them, and their notation.

    They are `plain` if only a decimal comma keeps a parser from reading them as numbers.
    """

    values: pa.Array
    numeral: BoolArray
    percent: BoolArray
    point: BoolArray
    comma: BoolArray
    points: BoolArray
    commas: BoolArray
    words: tuple[str, ...]
    local: bool
    plain: bool = False

    @property
    def doubtful(self) -> BoolArray:
        """Cells whose separator may be a decimal mark or separate thousands.

        One that can only be one of the two decides for all.
        """
        either = self.point & self.comma & (self.points | self.commas)
        if self.point.all() and self.comma.all():
            return either & bool(self.local or self.commas.any())
        separated = self.commas if self.point.all() else self.points
        return either & separated & ~(separated & ~either).any()

    @property
    def mark(self) -> str:
        """The decimal mark on which all numerals agree; empty if there is none."""
        if self.doubtful.any():
            return ""
        return "." if self.point.all() else "," if self.comma.all() else ""

    @property
    def certain(self) -> bool:
        """True if all non-missing cells have a single reading as numbers."""
        agree = self.percent.all() or not self.percent.any()
        return bool(agree and self.mark and not self.words)

    @property
    def is_share(self) -> bool:
        """True if all have a percent sign."""
        return bool(self.percent.all())


def with_numbers(
    table: pa.Table,
    kept: Callable[[str], bool],
    as_text: Callable[[Sequence[str]], pa.Table],
    *,
    local: bool,
) -> pa.Table:
    """Return a table with columns of text turned into numbers if they can be nothing else.

    `kept` columns remain; `as_text` reads columns again as text. If the file is `local`, it seems
    to come from a country of decimal commas. There, and beside columns with such commas, numbers
    whose points may separate thousands become text.
    """
    names, kinds = table.column_names, table.schema.types
    numeric: dict[int, _Cells] = {}
    for i, name in enumerate(names):
        if is_text(kinds[i]) and not kept(name):
            cells = _cells(apply("unique", table.column(i)), local=local)
            if cells is not None and cells.certain:
                numeric[i] = cells
    commas = any(cells.mark == "," for cells in numeric.values())
    for i in _of_labels(names, numeric):
        del numeric[i]
    for i, cells in numeric.items():
        table = table.set_column(i, names[i], _numbers(table.column(i), cells))
    if not (local or commas):
        return table
    rest = (i for i, name in enumerate(names) if i not in numeric and not kept(name))
    doubtful = [names[i] for i in rest if _may_be_thousands(table, i)]
    raw = as_text(doubtful) if doubtful else table
    for name in doubtful:
        i = names.index(name)
        cells = _cells(apply("unique", raw.column(i)))
        if cells is not None and not cells.mark:
            table = table.set_column(i, name, raw.column(i))
    return table


def doubt(column: Column, *, of: str) -> InputError | None:
    """Return the error about numerals with two readings, or none; None for other text."""
    codes, values = column.codes()
    problem, wrong, hint = _doubt(values)
    if not problem:
        return None
    entries = np.flatnonzero(np.append(wrong, False)[codes])
    return column.fault(f"{of} {problem}", entries, hint=hint)


def strangers(column: Column) -> IntArray:
    """Return entries of text that is no numeral among numerals that agree."""
    codes, values = column.codes()
    cells = _cells(values)
    words = cells.words if cells and cells.mark else ()
    wrong = np.isin(values.to_pylist(), words)
    return np.flatnonzero(np.append(wrong, False)[codes])


def _doubt(values: pa.Array) -> tuple[str, BoolArray, str]:
    """Return problem, pattern of the affected cells (k,), and hint; all may be empty."""
    cells, texts = _cells(values), [text or "" for text in values.to_pylist()]
    none = np.zeros(len(texts), bool)
    words = cells.words if cells else [text for text in texts if text.strip()]
    for odd, problem, hint in _ODD:
        if words and all(odd.fullmatch(word.strip()) for word in words):
            return problem, np.isin(texts, words), hint
    if cells is None or cells.words:
        return "", none, ""
    problem, wrong, hint = "", np.ones(int(cells.numeral.sum()), bool), ""
    if cells.percent.any() and not cells.is_share:
        few = bool(cells.percent.mean() <= 0.5)
        wrong = cells.percent == few
        problem = f"has {'a' if few else 'no'} percent sign, unlike others in its column"
        hint = "write all cells as fractions, such as 0.97, or all with the sign"
    elif cells.certain and cells.is_share:
        problem, hint = "has percent signs", "store fractions as numbers, such as 0.97 for 97%"
    elif cells.doubtful.any() and (cells.point.all() or cells.comma.all()):
        wrong = cells.doubtful
        text = texts[int(np.flatnonzero(cells.numeral)[np.argmax(wrong)])]
        bare, decimal = re.sub("[.,]", "", text), text.replace(",", ".")
        problem = f"may have a decimal mark or thousands separators: {text} is {bare} or {decimal}"
        hint = "store numbers without thousands separators and with a decimal point"
    elif not cells.mark and (cells.point | cells.comma).all():
        rare = cells.comma if cells.point.sum() >= cells.comma.sum() else cells.point
        wrong = rare & ~(cells.point & cells.comma)
        problem = "has a different decimal mark from others in its column"
        hint = "store all numbers with a decimal point, and without thousands separators"
    none[cells.numeral] = wrong
    return problem, none, hint


def _cells(values: pa.Array, *, local: bool = True) -> _Cells | None:
    """Return the notation of distinct cells (k,); None if none seems to be a number.

    Unless they are `local`, only a comma makes it doubtful that a point is the decimal mark.
    """
    if not any(_PROMISING.match(text or "") for text in values[:_GLANCE].to_pylist()):
        return None
    if _matches(values, _PLAINLY).sum() == len(values) - values.null_count:  # the usual case
        present = values.drop_null()
        point, commas = _matches(present, _WITH_POINT), _matches(present, ",")
        none, numeral = np.zeros(len(present), bool), to_numbers(apply("is_valid", values)) == 1
        return _Cells(values, numeral, none, point, ~none, none, commas, (), local, plain=True)
    trimmed = _replaced(values, _EDGES, "")
    numeral = _matches(trimmed, _NUMERAL)
    if not numeral.any():
        return None
    others = {values[int(i)].as_py() for i in np.flatnonzero(~numeral)} - {None}
    words = tuple(sorted(word for word in others if word.strip() not in NO_VALUE))
    percent, point, comma, points, commas = (
        _matches(trimmed, pattern)[numeral]
        for pattern in ("%$", _WITH_POINT, _WITH_COMMA, r"\.", ",")
    )
    return _Cells(values, numeral, percent, point, comma, points, commas, words, local)


def _of_labels(names: Sequence[str], cells: dict[int, _Cells]) -> list[int]:
    """Return columns that are classes rather than numbers, or whose scale differs from the others.

    That is a truth whose values all other numerals repeat, or name columns of classes; and one of
    percentages, unless predictions have percent signs.
    """
    truths = [i for i in cells if names[i].casefold() in NAMES["truth"]]
    others = [i for i in cells if i not in truths]
    for i in truths:
        labels = set(cells[i].values[:_GLANCE].to_pylist()) - {None}
        ends = tuple(f"{mark}{label}" for mark in ("::", ".", "_") for label in labels)
        few = len(cells[i].values) <= _GLANCE
        if few and any(name.endswith(ends) for name in names):
            return list(cells)
        alike = (
            len(cells[other].values) <= len(labels) + 1
            and set(cells[other].values.to_pylist()) <= {*labels, None}
            for other in others
        )
        if few and others and all(alike):
            return list(cells)
    shares = {cells[i].is_share for i in others}
    return [i for i in truths if cells[i].is_share and shares != {True}]


def _numbers(texts: pa.ChunkedArray, cells: _Cells) -> pa.ChunkedArray:
    """Return the numbers spelled by a column, exact to the last digit; percentages as fractions."""
    if cells.plain:
        how = pa.compute.ReplaceSubstringOptions(",", ".")
        return cast(apply("replace_substring", texts, options=how), pa.float64())
    texts = _replaced(texts, _EDGES, "")
    texts = _replaced(texts, f"^({'|'.join(map(re.escape, NO_VALUE))})$", "")
    texts = _replaced(texts, f"[{_APART}{'.' if cells.mark == ',' else ','}]", "")
    texts = _replaced(_replaced(texts, ",", "."), r"\x{2212}", "-")
    texts = _replaced(texts, f"[{_BLANK}]*%$", "e-2")
    blank = pa.compute.match_substring_regex(texts, pattern="^$")
    texts = apply("if_else", blank, pa.nulls(len(texts), texts.type), texts)
    numbers = cast(texts, pa.float64())
    whole = not cells.is_share and not _matches(cells.values, "[.,eE]").any()
    return cast(numbers, pa.int64()) if whole else numbers


def _may_be_thousands(table: pa.Table, position: int) -> bool:
    """True if floats could be integers with points between thousands."""
    values = table.column(position)
    if not pa.types.is_floating(values.type):
        return False
    numbers = to_numbers(values)
    numbers = np.abs(numbers[~np.isnan(numbers)])
    if not len(numbers) or (numbers >= 1000).any():
        return False
    fine = (numbers >= 1) & (np.abs(numbers * 1000 - np.rint(numbers * 1000)) < 1e-6)
    return bool((fine | (numbers == 0)).all())


def _matches(values: pa.Array, pattern: str) -> BoolArray:
    matches = pa.compute.match_substring_regex(values, pattern=pattern)
    return np.asarray(to_numbers(matches) == 1)


def _replaced(values: pa.ChunkedArray, pattern: str, by: str) -> pa.ChunkedArray:
    if not _matches(values, pattern).any():  # several times faster
        return values
    return pa.compute.replace_substring_regex(values, pattern=pattern, replacement=by)


_TIME = pattern(
    r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)"
    r"(?:[T ]+(\d\d?)[:-](\d\d?)(?:[:-](\d\d?)(?:[.,](\d{1,9}))?)?)?"
    r" *(?:(Z|UTC|GMT)|([+-])(\d\d?):?(\d\d)?)?",
    re.ASCII | re.IGNORECASE,
)
_DAY = 86_400
_MILLISECONDS = 1e11
"""From here on numbers are not seconds: they would lie after the year 5000."""
_FARTHEST = 14 * 3600
"""No clock is farther from UTC, in seconds."""


_SINCE, _UNTIL = 946_684_800, 4_102_444_800
"""The years 2000 to 2099: other numbers are no times."""

_PROBED = 20


class Moment(NamedTuple):
    """A time: the earliest and the latest second, since 1970, that its text allows; `zoned` is
    False where it may be on any clock, and counts as UTC.
    """

    start: float
    end: float
    zoned: bool

    def before(self, other: Moment) -> bool:
        """True if this is certainly the earlier one."""
        apart = 0 if self.zoned == other.zoned else _FARTHEST
        return self.end + apart <= other.start and self.start < other.start


def moment_of(value: Any) -> Moment | None:
    """Return the time that a log states, as text or as a number of (milli)seconds; None if none.

    Examples
    --------
    >>> moment_of("2024-01-02T00:30:00+02:00").before(moment_of("2024-01-01T23:00:00Z"))
    True
    >>> moment_of("2024-1-9").before(moment_of("2024-01-10 08:00"))
    True
    >>> moment_of("2024-01-09").before(moment_of("2024-01-09 08:00"))
    False
    """
    text = str(value).strip()
    match = None if isinstance(value, bool) else _TIME.fullmatch(text)
    if match is None:
        try:
            number = float("nan" if isinstance(value, bool) else text)
        except ValueError:
            return None
        seconds = number / 1000 if abs(number) >= _MILLISECONDS else number
        return Moment(seconds, seconds, zoned=True) if math.isfinite(seconds) else None
    *clock, part, utc, sign, hours, minutes = match.groups()
    try:
        year, month, day, hour, minute, second = (int(part or 0) for part in clock)
        at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    ahead = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    start = (at + ahead if sign == "-" else at - ahead).timestamp() + float(f".{part or 0}")
    length = 0 if part else 1 if clock[5] else 60 if clock[3] else _DAY
    return Moment(start, start + length, zoned=bool(utc or sign))


def is_date(text: str) -> bool:
    """True for a date that starts with the year, and may go on with a time."""
    return _TIME.fullmatch(text) is not None and moment_of(text) is not None


def times_of(values: pa.ChunkedArray) -> list[Moment]:
    """Return the times that values (n,) are; none if one is not."""
    moments: list[Moment] = []
    for value in chain(values[:_PROBED].to_pylist(), values.to_pylist()):
        moment = moment_of(value)
        if moment is None or not _SINCE <= moment.start < _UNTIL:
            return []
        moments.append(moment)
    return moments[min(_PROBED, len(values)) :]
