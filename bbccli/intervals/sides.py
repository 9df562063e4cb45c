"""Which ends of an interval are estimated, and at which probabilities."""

from __future__ import annotations

from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.types import Side


def side_of(metric: Metric, plan: Plan) -> Side:
    """Return the side of the plan; the pessimistic one as lower or upper."""
    return metric.direction.pessimistic() if plan.side is Side.PESSIMISTIC else plan.side


def probabilities(metric: Metric, plan: Plan) -> tuple[float | None, float | None]:
    """Return the probabilities of the two ends; None for an end that is the metric's bound."""
    side, outside = side_of(metric, plan), 1 - plan.level
    if side is Side.TWO:
        return outside / 2, 1 - outside / 2
    return (outside, None) if side is Side.LOWER else (None, 1 - outside)
