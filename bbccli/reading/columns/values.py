"""Values of columns that may be configurations: a few rows to begin with, or all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from bbccli.reading.arrow import to_numbers, to_rows
from bbccli.reading.classes import in_order
from bbccli.reading.column import Column
from bbccli.reading.outcome import positive_last, task_of
from bbccli.reading.roles import Request
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import GLANCE, PredictionColumn
from bbccli.types import FloatArray, IntArray, Task, readonly

MOST_DIGITS = 6
"""Decimals from which on numbers are not rounded for people."""

_FEW = 8
"""Columns up to which seeing them again costs nothing."""

_FEW_ROWS = 512
"""Rows of a table in memory up to which all are read at once, of which a few are looked at."""

FEWEST_ROWS = 10
"""From this many rows on, an identity in every row is no accident, whatever the names say."""


def may_be_classes(truth: Column) -> bool:
    """True if the values of a truth may be classes: text, or whole numbers."""
    if truth.is_text or truth.is_boolean or truth.is_integer:
        return True
    numbers = to_numbers(truth.values)
    return bool((np.isnan(numbers) | (numbers == np.round(numbers))).all())


def classes_of(sheet: Sheet, request: Request) -> list[str]:
    """Return the classes of a wide table, the positive one last; none if there may be none."""
    truth = sheet.roles.get("truth")
    other = task_of(request, sheet) in (Task.REGRESSION, Task.SCORE, Task.SURVIVAL)
    if truth is None or sheet.layout != WIDE or other or not may_be_classes(truth):
        return []
    classes = in_order(truth)
    if len(classes) == 2:
        return positive_last(classes, request.positive, sheet.metadata, sheet.path)
    return classes if len(classes) > 2 else []


def rows_at_a_glance(sheet: Sheet, n: int = GLANCE) -> IntArray:
    """Return the rows to look at first: all over a table in memory, the first of a file."""
    some = min(sheet.n_rows, n)
    return _spread(some if sheet.table.on_disk else sheet.n_rows, some)


@lru_cache(maxsize=8)
def _spread(n_rows: int, n: int) -> IntArray:
    rows: IntArray = readonly(np.linspace(0, n_rows - 1, n, dtype=np.int64))
    return rows


def some_rows(sheet: Sheet, cells: Sequence[PredictionColumn], n: int = GLANCE) -> FloatArray:
    """Return a few rows (n, C) of some cells, NaN where missing; read once for all rules."""
    seen, last = sheet.table.seen, sheet.table.last_seen
    asked = (n, *(c.source for c in cells if c.rows is None))
    if asked in last and len(asked) > len(cells):
        return last[asked]
    rows, n_rows = rows_at_a_glance(sheet, n), sheet.table.n_rows
    few = not sheet.table.on_disk and n_rows <= _FEW_ROWS and len(asked) > len(cells)
    read, n = (np.arange(n_rows), n_rows) if few else (rows, n)
    if new := [c.source for c in cells if c.rows is None and (c.source, n) not in seen]:
        numbers = to_rows(sheet.table.glance(new, read), np.float64)
        seen.update(zip([(name, n) for name in new], numbers, strict=True))
    found = [
        to_numbers(sheet.column(cell).take(rows).values)
        if cell.rows is not None
        else seen[cell.source, n]
        for cell in cells
    ]
    by_column = np.array(found) if found else np.empty((0, len(read)))
    array: FloatArray = readonly((by_column[:, rows] if few else by_column).T)
    if _FEW < len(asked) > len(cells):
        last.clear()
        last[asked] = array
    return array


def all_rows(sheet: Sheet, cells: Sequence[PredictionColumn]) -> FloatArray:
    """Return all rows (n_rows, C) of some cells, NaN where missing."""
    return np.stack([to_numbers(sheet.column(cell).values) for cell in cells], axis=-1)


def holds(
    sheet: Sheet, cells: Sequence[PredictionColumn], test: Callable[[FloatArray], bool]
) -> bool:
    """True if a test of columns (n, C) holds for a few rows, and for all."""
    return test(some_rows(sheet, cells)) and test(all_rows(sheet, cells))


def step_of(numbers: FloatArray) -> float:
    """Return the last decimal that finite numbers have, or 0 if they have many."""
    exact = numbers[np.isfinite(numbers)].astype(np.float64)
    for digits in range(MOST_DIGITS + 1):
        if (np.abs(np.round(exact, digits) - exact) <= 1e-7 * np.abs(exact)).all():
            return float(10.0**-digits)
    return 0.0


def alike(sums: FloatArray, wanted: FloatArray, most: int = 4) -> IntArray:
    """Return (W, most) for each wanted number (W,) the positions of the nearest sums (C,), or of
    all if they are fewer, the nearest first.
    """
    order = np.argsort(sums, kind="stable")
    start = np.clip(np.searchsorted(sums[order], wanted) - most, 0, max(len(sums) - 2 * most, 0))
    near = order[start[:, None] + np.arange(min(2 * most, len(sums)))]
    nearest = np.argsort(np.abs(sums[near] - wanted[:, None]), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(near, nearest[:, :most], axis=1))
