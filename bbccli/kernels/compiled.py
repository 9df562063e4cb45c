"""The pair sweep compiled by numba: resamples side by side in small integer lanes.

Imported only when this engine is chosen. The compiled code is kept on disk.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from bbccli.kernels.pairs import PresortedPairs
from bbccli.types import IntArray

LANES = 64
"""Resamples per sweep: their running totals stay in registers and the nearest cache."""


def concordant_weight(
    pairs: PresortedPairs, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Count as `kernels.concordant_weight` does. Extra memory O(B N)."""
    n_resamples, n_samples = weights.shape
    n_groups = -(-n_resamples // LANES)
    lane, sweep = _form_for(weights)
    lanes = np.zeros((n_groups, n_samples, LANES), lane)
    for group in range(n_groups):
        part = weights[group * LANES : (group + 1) * LANES]
        lanes[group, :, : len(part)] = part.T
    counts = np.empty((n_groups * LANES, len(configurations)), np.int64)
    chosen = np.ascontiguousarray(configurations, dtype=np.int64)
    sweep(lanes, pairs.controls, pairs.cases, pairs.below, pairs.upto, chosen, counts)
    return counts[:n_resamples]


def _form_for(weights: IntArray) -> tuple[Any, Any]:
    """The type of the lanes, and the narrowest sweep that counts these weights exactly.

    A count is at most twice the product of the cases' weight and the controls', whose sum is the
    row's total t: at most t^2 / 2, which is less than 2^31 where t fits in 16 bits, and less than
    2^63 where it fits in 32.
    """
    heaviest = int(weights.sum(axis=1, dtype=np.int64).max(initial=0))
    if heaviest <= np.iinfo(np.uint16).max:
        return np.uint16, _sweep_narrow
    if heaviest <= np.iinfo(np.uint32).max:
        # a lane of bytes is one line of the cache
        return np.uint8 if weights.max(initial=0) <= np.iinfo(np.uint8).max else np.uint32, _sweep
    return np.uint64, _sweep_wide


def _make_sweep(running_type: Any, total: Any) -> Any:
    """Compile the sweep for running totals of one integer type and counts of another."""

    # One function: split up, the loops over lanes are no longer vectorised and take twice as long.
    @numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
    def sweep(  # noqa: PLR0912
        lanes: Any, controls: Any, cases: Any, below: Any, upto: Any, chosen: Any, counts: Any
    ) -> None:
        running, with_ties = np.zeros(LANES, running_type), np.zeros(LANES, running_type)
        sums = np.zeros(LANES, total)
        for position in range(len(chosen)):
            c = chosen[position]
            for group in range(len(lanes)):
                for k in range(LANES):
                    running[k] = 0
                    sums[k] = 0
                passed, tie_at = 0, -1
                for i in range(cases.shape[1]):
                    low, high, case = below[c, i], upto[c, i], cases[c, i]
                    for j in range(passed, low):
                        row = controls[c, j]
                        for k in range(LANES):
                            running[k] += lanes[group, row, k]
                    passed = low
                    if low == high:
                        for k in range(LANES):
                            weight = total(lanes[group, case, k])
                            sums[k] += total(2) * weight * total(running[k])
                        continue
                    if tie_at != low:  # several cases may tie with the same controls
                        tie_at = low
                        for k in range(LANES):
                            with_ties[k] = running[k]
                        for j in range(low, high):
                            row = controls[c, j]
                            for k in range(LANES):
                                with_ties[k] += lanes[group, row, k]
                    for k in range(LANES):
                        beaten = total(running[k]) + total(with_ties[k])
                        sums[k] += total(lanes[group, case, k]) * beaten
                for k in range(LANES):
                    counts[group * LANES + k, position] = sums[k]

    return sweep


_sweep_narrow = _make_sweep(np.uint16, np.uint32)
_sweep = _make_sweep(np.uint32, np.uint64)
_sweep_wide = _make_sweep(np.uint64, np.uint64)
