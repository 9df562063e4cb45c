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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli import resources
from bbccli.kernels.pairs import PresortedPairs, presort
from bbccli.kernels.running import Grid, side_by_side
from bbccli.kernels.sweep import CACHE, lane_type_for
from bbccli.resources import Engine
from bbccli.types import BoolArray, FloatArray, IntArray

Numbers = NDArray[np.number[Any]]
"""Whole numbers where all weights are whole, real ones otherwise."""

FEW_CELLS = 8000
"""Events x samples up to which a matrix product is faster than the sweep in numpy."""

LARGEST_EXACT = 2**24
"""Whole numbers up to here are exact in float32."""


@dataclass(frozen=True, slots=True, eq=False)
class Digit:
    """The comparable pairs that belong to one binary digit.

    Attributes
    ----------
    pairs
        Cases (an event, digit 0) and controls (digit 1), by block and within it by risk. A case
        counts as above every control of the earlier blocks.
    earlier : (n_cases,) int32
        Controls in blocks before that of each case: to be taken off again. The same in all
        configurations.
    """

    pairs: PresortedPairs
    earlier: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class CensoredPairs:
    """Comparable pairs of N samples, prepared for every form of the count.

    Attributes
    ----------
    risks : (N, C)
        Higher where the event is expected earlier.
    time : (N,)
        Time of the event, or of censoring.
    event : (N,) bool
        True where the event was seen.
    stakes : (N,) float64, optional
        Factor on all pairs in which the sample has the earlier event; 1 without it.
    outlived : (N,) int
        Distinct event times that the sample is known to have outlived.
    digits
        The pairs by binary digit of `outlived`.
    """

    risks: FloatArray
    time: Numbers
    event: BoolArray
    stakes: FloatArray | None
    outlived: IntArray
    digits: tuple[Digit, ...]

    @classmethod
    def of(
        cls, risks: FloatArray, time: Numbers, event: BoolArray, stakes: FloatArray | None = None
    ) -> CensoredPairs:
        """Prepare risks (N, C). Time O(C N log^2 N), memory O(C N log N)."""
        outlived = count_outlived(time, event)
        return cls(risks, time, event, stakes, outlived, _by_digit(risks, outlived, event))

    def take(self, rows: BoolArray) -> CensoredPairs:
        """Return the pairs among the samples in `rows` (N,)."""
        stakes = None if self.stakes is None else self.stakes[rows]
        return CensoredPairs.of(self.risks[rows], self.time[rows], self.event[rows], stakes)

    def staked(self, weights: Numbers, rows: Any = slice(None)) -> Numbers:
        """Return weights (B, n) of `rows` as they count in the earlier sample of a pair."""
        return weights if self.stakes is None else weights * self.stakes[rows]

    def counts_whole_numbers(self, weights: Numbers) -> bool:
        """Whether pairs of samples with these weights have whole numbers as weights."""
        return self.stakes is None and weights.dtype.kind in "iub"


def count_outlived(time: Numbers, event: BoolArray) -> IntArray:
    """Return how many distinct event times each of N samples is known to have outlived: (N,) int.

    A sample that is censored at the time of an event has outlived it; one that has its own event
    at the same time has not.

    Examples
    --------
    >>> count_outlived(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, False]))
    array([0, 1, 2, 2])
    """
    moments = np.unique(time[event])
    before, through = (np.searchsorted(moments, time, side) for side in ("left", "right"))
    return np.where(event, before, through)


def comparable_weight(pairs: CensoredPairs, weights: Numbers) -> Numbers:
    """Weight of all comparable pairs under weights (B, N): (B,) int64, or float64 with stakes."""
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
        earlier = pairs.staked(part.take(events, axis=1), events).astype(total)
        result[start : start + 64] = np.einsum("be,be->b", earlier, running.take(n_later, axis=1))
    return result


def concordant_weight_censored(
    pairs: CensoredPairs, weights: Numbers, configurations: IntArray
) -> Numbers:
    """Twice the weight of concordant pairs, ties of risk counting one half.

    Parameters
    ----------
    pairs
        The prepared pairs of all configurations.
    weights : (B, N) non-negative
        One weighting of the samples per row.
    configurations : (C',) int
        Which configurations.

    Returns
    -------
    (B, C') int64 or float64
        Sum over comparable pairs, i the earlier, of w_i s_i w_j (2 [r_i > r_j] + [r_i = r_j]),
        where s_i are the stakes. Whole weights without stakes are counted in whole numbers, and
        all forms agree to the last bit. Time O(B C' N log N), or O(B C' N^2) for few samples.
    """
    if resources.current().engine is Engine.NUMBA:
        from bbccli.kernels import compiled_concordance

        return compiled_concordance.concordant_weight_censored(pairs, weights, configurations)
    whole = pairs.counts_whole_numbers(weights)
    few = pairs.event.sum() * len(pairs.event) <= FEW_CELLS
    if few and not (whole and 2 * heaviest(weights) > LARGEST_EXACT):
        return _by_product(pairs, weights, configurations)
    return _by_sweep(pairs, weights, configurations)


