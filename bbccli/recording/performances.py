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

_AT_ONCE = 64

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
    groups: dict[Any, list[Part]] = {}
    for part in kept:
        if part.predictions is not None and part.split is not None and part.score is not None:
            alike = (part.split, part.kind, part.predictions.shape, part.predictions.dtype)
            groups.setdefault(alike, []).append(part)
    values = {
        id(part): value
        for group in groups.values()
        for start in range(0, len(group), _AT_ONCE)
        for part, value in _performances(plan, metric, group[start : start + _AT_ONCE])
    }
    return [
        (part.identity, part.split, sign * values[id(part)], part.score)
        for part in kept
        if id(part) in values and part.split is not None and part.score is not None
    ]


def _performances(plan: Design, metric: Metric, group: list[Part]) -> list[tuple[Part, float]]:
    """Of parts of one split, all of one form: those that have a performance, each with its own."""
    split, kind = group[0].split, group[0].kind
    assert split is not None
    truth = plan.truth[plan.tests[split]]
    if kind is None or len(np.unique(truth)) < max(len(plan.classes), 1):
        return []
    if metric.name == "log-loss":
        group = [part for part in group if _of_truth(part, truth).min() >= SMALLEST]
    if not group:
        return []
    outcome = Outcome(plan.task, truth, plan.classes)
    try:
        matrix = PredictionMatrix(
            outcome=outcome,
            predictions=np.stack([_floats(part.predictions) for part in group], axis=1)[None],
            configurations=tuple(map(str, range(len(group)))),
            kind=kind,
            threshold=0.0 if _is_score(plan, group[0]) else None,
        )
        predictions = matrix.as_kind(metric.wants)[0]
    except (UndefinedError, UnsupportedError):  # one of them may be why
        alone = [[part] for part in group] if len(group) > 1 else []
        return [found for one in alone for found in _performances(plan, metric, one)]
    once = np.ones((1, len(truth)), np.uint8)
    values = metric.bind(outcome, predictions)(once)[0].tolist()
    return [(part, v) for part, v in zip(group, values, strict=True) if not np.isnan(v)]


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
