"""Columns that number the rows: data frames write them beside the data, and they predict nothing.

pandas writes its index under no name, which becomes `Unnamed: 0` where the file is read and written
again; R writes the names of the rows under no name, which become `X`, or with no cell in the header
at all. In a file that is sorted by the truth such numbers would be the best of all configurations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count, islice

import numpy as np

from bbccli.core.notes import declared
from bbccli.errors import InputError, parameter
from bbccli.readers.arrow import is_integer, is_nothing, is_number, to_numbers
from bbccli.readers.column import EXACT_INTEGERS, Column
from bbccli.readers.sheet import Sheet
from bbccli.readers.table import PredictionColumn, Table
from bbccli.types import IntArray

FEWEST = 20
"""Rows from which on numbers in their order, or a permutation of these, are no accident."""

_LOST = re.compile(r"Unnamed: \d+(_level_\d+)?(\.\d+)*(_[xy])?")
"""Name that pandas gives a column without one."""

_INDEX = re.compile(
    r"X(\.(\d+|[xy]))?|\.\.\.\d+|__index_level_[1-9]\d*__"
    r"|(?i:level_\d+|idx|rn|row(_?(nr|no|num|number)|[._]?names?)?)"
)
"""Other names of an index, in R, readr, Arrow, `reset_index()` and by hand."""


def set_aside(table: Table) -> Table:
    """Put aside the columns that number or name the rows, by their names and values.

    Such is a column without a name, or with one that only an index has, with another whole number
    or another text in every row. What lost its name may hold a number several times, as of
    repeats under one another; from `FEWEST` different ones on. A column without a name that also
    holds nothing is left out. Where no other column would be left, none is put aside.

    Returns
    -------
    Table
        A column without a name is called as pandas would call it.
    """
    import pyarrow as pa

    data, names = table.data, list(table.names)
    # the columns of a large Parquet file are read by their names
    known = [i for i in _called_so(tuple(names)) if names[i] or isinstance(data, pa.Table)]
    blank = {i for i in known if not names[i] and is_nothing(data.schema.types[i])}
    found = [i for i in known if i not in blank and _is_index(table, names[i], i)]
    if len(blank) + len(found) in (0, len(names)):
        return table
    for i in found:
        names[i] = names[i] or _unused(f"Unnamed: {i}", names)
    kept = [i for i in range(len(names)) if i not in blank]
    if isinstance(data, pa.Table):
        data = data.select(kept).rename_columns([names[i] for i in kept])
    return replace(table, data=data, aside=tuple(names[i] for i in found))


def refuse_disorder(tables: Sequence[Table], *, beside_another: bool) -> None:
    """Refuse tables without a key whose rows are matched by position, if their numbers differ.

    Numbers that restart, as those of repeats under one another, are in order where all blocks are
    the same and each rises.

    Parameters
    ----------
    tables
        Tables of the same samples: row i of one belongs to row i of the next.
    beside_another
        It also belongs to row i of a file that is not among these.

    Raises
    ------
    InputError
        Names the column that could be the key.
    """
    earlier: dict[str, Column] = {}
    for table in tables if beside_another or len(tables) > 1 else ():
        for name in table.aside:
            column = table.column(name)
            other, numbers = earlier.setdefault(name, column), _whole(column)
            if other.values.equals(column.values):
                wrong = beside_another and numbers is not None and not _rises(numbers)
            else:
                wrong = not (_is_count(_whole(other)) and _is_count(numbers))
            if wrong:
                otherwise = f"{parameter('by_position')} if the order is the same"
                raise InputError(
                    "rows are matched by position, but numbered in another order",
                    path=table.path,
                    column=name,
                    hint=f"{parameter('row_id')} {name!r} if these numbers are the key of the "
                    f"samples in all files; else {otherwise if beside_another else 'drop it'}",
                )


def without_row_numbers(sheet: Sheet, named: Collection[str]) -> Sheet:
    """Put the first column of a wide table aside where it numbers the rows under any other name.

    That is: it holds 0 to n - 1 or 1 to n, `FEWEST` or more, in their order (in each of several
    blocks of rows) or as a permutation, and the next configuration does not: ranks of samples are
    predictions, of which all configurations are made.

    Parameters
    ----------
    sheet
        A wide table with its roles.
    named
        Configurations that are known to be such.
    """
    if len(sheet.cells) < 2 or sheet.cells[0].source != sheet.table.names[0]:
        return sheet
    name, first = sheet.cells[0].name, _counted(sheet, sheet.cells[0])
    if not first or name in named or _counted(sheet, sheet.cells[1]):
        return sheet
    remark = declared.row_numbers if first == "in order" else declared.shuffled_numbers
    return replace(sheet, cells=sheet.cells[1:], notes=(*sheet.notes, remark([name])))


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _called_so(names: tuple[str, ...]) -> list[int]:
    """Positions of columns that are called as one that numbers or names the rows."""
    called = [name.strip() for name in names]
    return [i for i, one in enumerate(called) if _is_lost(one) or _INDEX.fullmatch(one)]


def _is_lost(called: str) -> bool:
    """True if a column has no name, or one that pandas gives such a column."""
    return not called or _LOST.fullmatch(called) is not None


def _is_index(table: Table, name: str, position: int) -> bool:
    """Return True if a column that is called so does number or name the rows."""
    column = replace(table, data=table.data.select([position])).column(name)
    if column.is_text:
        return not len(column.nulls) and len(column.codes()[1]) == len(column)
    numbers = _whole(column)
    if numbers is None:
        return False
    n_different = len(np.unique(numbers))
    lost = _is_lost(name.strip())
    return n_different == len(numbers) or (lost and n_different >= FEWEST)


def _rises(numbers: IntArray) -> bool:
    """Return True if numbers rise, in each of blocks that are the same."""
    falls = np.flatnonzero(np.diff(numbers) <= 0)
    length = int(falls[0]) + 1 if len(falls) else len(numbers)
    blocks = np.arange(len(numbers)) % length
    return len(numbers) % length == 0 and np.array_equal(numbers, numbers[blocks])


def _is_count(numbers: IntArray | None) -> bool:
    """Return True if numbers count rows from 0 or 1."""
    return numbers is not None and numbers[0] <= 1 and bool((np.diff(numbers) == 1).all())


def _whole(column: Column) -> IntArray | None:
    """(n,) the whole numbers, none negative, that a column holds; None where it holds others."""
    if not is_number(column.values.type) or len(column.nulls):
        return None
    numbers = to_numbers(column.values)
    if (numbers < 0).any() or (numbers > EXACT_INTEGERS).any() or (numbers % 1 != 0).any():
        return None
    return numbers.astype(np.int64)


def _counted(sheet: Sheet, cell: PredictionColumn) -> str:
    """Tell if integers count rows from 0 or 1: "in order", "shuffled", or "" if they do not."""
    if not is_integer(sheet.type_of(cell)) or sheet.n_rows < FEWEST:
        return ""
    numbers = _whole(sheet.column(cell))
    if numbers is None or numbers.min() > 1:
        return ""
    numbers = numbers - numbers.min()
    length = int(numbers.max()) + 1
    if length < FEWEST or len(numbers) % length:
        return ""
    if np.array_equal(numbers, np.arange(len(numbers)) % length):
        return "in order"
    permuted = length == len(numbers) and len(np.unique(numbers)) == length
    return "shuffled" if permuted else ""


def _unused(name: str, names: Collection[str]) -> str:
    """Return a name, with the number behind it that makes it another than these."""
    numbered = (f"{name}.{number}" for number in count(1))
    return next(one for one in (name, *islice(numbered, len(names) + 1)) if one not in names)
