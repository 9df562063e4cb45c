"""Configurations ranked in many resamples, and the best of random or of first ones among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from bbccli.types import BoolArray, Direction, FloatArray, IntArray

Values = TypeVar("Values", FloatArray, IntArray)

ROUNDED = 12
"""Last bits of a performance that are rounding: 9e-13 of it at most, near TIE_TOLERANCE."""

MOST_PACKED = 2**ROUNDED
"""Configurations whose numbers fit into those bits."""

TOGETHER = 8
"""Resamples in one product of matrices."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Configurations, best first, in each of B resamples.

    Attributes
    ----------
    order : (B, C) int
        Configurations from the best one; those that can't be scored come last.
    n_scored : (B,) int
        How many can be scored.
    """

    order: IntArray
    n_scored: IntArray

    def of_first(self, values: FloatArray, tried: IntArray, counts: IntArray) -> FloatArray:
        """Return the values of the best of the first `counts` (n,) configurations of an order (C,).

        (B, n) of values (B, C); NaN where none of the first ones can be scored.
        """
        ranks = np.empty_like(self.order)
        places = np.broadcast_to(np.arange(self.order.shape[1]), ranks.shape)
        np.put_along_axis(ranks, self.order, places, axis=1)
        reached = np.minimum.accumulate(ranks[:, tried], axis=1)[:, counts - 1]
        best = np.take_along_axis(self.order, reached, axis=1)
        found = np.take_along_axis(values, best, axis=1)
        return np.where(reached < self.n_scored[:, None], found, np.nan)


def ranked(values: FloatArray, direction: Direction) -> Ranks:
    """Rank performances (B, C) as the selection does: ties go to the first column.

    What is NaN or infinite can't be selected, and comes last.

    Examples
    --------
    >>> ranked(np.array([[0.7, np.nan, 0.9, 0.7]]), Direction.MAXIMIZE).order
    array([[2, 0, 3, 1]])
    """
    scored = np.isfinite(values)
    keys = _keys(values, direction)
    if not scored.all():
        keys[~scored] = np.iinfo(np.int64).max
    order, heights = _sorted_columns(keys)
    gaps = heights[:, 1:] - heights[:, :-1]
    packed = order.shape[1] <= MOST_PACKED  # and those of one height are by column already
    rows = np.flatnonzero(((gaps == 1) if packed else (gaps <= 1)).any(axis=1))
    if len(rows):  # equal up to rounding: neither the sort nor the last bits may say which is first
        order[rows] = _by_column_in_ties(order[rows], gaps[rows] <= 1)
    return Ranks(order, scored.sum(axis=1))


def expected(
    values: FloatArray, ranks: Ranks, chances: FloatArray, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the sums and the weights (B, n) whose ratio is the best of some drawn at random.

    Parameters
    ----------
    values : (B, C)
        Performances that count; NaN or infinite where there is none.
    ranks
        By which the best is known.
    chances : (n, C)
        Of the ranks of the best, of each number drawn.
    rows : (B,) int
        Ascending positions among all resamples.
    """
    ordered = _gathered(values, ranks.order)
    present: BoolArray = np.isfinite(ordered)
    n_configurations = ordered.shape[1]
    if present.all() and (ranks.n_scored == n_configurations).all():
        return _products(ordered, chances, rows), np.ones((len(rows), len(chances)))
    present &= np.arange(n_configurations) < ranks.n_scored[:, None]
    sums = _products(np.where(present, ordered, 0.0), chances, rows)
    return sums, _products(present, chances, rows)


def best_ranks(n_configurations: int, counts: IntArray) -> FloatArray:
    """Return the chances (n, C) that the best of `counts` (n,) drawn ones has rank 1, ..., C.

    C(C - r, c - 1) / C(C, c), built up from rank to rank.

    Examples
    --------
    >>> best_ranks(3, np.array([1, 2, 3])).round(3)
    array([[0.333, 0.333, 0.333],
           [0.667, 0.333, 0.   ],
           [1.   , 0.   , 0.   ]])
    """
    ranks, drawn = np.arange(1, n_configurations), counts[:, None]
    left = n_configurations - ranks
    ratios = np.maximum(left - drawn + 1, 0) / left
    first = drawn / n_configurations
    return np.asarray(first * np.cumprod(np.hstack([np.ones_like(first), ratios]), axis=1))


def _products(values: FloatArray | BoolArray, chances: FloatArray, rows: IntArray) -> FloatArray:
    """Products (B, n) in blocks that each hold the same resamples, whatever else is asked for.

    In a product of matrices the last bits of a row depend on how many there are.
    """
    first, last = rows[0] // TOGETHER, rows[-1] // TOGETHER + 1
    shape, places = (last - first, TOGETHER, values.shape[1]), rows - first * TOGETHER
    padded = np.asarray(values, np.float64)
    if len(rows) < shape[0] * shape[1]:
        padded = np.zeros((shape[0] * shape[1], shape[2]))
        padded[places] = values
    return np.asarray((padded.reshape(shape) @ chances.T).reshape(len(padded), -1)[places])


def _keys(values: FloatArray, direction: Direction) -> IntArray:
    """Whole numbers (B, C) in the order of performances, the best one least; NaN anywhere."""
    keys = np.ascontiguousarray(values, np.float64).view(np.int64)
    if (keys < 0).any():  # the bits of negative numbers run the other way
        keys = keys ^ ((keys >> 63) & np.iinfo(np.int64).max)
    return ~keys if direction is Direction.MAXIMIZE else keys.copy()


def _sorted_columns(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Columns (B, C) in increasing order of keys, and the keys without their last bits.

    Of not too many columns the last bits give way to the column: one sort of whole numbers takes
    half the time of one of positions.
    """
    if keys.shape[1] > MOST_PACKED:
        order = np.argsort(keys, axis=1)
        return order, _gathered(keys, order) >> ROUNDED
    keys &= ~(MOST_PACKED - 1)
    keys |= np.arange(keys.shape[1])
    keys.sort(axis=1)
    return keys & (MOST_PACKED - 1), keys >> ROUNDED


def _by_column_in_ties(order: IntArray, near: BoolArray) -> IntArray:
    """Sort (B, C) by column among those that are near the one before."""
    groups = np.hstack([np.zeros((len(order), 1), np.int64), np.cumsum(~near, axis=1)])
    shift = (order.shape[1] - 1).bit_length()
    again = (groups << shift) | order
    again.sort(axis=1)
    return np.asarray(again & ((1 << shift) - 1))


def _gathered(values: Values, order: IntArray) -> Values:
    """Values (B, C) in the order of each row."""
    starts = np.arange(len(order))[:, None] * order.shape[1]
    found: Values = values.ravel().take(order + starts)
    return found
