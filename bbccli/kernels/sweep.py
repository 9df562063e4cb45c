"""The pair sweep in numpy: many resamples side by side, one configuration after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.kernels.pairs import PresortedPairs, largest_total
from bbccli.types import FloatArray, IntArray

Numbers = NDArray[Any]

CACHE = 2**19
"""Weights swept side by side: numpy's calls are amortised, and the sweep stays in the cache."""

FEW_ROWS = 16
"""Weightings up to which it is faster to take them one by one: the full sample, folds."""


def concordant_weight(
    pairs: PresortedPairs, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Count as `kernels.concordant_weight` does. Extra memory O(CACHE + N)."""
    if len(weights) <= FEW_ROWS:
        return _row_by_row(pairs, weights, configurations)
    counts = np.empty((len(weights), len(configurations)), np.int64)
    lane_type = lane_type_for(largest_total(pairs, weights))
    width = min(max(CACHE // weights.shape[1], 128), 1024)
    for start in range(0, len(weights), width):
        part = slice(start, start + width)
        lanes = np.ascontiguousarray(weights[part].T, dtype=lane_type)
        _sweep(pairs, lanes, configurations, counts[part])
    return counts


def concordant_mass(
    pairs: PresortedPairs, weights: FloatArray, configurations: IntArray
) -> FloatArray:
    """Count under real weights (B, N): as `concordant_weight`, in float64, to rounding."""
    sums = np.empty((len(weights), len(configurations)))
    width = max(CACHE // weights.shape[1], 1)
    for start in range(0, len(weights), width):
        part = slice(start, start + width)
        lanes = np.ascontiguousarray(weights[part].T, dtype=np.float64)
        _sweep(pairs, lanes, configurations, sums[part])
    return sums


def _row_by_row(pairs: PresortedPairs, weights: IntArray, configurations: IntArray) -> IntArray:
    """Count for one row of weights (B, N) after the other, all configurations side by side."""
    controls, cases = pairs.controls[configurations], pairs.cases[configurations]
    start = np.arange(len(configurations))[:, None] * (controls.shape[1] + 1)
    below, upto = pairs.below[configurations] + start, pairs.upto[configurations] + start
    running = np.zeros((len(configurations), controls.shape[1] + 1), np.int64)
    counts = np.empty((len(weights), len(configurations)), np.int64)
    for row, of_samples in enumerate(weights.astype(np.int64)):
        np.cumsum(of_samples[controls], axis=1, out=running[:, 1:])
        totals = running.ravel()
        counts[row] = np.einsum("ci,ci->c", of_samples[cases], totals[below] + totals[upto])
    return counts


def lane_type_for(total: int) -> type[np.unsignedinteger]:
    """Return the narrower of two integer types that holds `total`."""
    return np.uint32 if total <= np.iinfo(np.uint32).max else np.uint64


def _sweep(
    pairs: PresortedPairs, lanes: Numbers, configurations: IntArray, counts: Numbers
) -> None:
    """Fill counts (L, C') from lanes (N, L).

    A cumulative sum down the rows is slow in numpy, adding whole rows is fast. So the controls,
    in order, fill a (stride, n_strides) grid column by column, and the sums run down the grid.
    """
    (n_samples, n_lanes), n_controls = lanes.shape, pairs.controls.shape[1]
    stride = max(int(np.sqrt(n_controls)), 1)
    n_strides = -(-n_controls // stride)
    lanes = np.concatenate([lanes, np.zeros((1, n_lanes), lanes.dtype)])
    running = np.zeros((1 + stride * n_strides, n_lanes), lanes.dtype)
    weights, beaten, tied = np.empty((3, pairs.cases.shape[1], n_lanes), lanes.dtype)
    position = np.arange(stride * n_strides)
    # rank[p]: which control, from the lowest, stands at position p; the last ones may be missing
    rank = np.minimum(position % n_strides * stride + position // n_strides, n_controls)
    # place[k]: where the total of the k lowest controls stands
    lowest = np.arange(n_controls)
    place = np.concatenate([[0], 1 + lowest % stride * n_strides + lowest // stride])
    for column, c in enumerate(configurations):
        rows = np.append(pairs.controls[c], n_samples)[rank]
        _take(lanes, rows, running[1:])
        accumulate(running[1:].reshape(stride, n_strides, n_lanes))
        _take(running, place[pairs.below[c]], beaten)
        if pairs.tied[c]:
            beaten += _take(running, place[pairs.upto[c]], tied)
        else:
            beaten += beaten
        counts[:, column] = np.einsum("il,il->l", _take(lanes, pairs.cases[c], weights), beaten)


def _take(lanes: Numbers, rows: IntArray, out: Numbers) -> Numbers:
    """Gather rows into `out`; unlike indexing, this lets other threads run meanwhile."""
    return np.take(lanes, rows, axis=0, out=out, mode="clip")


def accumulate(grid: Numbers) -> None:
    """Turn a grid (stride, n_strides, L) into running totals in column order, in place."""
    for i in range(1, len(grid)):
        grid[i] += grid[i - 1]
    totals = grid[-1]
    for i in range(1, len(totals)):
        totals[i] += totals[i - 1]
    grid[:-1, 1:] += totals[:-1]
