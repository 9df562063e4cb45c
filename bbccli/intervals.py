"""From a distribution of resampled performances to an interval."""

from __future__ import annotations

from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.results import Distribution
from bbccli.types import Interval, Side


def percentile(distribution: Distribution, metric: Metric, plan: Plan) -> Interval:
    """Return the percentile interval of a resample distribution.

    With B performances in order L(1) <= ... <= L(B) and a = 1 - level, the two-sided interval is
    [L(a/2 B), L((1 - a/2) B)]; one-sided ones are [L(a B), best bound of the metric] and its
    mirror. The pessimistic side is the lower one of metrics that are maximised and the upper one
    of those that are minimised.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 3.3; Paraschakis et al. 2024, section 2.3.

    Examples
    --------
    >>> import numpy as np
    >>> from bbccli.metrics import METRICS
    >>> values = Distribution(np.arange(1, 1001) / 1000, np.zeros(1000, int))
    >>> interval = percentile(values, METRICS["auc"], Plan(level=0.95))
    >>> interval.lower, interval.upper
    (0.025, 0.975)
    """
    side = metric.direction.pessimistic() if plan.side is Side.PESSIMISTIC else plan.side
    lower, upper = metric.bounds
    outside = 1 - plan.level
    if side is Side.TWO:
        lower = distribution.quantile(outside / 2)
        upper = distribution.quantile(1 - outside / 2)
    elif side is Side.LOWER:
        lower = distribution.quantile(outside)
    else:
        upper = distribution.quantile(1 - outside)
    return Interval(lower, upper, plan.level, side)
