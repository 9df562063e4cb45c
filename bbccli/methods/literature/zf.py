"""ZF, the locally simultaneous bound of Zrnic and Fithian, for models that are fixed. Experimental.

The interval holds for whichever configuration wins among those that had a chance to.

Formula, with m_c the score of configuration c on all samples (its sign such that more is better),
s_c its standard error, a = 1 - level and v = a / 10:

```text
keep c where m_c + q_v s_c ≥ max (m - q_v s),     lower end = m_w - q s_w
```

Algorithm:

1. Select the winner w as `cvt` does. Its naive score is the estimate: only the interval is
   corrected ([locally-simultaneous](notes.md#locally-simultaneous)).
2. Compute the influence of each sample on each score, and from it s_c; groups count as units,
   classes as strata where the metric needs them.
3. Multiply the influence values by standard normal numbers and add up, B times. q_v is the quantile
   1 - v of the largest absolute sum over all configurations, in standard errors; q the quantile 1 -
   (a - v) of the largest sum over those that are kept (its absolute value for two ends).
4. The ends m_w ∓ q s_w are clipped to the bounds of the metric and guarded. If another metric
   selects, it decides which are kept.

Assumptions: **nothing was trained on these samples, and the winner is used as it is**: prompts,
raters, or models that were finished before. Trained models are refused unless you give `--models
fixed`. The metric must change smoothly with the samples, and there must be enough of them for
normal sums.

Evidence: in the [settings of 2024](../benchmarks/validation-tables.md#the-settings-of-2024) its
one-sided 95% bound covered in 97% of the cases, at half the distance of that of `bbc` from the
truth; with 50 samples and 500 configurations in 84% in one setting.

When to use: for the best of many fixed prompts, models or raters, for which its bound is tighter
than that of `bbc`. When not: if the models were trained in folds; with a handful of samples.

Cost: N + 1 evaluations of all configurations, O(N² C), and O(B N C) for the sums.

Source: Zrnic & Fithian 2024; multipliers: Chernozhukov, Chetverikov & Kato 2013. The guard, and the
other metric that selects, are ours. The authors' code may keep fewer configurations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bbccli.domain.estimate import Distribution, MonteCarloError
from bbccli.domain.plan import n_draws
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods.base import INTERVAL, Method
from bbccli.metrics.base import Scorer
from bbccli.notes import locally_simultaneous
from bbccli.platform import resources
from bbccli.stats.case import Answer, Case
from bbccli.stats.influence import influence, largest, standard_error, standardised
from bbccli.stats.intervals.guard import Guarded
from bbccli.stats.selection.candidates import Candidates
from bbccli.stats.selection.units import n_units_of, on_few_groups, rests_on, units_of
from bbccli.types import FloatArray, IntArray, Interval, Models, Select, Side, distinct

KEEPING = 0.1
"""v / a: what choosing the kept may spend of the level."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some configurations with their standard errors and standardised influences.

    columns, errors (C',): which configurations, and the standard errors of their performances.
    parts (U, C'): influence values in standard errors, as of `standardised`.
    """

    columns: IntArray
    errors: FloatArray
    parts: FloatArray


def run(case: Case) -> Answer:
    """Return the naive figure with a locally simultaneous interval.

    Raises UnsupportedError: models that are trained, or a rule of selection other than the best.
    Raises UndefinedError: the metric has no value without some sample.
    """
    _check(case)
    choice, plan = case.choice, case.plan
    n = n_draws(plan)
    kept = _kept(case, n)
    drawn, error = _worst(case, kept, n)
    interval, errors = _interval(case, drawn * error)
    notes = (locally_simultaneous(len(kept), case.matrix.n_configurations),)
    return Answer(
        choice.naive,
        interval,
        notes=(*notes, *on_few_groups(case.matrix)),
        error=errors,
        n_resamples=n,
    )


def _check(case: Case) -> None:
    if case.plan.models is not Models.FIXED:
        raise UnsupportedError(
            "zf is for models that are fixed; with trained ones its bounds are too narrow",
            hint="bbc resamples the selection; --models fixed if nothing was trained on these "
            "samples",
        )
    if case.plan.select is not Select.BEST:
        raise UnsupportedError(
            "zf is for the selection of the best configuration only",
            hint="bbc resamples any rule of selection; or --select best",
        )


def _kept(case: Case, n: int) -> IntArray:
    """Configurations that may be the best by the selecting metric, the winner included."""
    gains = case.selector.direction.sign * case.judged.performances()
    errors, maxima = np.full(len(gains), np.nan), np.zeros(n)
    for block in _blocks(case, case.judged, np.flatnonzero(~np.isnan(gains))):
        errors[block.columns] = block.errors
        maxima = np.maximum(maxima, largest(block.parts, case.plan.seed, n, 0))
    spent = KEEPING * (1 - case.plan.level)
    reach = _values(maxima).quantile(1 - spent) * errors
    near = gains + reach >= np.fmax.reduce(gains - reach)
    near[case.choice.winner] = True
    return np.flatnonzero(near)


def _worst(case: Case, kept: IntArray, n: int) -> tuple[FloatArray, float]:
    """The largest sum (B,) over the kept, and the standard error of the winner's performance."""
    pessimistic = case.plan.side_of(case.metric.direction) is case.metric.direction.pessimistic()
    turned = case.metric.direction.sign * (1 if pessimistic else -1)
    sign = 0 if case.plan.side is Side.TWO else turned
    maxima, of_winner = np.full(n, -np.inf), float("nan")
    for block in _blocks(case, case.measured, kept):
        maxima = np.maximum(maxima, largest(block.parts, case.plan.seed, n, sign))
        place = np.flatnonzero(block.columns == case.choice.winner)
        of_winner = float(block.errors[place[0]]) if len(place) else of_winner
    if np.isnan(of_winner):
        raise UndefinedError(
            f"{case.metric.label} of the winner is undefined without one of the samples",
            hint="use bbc, which draws such resamples again: --method bbc",
        )
    return maxima, of_winner


def _blocks(case: Case, candidates: Candidates, columns: IntArray) -> Iterator[Block]:
    """Yield configurations in blocks that fit the memory, without those that have no error."""
    matrix = case.matrix
    most = max(resources.current().memory // (64 * n_units_of(matrix)), 1)
    width = min(most, len(candidates.blocks()[0]))
    members = None if matrix.groups is None else units_of(matrix)
    everything = np.ones(matrix.n_samples, np.uint8)
    for start in range(0, len(columns), width):
        some = columns[start : start + width]
        scorer, strata = candidates.bind(some), None
        if members is None and matrix.task.is_classification:
            strata = _classes_needed(scorer, matrix.outcome.values)
        values = influence(scorer, everything, strata=strata, members=members)
        errors = np.array([standard_error(column, strata) for column in values.T])
        defined = ~np.isnan(errors)
        if defined.any():
            parts = standardised(values[:, defined], errors[defined], strata)
            yield Block(some[defined], errors[defined], parts)


def _classes_needed(scorer: Scorer, classes: IntArray | FloatArray) -> IntArray | None:
    """The class of each sample (N,), where the metric is undefined if one is missing; or None."""
    codes = classes.astype(np.int64)
    without = (codes != distinct(codes)[:, None]).astype(np.uint8)
    return codes if np.isnan(scorer(without)).all(axis=1).any() else None


def _interval(case: Case, distances: FloatArray) -> tuple[Interval, MonteCarloError]:
    """The ends and their errors, from the draws (B,) of the largest error among the kept."""
    plan, bounds, side = case.plan, case.bounded.bounds, case.plan.side_of(case.metric.direction)
    outside = (1 - KEEPING) * (1 - plan.level)
    n_units = rests_on(case.matrix, case.metric, case.choice.winner)
    ends: list[float] = []
    errors: list[float | None] = []
    for bound, sign, end in zip(bounds, (-1, 1), (Side.LOWER, Side.UPPER), strict=True):
        if side not in (Side.TWO, end):
            ends.append(bound)
            errors.append(None)
            continue
        law = _values(np.clip(case.choice.naive + sign * distances, *bounds))
        guarded = plan.guard and np.isfinite(bound)
        quantiles = Guarded(law, n_units, bound) if guarded else law
        probability = outside if sign < 0 else 1 - outside
        ends.append(quantiles.quantile(probability))
        errors.append(quantiles.quantile_error(probability))
    return Interval(ends[0], ends[1], plan.level, side), MonteCarloError(0.0, *errors)


def _values(values: FloatArray) -> Distribution:
    return Distribution(values, np.zeros(len(values), np.int64))


METHODS = (
    Method(
        name="zf",
        label="simultaneous",
        answer=run,
        gives=INTERVAL,
        summary="fixed models: interval that holds for all configurations that may be the best",
        reference="Zrnic & Fithian 2024",
        done=(
            "the winner's {metric} was left uncorrected; its interval, from {draws} of normal "
            "multipliers of the influence values, holds simultaneously for all configurations "
            "that may be the best"
        ),
        experimental=True,
    ),
)
