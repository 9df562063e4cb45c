"""From a resample distribution to the interval that a plan asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from bbccli.intervals.base import Basis, Construction
from bbccli.intervals.ends import probabilities, side_of
from bbccli.intervals.registry import INTERVALS
from bbccli.metrics.base import Metric
from bbccli.notes import Note, few_resamples, guard_without_bound
from bbccli.plan import Plan
from bbccli.results import Distribution, MonteCarloError
from bbccli.types import Interval


def interval_of(
    distribution: Distribution, metric: Metric, plan: Plan, basis: Basis
) -> tuple[Interval, MonteCarloError, tuple[Note, ...]]:
    """Return the interval of a resample distribution, its errors, and what to know of it.

    `plan.interval` chooses one of `INTERVALS`; `plan.guard` adds the guard to any of them;
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
    construction = INTERVALS[plan.interval]
    law = construction.law(distribution, basis, metric.bounds)
    ends: list[float] = []
    errors: list[float | None] = []
    for bound, probability in zip(metric.bounds, probabilities(metric, plan), strict=True):
        if probability is None:
            ends.append(bound)
            errors.append(None)
            continue
        limit = _limit(construction, basis, bound, law) if plan.guard else None
        quantiles = law if limit is None else construction.guarded(law, basis.n_units, limit)
        ends.append(quantiles.quantile(probability))
        errors.append(quantiles.quantile_error(probability))
    interval = Interval(ends[0], ends[1], plan.level, side_of(metric, plan))
    error = MonteCarloError(distribution.mean_error(), *errors)
    return interval, error, _notes(construction, distribution, metric, plan, interval)


def _limit(construction: Construction, basis: Basis, bound: float, law: Any) -> float | None:
    """The worst value on a side, that the guard counts; None where there is none."""
    if np.isfinite(bound):
        return bound
    # a loss without a worst value: that of the winner's worst sample, or of a resample beyond it
    if bound < 0 or not construction.guards_losses or basis.worst is None:
        return None
    return max(basis.worst, float(law.values.max()))


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


def _notes(
    construction: Construction,
    distribution: Distribution,
    metric: Metric,
    plan: Plan,
    interval: Interval,
) -> tuple[Note, ...]:
    notes = list(construction.notes)
    size, least = len(distribution.values), smallest_size(plan, metric)
    too_few = size < (least if construction.ranks else 2)
    if too_few and not distribution.exact:
        notes.append(few_resamples(size, plan.level, least))
    worst = metric.bounds[metric.direction.sign < 0]
    if plan.guard and not np.isfinite(worst) and interval.lower == interval.upper:
        notes.append(guard_without_bound(metric.label))
    return tuple(notes)
