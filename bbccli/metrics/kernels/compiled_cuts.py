"""Cuts of scores, compiled by numba: see `cuts` for what they return.

Imported only when this engine is chosen; the compiled code is cached on disk.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from bbccli.metrics.kernels.compiled_members import BITS, sort

LANES = 64
"""Bags side by side."""


def best_fractions(
    columns: Any, orders: Any, positive: Any, masses: Any, terms: Any, *, bounded: bool, root: bool
) -> Any:
    """Return the largest fraction (B, C) of the cuts of each column in each bag.

    columns, orders (C, M): scores, and rows from the highest to the lowest.
    masses (B, M): what each row counts in each bag.
    terms (10, B): of true positives, false positives and 1, in the numerator, the denominator, and
        a second factor of it; last what is zero up to rounding.
    root: True to divide by the root of the product of both factors, and to count 0 where it is 0.
    """
    n_bags, n_rows = masses.shape
    n_groups = -(-n_bags // LANES)
    lanes, of_lanes = np.zeros((n_groups, n_rows, LANES)), np.ones((n_groups, 10, LANES))
    for group in range(n_groups):
        part = slice(group * LANES, min((group + 1) * LANES, n_bags))
        lanes[group, :, : part.stop - part.start] = masses[part].T
        of_lanes[group, :, : part.stop - part.start] = terms[:, part]
    best = _best_fractions(columns, orders, positive, lanes, of_lanes, bounded, root)
    return best[:n_bags]


def of_bags(scores: Any, positive: Any, masses: Any, *, bounded: bool) -> tuple[Any, Any, Any]:
    """Return the cells of a column of each bag, where bags start, and the cuts."""
    return _of_bags(scores, positive, masses, bounded)  # type: ignore[no-any-return]


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _best_fractions(
    columns: Any, orders: Any, positive: Any, lanes: Any, terms: Any, bounded: Any, root: Any
) -> Any:
    fractions = np.empty((len(lanes) * LANES, len(columns)))
    hits, false = np.zeros(LANES), np.zeros(LANES)
    lowest, best = np.zeros(LANES), np.zeros(LANES)
    for c in range(len(columns)):
        scores, order = columns[c], orders[c]
        ends = _ends(scores, order, positive)
        for group in range(len(lanes)):
            own, of = lanes[group], terms[group]
            hits[:], false[:], lowest[:], best[:], row = 0.0, 0.0, 0.0, -np.inf, 0
            _compare(best, hits, false, of, root)
            for end in ends:
                for i in range(row, end):
                    one = order[i]
                    if positive[one]:
                        for lane in range(LANES):
                            hits[lane] += own[one, lane]
                    else:
                        for lane in range(LANES):
                            false[lane] += own[one, lane]
                    if bounded and scores[one] <= 0:
                        for lane in range(LANES):
                            lowest[lane] += own[one, lane]
                row = end
                if row < len(order):
                    _compare(best, hits, false, of, root)
            # no probability is below 0
            before = best.copy()
            _compare(best, hits, false, of, root)
            for lane in range(LANES):
                value = best[lane] if lowest[lane] == 0 else before[lane]
                fractions[group * LANES + lane, c] = value if value > -np.inf else np.nan
    return fractions


@numba.njit(nogil=True, inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def _compare(best: Any, hits: Any, false: Any, of: Any, root: Any) -> None:
    """Keep the larger of the best fraction of each lane and that of the counts."""
    for lane in range(LANES):
        x, y = hits[lane], false[lane]
        above = of[0, lane] * x + of[1, lane] * y + of[2, lane]
        below = of[3, lane] * x + of[4, lane] * y + of[5, lane]
        defined = below > of[9, lane]
        if root:
            other = of[6, lane] * x + of[7, lane] * y + of[8, lane]
            defined &= other > of[9, lane]
            below = np.sqrt(below * other)
        undefined = 0.0 if root else -np.inf
        value = above / below if defined else undefined
        best[lane] = max(best[lane], value)


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _ends(scores: Any, order: Any, positive: Any) -> Any:
    """Numbers of rows above each cut to look at, but 0: below a positive and above a negative."""
    ends, n_ends, n, i = np.empty(len(order), np.int64), 0, len(order), 0
    was_positive = False
    while i < n:
        start, value, of_positive, of_negative = i, scores[order[i]], False, False
        while i < n and scores[order[i]] == value:
            of_positive |= positive[order[i]]
            of_negative |= not positive[order[i]]
            i += 1
        if was_positive and of_negative:
            ends[n_ends] = start
            n_ends += 1
        was_positive = of_positive
    ends[n_ends] = n
    return ends[: n_ends + 1]


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _of_bags(scores: Any, positive: Any, masses: Any, bounded: Any) -> Any:
    n_bags, n_rows = scores.shape
    cells, cuts = np.empty((n_bags * (n_rows + 1), 4)), np.empty(n_bags * (n_rows + 1))
    starts, counts, n_cells = np.empty(n_bags, np.int64), np.empty(1 << BITS, np.int64), 0
    for bag in range(n_bags):
        rows = np.nonzero(masses[bag])[0]
        of_bag, own, first = scores[bag][rows], masses[bag][rows], n_cells
        is_positive = positive[rows]
        order, moved, keys = np.empty((3, len(rows)), np.int64)
        sort(-of_bag, len(rows), order, moved, keys, counts)
        ends = _ends(of_bag, order, is_positive)
        starts[bag] = n_cells
        cells[n_cells, 0], cells[n_cells, 1], cuts[n_cells] = 0.0, 0.0, of_bag[order[0]]
        hits, false, row = 0.0, 0.0, 0
        for end in ends:
            n_cells += 1
            for i in range(row, end):
                if is_positive[order[i]]:
                    hits += own[order[i]]
                else:
                    false += own[order[i]]
            row, upper = end, of_bag[order[end - 1]]
            cells[n_cells, 0], cells[n_cells, 1] = hits, false
            if end < len(order):
                lower = of_bag[order[end]]
                between = upper / 2 + lower / 2
                cuts[n_cells] = between if between < upper else lower
            else:
                cuts[n_cells] = upper / 2 if bounded else upper - 1
        n_cells += not (bounded and of_bag[order[-1]] <= 0)
        for i in range(first, n_cells):
            cells[i, 2], cells[i, 3] = hits - cells[i, 0], false - cells[i, 1]
    return cells[:n_cells], starts, cuts[:n_cells]
