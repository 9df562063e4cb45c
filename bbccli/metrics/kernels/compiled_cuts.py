"""Cuts of scores, compiled by numba: see `cuts` for what they return.

Imported only when this engine is chosen; the compiled code is cached on disk.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from bbccli.metrics.kernels.compiled import LANES, in_lanes, pass_by, types_for
from bbccli.metrics.kernels.compiled_members import BITS, sort
from bbccli.metrics.kernels.pairs import PresortedPairs
from bbccli.metrics.kernels.running import Numbers
from bbccli.types import FloatArray


def best_fractions(
    pairs: PresortedPairs, masses: Numbers, terms: FloatArray, *, root: bool
) -> FloatArray:
    """Return what `cuts.best_fractions` does."""
    lane, running, _ = types_for(masses)
    of_column = pairs.controls, pairs.cases, pairs.below, np.empty(0, running)
    best = _SWEEPS[root](in_lanes(masses, lane), in_lanes(terms.T, np.float64), *of_column)
    return best[: len(masses)]  # type: ignore[no-any-return]


def of_bags(scores: Any, positive: Any, masses: Any, *, bounded: bool) -> tuple[Any, Any, Any]:
    """Return the cells of a column of each bag, where bags start, and the cuts."""
    return _of_bags(scores, positive, masses, bounded)  # type: ignore[no-any-return]


def _make_sweep(root: bool) -> Any:
    """Compile the sweep for plain fractions, or for those over a root."""

    # Without `error_model`, a division is no vector: it may raise.
    @numba.njit(nogil=True, cache=True, error_model="numpy")  # type: ignore[untyped-decorator, unused-ignore]
    def sweep(lanes: Any, terms: Any, controls: Any, cases: Any, below: Any, running: Any) -> Any:
        hits, false = np.zeros((2, LANES), running.dtype)  # made here, they have no other name
        largest, best = np.empty(LANES), np.empty((len(lanes) * LANES, len(cases)))
        for c in range(len(cases)):
            for group in range(len(lanes)):
                of, passed = terms[group], controls.shape[1]
                hits[:], false[:], largest[:] = 0, 0, -np.inf
                compare(largest, hits, false, of)
                for i in range(cases.shape[1] - 1, -1, -1):
                    pass_by(hits, lanes, group, cases, c, i, i + 1)
                    low = below[c, i]
                    if low > (below[c, i - 1] if i else 0):
                        pass_by(false, lanes, group, controls, c, low, passed)
                        passed = low
                        compare(largest, hits, false, of)
                for k in range(LANES):
                    best[group * LANES + k, c] = largest[k] if largest[k] > -np.inf else np.nan
        return best

    @numba.njit(inline="always", error_model="numpy")  # type: ignore[untyped-decorator, unused-ignore]
    def compare(largest: Any, hits: Any, false: Any, of: Any) -> None:
        """Keep each lane's largest fraction, or that of the counts if it is larger."""
        for k in range(LANES):
            x, y = np.float64(hits[k]), np.float64(false[k])
            above = of[0, k] * x + of[1, k] * y + of[2, k]
            under = of[3, k] * x + of[4, k] * y + of[5, k]
            if root:
                other = of[6, k] * x + of[7, k] * y + of[8, k]
                defined = (under > of[9, k]) & (other > of[9, k])
                value = above / np.sqrt(under * other)
                value = value if defined else 0.0
            else:
                value = above / under
                value = value if under > of[9, k] else -np.inf
            largest[k] = max(largest[k], value)

    return sweep


_SWEEPS = {root: _make_sweep(root) for root in (False, True)}


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _of_bags(scores: Any, positive: Any, masses: Any, bounded: Any) -> Any:
    n_bags, n_rows = scores.shape
    cells, cuts = np.zeros((n_bags * (n_rows + 1), 4)), np.empty(n_bags * (n_rows + 1))
    starts, counts, n_cells = np.empty(n_bags, np.int64), np.empty(1 << BITS, np.int64), 0
    floor = 0.0 if bounded else -np.inf
    for bag in range(n_bags):
        rows = np.nonzero(masses[bag])[0]
        of_bag, counted, is_positive = scores[bag][rows], masses[bag][rows], positive[rows]
        order, moved, keys = np.empty((3, len(rows)), np.int64)
        sort(-of_bag, len(rows), order, moved, keys, counts)
        upper, was_positive, hits, false, i = of_bag[order[0]], False, 0.0, 0.0, 0
        starts[bag], cuts[n_cells], n_cells = n_cells, upper, n_cells + 1
        while i < len(order):
            value, of_positive, of_negative = of_bag[order[i]], 0.0, 0.0
            while i < len(order) and of_bag[order[i]] == value:
                if is_positive[order[i]]:
                    of_positive += counted[order[i]]
                else:
                    of_negative += counted[order[i]]
                i += 1
            if was_positive and (of_negative > 0 or value <= floor):
                between = upper / 2 + value / 2
                cells[n_cells, 0], cells[n_cells, 1] = hits, false
                cuts[n_cells], n_cells = between if between < upper else value, n_cells + 1
            upper, was_positive = value, of_positive > 0
            hits, false = hits + of_positive, false + of_negative
        if upper > floor:
            cells[n_cells, 0], cells[n_cells, 1] = hits, false
            cuts[n_cells], n_cells = upper / 2 if bounded else upper - 1, n_cells + 1
        for i in range(starts[bag], n_cells):
            cells[i, 2], cells[i, 3] = hits - cells[i, 0], false - cells[i, 1]
    return cells[:n_cells], starts, cuts[:n_cells]
