"""From a distribution of resampled performances to an interval."""

from __future__ import annotations

from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.results import Distribution, MonteCarloError
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
    lower, upper = metric.bounds
    below, above = _probabilities(metric, plan)
    if below is not None:
        lower = distribution.quantile(below)
    if above is not None:
        upper = distribution.quantile(above)
    return Interval(lower, upper, plan.level, _side(metric, plan))


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

    side = _side(metric, plan)
    # the level of one of very many intervals may round to 1
    outside = max(1 - (plan.level if level is None else level), 2.0**-53)
    reach = -NormalDist().inv_cdf(outside / 2 if side is Side.TWO else outside) * error
    least, most = metric.bounds
    lower = least if side is Side.UPPER else min(max(value - reach, least), most)
    upper = most if side is Side.LOWER else max(min(value + reach, most), least)
    return Interval(lower, upper, plan.level, side)


def monte_carlo_error(distribution: Distribution, metric: Metric, plan: Plan) -> MonteCarloError:
    """Return the Monte-Carlo standard errors of the mean and of the ends of `percentile`."""
    below, above = _probabilities(metric, plan)
    return MonteCarloError(
        value=distribution.mean_error(),
        lower=None if below is None else distribution.quantile_error(below),
        upper=None if above is None else distribution.quantile_error(above),
    )


def _side(metric: Metric, plan: Plan) -> Side:
    return metric.direction.pessimistic() if plan.side is Side.PESSIMISTIC else plan.side


def _probabilities(metric: Metric, plan: Plan) -> tuple[float | None, float | None]:
    """Probabilities of the two ends; None for an end that is the metric's bound."""
    side, outside = _side(metric, plan), 1 - plan.level
    if side is Side.TWO:
        return outside / 2, 1 - outside / 2
    return (outside, None) if side is Side.LOWER else (None, 1 - outside)
