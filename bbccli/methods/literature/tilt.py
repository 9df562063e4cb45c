"""Exponential tilting: the interval that it gives the finalist of a split.

The distribution on the samples is tilted until the observed figure is too good for it:

1. Give sample i the weight w_i(t) = exp(t L_i) / sum_j exp(t L_j), where L_i is its influence
   value. A negative t makes the performance worse.
2. A resample b that holds sample i f_bi times would come up, under these weights, more or less
   often by the factor W_b(t) = prod_i (n w_i(t))^f_bi. So the resamples that were drawn once, under
   equal weights, tell what would happen under any t, and none is drawn again.
3. From them compute p(t), the probability under t of a figure at least as good as the observed one.
4. t* is where p crosses the allowed error, going from 0 down. The bound is the performance under
   the weights w_i(t*).

Since log W_b = t sum_i f_bi L_i + n log(n / sum_j exp(t L_j)), a resample counts only by its sum of
influence values.

Of a finalist:

1. Draw B resamples of the evaluation samples, within the classes where the metric is undefined
   without one of them, like the AUC; otherwise, like accuracy, from all.
2. Score the configurations that matter to the method in each resample, and find the influence
   values of the finalist.
3. Tilt down to the lower end, and on the mirror image to the upper one.
4. An end is the performance under the tilted weights, computed exactly. For accuracy and AUC it
   is the expectation of the weighted bootstrap that the authors' code draws in its place.
5. Where no tilt can be found, the end is that of Wilson's interval for a proportion of samples, and
   otherwise of the normal interval from influence values, which for the AUC is DeLong's; after
   preselection at Šidák's level. A note says so.

Source: Efron 1981; Davison & Hinkley 1997, section 9.4; Rink & Brannath 2025.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.estimate import MonteCarloError
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import FIRST_RESAMPLES
from bbccli.methods.literature.split import Finalist, from_split, undefined_on
from bbccli.metrics import kernels
from bbccli.metrics.base import Metric, Scorer
from bbccli.notes import Note
from bbccli.notes.intervals import no_interval, tilting_infeasible
from bbccli.notes.methods import tolerance_not_reached, undefined_resamples
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress
from bbccli.stats.case import Answer, Case
from bbccli.stats.influence import influence, standard_error
from bbccli.stats.intervals.ends import wilson_end
from bbccli.stats.resampling import BLOCK, Draws, Resamples, Unit
from bbccli.stats.selection.candidates import candidates
from bbccli.stats.selection.pooling import mean_behind
from bbccli.types import (
    TIE_TOLERANCE,
    BoolArray,
    FloatArray,
    IntArray,
    Interval,
    Pooling,
    Side,
    distinct,
)

STEP = 0.25
"""Step of the search for t, in standard deviations of the resamples' sums of influence values."""

MOST_STEPS = 400
"""Last step of the search: a tilt of 100 standard deviations."""

PRECISION = 1e-12
"""Of t*, in steps; and of p, which is a share of at most some hundred thousand resamples."""

