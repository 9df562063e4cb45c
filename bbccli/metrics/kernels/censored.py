"""Concordant pairs of censored samples, counted under weights.

The event of sample i is comparable with sample j when j is known to have outlived it. Let
``outlived[j]`` be the number of distinct event times that j is known to have outlived; then i and
j are comparable when ``event[i] and outlived[i] < outlived[j]``, and nothing else needs to be
known about time.

Two whole numbers differ first in one binary digit, counted from the highest. So every comparable
pair belongs to one digit: the numbers agree above it, i has 0 there and j has 1. The pairs of one
digit are cases and controls in blocks, as for the AUC, and one sweep in order of risk counts them:
O(B N log N) for each configuration in all, where a loop over pairs takes O(B N^2).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bbccli.metrics.kernels.pairs import PresortedPairs, by_columns, room_for
from bbccli.metrics.kernels.running import Numbers
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class CensoredPairs:
    """Comparable pairs of N samples, prepared for every form of the count.

    risks (N, C): higher where the event is expected earlier.
    time (N,): time of the event, or of censoring.
    event (N,) bool: True where the event was seen.
    factors (N,) float64, optional: factor on all pairs in which the sample has the earlier event; 1
        without it.
    outlived (N,) int: distinct event times that the sample is known to have outlived.
    digits: the pairs by binary digit of `outlived`: cases (an event, digit 0) and controls (digit
        1), in blocks of samples that agree above the digit.
    """

    risks: FloatArray
    time: Numbers
    event: BoolArray
    factors: FloatArray | None
    outlived: IntArray
    digits: tuple[PresortedPairs, ...]

    @classmethod
    def of(
        cls, risks: FloatArray, time: Numbers, event: BoolArray, factors: FloatArray | None = None
    ) -> CensoredPairs:
        """Prepare risks (N, C). Time O(C N log^2 N), memory O(C N log N)."""
        outlived = count_outlived(time, event)
        return cls(risks, time, event, factors, outlived, _by_digit(risks, outlived, event))

    def take(self, rows: BoolArray) -> CensoredPairs:
        """Return the pairs among the samples in `rows` (N,)."""
        factors = None if self.factors is None else self.factors[rows]
        return CensoredPairs.of(self.risks[rows], self.time[rows], self.event[rows], factors)

    def as_earlier(self, weights: Numbers, rows: Any = slice(None)) -> Numbers:
        """Return weights (B, n) of `rows` as they count in the earlier sample of a pair."""
        return weights if self.factors is None else weights * self.factors[rows]

    def counts_whole_numbers(self, weights: Numbers) -> bool:
        """True if pairs of samples with these weights have whole numbers as weights."""
        return self.factors is None and weights.dtype.kind in "iub"


def count_outlived(time: Numbers, event: BoolArray) -> IntArray:
    """Return how many distinct event times each of N samples is known to have outlived: (N,) int.

    A sample that is censored at the time of an event has outlived it; one that has its own event
    at the same time has not.

    >>> count_outlived(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, False]))
    array([0, 1, 2, 2])
    """
    moments = np.unique(time[event])
    before, through = (np.searchsorted(moments, time, side) for side in ("left", "right"))
    return np.where(event, before, through)


def comparable_weight(pairs: CensoredPairs, weights: Numbers) -> Numbers:
    """Weight of all comparable pairs under weights (B, N): (B,) int64, or float64 with factors."""
    order = np.argsort(-pairs.outlived, kind="stable")
    events = order[pairs.event[order]]
    # n_later[i]: how many samples have outlived more than event i
    n_later = np.searchsorted(-pairs.outlived[order], -pairs.outlived[events])
    total: Any = np.int64 if pairs.counts_whole_numbers(weights) else np.float64
    result = np.empty(len(weights), total)
    for start in range(0, len(weights), 64):
        part = weights[start : start + 64]
        running = np.zeros((len(part), len(order) + 1), total)
        np.cumsum(part.take(order, axis=1), axis=1, out=running[:, 1:])
        earlier = pairs.as_earlier(part.take(events, axis=1), events).astype(total)
        result[start : start + 64] = np.einsum("be,be->b", earlier, running.take(n_later, axis=1))
    return result


def _by_digit(
    risks: FloatArray, outlived: IntArray, event: BoolArray
) -> tuple[PresortedPairs, ...]:
    """Sort the pairs of each binary digit of `outlived` (N,).

    Risks are sorted once, and then parted by one digit after the other, from the highest.
    """
    digits = []
    for digit in range(int(outlived.max(initial=0)).bit_length()):
        controls, block = (outlived >> digit) & 1 == 1, outlived >> (digit + 1)
        cases = event & ~controls
        earlier = np.searchsorted(np.sort(block[controls]), np.sort(block[cases]))
        pairs = room_for(risks.shape[1], int(cases.sum()), int(controls.sum()))
        digits.append(replace(pairs, earlier=earlier.astype(np.int32)))

    def sort(part: slice) -> None:
        columns = np.ascontiguousarray(risks[:, part].T)
        rows = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
        ordered, ranks = np.take_along_axis(columns, rows, axis=1), np.zeros_like(rows)
        np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=ranks[:, 1:])
        places = np.empty(rows.shape, np.int64)
        for digit, pairs in reversed(tuple(enumerate(digits))):
            prefixes = np.sort(outlived >> digit)
            keys, later = ranks + len(risks) * (prefixes >> 1), ((outlived >> digit) & 1 == 1)[rows]
            pairs.keep(part, rows, keys, event[rows] & ~later, later)
            for side in (0, 1):
                of_side = np.flatnonzero(later == side).reshape(len(rows), -1)
                places[:, prefixes & 1 == side] = of_side
            rows, ranks = rows.ravel()[places], ranks.ravel()[places]

    by_columns(sort, *risks.shape)
    return tuple(digits)