def heaviest(weights: Numbers) -> int:
    """Return the largest total of a row of weights (B, N)."""
    return int(weights.sum(axis=1, dtype=np.int64).max(initial=0))


def _by_digit(risks: FloatArray, outlived: IntArray, event: BoolArray) -> tuple[Digit, ...]:
    """Sort the pairs of each binary digit of `outlived` (N,)."""
    ranks = _dense_ranks(risks)
    found = []
    for digit in range(int(outlived.max(initial=0)).bit_length()):
        controls = (outlived >> digit) & 1 == 1
        cases = event & ~controls
        block = outlived >> (digit + 1)
        pairs = presort(block[:, None] * float(len(risks)) + ranks, cases, controls)
        earlier = np.searchsorted(np.sort(block[controls]), np.sort(block[cases]))
        found.append(Digit(pairs, earlier.astype(np.int32)))
    return tuple(found)


def _dense_ranks(risks: FloatArray) -> FloatArray:
    """Rank of each risk (N, C) within its column; equal risks have equal ranks."""
    order = np.argsort(risks, axis=0)
    ordered = np.take_along_axis(risks, order, axis=0)
    ranks = np.zeros(risks.shape)
    steps = np.cumsum(ordered[1:] != ordered[:-1], axis=0)
    np.put_along_axis(ranks, order[1:], steps, axis=0)
    return ranks


def _by_product(pairs: CensoredPairs, weights: Numbers, configurations: IntArray) -> Numbers:
    """Count by a matrix product of weights with the outcomes of all pairs."""
    whole = pairs.counts_whole_numbers(weights)
    later = weights.astype(np.float32 if whole else np.float64)
    earlier = pairs.staked(weights[:, pairs.event], pairs.event)
    comparable = pairs.outlived[pairs.event] < pairs.outlived[:, None]
    counts = np.empty((len(weights), len(configurations)), np.int64 if whole else np.float64)
    for position, c in enumerate(configurations):
        risks, of_events = pairs.risks[:, c, None], pairs.risks[pairs.event, c]
        outcomes = (of_events > risks).astype(later.dtype)
        outcomes += of_events >= risks
        outcomes *= comparable
        beaten = later @ outcomes
        counts[:, position] = np.einsum("be,be->b", earlier, beaten, dtype=np.float64)
    return counts


def _by_sweep(pairs: CensoredPairs, weights: Numbers, configurations: IntArray) -> Numbers:
    """Count by a sweep per digit. Extra memory O(CACHE + N)."""
    whole = pairs.counts_whole_numbers(weights)
    counts = np.zeros((len(weights), len(configurations)), np.int64 if whole else np.float64)
    lane_type = lane_type_for(heaviest(weights) ** 2) if whole else np.float64
    for part in _parts(weights):
        later = side_by_side(weights[part], lane_type)
        earlier = pairs.staked(later[:-1].T).T
        for digit in pairs.digits:
            _sweep(digit, earlier, later, configurations, counts[part])
    return counts


def _sweep(
    digit: Digit,
    earlier: Numbers,
    later: Numbers,
    configurations: IntArray,
    counts: Numbers,
) -> None:
    """Add the pairs of one digit to counts (L, C'), from lanes (N, L) and (N + 1, L)."""
    pairs = digit.pairs
    grid = Grid.of(pairs.controls.shape[1], later.shape[1])
    running, place = grid.table(later), grid.place
    surplus: Numbers | None = None
    for position, c in enumerate(configurations):
        grid.arrange(later, pairs.controls[c], running[1:])
        grid.accumulate(running[1:])
        if surplus is None:
            surplus = 2 * running.take(place[digit.earlier], axis=0)
        beaten = running.take(place[pairs.below[c]], axis=0)
        beaten += running.take(place[pairs.upto[c]], axis=0) if pairs.tied[c] else beaten
        beaten -= surplus
        cases = earlier.take(pairs.cases[c], axis=0)
        counts[:, position] += np.einsum("il,il->l", cases, beaten).astype(counts.dtype)


def _parts(weights: Numbers) -> Iterator[slice]:
    """Split the rows of weights (B, N) into chunks."""
    width = min(max(CACHE // max(weights.shape[1], 1), 128), 1024)
    for start in range(0, len(weights), width):
        yield slice(start, start + width)
