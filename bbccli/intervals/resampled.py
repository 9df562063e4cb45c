"""From a resample distribution to the interval that a plan asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from bbccli.intervals.guard import Guarded
from bbccli.intervals.matched import matched
from bbccli.intervals.sides import probabilities, side_of
from bbccli.intervals.student import Student
from bbccli.metrics.base import Metric
from bbccli.notes import Note, few_resamples, guard_without_bound, matched_interval
from bbccli.plan import Plan
from bbccli.results import Distribution, MonteCarloError
from bbccli.types import Interval, IntervalKind


@dataclass(frozen=True, slots=True)
class Basis:
    """What an interval needs beside the distribution.

    Attributes
    ----------
    value
        The estimate that the interval belongs to.
    n_units
        Samples, or groups of samples, that the metric rests on: what the guard counts.
    n_drawn
        Units that were drawn from: samples, groups or folds.
    drawn
        Whether the estimate is the mean of the distribution.
    """

    value: float
    n_units: int
    n_drawn: int
    drawn: bool = True


class Quantiles(Protocol):
    """Quantiles of a distribution, and their Monte-Carlo standard errors."""

    def quantile(self, probability: float, /) -> float:
        """Smallest value whose distribution function reaches the probability."""

    def quantile_error(self, probability: float, /) -> float:
        """Standard error that comes from drawing resamples."""


def interval_of(
    distribution: Distribution, metric: Metric, plan: Plan, basis: Basis
) -> tuple[Interval, MonteCarloError, tuple[Note, ...]]:
    """Return the interval of a resample distribution, its errors, and what to know of it.

    With B performances in order L(1) <= ... <= L(B) and a = 1 - level, the two-sided percentile
    interval is [L(a/2 B), L((1 - a/2) B)]; one-sided ones are [L(a B), best bound of the metric]
    and its mirror. The pessimistic side is the lower one of metrics that are maximised and the
    upper one of those that are minimised.

    `plan.interval` chooses percentile, matched or t; `plan.guard` adds the guard to any of them;
    `plan.side` says which ends are estimated. Other ends are the metric's bounds.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 3.1; Paraschakis et al. 2024, section 2.3.

    Examples
    --------
    >>> from bbccli.metrics import METRICS
    >>> values = Distribution(np.arange(1, 1001) / 1000, np.zeros(1000, int))
    >>> plan, basis = Plan(level=0.95, guard=False), Basis(0.5, 1000, 1000)
    >>> interval, _, _ = interval_of(values, METRICS["auc"], plan, basis)
    >>> interval.lower, interval.upper
    (0.025, 0.975)
    """
    shaped = _shaped(distribution, metric, plan, basis)
    ends: list[float] = []
    errors: list[float | None] = []
    for bound, probability in zip(metric.bounds, probabilities(metric, plan), strict=True):
        if probability is None:
            ends.append(bound)
            errors.append(None)
            continue
        quantiles = _guarded(shaped, basis, bound) if plan.guard else shaped
        ends.append(quantiles.quantile(probability))
        errors.append(quantiles.quantile_error(probability))
    interval = Interval(ends[0], ends[1], plan.level, side_of(metric, plan))
    error = MonteCarloError(distribution.mean_error(), *errors)
    return interval, error, _notes(distribution, metric, plan, interval)


def smallest_size(plan: Plan, metric: Metric) -> int:
    """Return the least B of which no end is beyond the performances drawn.

    The order statistic of rank p B is one of them, and not just the smallest for want of a
    smaller, where p B >= 1; and so at the other end where (1 - p) B >= 1.

    Examples
    --------
    >>> from bbccli.metrics import METRICS
    >>> smallest_size(Plan(level=0.95), METRICS["auc"])
    40
    """
    below, above = probabilities(metric, plan)
    outside = min(p for p in (below, None if above is None else 1 - above) if p is not None)
    # 1 / 0.025 is a hair above 40 in binary
    return int(np.ceil(round(1 / outside, 6)))


def _shaped(
    distribution: Distribution, metric: Metric, plan: Plan, basis: Basis
) -> Distribution | Student:
    """What the ends are quantiles of."""
    if plan.interval is IntervalKind.T:
        return Student(distribution, basis.value, basis.n_drawn, basis.drawn, metric.bounds)
    within = replace(distribution, values=np.clip(distribution.values, *metric.bounds))
    if plan.interval is IntervalKind.MATCHED:
        return matched(within, basis.value, basis.n_drawn, metric.bounds)
    return within


@dataclass(frozen=True, slots=True)
class _GuardedStudent:
    """Guarded quantiles of Student's law, whose Monte-Carlo error is that of the law."""

    student: Student
    guarded: Guarded

    def quantile(self, probability: float) -> float:
        return self.guarded.quantile(probability)

    def quantile_error(self, probability: float) -> float:
        return self.student.quantile_error(probability)


def _guarded(shaped: Distribution | Student, basis: Basis, bound: float) -> Quantiles:
    """The same with the guard's pseudo-unit, where the metric has a bound."""
    if not np.isfinite(bound):
        return shaped
    if isinstance(shaped, Distribution):
        return Guarded(shaped, basis.n_units, bound)
    return _GuardedStudent(shaped, Guarded(shaped.cells(), basis.n_units, bound))


def _notes(
    distribution: Distribution, metric: Metric, plan: Plan, interval: Interval
) -> tuple[Note, ...]:
    notes = [matched_interval()] if plan.interval is IntervalKind.MATCHED else []
    size, least = len(distribution.values), smallest_size(plan, metric)
    if plan.interval is not IntervalKind.T and not distribution.exact and size < least:
        notes.append(few_resamples(size, plan.level, least))
    worst = metric.bounds[metric.direction.sign < 0]
    if plan.guard and not np.isfinite(worst) and interval.lower == interval.upper:
        notes.append(guard_without_bound(metric.label))
    return tuple(notes)
