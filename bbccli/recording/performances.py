"""The metric of a search, computed again from the predictions that were kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics import METRICS, Metric
from bbccli.metrics.naming import canonical
from bbccli.outcome import Outcome
from bbccli.recorded import design
from bbccli.recorded.design import Design
from bbccli.recorded.parts import Part
from bbccli.types import PredictionKind, Task

SMALLEST = 2.0**-23
"""Probability of the true class below which log-losses are cut off, each program at its own."""

Compared = tuple[str, int, float, float]
"""Identity, split, score of the kept predictions and score that was recorded."""


def recomputed(folder: Path, kept: Sequence[Part]) -> list[Compared] | None:
    """Return both scores of each part; None where bbc does not have the metric of the search.

    Left out is where conventions differ: probabilities next to zero in a log-loss, test sets
    without one of the classes, and a positive class that does not sort last.
    """
    plan = design.load(folder)
    name = canonical(plan.scoring, METRICS)
    metric = METRICS.get(name)
    first_is_positive = plan.task is Task.BINARY and plan.classes[0] == "1"
    if not plan.scoring or metric is None or plan.task not in metric.tasks or first_is_positive:
        return None
    if plan.weights is not None:  # the search may or may not have used them
        return None
    sign = -1.0 if plan.scoring.startswith("neg_") else 1.0
    found = []
    for part in kept:
        value = _performance(plan, metric, part)
        if value is not None and part.split is not None and part.score is not None:
            found.append((part.identity, part.split, sign * value, part.score))
    return found


def _performance(plan: Design, metric: Metric, part: Part) -> float | None:
    if part.predictions is None or part.kind is None or part.split is None:
        return None
    truth = plan.truth[plan.tests[part.split]]
    if len(np.unique(truth)) < max(len(plan.classes), 1):
        return None
    if metric.name == "log-loss" and _of_truth(part, truth).min() < SMALLEST:
        return None
    try:
        matrix = PredictionMatrix(
            outcome=Outcome(plan.task, truth, plan.classes),
            predictions=_floats(part.predictions)[None, :, None],
            configurations=("one",),
            kind=part.kind,
            threshold=0.0 if _is_score(plan, part) else None,
        )
        predictions = matrix.as_kind(metric.wants)[0]
    except (UndefinedError, UnsupportedError):
        return None
    value = metric.bind(matrix.outcome, predictions)(np.ones((1, len(truth)), np.uint8))[0, 0]
    return None if np.isnan(value) else float(value)


def _is_score(plan: Design, part: Part) -> bool:
    return plan.task is Task.BINARY and part.kind is PredictionKind.SCORE


def _floats(predictions: Any) -> Any:
    return predictions if predictions.dtype.kind == "f" else predictions.astype(np.float64)


def _of_truth(part: Part, truth: Any) -> Any:
    """Probability of the true class."""
    given = part.predictions
    assert given is not None
    if given.ndim == 1:
        return np.where(truth == 1, given, 1 - given)
    return given[np.arange(len(truth)), truth]
