"""Metrics under a plan: logarithms clipped, errors of values capped.

The cap is a quantile of |y_i - median(y)|, so it depends on the outcome alone and is known before
any prediction is seen. Residuals are clipped at the cap. The estimand is then the mean of capped
errors, which has a worst value and differs from the mean of all errors.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import log

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import CLIP, Plan
from bbccli.errors import OptionError, UndefinedError, parameter
from bbccli.metrics.base import Bind, Metric, Predictions, Scorer, mean_of
from bbccli.platform.dataclass import dataclass
from bbccli.types import FloatArray, MetricKind, Pooling, PredictionKind

POWERS = {"rmse": 1, "mse": 2, "mae": 1}
"""Metrics that can be capped, and the power of an error that is one of their values."""


def chance_of_truth(outcome: Outcome, chances: FloatArray) -> FloatArray:
    """(N, C) probability given to the true class."""
    if chances.ndim == 3:
        codes = outcome.values.astype(np.intp)[:, None, None]
        return np.asarray(np.take_along_axis(chances, codes, axis=2)[:, :, 0], np.float64)
    chances = chances.astype(np.float64)
    return np.asarray(np.where(outcome.values[:, None] == 1, chances, 1 - chances))


def surprise(outcome: Outcome, chances: FloatArray, clip: float = CLIP) -> FloatArray:
    """(N, C) negative logarithm of the probability of the true class, which is at least `clip`."""
    truth = chance_of_truth(outcome, chances)
    return np.asarray(0.0 - np.log(np.maximum(truth, clip)))  # not -0.0 where it is certain


@dataclass(frozen=True, slots=True)
class MeanSurprise:
    """Binds the log-loss; the true class has at least `clip`, whatever type the file has."""

    clip: float = CLIP

    def __call__(self, outcome: Outcome, predictions: Predictions) -> Scorer:
        """Take the logarithms of probabilities (N, C) or (N, C, K)."""
        return mean_of(partial(surprise, clip=self.clip))(outcome, predictions)


@dataclass(frozen=True, slots=True)
class Capped:
    """Binds a metric of errors to predictions no further from the truth than the cap.

    bind: of the metric without a cap.
    share: quantile of the outcome's distances from its median.
    """

    bind: Bind
    share: float

    def __call__(self, outcome: Outcome, predictions: Predictions) -> Scorer:
        """Clip residuals of predictions (N, C) at the cap."""
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


def measuring(metric: Metric, plan: Plan) -> Pooling:
    """Return the pooling by which a metric is measured, for a winner selected by that of the plan.

    A mean over folds estimates the mean of small samples. Of a metric that is neither a mean nor a
    share of pairs that is another quantity: the mean R2 over ten folds of ten samples is far below
    that of the population, and in a resample only four of the ten are left. So where the tool that
    left the file selected by it, such a metric is measured over pooled rows.
    """
    by_tool = plan.selection is plan.pooling is Pooling.FOLD_MEAN
    return Pooling.POOLED if by_tool and metric.kind is MetricKind.OTHER else plan.pooling


def cap_of(outcome: Outcome, share: float) -> float:
    """Return the cap, in the unit of the outcome.

    Raises UndefinedError: it is 0: so many samples have the median as their outcome.

    >>> from bbccli.types import Task
    >>> cap_of(Outcome(Task.REGRESSION, np.array([1.0, 2.0, 3.0, 4.0, 50.0])), 0.75)
    2.0
    """
    distances = np.abs(outcome.values - np.median(outcome.values))
    cap = float(np.quantile(distances, share))
    if cap == 0:
        raise UndefinedError(
            f"{parameter('cap', share)} is an error of 0: most outcomes are the same",
            hint=f"give a larger {parameter('cap')}, or leave it out",
        )
    return cap


def with_cap(metric: Metric, share: float | None) -> Metric:
    """Return the metric with errors capped; as it is where there is no cap or none is for it.

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
    )


def with_clip(metric: Metric, clip: float) -> Metric:
    """Return the metric with logarithms of at least `clip`; as it is where it has none."""
    if not isinstance(metric.bind, MeanSurprise) or metric.bind.clip == clip:
        return metric
    return replace(metric, bind=MeanSurprise(clip))


def changes(option: str, metric: Metric) -> bool:
    """Return whether an option of scoring, `clip`, `cap` or that of a cut, changes a metric."""
    if option == "clip":
        return isinstance(metric.bind, MeanSurprise)
    return metric.name in POWERS if option == "cap" else metric.wants is PredictionKind.LABEL


def with_plan(metric: Metric, plan: Plan) -> Metric:
    """Return the metric with the plan's clip and cap, if they apply to it."""
    return with_cap(with_clip(metric, plan.clip), plan.cap)


def attainable(metric: Metric, outcome: Outcome) -> tuple[float, float]:
    """Return the smallest and the largest value that a metric can have on an outcome.

    They are its bounds, but where those are infinite for the guard alone, which counts no sample
    of the worst value: a clipped logarithm, and a distance of ranks.

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


def check_below_range(name: str, size: float, label: str, bounds: tuple[float, float]) -> None:
    """Refuse a difference no smaller than the range of the metric.

    Raises OptionError: no two values differ by more, so a margin of this size decides nothing.
    """
    span = bounds[1] - bounds[0]
    if size < span:
        return
    percent = bounds[1] == 1 and 1 < size < 100
    raise OptionError(
        f"{parameter(name)} is {size:g}: no two values of {label} differ by more than {span:g}",
        hint=f"less than {span:g}" + (f", such as {size / 100:g}" if percent else ""),
    )
