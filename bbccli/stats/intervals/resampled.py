"""Intervals of resample distributions: their kinds, and the interval that a plan asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from bbccli.domain.estimate import Distribution, MonteCarloError
from bbccli.domain.plan import Plan
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.notes.methods import few_resamples, guard_without_bound
from bbccli.platform.arguments import ByName
from bbccli.platform.dataclass import dataclass
from bbccli.stats.intervals.guard import Guarded, ends_of
from bbccli.types import Interval, IntervalKind


@dataclass(frozen=True, slots=True)
class Basis:
    """Input of an interval besides the distribution.

    value: the estimate that the interval belongs to.
    n_units: samples, or groups, that the metric rests on, as the guard counts them; their effective
        number if weighted.
    n_drawn: units drawn from: samples, groups or folds.
    drawn: True if the estimate is the mean of the distribution.
    worst, optional: the winner's worst loss on a single sample, for losses without a worst value.
    fixed: True if models are used as they are, without training again.
    """

    value: float
    n_units: float
    n_drawn: int
    drawn: bool = True
    worst: float | None = None
    fixed: bool = False


def within_bounds(drawn: Distribution, bounds: tuple[float, float]) -> Distribution:
    """Return the distribution with performances beyond the bounds moved onto them."""
    return replace(drawn, values=np.clip(drawn.values, *bounds))


@dataclass(frozen=True, slots=True)
class Construction:
    """A way to make an interval from a resample distribution.

    law: resampled performances, the basis and the metric's bounds -> the law with the ends as
        quantiles: `quantile(p)`, and its Monte-Carlo error `quantile_error(p)`.
    cells: the law as a distribution, to be guarded. Without it the law is a distribution itself,
        with the Monte-Carlo error of the guarded quantiles and order statistics as ends, so few
        resamples have no extreme ends.
    check: raises UnsupportedError where the plan's resamples don't allow it.
    guards_losses: True if an end without a bound is guarded with the winner's worst sample.
    notes: notes on every interval of this kind.
    """

    law: Callable[[Distribution, Basis, tuple[float, float]], Any]
    cells: Callable[[Any], Distribution] | None = None
    check: Callable[[Plan], None] = lambda _: None
    guards_losses: bool = False
    notes: tuple[Note, ...] = ()


def _declared(kind: IntervalKind) -> Construction:
    construction: Construction = import_module(f"bbccli.stats.intervals.{kind}").INTERVAL
    return construction


INTERVALS: Mapping[IntervalKind, Construction] = ByName(IntervalKind, _declared)
"""Kinds of intervals; the kind `matched` is what the module `matched` declares as `INTERVAL`."""


def guards_losses(kind: str) -> bool:
    """Return True if a kind guards losses without a worst value, and knows of fixed models."""
    return kind in INTERVALS and INTERVALS[IntervalKind(kind)].guards_losses


def interval_of(
    distribution: Distribution, metric: Metric, plan: Plan, basis: Basis
) -> tuple[Interval, MonteCarloError, tuple[Note, ...]]:
    """Return the interval of a resample distribution, its errors and notes on it.

    `plan.interval` chooses one of `INTERVALS`, `plan.guard` adds the guard, and `plan.side` says
    which ends are estimated; other ends are the metric's bounds.

    Source: Tsamardinos, Greasidou & Borboudakis 2018, section 3.1; Paraschakis et al. 2024, section
        2.3.

    >>> from bbccli.metrics import METRICS
    >>> values = Distribution(np.arange(1, 1001) / 1000, np.zeros(1000, int))
    >>> plan, basis = Plan(level=0.95, guard=False), Basis(0.5, 1000, 1000)
    >>> interval, _, _ = interval_of(values, METRICS["auc"], plan, basis)
    >>> interval.lower, interval.upper
    (0.025, 0.975)
    """
    construction = INTERVALS[plan.interval]
    law = construction.law(distribution, basis, metric.bounds)
    sought = {end: p for end, p in enumerate(plan.probabilities(metric.direction)) if p is not None}
    limits = {end: _limit(construction, basis, metric.bounds[end], law) for end in sought}
    guarded = {end: limit for end, limit in limits.items() if plan.guard and limit is not None}
    ends: dict[int, float] = dict(enumerate(metric.bounds))
    errors: dict[int, float] = {}
    for end, probability in sought.items():
        if end not in guarded:
            ends[end] = law.quantile(probability)
        if end not in guarded or construction.cells is not None:
            errors[end] = law.quantile_error(probability)
    if guarded:
        cells = law if construction.cells is None else construction.cells(law)
        guards = [Guarded(cells, basis.n_units, limit) for limit in guarded.values()]
        quantiles, spreads = ends_of(guards, [sought[end] for end in guarded])
        ends.update(zip(guarded, quantiles.tolist(), strict=True))
        errors = dict(zip(guarded, spreads.tolist(), strict=True)) | errors
    interval = Interval(ends[0], ends[1], plan.level, plan.side_of(metric.direction))
    error = MonteCarloError(distribution.mean_error(), errors.get(0), errors.get(1))
    return interval, error, _notes(construction, distribution, metric, plan, interval)


def _limit(construction: Construction, basis: Basis, bound: float, law: Any) -> float | None:
    """The worst value on a side, which the guard counts; None where there is none."""
    if np.isfinite(bound):
        return bound
    # a loss without a worst value: that of the winner's worst sample, or of a resample beyond it
    if bound < 0 or not construction.guards_losses or basis.worst is None:
        return None
    return max(basis.worst, float(law.values.max()))


def smallest_size(plan: Plan, metric: Metric) -> int:
    """Return the least B at which every end is one of the performances drawn.

    The order statistic of rank p B exists, and is not merely the sample extreme, where p B >= 1;
    likewise at the other end where (1 - p) B >= 1.

    >>> from bbccli.metrics import METRICS
    >>> smallest_size(Plan(level=0.95), METRICS["auc"])
    40
    """
    below, above = plan.probabilities(metric.direction)
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
    too_few = size < (least if construction.cells is None else 2)
    if too_few and not distribution.exact:
        notes.append(few_resamples(size, plan.level, least))
    worst = metric.bounds[metric.direction.sign < 0]
    if plan.guard and not np.isfinite(worst) and interval.lower == interval.upper:
        notes.append(guard_without_bound(metric.label))
    return tuple(notes)
