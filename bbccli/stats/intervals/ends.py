"""Intervals from a formula of their ends."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from bbccli.domain.plan import Plan
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.notes.intervals import no_variance
from bbccli.types import Interval, Side

Ends = Callable[[float], tuple[float, float]]
"""Probability outside of each end -> lower and upper end."""


def interval_by(ends: Ends, metric: Metric, plan: Plan, *, level: float | None = None) -> Interval:
    """Return the plan's interval from a formula of its ends, within the metric's bounds.

    A one-sided interval spends all of 1 - level on its end; the other end is the bound.

    level: level of the ends, if not the plan's: that of one of several simultaneous intervals.
    """
    side = plan.side_of(metric.direction)
    # the level of one of very many intervals may round to 1
    outside = max(1 - (plan.level if level is None else level), 2.0**-53)
    limits = ends(outside / 2 if side is Side.TWO else outside)
    lower, upper = (float(np.clip(end, *metric.bounds)) for end in limits)
    if side is Side.UPPER:
        lower = metric.bounds[0]
    if side is Side.LOWER:
        upper = metric.bounds[1]
    return Interval(lower, upper, plan.level, side)


def normal(
    value: float, error: float, metric: Metric, plan: Plan, *, level: float | None = None
) -> Interval:
    """Return value -+ z error, from an estimate and its standard error in the metric's unit.

    >>> from bbccli.metrics import METRICS
    >>> interval = normal(0.9, 0.04, METRICS["auc"], Plan(level=0.95))
    >>> round(interval.lower, 4), round(interval.upper, 4)
    (0.8216, 0.9784)
    """
    from bbccli.stats.significance import Pivot

    return interval_by(Pivot(value, error).ends, metric, plan, level=level)


def without_width(ends: Ends, value: float) -> tuple[Note, ...]:
    """Return a note where the ends don't part, whatever the level."""
    lower, upper = ends(0.25)
    return (no_variance(value),) if lower == upper else ()


Formula = Callable[[float, float, float], tuple[float, float]]
"""Proportion, samples (not always whole) and probability outside of each end -> both ends."""


def wald(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return p -+ z sqrt(p (1 - p) / n). It has no width where p is 0 or 1.

    >>> [round(end, 4) for end in wald(0.8, 100, 0.025)]
    [0.7216, 0.8784]
    """
    margin = _z(outside) * sqrt(p * (1 - p) / n)
    return p - margin, p + margin


def wilson(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return the proportions that a score test at p does not reject.

    Source: Wilson 1927; Brown, Cai & DasGupta 2001, section 3.1.1.

    >>> [round(end, 4) for end in wilson(0.8, 100, 0.025)]
    [0.7112, 0.8666]
    """
    z = _z(outside)
    return wilson_end(p, n, -z), wilson_end(p, n, z)


def wilson_end(p: float, n: float, z: float) -> float:
    """Return an end of Wilson's interval: z standard errors up, down where z < 0."""
    centre = p + z**2 / (2 * n)
    margin = z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return (centre + margin) / (1 + z**2 / n)


def clopper_pearson(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return the proportions that an exact binomial test does not reject, by beta quantiles.

    Source: Clopper & Pearson 1934.

    >>> [round(end, 4) for end in clopper_pearson(0.8, 100, 0.025)]
    [0.7082, 0.8733]
    """
    from scipy.special import betaincinv

    k = p * n
    lower = betaincinv(k, n - k + 1, outside) if p > 0 else 0.0
    upper = betaincinv(k + 1, n - k, 1 - outside) if p < 1 else 1.0
    return float(lower), float(upper)


def jeffreys(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return quantiles of the posterior beta (k + 1/2, n - k + 1/2); 0 and 1 belong to p = 0 and 1.

    Source: Brown, Cai & DasGupta 2001, section 3.1.3.

    >>> [round(end, 4) for end in jeffreys(0.8, 100, 0.025)]
    [0.7137, 0.8692]
    """
    from scipy.special import betaincinv

    k = p * n
    lower, upper = betaincinv(k + 0.5, n - k + 0.5, [outside, 1 - outside])
    return (float(lower) if p > 0 else 0.0), (float(upper) if p < 1 else 1.0)


def _z(outside: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(outside))
