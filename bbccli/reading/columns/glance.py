"""What rules on columns see of a sheet: a few rows to begin with, or all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from bbccli.reading.arrow import to_numbers, to_rows
from bbccli.reading.classes import codes_among, in_order, spelled
from bbccli.reading.column import Column, name_of, number_of
from bbccli.reading.outcome import positive_last, task_of
from bbccli.reading.roles import Request
from bbccli.reading.sheet import WIDE, Sheet
from bbccli.reading.table import GLANCE, PredictionColumn
from bbccli.types import BoolArray, FloatArray, IntArray, Task, readonly

MOST_DIGITS = 6
"""Decimals from which numbers are not rounded for people."""

FEWEST_ROWS = 10
"""From this many rows on, an identity in every row is no accident, whatever the names say."""

_NONE = frozenset(("None", "nan"))

_OF_TRUTH = ("classes", "codes", "truths", "rows")
"""What stays the same when columns are left out."""


class Glance:
    """A sheet, its undecided columns in a few rows, and its truth, each found once."""

    def __init__(self, sheet: Sheet, request: Request) -> None:
        self.sheet, self.request = sheet, request
        self.cells = sheet.undecided
        self.task = task_of(request, sheet)
        self.truth = sheet.roles.get("truth")

    def after(self, sheet: Sheet) -> Glance:
        """Return what is seen of the sheet once a rule has changed it."""
        other = Glance(sheet, self.request)
        other.__dict__ |= {name: self.__dict__[name] for name in _OF_TRUTH if name in self.__dict__}
        return other

    @cached_property
    def classes(self) -> list[str]:
        """Classes of a wide table, the positive one last; none if there may be none."""
        sheet, other = self.sheet, (Task.REGRESSION, Task.SCORE, Task.SURVIVAL)
        if self.truth is None or sheet.layout != WIDE or self.task in other:
            return []
        classes = in_order(self.truth) if may_be_classes(self.truth) else []
        if len(classes) == 2:
            return positive_last(classes, self.request.positive, sheet.metadata, sheet.path)
        return classes if len(classes) > 2 else []

    @cached_property
    def codes(self) -> IntArray:
        """(n_rows,) class of each row, -1 where missing."""
        return codes_among(self.sheet.roles["truth"], self.classes)

    @cached_property
    def truths(self) -> FloatArray:
        """(n_rows,) the truth as numbers; of text those of its values, as they appear."""
        truth = self.sheet.roles["truth"]
        return np.asarray(truth.codes()[0] if truth.is_text else to_numbers(truth.values), float)

    @cached_property
    def rows(self) -> IntArray:
        """(n,) the rows looked at first."""
        return rows_at_a_glance(self.sheet)

    @cached_property
    def array(self) -> FloatArray:
        """(n, C) the undecided columns in a few rows, NaN where missing."""
        return some_rows(self.sheet, self.cells)

    @cached_property
    def complete(self) -> FloatArray:
        """(n', C) these rows without those that are not finite in all columns."""
        return self.array[np.isfinite(self.array).all(axis=1)]

    @cached_property
    def fractions(self) -> BoolArray:
        """(C,) True for undecided columns with a fraction."""
        # `% 1` would take thirty times as long
        return np.asarray((self.array > np.floor(self.array)).any(axis=0))

    @cached_property
    def labels(self) -> list[str]:
        """Columns a few of whose values are classes, those too that an option left out."""
        sheet, array, classes = self.sheet, self.array, self.classes
        taken = {column.name for column in sheet.roles.values()} | sheet.declared
        if any(cell.rows is not None for cell in sheet.cells):
            return []
        among = np.isnan(array) | np.isin(array, [*map(number_of, classes)])
        known = dict(zip([c.source for c in self.cells], np.logical_and.reduce(among), strict=True))
        free = [name for name in sheet.table.names if name not in taken]
        looked_at = [name for name in free if name not in known]
        columns = sheet.table.glance(looked_at, self.rows).columns if looked_at else ()
        for name, values in zip(looked_at, columns, strict=True):
            texts = (name_of(value.as_py()) for value in values)  # one by one: the first may tell
            known[name] = all(text in _NONE or spelled(text, classes) in classes for text in texts)
        return [name for name in free if known[name]]

    def whole(self, *positions: int) -> FloatArray:
        """Return all rows (n_rows, K) of some undecided columns, NaN where missing."""
        return all_rows(self.sheet, [self.cells[c] for c in positions])

    def holds(self, positions: Sequence[int], test: Callable[[FloatArray], bool]) -> bool:
        """True if a test of some undecided columns (n, K) holds for a few rows, and for all."""
        return test(self.array[:, [*positions]]) and test(self.whole(*positions))


def may_be_classes(truth: Column) -> bool:
    """True if the values of a truth may be classes: text, or whole numbers."""
    if truth.is_text or truth.is_boolean or truth.is_integer:
        return True
    numbers = to_numbers(truth.values)
    return bool((np.isnan(numbers) | (numbers == np.round(numbers))).all())


def rows_at_a_glance(sheet: Sheet, n: int = GLANCE) -> IntArray:
    """Return the rows to look at first: all over a table in memory, the first of a file."""
    some = min(sheet.n_rows, n)
    last = (some if sheet.table.on_disk else sheet.n_rows) - 1
    return np.linspace(0, last, some, dtype=np.int64)


def some_rows(sheet: Sheet, cells: Sequence[PredictionColumn], n: int = GLANCE) -> FloatArray:
    """Return a few rows (n, C) of some cells, NaN where missing."""
    table, rows = sheet.table, rows_at_a_glance(sheet, n)
    names = [cell.source for cell in cells if cell.rows is None]
    if table.is_small and len(names) == len(cells):
        by_column = table.numbers(names)[:, rows if len(rows) < sheet.n_rows else slice(None)]
    else:
        read = iter(to_rows(table.glance(names, rows), np.float64) if names else ())
        values = [
            next(read) if c.rows is None else to_numbers(sheet.column(c).take(rows).values)
            for c in cells
        ]
        by_column = np.array(values) if values else np.empty((0, len(rows)))
    array: FloatArray = readonly(by_column.T)
    return array


def all_rows(sheet: Sheet, cells: Sequence[PredictionColumn]) -> FloatArray:
    """Return all rows (n_rows, C) of some cells, NaN where missing."""
    if sheet.table.is_small and all(cell.rows is None for cell in cells):
        return some_rows(sheet, cells, sheet.n_rows)
    return np.stack([to_numbers(sheet.column(cell).values) for cell in cells], axis=-1)


def step_of(numbers: FloatArray) -> float:
    """Return the last decimal that finite numbers have, or 0 if they have many."""
    exact = numbers[np.isfinite(numbers)].astype(np.float64)

    def fits(digits: int) -> bool:
        return bool((np.abs(np.round(exact, digits) - exact) <= 1e-7 * np.abs(exact)).all())

    # what the most decimals don't hold, fewer don't, unless it is beyond all that have them
    tried = range(MOST_DIGITS + 1) if fits(MOST_DIGITS) else range(1)
    return next((float(10.0**-digits) for digits in tried if fits(digits)), 0.0)


def probe_weights(n: int, low: float, high: float) -> FloatArray:
    """Return weights (n,) of rows, as if at random, by whose sums columns are told apart."""
    return np.random.default_rng(0).uniform(low, high, n)


def nearest_sums(sums: FloatArray, wanted: FloatArray) -> IntArray:
    """Return (W, 4) for each wanted number (W,) the positions of the nearest sums (C,), or of all
    if they are fewer, the nearest first.
    """
    order = np.argsort(sums, kind="stable")
    start = np.clip(np.searchsorted(sums[order], wanted) - 4, 0, max(len(sums) - 8, 0))
    near = order[start[:, None] + np.arange(min(8, len(sums)))]
    nearest = np.argsort(np.abs(sums[near] - wanted[:, None]), axis=1, kind="stable")
    return np.take_along_axis(near, nearest[:, :4], axis=1)
