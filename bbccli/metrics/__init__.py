"""The registry of metrics, and which of them fit a matrix."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.errors import OptionError, UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric, Scorer
from bbccli.metrics.classification import ACCURACY
from bbccli.metrics.ranking import AUC
from bbccli.types import PredictionKind

__all__ = [
    "METRICS",
    "Metric",
    "Scorer",
    "choose_metric",
    "choose_metrics",
    "default_metric",
    "fitting",
]

METRICS: dict[str, Metric] = {metric.name: metric for metric in (AUC, ACCURACY)}


def fitting(matrix: PredictionMatrix) -> list[Metric]:
    """Return the metrics that can score this matrix, in the order of the registry."""
    return [m for m in METRICS.values() if matrix.task in m.tasks and matrix.kind in m.kinds]


def default_metric(matrix: PredictionMatrix) -> Metric:
    """Return the metric that is used when none is named: the first that fits.

    Raises
    ------
    UnsupportedError
        No metric fits the task.
    """
    candidates = fitting(matrix)
    if not candidates:
        known = sorted({str(task) for metric in METRICS.values() for task in metric.tasks})
        raise UnsupportedError(
            f"there is no metric yet for {matrix.task} tasks whose predictions are "
            f"{_PLURAL[matrix.kind]}",
            hint=f"tasks with metrics: {', '.join(known)}",
        )
    return candidates[0]


def choose_metrics(names: Sequence[str] | None, matrix: PredictionMatrix) -> list[Metric]:
    """Return the metrics of these names, each once, or the default alone.

    Raises
    ------
    OptionError, UnsupportedError
        As `choose_metric` and `default_metric`.
    """
    if not names:
        return [default_metric(matrix)]
    return [choose_metric(name, matrix) for name in dict.fromkeys(names)]


def choose_metric(name: str, matrix: PredictionMatrix) -> Metric:
    """Return the metric called `name`, once it is known to fit the matrix.

    Raises
    ------
    OptionError
        No metric has that name.
    UnsupportedError
        The metric does not fit the task or the kind of predictions.
    """
    if name not in METRICS:
        raise OptionError(f"no metric named {name!r}", hint=f"one of: {', '.join(METRICS)}")
    metric = METRICS[name]
    if metric in fitting(matrix):
        return metric
    raise UnsupportedError(f"{metric.label} {_misfit(metric, matrix)}", hint=_alternatives(matrix))


def _misfit(metric: Metric, matrix: PredictionMatrix) -> str:
    if matrix.task not in metric.tasks:
        tasks = " and ".join(sorted(str(task) for task in metric.tasks))
        return f"is for {tasks} tasks; this one is {matrix.task}"
    wanted = " or ".join(sorted(_PLURAL[kind] for kind in metric.kinds))
    return f"needs {wanted}; these predictions are {_PLURAL[matrix.kind]}"


def _alternatives(matrix: PredictionMatrix) -> str:
    names = [metric.name for metric in fitting(matrix)]
    return f"metrics that fit: {', '.join(names)}" if names else "no metric fits this task yet"


_PLURAL = {
    PredictionKind.LABEL: "class labels",
    PredictionKind.PROBABILITY: "probabilities",
    PredictionKind.SCORE: "scores without bounds",
    PredictionKind.VALUE: "values",
}
