"""The pair sweep compiled by numba: resamples side by side in small integer lanes.

Imported only when this engine is chosen; the compiled code is cached on disk. Each form of the
sweep is compiled from one source, in which unused parts are compile-time constants and drop out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np

from bbccli.metrics.kernels.censored import CensoredPairs
from bbccli.metrics.kernels.compiled_members import BITS, LAST, begin
from bbccli.metrics.kernels.pairs import PresortedPairs, heaviest, presort
from bbccli.metrics.kernels.running import Numbers
from bbccli.types import BoolArray, FloatArray, IntArray

LANES = 64
"""Resamples per sweep: their running totals stay in registers and the nearest cache."""

LINE = 64
"""Bytes of a line of the cache: lanes that begin within one take an eighth longer to read."""

STRETCH = 16
"""Samples that are passed before it is asked again whether all lanes are done."""


def fill(
    scores: FloatArray, is_case: BoolArray, rows: IntArray, pairs: PresortedPairs, part: slice
) -> None:
    """Sort the scores (C', n) of some columns, and keep what is found in their `part`."""
    columns = np.ascontiguousarray(scores) + scores.dtype.type(0)  # no -0.0
    size, sign = 8 * scores.itemsize, np.array(-0.0, scores.dtype).view(f"i{scores.itemsize}")
    bits = columns.view(sign.dtype)  # whole numbers in the order of the scores
    keys = (bits ^ (bits >> (size - 1) | sign)).view(f"u{scores.itemsize}")
    arrays = pairs.controls, pairs.cases, pairs.below, pairs.upto, pairs.tied
    _fill(keys, is_case, rows, *[array[part] for array in arrays])


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _fill(
    columns: Any, is_case: Any, rows: Any, controls: Any, cases: Any, below: Any, upto: Any,
    tied: Any,
) -> None:  # fmt: skip
    n, starts = columns.shape[1], np.empty(1 << BITS, np.int64)
    order, moved = np.empty((2, n), np.int32)
    spare = np.empty_like(columns[0])
    for c in range(len(columns)):
        keys, other = columns[c], spare
        for i in range(n):
            order[i] = rows[i] << 1 | is_case[i]
        for shift in range(0, 8 * columns.itemsize, BITS):  # digit by digit
            begin(keys, shift, starts)
            for i in range(n):
                digit = keys[i] >> shift & LAST
                place = starts[digit]
                starts[digit] += 1
                other[place], moved[place] = keys[i], order[i]
            keys, other, order, moved = other, keys, moved, order
        i, case, control, tied[c] = 0, 0, 0, False
        while i < n:
            key, first, lower = keys[i], case, control
            while i < n and keys[i] == key:
                if order[i] & 1:
                    cases[c, case], below[c, case], case = order[i] >> 1, lower, case + 1
                else:
                    controls[c, control], control = order[i] >> 1, control + 1
                i += 1
            for j in range(first, case):
                upto[c, j] = control
            tied[c] |= first < case and lower < control


def concordant_weight(
    pairs: PresortedPairs, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Count as `kernels.concordant_weight` does. Extra memory O(B N)."""
    if len(weights) == 1:  # lanes would stay empty
        same = np.broadcast_to(weights, (len(configurations), weights.shape[1]))
        return concordant_paired(pairs, same, configurations)[None]
    return _swept((pairs,), None, weights, configurations)


def concordant_paired(
    pairs: PresortedPairs, weights: IntArray, configurations: IntArray
) -> IntArray:
    """Count (B,) as `kernels.concordant_paired` does."""
    counts = np.empty(len(weights), np.int64)
    _one_by_one(
        weights, configurations, pairs.controls, pairs.cases, pairs.below, pairs.upto, counts
    )
    return counts


def compile_first() -> None:
    """Compile what counts the pairs of many samples, before there are any: it takes 200 MB."""
    weights, first = np.full((2, 2 * LANES**2), 9, np.uint8), np.arange(2 * LANES**2) < 1
    pairs, column = presort(np.zeros((len(first), 1)), first, ~first), np.zeros(2, np.int64)
    concordant_weight(pairs, weights, column[:1])
    concordant_paired(pairs, weights, column)


def concordant_weight_censored(
    pairs: CensoredPairs, weights: Numbers, configurations: IntArray
) -> Numbers:
    """Count as `kernels.concordant_weight_censored` does. Extra memory O(B N)."""
    factors = pairs.factors
    if not pairs.counts_whole_numbers(weights) and factors is None:
        factors = np.ones(weights.shape[1])
    return _swept(pairs.digits, factors, weights, configurations)


def _swept(
    parts: Sequence[PresortedPairs],
    factors: FloatArray | None,
    weights: Numbers,
    configurations: IntArray,
) -> Numbers:
    """Twice the weight of the concordant pairs (B, C') of all parts, added up."""
    lane, running, total = types_for(weights) if factors is None else (np.float64,) * 3
    lanes = in_lanes(weights, lane)
    shape = (len(lanes) * LANES, len(configurations))
    counts: Numbers = np.zeros(shape, np.int64 if factors is None else np.float64)
    chosen = np.ascontiguousarray(configurations, dtype=np.int64)
    by_case = np.empty(0, total) if factors is None else factors
    for of in parts:
        sweep = _SWEEPS[running, of.earlier is not None]
        earlier = np.empty(0, np.int32) if of.earlier is None else of.earlier
        sweep(lanes, by_case, of.controls, of.cases, earlier, of.below, of.upto, chosen, counts)
    return counts[: len(weights)]


def in_lanes(rows: Numbers, lane: Any) -> Numbers:
    """Rows (B, N), side by side in groups (G, N, LANES), the last one filled up with zeros."""
    shape = (-(-len(rows) // LANES), rows.shape[1], LANES)
    size = np.prod(shape, dtype=int) * np.dtype(lane).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    first = -memory.ctypes.data % LINE
    lanes: Numbers = memory[first : first + size].view(lane).reshape(shape)
    for group, of_group in enumerate(lanes):
        part = rows[group * LANES : (group + 1) * LANES]
        of_group[:, : len(part)] = part.T
    return lanes


def types_for(weights: Numbers) -> tuple[Any, Any, Any]:
    """The narrowest lanes, running totals and sums that count under these weights exactly.

    A count is at most twice the product of the cases' weight and the controls', whose sum is the
    row's total t: at most t^2 / 2, which is less than 2^31 where t fits in 16 bits, and less than
    2^63 where it fits in 32.
    """
    if weights.dtype.kind == "f":
        return (np.float64,) * 3
    most = int(weights.max(initial=0))
    largest = most * weights.shape[1]
    if largest > np.iinfo(np.uint16).max:  # counted only where that bound does not do
        largest = heaviest(weights)
    if largest <= np.iinfo(np.uint16).max:
        return np.uint16, np.uint16, np.uint32
    if largest <= np.iinfo(np.uint32).max:
        # a lane of bytes is one line of the cache
        small = most <= np.iinfo(np.uint8).max
        return np.uint8 if small else np.uint32, np.uint32, np.uint64
    return np.uint64, np.uint64, np.uint64


# Inlined as source: called, its loop over lanes would take twice as long.
@numba.njit(inline="always")  # type: ignore[untyped-decorator, unused-ignore]
def pass_by(running: Any, lanes: Any, group: Any, rows: Any, c: Any, first: Any, last: Any) -> Any:
    """Add the weights of the controls in [first, last) to the running totals."""
    for j in range(first, last):
        row = rows[c, j]
        for k in range(LANES):
            running[k] += lanes[group, row, k]
    return last


def _make_sweep(running_type: Any, total: Any, *, blocked: bool, weighted: bool) -> Any:
    """Compile the sweep for running totals of one type and sums of another.

    `blocked`: only controls of the same block count for a case. `weighted`: each case has a factor.
    """

    @numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
    def sweep(
        lanes: Any, factors: Any, controls: Any, cases: Any, earlier: Any, below: Any, upto: Any,
        chosen: Any, counts: Any,
    ) -> None:  # fmt: skip
        running, with_ties = np.zeros(LANES, running_type), np.zeros(LANES, running_type)
        sums = np.zeros(LANES, total)
        for position, c in enumerate(chosen):
            for group in range(len(lanes)):
                sums[:], running[:] = 0, 0
                passed, tie_at, block = 0, -1, 0
                for i in range(cases.shape[1]):
                    low, high, case = below[c, i], upto[c, i], cases[c, i]
                    factor = factors[case] if weighted else total(1)
                    if blocked and earlier[i] != block:
                        block = passed = earlier[i]
                        tie_at, running[:] = -1, 0
                    passed = pass_by(running, lanes, group, controls, c, passed, low)
                    if low == high:
                        for k in range(LANES):
                            weight = factor * total(lanes[group, case, k])
                            sums[k] += total(2) * weight * total(running[k])
                        continue
                    if tie_at != low:  # several cases may tie with the same controls
                        tie_at = low
                        with_ties[:] = running
                        pass_by(with_ties, lanes, group, controls, c, low, high)
                    for k in range(LANES):
                        beaten = total(running[k]) + total(with_ties[k])
                        sums[k] += factor * total(lanes[group, case, k]) * beaten
                for k in range(LANES):
                    counts[group * LANES + k, position] += sums[k]

    return sweep


_WHOLE = ((np.uint16, np.uint32), (np.uint32, np.uint64), (np.uint64, np.uint64))

_SWEEPS: dict[tuple[Any, bool], Any] = {
    (running, blocked): _make_sweep(running, total, blocked=blocked, weighted=False)
    for running, total in _WHOLE
    for blocked in (False, True)
}
_SWEEPS[np.float64, True] = _make_sweep(np.float64, np.float64, blocked=True, weighted=True)


@numba.njit(nogil=True, cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _one_by_one(
    weights: Any, chosen: Any, controls: Any, cases: Any, below: Any, upto: Any, counts: Any
) -> None:
    """Fill counts (B,), one configuration per row of weights."""
    for b, c in enumerate(chosen):
        row, count, running, tied = weights[b], np.int64(0), np.int64(0), np.int64(0)
        passed, tied_at = 0, -1
        for i in range(cases.shape[1]):
            low, high = below[c, i], upto[c, i]
            for j in range(passed, low):
                running += np.int64(row[controls[c, j]])
            passed = low
            if low == high:
                tied = np.int64(0)
            elif low != tied_at:  # several cases may tie with the same controls
                tied, tied_at = np.int64(0), low
                for j in range(low, high):
                    tied += np.int64(row[controls[c, j]])
            count += np.int64(row[cases[c, i]]) * (2 * running + tied)
        counts[b] = count


_of_columns = numba.njit(nogil=True, cache=True, error_model="numpy")
"""Compile a loop over sorted columns, under weights in lanes (1, N + 1, LANES)."""


@_of_columns  # type: ignore[untyped-decorator, unused-ignore]
def average_precisions(
    lanes: Any, cases: Any, controls: Any, upto: Any, together: Any, chosen: Any, gained: Any
) -> None:
    """Fill (C', LANES) with the weight of the positive samples times the precision at their scores.

    cases, controls, upto: of `PresortedPairs`, highest score first.
    together (C, n_cases): cases up to each one's score, all of that score included.
    """
    true, false, precision = np.zeros((3, LANES))
    for position, c in enumerate(chosen):
        true[:], false[:], gained[position] = 0, np.finfo(np.float64).tiny, 0
        sums, passed, i = gained[position], 0, 0
        while i < cases.shape[1]:
            first = i
            passed = pass_by(false, lanes, 0, controls, c, passed, upto[c, i])
            i = pass_by(true, lanes, 0, cases, c, i, together[c, i])
            for k in range(LANES):
                precision[k] = true[k] / (true[k] + false[k])
            for at in range(first, i):  # one by one, so that sums are those of numpy
                row = cases[c, at]
                for k in range(LANES):
                    sums[k] += lanes[0, row, k] * precision[k]


@_of_columns  # type: ignore[untyped-decorator, unused-ignore]
def rank_sums(
    lanes: Any,
    others: Any,
    order: Any,
    upto: Any,
    tied: Any,
    chosen: Any,
    covered: Any,
    spread: Any,
) -> None:
    """Fill (C', LANES) with sums over twice the mid-ranks: times others, and their squares if tied.

    others (N, LANES): weights times the numbers to correlate with, whose sum is 0.
    order, upto (C, N): samples by value, and how many have one no larger. tied (C,): if any agree.

    Mid-ranks of columns with ties are centred by the total in their order.
    """
    running, before, centre, middle = np.zeros((4, LANES))
    for position, c in enumerate(chosen):
        running[:], centre[:], covered[position], spread[position] = 0, 0, 0, 0
        of_others, squares, i = covered[position], spread[position], 0
        if tied[c]:
            pass_by(centre, lanes, 0, order, c, 0, order.shape[1])
        while not tied[c] and i < order.shape[1]:
            row = order[c, i]
            for k in range(LANES):
                weight = lanes[0, row, k]
                of_others[k] += others[row, k] * (running[k] + running[k] + weight)
                running[k] += weight
            i += 1
        while i < order.shape[1]:
            before[:] = running
            end = pass_by(running, lanes, 0, order, c, i, upto[c, i])
            for k in range(LANES):
                middle[k] = before[k] + running[k] - centre[k]
                squares[k] += (running[k] - before[k]) * middle[k] * middle[k]
            for j in range(i, end):
                row = order[c, j]
                for k in range(LANES):
                    of_others[k] += others[row, k] * middle[k]
            i = end


@_of_columns  # type: ignore[untyped-decorator, unused-ignore]
def places_of_halves(lanes: Any, order: Any, half: Any, chosen: Any, low: Any, high: Any) -> None:
    """Fill (C', LANES) with how many running totals are below half of the weight, and not above it.

    order (C, N): samples by value. half (LANES,): of the total weight.
    """
    running = np.zeros(LANES, lanes.dtype)
    for position, c in enumerate(chosen):
        running[:], low[position], high[position] = 0, 0, 0
        below, upto, i = low[position], high[position], 0
        while i < order.shape[1] and not (running > half).all():
            end = min(i + STRETCH, order.shape[1])
            for j in range(i, end):
                row = order[c, j]
                for k in range(LANES):
                    running[k] += lanes[0, row, k]
                    below[k] += running[k] < half[k]
                    upto[k] += running[k] <= half[k]
            i = end
