"""From a resample distribution to the interval that a plan asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from bbccli.intervals import bca
from bbccli.intervals.guard import Guarded
from bbccli.intervals.matched import matched
from bbccli.intervals.sides import probabilities, side_of
from bbccli.metrics.base import Metric
from bbccli.notes import Note, bca_undefined, guard_without_bound, matched_interval
from bbccli.plan import Plan
from bbccli.results import Distribution, MonteCarloError
from bbccli.types import FloatArray, Interval, IntervalKind


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
        Units that were drawn from: the same, or folds.
    influence
        Returns the influence values (U,) of the winner.
    """

    value: float
    n_units: int
    n_drawn: int
    influence: Callable[[], FloatArray]


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

    `plan.interval` chooses percentile, matched or bca; `plan.guard` adds the guard to any of them;
    `plan.side` says which ends are estimated. Other ends are the metric's bounds.
    """
    within = np.clip(distribution.values, *metric.bounds)
    shaped = replace(distribution, values=within)
    if plan.interval is IntervalKind.MATCHED:
        shaped = matched(shaped, basis.value, basis.n_drawn, metric.bounds)
    adjust, notes = _adjustment(distribution, plan, basis)
    ends: list[float] = []
    errors: list[float | None] = []
    for bound, probability in zip(metric.bounds, probabilities(metric, plan), strict=True):
        if probability is None:
            ends.append(bound)
            errors.append(None)
            continue
        quantiles: Quantiles = shaped
        if plan.guard and np.isfinite(bound):
            quantiles = Guarded(shaped, basis.n_units, bound)
        at = adjust(probability)
        ends.append(quantiles.quantile(at))
        errors.append(quantiles.quantile_error(at))
    side = side_of(metric, plan)
    interval = Interval(ends[0], ends[1], plan.level, side)
    if plan.guard and not np.isfinite(_worst(metric)) and ends[0] == ends[1]:
        notes += (guard_without_bound(metric.label),)
    return interval, MonteCarloError(distribution.mean_error(), *errors), notes


def _worst(metric: Metric) -> float:
    """The metric's bound on the pessimistic side."""
    return min(metric.bounds) if metric.direction.sign > 0 else max(metric.bounds)


def _adjustment(
    distribution: Distribution, plan: Plan, basis: Basis
) -> tuple[Callable[[float], float], tuple[Note, ...]]:
    """Where to take the percentiles, and notes on the kind of interval."""
    if plan.interval is IntervalKind.MATCHED:
        return _as_it_is, (matched_interval(),)
    if plan.interval is not IntervalKind.BCA:
        return _as_it_is, ()
    z0 = bca.bias_correction(distribution, basis.value)
    influence = basis.influence()
    if z0 is None or not np.isfinite(influence).all():
        return _as_it_is, (bca_undefined(),)
    a = bca.acceleration(influence)
    return (lambda probability: bca.adjusted(probability, z0, a)), ()


def _as_it_is(probability: float) -> float:
    return probability
