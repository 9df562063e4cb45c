"""Numbers as spreadsheets write them: decimal commas, thousands separators, percent signs.

A column of text becomes numbers where all of its cells agree and have one reading. What has two,
or none, stays text; `doubt` says what it looks like once numbers are needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import apply, cast, is_text, to_numbers
from bbccli.readers.column import Column
from bbccli.readers.roles import NAMES
from bbccli.types import BoolArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

NO_VALUE = frozenset(("n/a", "N/A", "None", "none"))
"""No value among numbers; among labels it may be the name of a class."""

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
_PROMISING = re.compile(r"\s*'?[+\-\u2212]?[.,]?\d")
_CURRENCY = r"([$€£¥]|\b(EUR|USD|GBP|CHF)\b)"
_ODD = tuple(
    (re.compile(pattern), problem, hint)
    for pattern, problem, hint in (
        (
            r"#[A-Z/0-9]+[!?]",
            "is the error of a formula",
            "mend the formula in the spreadsheet, or empty the cell",
        ),
        (
            "--?|\u2013|\u2014",
            "may be missing or 0",
            "leave the cell empty if the value is missing, else write 0",
        ),
        (rf".*(\d\s*{_CURRENCY}|{_CURRENCY}\s*[+-]?\d).*", "has a currency", "store numbers alone"),
        (
            r"\([\d.,\s]*\d[\d.,\s]*\)|\d[\d.,\s]*[-\u2212]",
            "has parentheses or a minus sign behind it, as negative numbers of accounts do",
            "write the minus sign first, such as -1.5",
        ),
    )
)
"""Patterns of text that is not a number, each with a problem and a hint."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """Different cells of a column, (k,) each: which are numerals, and how they are written.

    They are `plain` where a decimal comma is all that a parser of numbers stumbles over.
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
        """Cells whose separator may be a decimal mark or stand between thousands.

        A separator elsewhere that can be only one of the two decides.
        """
        either = self.point & self.comma & (self.points | self.commas)
        if self.point.all() and self.comma.all():
            return either & bool(self.local or self.commas.any())
        separated = self.commas if self.point.all() else self.points
        return either & separated & ~(separated & ~either).any()

    @property
    def mark(self) -> str:
        """The decimal mark on which all numerals agree; empty where there is none such."""
        if self.doubtful.any():
            return ""
        return "." if self.point.all() else "," if self.comma.all() else ""

    @property
    def certain(self) -> bool:
        """True if all cells that hold a value can be read as numbers in one way only."""
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
    """Return a table whose columns of text are numbers where they can be nothing else.

    Parameters
    ----------
    table
        Columns as they were inferred.
    kept
        True for names of columns that remain as they are.
    as_text
        Reads columns once more, as text.
    local
        True if the file seems to come from a country of decimal commas. There, and beside columns
        with such commas, numbers whose points may stand between thousands become text.
    """
    names, kinds = table.column_names, table.schema.types
    found: dict[int, _Cells] = {}
    for i, name in enumerate(names):
        if is_text(kinds[i]) and not kept(name):
            cells = _cells(apply("unique", table.column(i)), local=local)
            if cells is not None and cells.certain:
                found[i] = cells
    commas = any(cells.mark == "," for cells in found.values())
    for i in _of_labels(names, found):
        del found[i]
    for i, cells in found.items():
        table = table.set_column(i, names[i], _numbers(table.column(i), cells))
    if not (local or commas):
        return table
    rest = (i for i, name in enumerate(names) if i not in found and not kept(name))
    doubtful = [names[i] for i in rest if _may_be_thousands(table, i)]
    raw = as_text(doubtful) if doubtful else table
    for name in doubtful:
        i = names.index(name)
        cells = _cells(apply("unique", raw.column(i)))
        if cells is not None and not cells.mark:
            table = table.set_column(i, name, raw.column(i))
    return table


def doubt(column: Column, *, of: str) -> InputError | None:
    """Return the error about numerals that have two readings, or none; None about other text.

    Parameters
    ----------
    column
        Text, where numbers may be meant.
    of
        Name of its content, for the message.
    """
    codes, values = column.codes()
    problem, wrong, hint = _doubt(values)
    if not problem:
        return None
    entries = np.flatnonzero(np.append(wrong, False)[codes])
    return column.fault(f"{of} {problem}", entries, hint=hint)


def strangers(column: Column) -> IntArray:
    """Entries of text that is no numeral, among numerals that agree."""
    codes, values = column.codes()
    cells = _cells(values)
    words = cells.words if cells and cells.mark else ()
    wrong = np.isin(values.to_pylist(), words)
    return np.flatnonzero(np.append(wrong, False)[codes])


