"""Errors of values of which none counts as more than a cap, known before any prediction is seen.

The cap is a quantile of |y_i - median(y)|, of the outcome alone: a prediction that is further off
than most of the outcome is from its own middle counts as so far off, no further. What is estimated
is then the mean of capped errors, another number than the mean of all, with a worst value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bbccli.core.outcome import Outcome
from bbccli.errors import UndefinedError, parameter
from bbccli.metrics.base import Bind, Metric, Predictions, Scorer
from bbccli.types import FloatArray

POWERS = {"rmse": 1, "mse": 2, "mae": 1}
"""Metrics that can be capped, and the power of an error that is one of their values."""


@dataclass(frozen=True, slots=True)
class Capped:
    """Binds a metric of errors to predictions no further from the truth than the cap.

    Attributes
    ----------
    bind
        Of the metric without a cap.
    share
        Quantile of the outcome's distances from its median.
    """

    bind: Bind
    share: float

    def __call__(self, outcome: Outcome, predictions: Predictions) -> Scorer:
        """Move predictions (N, C) towards the truth, as far as the cap wants it."""
        cap, truth = cap_of(outcome, self.share), outcome.values[:, None]
        moved: FloatArray = np.clip(predictions.astype(np.float64), truth - cap, truth + cap)
        return self.bind(outcome, moved)


@dataclass(frozen=True, slots=True)
class CappedBounds:
    """The bounds of a metric under a cap: 0, and the power of the cap."""

    share: float
    power: int

    def __call__(self, outcome: Outcome) -> tuple[float, float]:
        """Return 0 and the value of an error as large as the cap."""
        return 0.0, cap_of(outcome, self.share) ** self.power


def cap_of(outcome: Outcome, share: float) -> float:
    """Return the cap, in the unit of the outcome.

    Raises
    ------
    UndefinedError
        It is 0: so many samples have the median as their outcome.

    Examples
    --------
    >>> from bbccli.types import Task
    >>> cap_of(Outcome(Task.REGRESSION, np.array([1.0, 2.0, 3.0, 4.0, 50.0])), 0.75)
    2.0
    """
    distances = np.abs(outcome.values - np.median(outcome.values))
    cap = float(np.quantile(distances, share))
    if cap == 0:
        raise UndefinedError(
            f"{parameter('cap', share)} is an error of 0: most outcomes are the same",
            hint=f"a larger {parameter('cap')}, or none",
        )
    return cap


def with_cap(metric: Metric, share: float | None) -> Metric:
    """Return the metric with errors capped; as it is where there is no cap or none is for it.

    Examples
    --------
    >>> from bbccli.metrics import METRICS
    >>> with_cap(METRICS["mse"], 0.95).label, with_cap(METRICS["auc"], 0.95).label
    ('capped MSE', 'AUC')
    """
    if share is None or metric.name not in POWERS or isinstance(metric.bind, Capped):
        return metric
    return replace(
        metric,
        label=f"capped {metric.label}",
        bind=Capped(metric.bind, share),
        bounds_of=CappedBounds(share, POWERS[metric.name]),
        by_sample=False,  # the cap is one of all samples
    )
