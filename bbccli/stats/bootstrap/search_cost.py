"""The cost of a search: naive and corrected best-so-far against the number of configurations.

1. Of c of the C configurations, drawn at random, the best has rank r among all C with probability
   h_c(r) = C(C - r, c - 1) / C(C, c).
2. Naive: the sum over r of h_c(r) m_(r), where m_(r) is the performance on all samples of the
   configuration of rank r there.
3. Corrected: in each of BBC's resamples, rank the configurations in the bag, as the selection does;
   take the mean over the resamples of the sum over r of h_c(r) times the performance out of the
   bag of the configuration of rank r in it.

So one sort per resample gives the curve for every number of configurations, exactly, for the
resamples at hand; at c = C it is the estimate of BBC. A configuration that can't be scored in a bag
is not ranked there, and what can't be scored out of it does not count. Infinite is not scored.
Where BBC corrects its estimate for the size of resamples, the curve is moved by as much.

Where the order is known in which the configurations were tried, a second line has the best of the
first c that were.

What all C gain over c is the difference of their corrected figures. In resample b it is off by
d_b(c), with standard deviation s(c) over the resamples. With k, the order statistic of rank
level (B + 1) of the B maxima of abs(d_b(c)) / s(c) over c < C, the intervals gain -+ k s(c) hold
for all c at once, and so also for one that was chosen by its figure.

Source: the weights of step 1 are those of the expected maximum of a sample without replacement; the
correction is Algorithm 5 of Tsamardinos, Greasidou & Borboudakis 2018; intervals that hold at once
are the max-T of Westfall & Young 1993, algorithm 2.8, of one step, on paired differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from math import ceil
from typing import TypeVar

import numpy as np

from bbccli.domain.estimate import Gain, SearchCost, TriedOrder
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.metrics import kernels
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.stats.bootstrap.bbc_samples import (
    draws_for,
    in_full_size,
    out_of_bag,
    selections,
    unsettled,
)
from bbccli.stats.case import Case
from bbccli.stats.resampling import Resamples
from bbccli.types import BoolArray, Direction, FloatArray, IntArray, Interval, Select, Side

Values = TypeVar("Values", FloatArray, IntArray)

ROUNDED = 12
"""Last bits of a performance that are rounding: 9e-13 of it at most, near TIE_TOLERANCE."""

MOST_PACKED = 2**ROUNDED
"""Configurations whose numbers fit into those bits."""

TOGETHER = 8
"""Resamples in one product of matrices."""

STEPS = (20, 22, 25, 28, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90, 100, 110, 120, 130, 150, 160, 180)
"""Round numbers about 10% apart, from 20 to 200; those beyond are their multiples by tens."""

MOST_CELLS = 2**16
"""Performances that are ranked at once: what a processor keeps close at hand."""

MOST_SCORED = 2**21
"""Performances that are scored at once."""


Scored = tuple[FloatArray, FloatArray]
"""Performances (B', C) in the bag, and out of it."""


def search_cost(case: Case) -> SearchCost:
    """Return the cost of the search, under the metric that selects, by the resamples of BBC.

    Raises UnsupportedError: a rule of selection other than the best.
    Raises UndefinedError: where BBC is undefined, or corrects R² by a ratio.

    Takes O(B C (N + log C)) beside BBC, to score out of the bag and to rank. Performances in the
    bags that BBC kept are not computed again.
    """
    if case.plan.select is not Select.BEST:
        raise UnsupportedError(
            f"the cost of a search is for --select best, not for --select {case.plan.select}",
            hint="--select best",
        )
    drawn = out_of_bag(case)
    n_resamples, at_size = len(drawn.values), in_full_size(case, drawn)
    shift = 0.0 if at_size is None else float(np.nanmean(at_size) - np.nanmean(drawn.values))
    if unsettled(case, shift):
        raise UndefinedError(
            f"resamples leave out too few samples to show the {case.metric.label} of a search",
            hint="use --metric rmse or --metric mae, or collect more samples",
        )
    direction, performances = case.selector.direction, case.measured.performances()
    counts, order = counts_to(case.matrix.n_configurations), tried_order(case)
    on_all = ranked_bags(case.judged.performances()[None], direction)
    chances = best_ranks(len(performances), counts)
    values, weights, path = _over_resamples(case, n_resamples, chances, counts, order)
    naive = expected(performances[None], on_all, chances, np.array([0]))
    corrected = _totals(values) / _totals(weights)
    spread = values - weights * corrected
    enough = _first_enough(direction, corrected, spread, weights)
    gains = _gains(direction, corrected, spread / weights.mean(axis=0), case.plan.level)
    return SearchCost(
        metric=case.selector.name,
        direction=direction,
        counts=tuple(map(int, counts)),
        naive=_floats(naive[0][0] / naive[1][0]),
        corrected=_floats(corrected + shift),
        error=_floats(np.sqrt((spread**2).sum(axis=0)) / weights.sum(axis=0)),
        enough=int(counts[enough]),
        n_resamples=n_resamples,
        tried=None
        if path is None or order is None
        else TriedOrder(
            _floats(on_all.of_first(performances[None], order, counts)[0]), _floats(path + shift)
        ),
        gain=gains[0] if gains else None,
        gain_beyond=gains[enough] if enough < len(gains) else None,
    )


def counts_to(n_configurations: int) -> IntArray:
    """Return numbers of configurations from 1 to C: each up to 20, then round ones 10% apart.

    >>> counts_to(28)[18:]
    array([19, 20, 22, 25, 28])
    """
    round_ones = (step * 10**power for power in range(18) for step in STEPS)
    beyond = takewhile(lambda n: n < n_configurations, round_ones)
    return np.array([*range(1, min(STEPS[0], n_configurations)), *beyond, n_configurations])


def tried_order(case: Case) -> IntArray | None:
    """Return the configurations (C,) in the order in which they were tried, where that is known."""
    run = case.matrix.source.run
    if run is None:
        return None
    places = {name: column for column, name in enumerate(case.matrix.configurations)}
    order = [places[name] for name in dict.fromkeys(run.tried) if name in places]
    return np.array(order) if len(order) == len(places) else None


def _over_resamples(
    case: Case, n_resamples: int, chances: FloatArray, counts: IntArray, order: IntArray | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Sums and weights (B, n) out of the bag, and means (n,) in the order tried."""
    sums, weights = np.empty((2, n_resamples, len(counts)))
    on_path, start = [], 0
    step = max(MOST_CELLS // chances.shape[1] // TOGETHER, 1) * TOGETHER
    for of_batch in scored_bags(case, n_resamples):
        for at in range(0, len(of_batch[0]), step):
            inside, outside = (values[at : at + step] for values in of_batch)
            rows = np.arange(start, start + len(inside))
            ranks = ranked_bags(inside, case.selector.direction)
            sums[rows], weights[rows] = expected(outside, ranks, chances, rows)
            if order is not None:
                on_path.append(ranks.of_first(outside, order, counts))
            start += len(rows)
    if not on_path:
        return sums, weights, None
    path = np.vstack(on_path)
    finite = np.isfinite(path)
    with np.errstate(invalid="ignore"):
        means = np.where(finite, path, 0.0).sum(axis=0) / finite.sum(axis=0)
    return sums, weights, np.asarray(means)


def scored_bags(case: Case, n_resamples: int) -> Iterator[Scored]:
    """Yield performances in the bag, which select, and out of it, for the first of BBC's bags.

    B' resamples at a time: (B', C) and (B', C).
    """
    judged, measured, selected = case.judged, case.measured, selections(case)
    draws = draws_for(case)
    ordinals, stored = selected.ordinals[:n_resamples], selected.inside
    step = max(MOST_SCORED // judged.n_configurations, 1)

    def score(drawn: Resamples) -> list[Scored]:
        score_in, score_out = (
            scorer.bind(scorer.blocks()[0]) if scorer.whole else scorer.score
            for scorer in (judged, measured)
        )
        first, parts = int(np.searchsorted(ordinals, drawn.ordinals).min(initial=n_resamples)), []
        for start in range(0, len(drawn), step):
            bags = drawn.in_bag[start : start + step]
            rows = slice(first + start, first + start + len(bags))
            inside = score_in(bags) if stored is None else stored[rows]
            parts.append((inside, score_out((bags == 0).view(np.uint8))))
        return parts

    n_passes = 2 if stored is None else 1
    with resources.use(kernels.decide(n_passes * draws.n_weights * judged.n_sweeps * n_resamples)):
        one_thread = judged.one_thread or len(judged.blocks()) > 1
        again = draws.again(ordinals)
        for parts in again.over(score, judged.n_configurations, one_thread=one_thread):
            yield from parts


def _first_enough(
    direction: Direction, corrected: FloatArray, spread: FloatArray, weights: FloatArray
) -> int:
    """Position of the first count that no later one beats by two errors of the difference."""
    scaled = spread / weights.sum(axis=0)
    products = scaled.T @ scaled
    squares = np.diag(products)
    errors = np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 0))
    gains = direction.gain(corrected[None], corrected[:, None])
    beaten = np.triu(gains > 2 * errors + 1e-12, k=1).any(axis=1)
    return int(np.argmin(beaten))


def _gains(
    direction: Direction, corrected: FloatArray, off: FloatArray, level: float
) -> list[Gain]:
    """Gains of all C over each smaller number; empty with too few resamples, or of one alone.

    off (B, n): how far the figures of each resample are from the corrected ones.
    """
    rank = ceil(round(level * (len(off) + 1), 9))
    if rank > len(off) or len(corrected) < 2:
        return []
    apart = np.abs(off[:, -1:] - off[:, :-1])
    spread = np.sqrt((apart**2).mean(axis=0))
    largest = (apart / np.where(spread > 0, spread, np.inf)).max(axis=1)
    ends = np.sort(largest)[rank - 1] * spread
    values = direction.gain(corrected[-1], corrected[:-1])
    return [
        Gain(float(value), Interval(float(value - end), float(value + end), level, Side.TWO))
        for value, end in zip(values, ends, strict=True)
    ]


def _totals(values: FloatArray) -> FloatArray:
    return np.asarray(np.ascontiguousarray(values.T).sum(axis=1))


def _floats(values: FloatArray) -> tuple[float, ...]:
    return tuple(map(float, values))


@dataclass(frozen=True, slots=True, eq=False)
class RankedValues:
    """Configurations, best first, in each of B resamples.

    order (B, C) int: configurations from the best one; those that can't be scored come last.
    n_scored (B,) int: how many can be scored.
    """

    order: IntArray
    n_scored: IntArray

    def of_first(self, values: FloatArray, tried: IntArray, counts: IntArray) -> FloatArray:
        """Return the values (B, n) of the best of the first `counts` (n,) configurations of an
        order (C,).

        values (B, C); NaN where none of the first ones can be scored.
        """
        ranks = np.empty_like(self.order)
        places = np.broadcast_to(np.arange(self.order.shape[1]), ranks.shape)
        np.put_along_axis(ranks, self.order, places, axis=1)
        reached = np.minimum.accumulate(ranks[:, tried], axis=1)[:, counts - 1]
        best = np.take_along_axis(self.order, reached, axis=1)
        performances = np.take_along_axis(values, best, axis=1)
        return np.where(reached < self.n_scored[:, None], performances, np.nan)


def ranked_bags(values: FloatArray, direction: Direction) -> RankedValues:
    """Rank performances (B, C) as the selection does: ties go to the first column.

    What is NaN or infinite can't be selected, and comes last.

    >>> ranked_bags(np.array([[0.7, np.nan, 0.9, 0.7]]), Direction.MAXIMIZE).order
    array([[2, 0, 3, 1]])
    """
    scored = np.isfinite(values)
    keys = _keys(values, direction)
    if not scored.all():
        keys[~scored] = np.iinfo(np.int64).max
    order, heights = _sorted_columns(keys)
    gaps = heights[:, 1:] - heights[:, :-1]
    packed = order.shape[1] <= MOST_PACKED  # equal heights are in the order of the columns
    rows = np.flatnonzero(((gaps == 1) if packed else (gaps <= 1)).any(axis=1))
    if len(rows):  # equal up to rounding: neither the sort nor the last bits may say which is first
        order[rows] = _by_column_in_ties(order[rows], gaps[rows] <= 1)
    return RankedValues(order, scored.sum(axis=1))


def expected(
    values: FloatArray, ranks: RankedValues, chances: FloatArray, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the sums and weights (B, n) whose ratio is the expected best of a random subset.

    values (B, C): performances out of the bag; NaN or infinite where there is none.
    ranks: the ranking that decides the best.
    chances (n, C): probability of each rank to be the best, for each subset size.
    rows (B,) int: ascending positions among all resamples.
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
    """Integers (B, C) in the order of performances, the best one least; NaN anywhere."""
    keys = np.ascontiguousarray(values, np.float64).view(np.int64)
    if (keys < 0).any():  # the bits of negative numbers run the other way
        keys = keys ^ ((keys >> 63) & np.iinfo(np.int64).max)
    return ~keys if direction is Direction.MAXIMIZE else keys.copy()


def _sorted_columns(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Columns (B, C) in increasing order of keys, and the keys without their last bits.

    Of not too many columns the last bits give way to the column: sorting whole numbers takes half
    the time of sorting positions.
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
    gathered: Values = values.ravel().take(order + starts)
    return gathered
