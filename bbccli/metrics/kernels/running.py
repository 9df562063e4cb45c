"""Running totals of weights in the order of a column, many weightings side by side.

In numpy a cumulative sum down the rows of an array is slow, while adding whole rows is fast. So the
ordered rows fill a grid column by column, and the sums run down the grid.

Weightings are lanes (N + 1, L): one row per sample, and a last row of zeros to pad the grid.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, IntArray

Numbers = NDArray[Any]
"""Whole numbers where all weights are whole, real ones otherwise."""

FEW_LANES = 16
"""Lanes up to which numpy's cumulative sum is faster than its calls for each row of the grid."""

MOST_CELLS = 2**19
"""Weights in lanes at a time: numpy's calls are amortised, and the totals stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Places of n rows, in order, in a (stride, n_strides) grid.

    stride, n_strides (int): cells along a column, and columns.
    rank (n_cells,) int: row in each cell, counted from the first; n for an empty cell.
    place (n + 1,) int: place of the total of the first k rows in a table (1 + n_cells, L).
    """

    stride: int
    n_strides: int
    rank: IntArray
    place: IntArray

    @classmethod
    def of(cls, n_rows: int, n_lanes: int) -> Grid:
        """Lay out n rows; in a single column if there are few lanes."""
        stride = max(int(np.sqrt(n_rows)) if n_lanes > FEW_LANES else n_rows, 1)
        n_strides = -(-n_rows // stride)
        cell, row = np.arange(stride * n_strides), np.arange(n_rows)
        rank = np.minimum(cell % n_strides * stride + cell // n_strides, n_rows)
        place = np.concatenate([[0], 1 + row % stride * n_strides + row // stride])
        return cls(stride, n_strides, rank, place)

    def table(self, lanes: Numbers) -> Numbers:
        """Return a table (1 + n_cells, L) for totals of the lanes; its first row stays 0."""
        return np.zeros((1 + len(self.rank), lanes.shape[1]), lanes.dtype)

    def arrange(self, lanes: Numbers, order: IntArray, out: Numbers) -> Numbers:
        """Gather the rows `order` (n,) of lanes (N + 1, L) into the cells (n_cells, L)."""
        return gather_rows(lanes, np.append(order, len(lanes) - 1)[self.rank], out)

    def accumulate(self, cells: Numbers) -> Numbers:
        """Turn the cells (n_cells, L) into running totals, in place, and return them."""
        grid = cells.reshape(self.stride, self.n_strides, cells.shape[1])
        add_down(grid)
        add_down(grid[-1])
        # not `grid[...] +=`, which would copy the sums onto themselves once more
        rest = grid[:-1, 1:]
        rest += grid[-1, :-1]
        return cells


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Finds where running totals pass a limit without computing all of them.

    The totals of whole columns of the grid find the column; only its cells are added up.
    """

    lanes: Numbers
    grid: Grid
    cells: Numbers
    before: Numbers

    @classmethod
    def of(cls, lanes: Numbers, n_rows: int) -> Search:
        """Prepare for n rows of lanes (N + 1, L)."""
        grid, n_lanes = Grid.of(n_rows, lanes.shape[1]), lanes.shape[1]
        cells = np.empty((len(grid.rank), n_lanes), lanes.dtype)
        return cls(lanes, grid, cells, np.zeros((grid.n_strides + 1, n_lanes), lanes.dtype))

    def arrange(self, order: IntArray) -> None:
        """Take the rows `order` (n,) of the lanes."""
        cells = self.grid.arrange(self.lanes, order, self.cells)
        by_column = cells.reshape(self.grid.stride, self.grid.n_strides, -1)
        np.add.reduce(by_column, axis=0, dtype=cells.dtype, out=self.before[1:])
        add_down(self.before)

    def first(self, passes: Callable[[Numbers, Numbers], BoolArray], limit: Numbers) -> IntArray:
        """Return the first row whose running total passes the limit (L,); the last if none."""
        n_lanes = len(limit)
        column = np.minimum(_n_failing(passes(self.before[1:], limit)), self.grid.n_strides - 1)
        lane = np.arange(n_lanes)
        cell = np.arange(self.grid.stride)[:, None] * self.grid.n_strides + column
        totals = self.cells.ravel().take(cell * n_lanes + lane)
        totals[0] += self.before[column, lane]
        add_down(totals)
        row = _n_failing(passes(totals, limit))
        return np.minimum(column * self.grid.stride + row, len(self.grid.place) - 2)


def _n_failing(passed: BoolArray) -> IntArray:
    passing: IntArray = np.add.reduce(passed.view(np.uint8), axis=0, dtype=np.int32)
    return len(passed) - passing


def add_down(rows: Numbers) -> None:
    """Add to each row those before it, in place."""
    if rows.shape[-1] <= FEW_LANES:
        np.cumsum(rows, axis=0, out=rows)
        return
    for before, here in pairwise(rows):
        np.add(here, before, out=here)


def sum_down(rows: Numbers) -> Numbers:
    """Return the sum (L,) of rows (n, L), added up from the first to the last."""
    if rows.shape[1] == 1:  # numpy would add up in another order
        rows = np.cumsum(rows, axis=0)[-1:]
    return np.asarray(rows.sum(axis=0))


def lanes_at_once(n_samples: int) -> int:
    """Return the number of weightings of N samples to put side by side."""
    return min(max(MOST_CELLS // max(n_samples, 1), 32), 1024)


def side_by_side(weights: Numbers, dtype: Any, n_lanes: int = 0) -> Numbers:
    """Return weights (B, N) as lanes (N + 1, B), or more of them; the last row is 0."""
    lanes = np.zeros((weights.shape[1] + 1, n_lanes or len(weights)), dtype)
    lanes[:-1, : len(weights)] = weights.T
    return lanes


def gather_rows(lanes: Numbers, rows: IntArray, out: Numbers) -> Numbers:
    """Gather rows into `out`; unlike indexing, this lets other threads run meanwhile."""
    return np.take(lanes, rows, axis=0, out=out, mode="clip")
