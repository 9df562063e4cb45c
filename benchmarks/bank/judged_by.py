"""The metrics of the bank by their names in the store: those of the program, and capped ones."""

from math import isfinite
from typing import Any

from bbccli.metrics import METRICS
from bbccli.metrics.base import Metric

CAP = 0.95
"""Share of `--cap` for the metrics that are capped."""

CAPPED = "capped "
"""Stands before the name of a metric whose errors are capped, by the outcomes of the study."""


def is_capped(name: str) -> bool:
    """True if a metric of the store is a capped one."""
    return name.startswith(CAPPED)


def metric_of(name: str) -> Metric:
    """The metric of the program, without its cap."""
    return METRICS[name.removeprefix(CAPPED)]


def changes_of(name: str) -> dict[str, Any]:
    """Options of the plan for a metric."""
    return {"cap": CAP} if is_capped(name) else {}


FAMILIES = {
    "shares": ("accuracy", "balanced-accuracy"),
    "pairs": ("auc", "auc-ovr", "concordance"),
    "bounded losses": ("brier", "capped mae", "capped mse"),
    "F, MCC, average precision": ("average-precision", "f1", "f1-macro", "mcc"),
    "R2, Spearman": ("r2", "spearman"),
    "unbounded losses": ("log-loss", "mae", "medae", "mse", "rmse"),
}
"""Metrics that behave alike; a test holds that each metric of the bank is in one."""


def is_bounded(name: str) -> bool:
    """True if no value of the metric can be infinitely bad, or errors are capped."""
    metric = metric_of(name)
    return is_capped(name) or isfinite(metric.bounds[metric.direction.sign < 0])
