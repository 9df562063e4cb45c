"""A metric as a plan wants it: logarithms clipped, errors of values capped."""

from __future__ import annotations

from bbccli.metrics.base import Metric
from bbccli.metrics.capped import with_cap
from bbccli.metrics.probability import with_clip
from bbccli.plan import Plan


def planned(metric: Metric, plan: Plan) -> Metric:
    """Return the metric with the clip and the cap of the plan, as far as they are for it."""
    return with_cap(with_clip(metric, plan.clip), plan.cap)
