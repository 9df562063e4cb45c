"""The pair sweep in numpy: many resamples side by side, one configuration after the other.

The AUC takes one sweep, and the concordance of censored samples one per binary digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bbccli.metrics.kernels.censored import CensoredPairs
from bbccli.metrics.kernels.pairs import LONG, PresortedPairs, heaviest, largest_total
from bbccli.metrics.kernels.running import Grid, Numbers, gather_rows, side_by_side
from bbccli.types import FloatArray, IntArray

CACHE = 2**19
"""Weights swept side by side: numpy's calls are amortised, and the sweep stays in the cache."""

STEP = 2**10
"""Controls in one step."""

LANES = 64
"""Weightings side by side that are swept in steps: of bytes, one line of the cache."""

FEW_ROWS = 16
"""Weightings up to which it is faster to take them one by one: the full sample, folds."""


def concordant_weight(
    pairs: PresortedPairs, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Count as `kernels.concordant_weight` does. Extra memory O(CACHE + N)."""
    if len(weights) <= FEW_ROWS:
        return _row_by_row(pairs, weights, configurations)
    counts = np.zeros((len(weights), len(configurations)), np.int64)
    if weights.shape[1] >= LONG:
        running_type = lane_type_for(2 * heaviest(weights))
        _in_steps(pairs, weights, configurations, counts, np.uint64, running_type)
        return counts
    lane_type = lane_type_for(largest_total(pairs, weights))
    for part in _parts(weights):
        lanes = side_by_side(weights[part], lane_type)
        _sweep(pairs, lanes, lanes, configurations, counts[part])
    return counts


def concordant_mass(
    pairs: PresortedPairs, weights: FloatArray, configurations: IntArray
) -> FloatArray:
    """Count under real weights (B, N): as `concordant_weight`, in float64, to rounding."""
    sums = np.zeros((len(weights), len(configurations)))
    if weights.shape[1] >= LONG:
        _in_steps(pairs, weights, configurations, sums, np.float64, np.float64)
        return sums
    width = max(CACHE // weights.shape[1], 1)
    for start in range(0, len(weights), width):
        part = slice(start, start + width)
        lanes = side_by_side(weights[part], np.float64)
        _sweep(pairs, lanes, lanes, configurations, sums[part])
    return sums


def concordant_weight_censored(
    pairs: CensoredPairs, weights: Numbers, configurations: IntArray
) -> Numbers:
    """Count as `kernels.concordant_weight_censored` does. Extra memory O(CACHE + N)."""
    whole = pairs.counts_whole_numbers(weights)
    counts = np.zeros((len(weights), len(configurations)), np.int64 if whole else np.float64)
    lane_type = lane_type_for(heaviest(weights) ** 2) if whole else np.float64
    for part in _parts(weights):
        later = side_by_side(weights[part], lane_type)
        earlier = np.ascontiguousarray(pairs.as_earlier(later[:-1].T).T)
        for digit in pairs.digits:
            _sweep(digit, earlier, later, configurations, counts[part])
    return counts


def _parts(weights: Numbers) -> Iterator[slice]:
    width = min(max(CACHE // max(weights.shape[1], 1), 128), 1024)
    for start in range(0, len(weights), width):
        yield slice(start, start + width)


def _row_by_row(pairs: PresortedPairs, weights: IntArray, configurations: IntArray) -> IntArray:
    """Count for one row of weights (B, N) after the other, some configurations side by side."""
    counts, rows = np.empty((len(weights), len(configurations)), np.int64), weights.astype(np.int64)
    width = max(CACHE // max(weights.shape[1], 1), 1)
    for first in range(0, len(configurations), width):
        some = configurations[first : first + width]
        controls, cases = pairs.controls[some], pairs.cases[some]
        start = np.arange(len(some))[:, None] * (controls.shape[1] + 1)
        below, upto = pairs.below[some] + start, pairs.upto[some] + start
        running = np.zeros((len(some), controls.shape[1] + 1), np.int64)
        for of_samples, out in zip(rows, counts[:, first : first + width], strict=True):
            np.cumsum(of_samples.take(controls), axis=1, out=running[:, 1:])
            beaten = running.take(below)
            beaten += running.take(upto)
            np.einsum("ci,ci->c", of_samples.take(cases), beaten, out=out)
    return counts


def lane_type_for(total: int) -> type[np.unsignedinteger]:
    """Return the narrower of two integer types that holds `total`."""
    return np.uint32 if total <= np.iinfo(np.uint32).max else np.uint64


def _sweep(
    pairs: PresortedPairs,
    of_cases: Numbers,
    of_controls: Numbers,
    configurations: IntArray,
    counts: Numbers,
) -> None:
    """Add to counts (L, C') from lanes of the cases (N, L) and of the controls (N + 1, L)."""
    grid = Grid.of(pairs.controls.shape[1], of_controls.shape[1])
    running, place = grid.table(of_controls), grid.place
    shape = (3, pairs.cases.shape[1], of_controls.shape[1])
    weights, beaten, tied = np.empty(shape, of_controls.dtype)
    surplus: Numbers | None = None
    for column, c in enumerate(configurations):
        grid.arrange(of_controls, pairs.controls[c], running[1:])
        grid.accumulate(running[1:])
        gather_rows(running, place[pairs.below[c]], beaten)
        beaten += gather_rows(running, place[pairs.upto[c]], tied) if pairs.tied[c] else beaten
        if pairs.earlier is not None:
            if surplus is None:  # whole blocks, whatever the order within them
                surplus = 2 * running.take(place[pairs.earlier], axis=0)
            beaten -= surplus
        concordant = np.einsum("il,il->l", gather_rows(of_cases, pairs.cases[c], weights), beaten)
        counts[:, column] += concordant.astype(counts.dtype, copy=False)


def _in_steps(
    pairs: PresortedPairs,
    weights: Numbers,
    configurations: IntArray,
    counts: Numbers,
    total_type: Any,
    running_type: Any,
) -> None:
    """Fill counts (B, C') from weights (B, N) of very many samples. Extra memory O(LANES N)."""
    grid = Grid.of(STEP, LANES)
    for start in range(0, len(weights), LANES):
        part = slice(start, start + LANES)
        lanes = side_by_side(weights[part], weights.dtype)
        running = np.zeros((1 + len(grid.rank), lanes.shape[1]), running_type)
        for column, c in enumerate(configurations):
            total = np.zeros(lanes.shape[1], total_type)
            for passed, below, upto in _steps(pairs, c, lanes, grid, running):
                for cases, n_beaten in (below, upto) if pairs.tied[c] else (below,):
                    beaten = running.take(grid.place[n_beaten - passed], axis=0)
                    of_cases = lanes.take(cases, axis=0)
                    total += np.einsum("il,il->l", of_cases, beaten, dtype=total_type)
            counts[part, column] = total if pairs.tied[c] else 2 * total


Beaten = tuple[IntArray, IntArray]
"""Some cases (n,), and how many controls each of them beats (n,)."""


def _steps(
    pairs: PresortedPairs, c: int, lanes: Numbers, grid: Grid, running: Numbers
) -> Iterator[tuple[int, Beaten, Beaten]]:
    """Run through the controls of one configuration, `STEP` at a time.

    Yields how many were passed before; and the cases that beat so many of them that their totals
    stand in `running` now: below, and up to, the score of the case.
    """
    controls, cases = pairs.controls[c], pairs.cases[c]
    edges = np.append(np.arange(0, len(controls) + 1, STEP), len(controls) + 1)
    ends = [np.searchsorted(n_beaten[c], edges) for n_beaten in (pairs.below, pairs.upto)]
    running[-1] = 0
    for step, passed in enumerate(edges[:-1]):
        order = np.full(STEP + 1, len(lanes) - 1)
        here = controls[passed : passed + STEP]
        order[: len(here)] = here
        running[0] = running[grid.place[STEP]]
        running[1:] = lanes.take(order[grid.rank], axis=0)
        running[1] += running[0]
        grid.accumulate(running[1:])
        below, upto = (slice(end[step], end[step + 1]) for end in ends)
        yield (
            int(passed),
            (cases[below], pairs.below[c, below]),
            (cases[upto], pairs.upto[c, upto]),
        )
