"""Percentile intervals of a resample distribution, and their Monte-Carlo errors."""

from __future__ import annotations

from bbccli.intervals.sides import probabilities, side_of
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.results import Distribution, MonteCarloError
from bbccli.types import Interval


def percentile(distribution: Distribution, metric: Metric, plan: Plan) -> Interval:
    """Return the percentile interval of a resample distribution.

    With B performances in order L(1) <= ... <= L(B) and a = 1 - level, the two-sided interval is
    [L(a/2 B), L((1 - a/2) B)]; one-sided ones are [L(a B), best bound of the metric] and its
    mirror. The pessimistic side is the lower one of metrics that are maximised and the upper one
    of those that are minimised.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 3.1; Paraschakis et al. 2024, section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from bbccli.metrics import METRICS
    >>> values = Distribution(np.arange(1, 1001) / 1000, np.zeros(1000, int))
    >>> interval = percentile(values, METRICS["auc"], Plan(level=0.95))
    >>> interval.lower, interval.upper
    (0.025, 0.975)
    """
    lower, upper = metric.bounds
    below, above = probabilities(metric, plan)
    if below is not None:
        lower = distribution.quantile(below)
    if above is not None:
        upper = distribution.quantile(above)
    return Interval(lower, upper, plan.level, side_of(metric, plan))


def monte_carlo_error(distribution: Distribution, metric: Metric, plan: Plan) -> MonteCarloError:
    """Return the Monte-Carlo standard errors of the mean and of the ends of `percentile`."""
    below, above = probabilities(metric, plan)
    return MonteCarloError(
        value=distribution.mean_error(),
        lower=None if below is None else distribution.quantile_error(below),
        upper=None if above is None else distribution.quantile_error(above),
    )
