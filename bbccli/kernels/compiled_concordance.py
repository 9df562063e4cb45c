"""The sweep over censored pairs compiled by numba: resamples side by side in lanes.

Imported only when this engine is chosen. The compiled code is kept on disk.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from bbccli.kernels.concordance import CensoredPairs, Numbers, heaviest
from bbccli.types import IntArray

LANES = 64
"""Resamples per sweep: their running totals stay in registers and the nearest cache."""


def concordant_weight_censored(
    pairs: CensoredPairs, weights: Numbers, configurations: IntArray
) -> Numbers:
    """Count as `concordance.concordant_weight_censored` does. Extra memory O(B N)."""
    lane, total, sweep = _form(pairs, weights)
    n_resamples, n_samples = weights.shape
    n_groups = -(-n_resamples // LANES)
    lanes = np.zeros((n_groups, n_samples, LANES), lane)
    for group in range(n_groups):
        part = weights[group * LANES : (group + 1) * LANES]
        lanes[group, :, : len(part)] = part.T
    stakes = np.ones(n_samples, total) if pairs.stakes is None else pairs.stakes
    whole = pairs.counts_whole_numbers(weights)
    shape = (n_groups * LANES, len(configurations))
    counts: Numbers = np.zeros(shape, np.int64 if whole else np.float64)
    chosen = np.ascontiguousarray(configurations, dtype=np.int64)
    for digit in pairs.digits:
        of = digit.pairs
        sweep(
            lanes, stakes, of.controls, of.cases, digit.earlier, of.below, of.upto, chosen, counts
        )
    return counts[:n_resamples]


def _form(pairs: CensoredPairs, weights: Numbers) -> tuple[Any, Any, Any]:
    """Types of running totals and of counts, and the sweep compiled for them."""
    if not pairs.counts_whole_numbers(weights):
        return np.float64, np.float64, _sweep_real
    if fits_narrow_lanes(weights):
        return np.uint16, np.uint32, _sweep_narrow
    return np.uint64, np.uint64, _sweep_wide


def fits_narrow_lanes(weights: Numbers) -> bool:
    """Whether running totals fit in 16 bits and counts in 32."""
    return heaviest(weights) <= np.iinfo(np.uint16).max


def _make_sweep(lane: Any, total: Any) -> Any:
    """Compile the sweep for lanes of one type and counts of another."""

    # One function: split up, the loops over lanes are no longer vectorised and take twice as long.
    @numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
    def sweep(  # noqa: PLR0912
        lanes: Any,
        stakes: Any,
        controls: Any,
        cases: Any,
        earlier: Any,
        below: Any,
        upto: Any,
        chosen: Any,
        counts: Any,
    ) -> None:
        running, with_ties = np.zeros(LANES, lane), np.zeros(LANES, lane)
        sums = np.zeros(LANES, total)
        for position in range(len(chosen)):
            c = chosen[position]
            for group in range(len(lanes)):
                for k in range(LANES):
                    sums[k] = 0
                passed, tie_at, block = 0, -1, -1
                for i in range(cases.shape[1]):
                    low, high, case = below[c, i], upto[c, i], cases[c, i]
                    stake = stakes[case]
                    if earlier[i] != block:  # the controls of earlier blocks do not count
                        block = passed = earlier[i]
                        tie_at = -1
                        for k in range(LANES):
                            running[k] = 0
                    for j in range(passed, low):
                        row = controls[c, j]
                        for k in range(LANES):
                            running[k] += lanes[group, row, k]
                    passed = low
                    if low == high:
                        for k in range(LANES):
                            weight = stake * total(lanes[group, case, k])
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
                        sums[k] += stake * total(lanes[group, case, k]) * beaten
                for k in range(LANES):
                    counts[group * LANES + k, position] += sums[k]

    return sweep


_sweep_narrow = _make_sweep(np.uint16, np.uint32)
_sweep_wide = _make_sweep(np.uint64, np.uint64)
_sweep_real = _make_sweep(np.float64, np.float64)