def _doubt(values: pa.Array) -> tuple[str, BoolArray, str]:
    """Return what is wrong with different cells (k,), with which, and a hint; all may be empty."""
    cells, texts = _cells(values), [text or "" for text in values.to_pylist()]
    none = np.zeros(len(texts), bool)
    words = cells.words if cells else [text for text in texts if text.strip()]
    for pattern, problem, hint in _ODD:
        if words and all(pattern.fullmatch(word.strip()) for word in words):
            return problem, np.isin(texts, words), hint
    if cells is None or cells.words:
        return "", none, ""
    problem, wrong, hint = "", cells.numeral, ""
    if cells.percent.any() and not cells.is_share:
        few = bool(cells.percent.mean() <= 0.5)
        wrong = _spread(none, cells, cells.percent == few)
        problem = f"has {'a' if few else 'no'} percent sign, unlike others of its column"
        hint = "write all cells as shares, such as 0.97, or all with the sign"
    elif cells.certain and cells.is_share:
        problem, hint = "has percent signs", "store shares as numbers, such as 0.97 for 97%"
    elif cells.doubtful.any() and (cells.point.all() or cells.comma.all()):
        wrong = _spread(none, cells, cells.doubtful)
        text = texts[int(np.flatnonzero(wrong)[0])]
        bare, decimal = re.sub("[.,]", "", text), text.replace(",", ".")
        problem = f"may have a decimal mark or thousands separators: {text} is {bare} or {decimal}"
        hint = "store numbers without thousands separators and with a decimal point"
    elif not cells.mark and (cells.point | cells.comma).all():
        rare = cells.comma if cells.point.sum() >= cells.comma.sum() else cells.point
        wrong = _spread(none, cells, rare & ~(cells.point & cells.comma))
        problem = "has another decimal mark than others of its column"
        hint = "store all numbers with a decimal point, and without thousands separators"
    return problem, wrong, hint


def _spread(none: BoolArray, cells: _Cells, chosen: BoolArray) -> BoolArray:
    """(k,) which cells are chosen, of flags of the numerals alone."""
    spread = none.copy()
    spread[cells.numeral] = chosen
    return spread


def _cells(values: pa.Array, *, local: bool = True) -> _Cells | None:
    """Tell how different cells (k,) are written; None where none of them seems to be a number.

    Unless they are `local`, only a comma makes it doubtful whether a point is the decimal mark.
    """
    if not any(_PROMISING.match(text or "") for text in values[:_GLANCE].to_pylist()):
        return None
    if _matches(values, _PLAINLY).sum() == len(values) - values.null_count:  # most files, at once
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


def _of_labels(names: Sequence[str], found: dict[int, _Cells]) -> list[int]:
    """Columns that are classes rather than numbers, or whose scale is not that of the others.

    Such are a truth whose values all other numerals repeat, or name columns of classes; and one of
    percentages, unless there are predictions with percent signs.
    """
    truths = [i for i in found if names[i].casefold() in NAMES["truth"]]
    others = [i for i in found if i not in truths]
    for i in truths:
        labels = set(found[i].values[:_GLANCE].to_pylist()) - {None}
        ends = tuple(f"{mark}{label}" for mark in ("::", ".", "_") for label in labels)
        few = len(found[i].values) <= _GLANCE
        if few and any(name.endswith(ends) for name in names):
            return list(found)
        alike = (
            len(found[other].values) <= len(labels) + 1
            and set(found[other].values.to_pylist()) <= {*labels, None}
            for other in others
        )
        if few and others and all(alike):
            return list(found)
    shares = {found[i].is_share for i in others}
    return [i for i in truths if found[i].is_share and shares != {True}]


def _numbers(texts: pa.ChunkedArray, cells: _Cells) -> pa.ChunkedArray:
    """Return the numbers that a column spells, exact to the last digit; of percentages shares."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if cells.plain:
        how = pc.ReplaceSubstringOptions(",", ".")
        return cast(apply("replace_substring", texts, options=how), pa.float64())
    texts = _replaced(texts, _EDGES, "")
    texts = _replaced(texts, f"^({'|'.join(NO_VALUE)})$", "")
    texts = _replaced(texts, f"[{_APART}{'.' if cells.mark == ',' else ','}]", "")
    texts = _replaced(_replaced(texts, ",", "."), r"\x{2212}", "-")
    texts = _replaced(texts, f"[{_BLANK}]*%$", "e-2")
    blank = pc.match_substring_regex(texts, pattern="^$")
    texts = apply("if_else", blank, pa.nulls(len(texts), texts.type), texts)
    numbers = cast(texts, pa.float64())
    whole = not cells.is_share and not _matches(cells.values, "[.,eE]").any()
    return cast(numbers, pa.int64()) if whole else numbers


def _may_be_thousands(table: pa.Table, position: int) -> bool:
    """True if floats could be integers with points between thousands."""
    import pyarrow as pa

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
    import pyarrow.compute as pc

    found = pc.match_substring_regex(values, pattern=pattern)
    return np.asarray(to_numbers(found) == 1)


def _replaced(values: pa.ChunkedArray, pattern: str, by: str) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    if not _matches(values, pattern).any():  # several times as fast
        return values
    return pc.replace_substring_regex(values, pattern=pattern, replacement=by)