Tail = Callable[[float], float]
"""Tilt -> probability, under it, of a figure at least as good as the observed one."""


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Performances of m configurations in the resamples, one of which gets a lower bound.

    values (B, m): performances in the resamples.
    observed: performance of the bounded configuration on the samples themselves.
    column: its place among the m.
    influence (U,): influence values of the resampled units on it.
    totals (B,): sum of the influence values in each resample.
    """

    values: FloatArray
    observed: float
    column: int
    influence: FloatArray
    totals: FloatArray

    @property
    def step(self) -> float:
        """Step of the search for the tilt; 0 where no resample tells anything."""
        spread = float(np.std(self.totals)) if len(self.totals) else 0.0
        varies = spread > PRECISION * np.abs(self.totals).max(initial=0.0)
        return STEP / spread if varies else 0.0

    def mirrored(self) -> Replicates:
        """Return the same with all signs changed: its lower bound is the upper one of this."""
        return replace(
            self,
            values=-self.values,
            observed=-self.observed,
            influence=-self.influence,
            totals=-self.totals,
        )

    def only(self, chosen: BoolArray) -> Replicates:
        """Keep some of the resamples (B,)."""
        return replace(self, values=self.values[chosen], totals=self.totals[chosen])


def rounding(values: FloatArray) -> float:
    """Return the difference up to which performances are equal: that of sums in another order."""
    return float(TIE_TOLERANCE * np.abs(values).max(initial=0.0))


def importance(influence: FloatArray, totals: FloatArray, tilt: float) -> FloatArray:
    """Return log W_b (B,) of resamples with these sums of influence values."""
    exponents = tilt * influence
    top = exponents.max()
    mean = top + np.log(np.exp(exponents - top).sum() / len(exponents))
    return np.asarray(tilt * totals - len(exponents) * mean)


def calibrate(tail: Tail, error: float, step: float) -> float | None:
    """Return the tilt t* at which p(t) falls below the allowed error, on the side where it is
    below.

    The search goes down from 0 in steps until p < error / 2, and bisects the first step in which p
    fell below the error, to `PRECISION`. A p equal to the error does not count.

    tail: p(t); may have jumps.
    error: 1 - level of the bound, in (0, 1).
    step: length of a step, > 0.
    Returns float or None: None if p starts at 2 error or less, or never falls below error / 2: the
        resamples can't tell. These are the conditions of the authors' code.

    >>> round(calibrate(lambda t: 0.5 * np.exp(t), 0.05, 0.1), 10) == round(np.log(0.1), 10)
    True
    """
    if not step > 0 or not tail(0.0) > 2 * error:
        return None
    bracket = None
    for position in range(1, MOST_STEPS + 1):
        p = tail(-position * step)
        if bracket is None and p < error - PRECISION:
            bracket = (-position * step, (1 - position) * step)
        if p < error / 2:
            break
    else:
        return None
    if bracket is None:
        return None
    low, high = bracket
    while high - low > PRECISION * step:
        middle = (low + high) / 2
        if tail(middle) < error - PRECISION:
            low = middle
        else:
            high = middle
    return low


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """A finalist on the samples that evaluate it, beside those it was chosen from.

    scorer: of n evaluation samples, pooled, and m configurations.
    column: place of the finalist among the m.
    members (n,) int: unit of each sample: itself, or its group.
    strata (U,) int, optional: strata of the U units: the classes where the metric is undefined
        without one of them.
    influence (U,): influence values of the units on the finalist.
    observed: performance of the finalist.
    """

    scorer: Scorer
    column: int
    members: IntArray
    strata: IntArray | None
    influence: FloatArray
    observed: float

    @classmethod
    def of(
        cls, matrix: PredictionMatrix, metric: Metric, finalist: Finalist, columns: IntArray
    ) -> Evaluated:
        """Bind the evaluation samples to some columns (m,), in increasing order."""
        rows = finalist.split.evaluation
        if matrix.available is not None:
            rows = rows & matrix.available[:, :, finalist.winner].any(axis=0)
        scorer = candidates(matrix, metric, Pooling.POOLED).bind(columns).restrict(rows)
        column = int(np.searchsorted(columns, finalist.winner))
        everything, chosen = np.ones(int(rows.sum()), np.uint8), np.array([column])
        members, strata = np.arange(len(everything)), None
        if matrix.groups is not None:
            members = np.unique(matrix.groups[rows], return_inverse=True)[1]
        elif matrix.task.is_classification:
            strata = _classes_needed(scorer, matrix.outcome.values[rows])
        values = influence(scorer, everything, chosen, strata=strata, members=members)[:, 0]
        observed = float(scorer.paired(everything[None], chosen).item())
        return cls(scorer, column, members, strata, values, observed)

    @property
    def proportion(self) -> bool:
        """True if the performance is a proportion of samples, each of which counts 0 or 1."""
        mean = mean_behind(self.scorer)  # the finalist predicts all samples that evaluate it
        if mean is None or mean.weighted or len(self.influence) < len(self.members):
            return False
        return bool(np.isin(mean.losses[:, self.column], (0, 1)).all())

    def under(self, tilt: float) -> float:
        """Performance of the finalist when the samples have tilted weights."""
        exponents = tilt * self.influence
        weights = np.exp(exponents - exponents.max())
        masses: NDArray[Any] = (weights / weights.sum())[self.members]
        return float(self.scorer.paired(masses[None], np.array([self.column])).item())

    def replicates(self, n_resamples: int, seed: int, progress: Progress) -> Replicates:
        """Draw B resamples of the units and score the m configurations in each."""
        sizes = np.bincount(self.members)
        draws = Draws(len(sizes), seed, (Unit.EVALUATION,), False, self.members, self.strata)
        shares = (self.influence / sizes)[self.members]
        work = n_resamples * len(self.members) * self.scorer.n_configurations
        parts = []

        def score(drawn: Resamples) -> tuple[FloatArray, FloatArray]:
            return self.scorer(drawn.in_bag), drawn.in_bag @ shares

        with resources.use(kernels.decide(work)):
            for part in draws.part(range(-(-n_resamples // BLOCK))).over(score):
                parts.append(part)
                progress(min(sum(len(done) for _, done in parts), n_resamples), n_resamples)
        values, totals = (np.concatenate(part)[:n_resamples] for part in zip(*parts, strict=True))
        return Replicates(values, self.observed, self.column, self.influence, totals)


def _classes_needed(scorer: Scorer, classes: IntArray | FloatArray) -> IntArray | None:
    """The class of each sample (n,), where the metric is undefined if one is missing; or None."""
    codes = classes.astype(np.int64)
    without = (codes != distinct(codes)[:, None]).astype(np.uint8)
    return codes if np.isnan(scorer(without)).any() else None


PARTS = 10
"""Parts of the resamples, of which one at a time is left out for the Monte-Carlo error of p."""

TailOf = Callable[[Replicates, bool], Tail]
"""Replicates, and whether they are tilted to the pessimistic end -> p of each tilt."""


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The ends of an interval, and how to find them.

    evaluated: the finalist on the evaluation samples.
    metric: its direction and bounds.
    tail_of: the method's p.
    sides: the ends to estimate.
    error, fallback_error: allowed error of each end, and of one that takes its place.
    """

    evaluated: Evaluated
    metric: Metric
    tail_of: TailOf
    sides: tuple[Side, ...]
    error: float
    fallback_error: float

    def tilted(self, replicates: Replicates, side: Side) -> float | None:
        """Performance under the tilt at which the error is as allowed; None where there is none."""
        tilt = self._tilt(replicates, side, self.error)
        return None if tilt is None else self._under(tilt, side)

    def monte_carlo_error(self, replicates: Replicates, side: Side) -> float:
        """Standard error of an end: the mean distance of those one error of p to either side.

        That error is the jackknife's over parts of the resamples. NaN where there is no tilt.
        """
        tilt = self._tilt(replicates, side, self.error)
        if tilt is None:
            return float("nan")
        part = np.arange(len(replicates.totals)) % PARTS
        shares = [self._tail(replicates.only(part != k), side)(tilt) for k in range(PARTS)]
        spread = float(np.sqrt((PARTS - 1) * np.var(shares)))
        around = (max(self.error - spread, self.error / PARTS), self.error + spread)
        tilts = [self._tilt(replicates, side, error) for error in around]
        ends = [self._under(other, side) for other in tilts if other is not None]
        return float(np.mean(np.abs(np.array(ends) - self._under(tilt, side)))) if ends else np.nan

    def _tilt(self, replicates: Replicates, side: Side, error: float) -> float | None:
        return calibrate(self._tail(replicates, side), error, replicates.step)

    def _tail(self, replicates: Replicates, side: Side) -> Tail:
        down = replicates if side is Side.LOWER else replicates.mirrored()
        return self.tail_of(down, side is self.metric.direction.pessimistic())

    def _under(self, tilt: float, side: Side) -> float:
        return self.evaluated.under(tilt if side is Side.LOWER else -tilt)

    def fallback(self, side: Side) -> tuple[str, float] | None:
        """Name of the interval that takes the place of a tilted one, and its end, if any."""
        from statistics import NormalDist

        reach = NormalDist().inv_cdf(max(self.fallback_error, 2.0**-53))
        z = reach if side is Side.LOWER else -reach
        evaluated = self.evaluated
        if evaluated.proportion:
            end = wilson_end(evaluated.observed, len(evaluated.members), z)
            return "Wilson's", float(np.clip(end, 0.0, 1.0))
        spread = standard_error(evaluated.influence, evaluated.strata)
        if not spread > 0:
            return None
        name = "DeLong's" if self.metric.name == "auc" else "that of a normal interval"
        return name, float(np.clip(evaluated.observed + z * spread, *self.metric.bounds))


