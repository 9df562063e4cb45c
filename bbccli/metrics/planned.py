"""A metric as a plan wants it: logarithms clipped, errors of values capped."""

from __future__ import annotations

from math import log

from bbccli.core.outcome import Outcome
from bbccli.core.plan import Plan
from bbccli.errors import OptionError, parameter
from bbccli.metrics.base import Metric
from bbccli.metrics.capped import with_cap
from bbccli.metrics.probability import MeanSurprise, with_clip


def planned(metric: Metric, plan: Plan) -> Metric:
    """Return the metric with the clip and the cap of the plan, as far as they are for it."""
    return with_cap(with_clip(metric, plan.clip), plan.cap)


def attainable(metric: Metric, outcome: Outcome) -> tuple[float, float]:
    """Return the smallest and the largest value that a metric can have on an outcome.

    They are its bounds, but where those are infinite for the guard alone, which counts no sample
    of the worst value: a clipped logarithm, and a distance of ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from bbccli.metrics import METRICS
    >>> from bbccli.types import Task
    >>> graded = Outcome(Task.MULTICLASS, np.zeros(0), ("low", "middle", "high"))
    >>> [round(attainable(METRICS[name], graded)[1]) for name in ("log-loss", "mae-rank", "brier")]
    [16, 2, 2]
    """
    low, high = metric.within(outcome).bounds
    if isinstance(metric.bind, MeanSurprise):
        return low, -log(metric.bind.clip)
    if metric.name == "mae-rank" and outcome.classes:
        return low, float(len(outcome.classes) - 1)
    return low, high


def check_apart(name: str, size: float, label: str, bounds: tuple[float, float]) -> None:
    """Refuse a difference as large as that of the worst value and the best one.

    Raises
    ------
    OptionError
        No two values differ by more, so that a margin of this size decides nothing.
    """
    span = bounds[1] - bounds[0]
    if size < span:
        return
    percent = bounds[1] == 1 and 1 < size < 100
    raise OptionError(
        f"{parameter(name)} is {size:g}: no two values of {label} differ by more than {span:g}",
        hint=f"less than {span:g}" + (f", such as {size / 100:g}" if percent else ""),
    )
