"""Ends of an interval that are estimated, and intervals from a formula of their ends."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from bbccli.core.notes import Note, no_variance
from bbccli.core.plan import Plan
from bbccli.metrics.base import Metric
from bbccli.types import Interval, Side

Ends = Callable[[float], tuple[float, float]]
"""Probability outside of each end -> lower and upper end."""


def side_of(metric: Metric, plan: Plan) -> Side:
    """Return the side of the plan; the pessimistic one as lower or upper."""
    return metric.direction.pessimistic() if plan.side is Side.PESSIMISTIC else plan.side


def probabilities(metric: Metric, plan: Plan) -> tuple[float | None, float | None]:
    """Return the probabilities of the two ends; None for an end that is the metric's bound."""
    side, outside = side_of(metric, plan), 1 - plan.level
    if side is Side.TWO:
        return outside / 2, 1 - outside / 2
    return (outside, None) if side is Side.LOWER else (None, 1 - outside)


def interval_by(ends: Ends, metric: Metric, plan: Plan, *, level: float | None = None) -> Interval:
    """Return the interval of a plan from a formula of its ends, within the metric's bounds.

    A one-sided interval spends the whole of 1 - level on its end; the other is the bound.

    Parameters
    ----------
    level
        Level to compute the ends at, where it is not the plan's: that of one of several intervals
        that are to hold at once.
    """
    side = side_of(metric, plan)
    # the level of one of very many intervals may round to 1
    outside = max(1 - (plan.level if level is None else level), 2.0**-53)
    found = ends(outside / 2 if side is Side.TWO else outside)
    lower, upper = (float(np.clip(end, *metric.bounds)) for end in found)
    if side is Side.UPPER:
        lower = metric.bounds[0]
    if side is Side.LOWER:
        upper = metric.bounds[1]
    return Interval(lower, upper, plan.level, side)


def normal(
    value: float, error: float, metric: Metric, plan: Plan, *, level: float | None = None
) -> Interval:
    """Return value -+ z error, from an estimate and its standard error in the metric's unit.

    Examples
    --------
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

    Examples
    --------
    >>> [round(end, 4) for end in wald(0.8, 100, 0.025)]
    [0.7216, 0.8784]
    """
    margin = _z(outside) * sqrt(p * (1 - p) / n)
    return p - margin, p + margin


def wilson(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return the proportions that a score test at p does not reject.

    References
    ----------
    Wilson 1927; Brown, Cai & DasGupta 2001, section 3.1.1.

    Examples
    --------
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

    References
    ----------
    Clopper & Pearson 1934.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(0.8, 100, 0.025)]
    [0.7082, 0.8733]
    """
    from scipy.stats import beta

    k = p * n
    lower = beta.ppf(outside, k, n - k + 1) if p > 0 else 0.0
    upper = beta.ppf(1 - outside, k + 1, n - k) if p < 1 else 1.0
    return float(lower), float(upper)


def jeffreys(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return quantiles of the posterior beta (k + 1/2, n - k + 1/2); 0 and 1 belong to p = 0 and 1.

    References
    ----------
    Brown, Cai & DasGupta 2001, section 3.1.3.

    Examples
    --------
    >>> [round(end, 4) for end in jeffreys(0.8, 100, 0.025)]
    [0.7137, 0.8692]
    """
    from scipy.stats import beta

    k = p * n
    lower, upper = beta.ppf([outside, 1 - outside], k + 0.5, n - k + 0.5)
    return (float(lower) if p > 0 else 0.0), (float(upper) if p < 1 else 1.0)


def _z(outside: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(outside))
