"""Columns that number the rows: written beside the data by data frames, without any meaning.

pandas writes its index without a name, which becomes `Unnamed: 0` if the file is read and written
again; R writes row names without a name, which become `X`, or with no cell in the header at all. In
a file sorted by the truth such numbers would be the best of all configurations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from bbccli.errors import InputError, parameter
from bbccli.notes import of_metadata
from bbccli.reading.arrow import is_nothing, is_number, to_numbers
from bbccli.reading.column import EXACT_INTEGERS, Column
from bbccli.reading.sheet import Sheet
from bbccli.reading.table import PredictionColumn, Table
from bbccli.types import IntArray

FEWEST = 20
"""From this many rows on, a sequence of numbers, or a permutation of it, is not an accident."""

_LOST = re.compile(r"|Unnamed: \d+(_level_\d+)?(\.\d+)*(_[xy])?")
"""No name, or the one that pandas gives then."""

_INDEX = re.compile(
    rf"{_LOST.pattern}|X(\.(\d+|[xy]))?|\.\.\.\d+|__index_level_[1-9]\d*__"
    r"|(?i:level_\d+|idx|rn|row(_?(nr|no|num|number)|[._]?names?)?)"
)
"""The same, or another name of an index: of R, readr, Arrow, `reset_index()` and by hand."""


def set_aside(table: Table) -> Table:
    """Set aside columns that number or name the rows, by name and values.

    Such a column has no name, or one that only an index has, and a different integer or text in
    every row. If it lost its name, numbers may recur, as in stacked repeats, from `FEWEST` distinct
    ones on. An empty column without a name is removed. If no other column would remain, none is set
    aside. A column without a name gets the name that pandas would give it.
    """
    import pyarrow as pa

    data, names = table.data, [*table.names]
    # columns of a large Parquet file are read by name
    candidates = [i for i in _called_so(tuple(names)) if names[i] or isinstance(data, pa.Table)]
    lost = [i for i in candidates if _LOST.fullmatch(names[i])]
    blank = {i for i in lost if is_nothing(data.schema.field(i).type)}
    numbering = [i for i in candidates if i not in blank and _is_index(table, names[i], i)]
    if len(blank) + len(numbering) in (0, len(names)):
        return table
    for i in numbering:
        numbered = (f"Unnamed: {i}" + f".{n}" * (n > 0) for n in range(len(names) + 1))
        names[i] = names[i] or next(name for name in numbered if name not in names)
    kept = [i for i in range(len(names)) if i not in blank]
    if isinstance(data, pa.Table):
        data = data.select(kept).rename_columns([names[i] for i in kept])
    return replace(table, data=data, aside=tuple(names[i] for i in numbering))


def refuse_disorder(tables: Sequence[Table], *, beside_another: bool) -> None:
    """Refuse tables without a key whose rows are matched by position if their row numbers differ.

    Numbers that restart, as in stacked repeats, are in order if all blocks are equal and rise. Row
    i of one table belongs to row i of the next and, if `beside_another`, to row i of a file not
    among them.
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
                otherwise = f"give {parameter('by_position')} if the order is the same"
                raise InputError(
                    "rows are matched by position, but numbered in a different order",
                    path=table.path,
                    column=name,
                    hint=f"use {parameter('row_id')} {name!r} if these numbers are the key of the "
                    f"samples in all files; else {otherwise if beside_another else 'drop it'}",
                )


def without_row_numbers(sheet: Sheet, named: Collection[str]) -> Sheet:
    """Set aside the first column of a wide table if it numbers the rows under any other name.

    That is: it holds 0 to n - 1 or 1 to n, `FEWEST` or more, in order (in each of several blocks of
    rows) or permuted, and the next configuration does not: ranks of samples may be predictions, but
    then of all configurations. `named` are known configurations.
    """
    if len(sheet.cells) < 2 or sheet.cells[0].source != sheet.table.names[0]:
        return sheet
    name, first = sheet.cells[0].name, _counted(sheet, sheet.cells[0])
    if not first or name in named or _counted(sheet, sheet.cells[1]):
        return sheet
    remark = of_metadata.row_numbers if first == "in order" else of_metadata.shuffled_numbers
    return replace(sheet, cells=sheet.cells[1:], notes=(*sheet.notes, remark([name])))


@lru_cache(maxsize=8)  # the files of a batch have the same columns
def _called_so(names: tuple[str, ...]) -> list[int]:
    """Return the positions of columns whose name means a row number or name."""
    return [i for i, name in enumerate(names) if _INDEX.fullmatch(name.strip())]


def _is_index(table: Table, name: str, position: int) -> bool:
    """True if a column with such a name does number or name the rows."""
    column = replace(table, data=table.data.select([position])).column(name)
    if column.is_text:
        return not len(column.nulls) and len(column.codes()[1]) == len(column)
    numbers = _whole(column)
    if numbers is None:
        return False
    n_different = len(np.unique(numbers))
    lost = _LOST.fullmatch(name.strip()) is not None
    return n_different == len(numbers) or (lost and n_different >= FEWEST)


def _rises(numbers: IntArray) -> bool:
    """True if numbers rise, in each of several equal blocks."""
    falls = np.flatnonzero(np.diff(numbers) <= 0)
    length = int(falls[0]) + 1 if len(falls) else len(numbers)
    blocks = np.arange(len(numbers)) % length
    return len(numbers) % length == 0 and np.array_equal(numbers, numbers[blocks])


def _is_count(numbers: IntArray | None) -> bool:
    """True if numbers count rows from 0 or 1."""
    return numbers is not None and numbers[0] <= 1 and bool((np.diff(numbers) == 1).all())


def _whole(column: Column) -> IntArray | None:
    """Return the (n,) non-negative integers in a column; None if it holds anything else."""
    if not is_number(column.values.type) or len(column.nulls):
        return None
    numbers = to_numbers(column.values)
    if (numbers < 0).any() or (numbers > EXACT_INTEGERS).any() or (numbers % 1 != 0).any():
        return None
    return numbers.astype(np.int64)


def _counted(sheet: Sheet, cell: PredictionColumn) -> str:
    """Tell if integers count rows from 0 or 1: "in order", "shuffled", or "" if they do not."""
    if cell.source not in sheet.table.integers or sheet.n_rows < FEWEST:
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
