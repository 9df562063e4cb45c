"""Values of columns that may be configurations: a few rows to begin with, or all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bbccli.readers.arrow import is_number, to_numbers
from bbccli.readers.column import Column
from bbccli.readers.sheet import WIDE, Sheet
from bbccli.readers.table import GLANCE, PredictionColumn
from bbccli.types import FloatArray, IntArray

MOST_DIGITS = 6
"""Decimals from which on numbers are not rounded for people."""

FEWEST_ROWS = 10
"""From this many rows on, an identity in every row is no accident, whatever the names say."""


def undecided(sheet: Sheet) -> tuple[PredictionColumn, ...]:
    """Return the columns of numbers of a wide table that nobody named as configurations."""
    known = sheet.declared
    return tuple(
        cell
        for cell in sheet.cells
        if sheet.layout == WIDE
        and cell.label is None
        and not {cell.configuration, cell.name} & known
        and is_number(sheet.type_of(cell))
    )


def may_be_classes(truth: Column) -> bool:
    """True if the values of a truth may be classes: text, or whole numbers."""
    if truth.is_text or truth.is_boolean or truth.is_integer:
        return True
    numbers = to_numbers(truth.values)
    return bool((np.isnan(numbers) | (numbers == np.round(numbers))).all())


def rows_at_a_glance(sheet: Sheet, n: int = GLANCE) -> IntArray:
    """Return the rows to look at first: all over a table in memory, the first of a file."""
    some = min(sheet.n_rows, n)
    return np.linspace(0, (some if sheet.table.on_disk else sheet.n_rows) - 1, some, dtype=np.int64)


def some_rows(sheet: Sheet, cells: Sequence[PredictionColumn], n: int = GLANCE) -> FloatArray:
    """Return a few rows (n, C) of some cells, NaN where missing."""
    rows = rows_at_a_glance(sheet, n)
    if not cells:
        return np.empty((len(rows), 0))
    if all(cell.rows is None for cell in cells):
        table = sheet.table.glance([cell.source for cell in cells], rows)
        return np.stack([to_numbers(column) for column in table.columns], axis=-1)
    return np.stack([to_numbers(sheet.column(c).take(rows).values) for c in cells], axis=-1)


def all_rows(sheet: Sheet, cells: Sequence[PredictionColumn]) -> FloatArray:
    """Return all rows (n_rows, C) of some cells, NaN where missing."""
    return np.stack([to_numbers(sheet.column(cell).values) for cell in cells], axis=-1)


def step_of(numbers: FloatArray) -> float:
    """Return the last decimal that finite numbers have, or 0 if they have many."""
    exact = numbers[np.isfinite(numbers)].astype(np.float64)
    for digits in range(MOST_DIGITS + 1):
        if (np.abs(np.round(exact, digits) - exact) <= 1e-7 * np.abs(exact)).all():
            return float(10.0**-digits)
    return 0.0


def alike(sums: FloatArray, wanted: FloatArray, most: int = 4) -> list[IntArray]:
    """Return for each wanted number the positions of the `most` nearest sums, the nearest first."""
    order: IntArray = np.argsort(sums, kind="stable")
    places = np.searchsorted(sums[order], wanted)
    near = []
    for place, number in zip(places.tolist(), wanted.tolist(), strict=True):
        some = order[max(place - most, 0) : place + most]
        near.append(some[np.argsort(np.abs(sums[some] - number), kind="stable")][:most])
    return near
