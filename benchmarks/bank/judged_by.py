"""The metrics of the bank by their names in the store: those of the program, and capped ones."""

from typing import Any

from bbccli.metrics import METRICS
from bbccli.metrics.base import Metric

CAP = 0.95
"""Share of `--cap` for the metrics that are capped."""

CAPPED = "capped "
"""Stands before the name of a metric whose errors are capped, by the outcomes of the study."""


def is_capped(name: str) -> bool:
    """Whether a metric of the store is a capped one."""
    return name.startswith(CAPPED)


def metric_of(name: str) -> Metric:
    """The metric of the program, without its cap."""
    return METRICS[name.removeprefix(CAPPED)]


def changes_of(name: str) -> dict[str, Any]:
    """What a metric asks of the plan."""
    return {"cap": CAP} if is_capped(name) else {}
