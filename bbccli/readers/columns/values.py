"""Values of columns that may be configurations: a few rows to begin with, or all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.readers.arrow import is_number, to_numbers
from bbccli.readers.sheet import Sheet
from bbccli.readers.table import PredictionColumn
from bbccli.types import FloatArray

GLANCE = 64
"""Rows that a rule looks at before it reads whole columns."""


def undecided(sheet: Sheet) -> tuple[PredictionColumn, ...]:
    """Return the columns of numbers, one a configuration, that nobody named as configurations."""
    declared = sheet.declared
    return tuple(
        cell
        for cell in sheet.cells
        if cell.label is None
        and cell.configuration not in declared
        and is_number(sheet.type_of(cell))
    )


def first_rows(sheet: Sheet, cells: Sequence[PredictionColumn], n: int = GLANCE) -> FloatArray:
    """Return the first n rows (n, C) of some cells, NaN where missing."""
    names = list(dict.fromkeys(cell.source for cell in cells))
    head = sheet.table.head(names, n)
    numbers = {name: to_numbers(head.column(name)) for name in names}
    some = min(n, sheet.n_rows, head.num_rows)
    found = np.full((some, len(cells)), np.nan)
    for c, cell in enumerate(cells):
        column = numbers[cell.source]
        rows = np.arange(some) if cell.rows is None else cell.rows[:some]
        there = (rows >= 0) & (rows < len(column))
        found[there, c] = column[rows[there]]
    return found


def all_rows(sheet: Sheet, cells: Sequence[PredictionColumn]) -> FloatArray:
    """Return all rows (n_rows, C) of some cells, NaN where missing."""
    return np.stack([to_numbers(sheet.column(cell).values) for cell in cells], axis=-1)
