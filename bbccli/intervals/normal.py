"""Intervals of an estimate with a standard error."""

from __future__ import annotations

from bbccli.intervals.sides import side_of
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.types import Interval, Side


def normal(
    value: float, error: float, metric: Metric, plan: Plan, *, level: float | None = None
) -> Interval:
    """Return value +- z error, clipped to the bounds of the metric.

    Parameters
    ----------
    value, error
        Estimate and its standard error, in the metric's unit.
    level
        Level to compute the ends at, where it is not the plan's: that of one of several intervals
        that are to hold at once.

    Examples
    --------
    >>> from bbccli.metrics import METRICS
    >>> interval = normal(0.9, 0.04, METRICS["auc"], Plan(level=0.95))
    >>> round(interval.lower, 4), round(interval.upper, 4)
    (0.8216, 0.9784)
    """
    from statistics import NormalDist

    side = side_of(metric, plan)
    # the level of one of very many intervals may round to 1
    outside = max(1 - (plan.level if level is None else level), 2.0**-53)
    reach = -NormalDist().inv_cdf(outside / 2 if side is Side.TWO else outside) * error
    least, most = metric.bounds
    lower = least if side is Side.UPPER else min(max(value - reach, least), most)
    upper = most if side is Side.LOWER else max(min(value + reach, most), least)
    return Interval(lower, upper, plan.level, side)