def tilted_answer(
    case: Case, finalist: Finalist, tail_of: TailOf, columns: IntArray, level: float
) -> Answer:
    """Return the performance of a finalist with a tilted interval.

    tail_of: the method's p.
    columns (m,) int: the configurations that p depends on, in increasing order.
    level: of the tilted interval. The finalist's own is that of the fallback.
    Raises UndefinedError: the metric is undefined on either side of the split.
    """
    evaluated = Evaluated.of(case.matrix, case.metric, finalist, columns)
    if np.isnan(evaluated.observed):
        raise undefined_on(case.metric, "evaluate")
    side = case.plan.side_of(case.metric.direction)
    sides = (Side.LOWER, Side.UPPER) if side is Side.TWO else (side,)
    errors = [(1 - at) / len(sides) for at in (level, finalist.level)]
    ends = Ends(evaluated, case.bounded, tail_of, sides, *errors)
    replicates, error, notes = _enough(ends, case)
    interval, fallbacks = _interval(ends, replicates, case, side)
    answer = from_split(case, finalist, interval, (*notes, *fallbacks))
    return replace(answer, n_resamples=len(replicates.totals), error=error)


def _enough(ends: Ends, case: Case) -> tuple[Replicates, MonteCarloError, list[Note]]:
    """Draw as many resamples as the plan wants, all with the finalist defined."""
    plan = case.plan
    n_resamples = plan.n_resamples if plan.tolerance is None else FIRST_RESAMPLES
    while True:
        n_resamples = min(n_resamples, plan.n_resamples)
        case.enter("resampling")
        drawn = ends.evaluated.replicates(n_resamples, plan.seed, case.progress)
        replicates = drawn.only(~np.isnan(drawn.values[:, drawn.column]))
        lower, upper = (
            ends.monte_carlo_error(replicates, side) if side in ends.sides else None
            for side in (Side.LOWER, Side.UPPER)
        )
        error = MonteCarloError(0.0, lower, upper)
        missed = plan.tolerance is not None and error.largest() > plan.tolerance
        if not missed or n_resamples == plan.n_resamples:
            break
        n_resamples *= 2
    n_lost = n_resamples - len(replicates.totals)
    notes = [undefined_resamples(n_lost, n_resamples, ends.metric.label)] if n_lost else []
    notes += [tolerance_not_reached(plan.tolerance, error.largest())] if missed else []
    return replicates, error, notes


def _interval(
    ends: Ends, replicates: Replicates, case: Case, side: Side
) -> tuple[Interval | None, list[Note]]:
    """The interval, or None where an end can't be found, and a note on each end not tilted."""
    limits, notes = dict(zip((Side.LOWER, Side.UPPER), ends.metric.bounds, strict=True)), []
    for end in ends.sides:
        value = ends.tilted(replicates, end)
        if value is None:
            fallback = ends.fallback(end)
            if fallback is None:
                return None, [no_interval(case.method, "no sample that evaluates moves the figure")]
            name, value = fallback
            notes.append(tilting_infeasible(case.method, end, name))
        limits[end] = value
    return Interval(limits[Side.LOWER], limits[Side.UPPER], case.plan.level, side), notes
