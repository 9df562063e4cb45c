"""Recompute the metric of a search from the recorded predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.core.source import agrees, tolerance_of
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.metrics import METRICS, Metric, canonical
from bbccli.metrics.probability import with_clip
from bbccli.recording import design
from bbccli.recording.design import Design
from bbccli.recording.parts import Part
from bbccli.recording.tries import TOLERANCE, share_of
from bbccli.types import PredictionKind, Task

_AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The score of a part, computed again.

    Parameters
    ----------
    part
        With the score that was recorded.
    as_the_search, by_default
        With probabilities clipped where scikit-learn clips them, and where bbc does.
    tolerance
        Within which they are equal.
    """

    part: Part
    as_the_search: float
    by_default: float
    tolerance: float

    @property
    def is_otherwise(self) -> bool:
        """True if bbc has another score by default."""
        return not agrees(self.by_default, self.part.score or 0.0, self.tolerance)


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What was computed again, and why not more."""

    compared: tuple[Compared, ...]
    why: tuple[str, ...]


def recomputed(folder: Path, kept: Sequence[Part]) -> Recomputed:
    """Compute the score of each part again, where bbc has the metric of the search.

    Left out is where conventions differ: test sets without one of the classes, and a positive
    class that does not sort last.
    """
    plan = design.load(folder)
    scored = [p for p in kept if p.score is not None and np.isfinite(p.score)]
    name = canonical(plan.scoring, METRICS)
    metric = METRICS.get(name)
    if not scored:
        return Recomputed((), ())
    if metric is None or plan.task not in metric.tasks:
        why = "a metric that bbc lacks" if metric is None else f"not a metric of {plan.task} tasks"
        called = f"{plan.scoring}, {why}" if plan.scoring else "a function"
        return Recomputed((), (f"the search scores by {called}: {_NONE_AGAIN}",))
    if plan.task is Task.BINARY and plan.classes[0] == "1":
        return Recomputed((), ())  # the search may use the other class
    zero = [part for part in scored if part.weights is not None and not (part.weights > 0).all()]
    if zero:
        return Recomputed((), (f"weights that are not positive: {_NONE_AGAIN}",))
    groups: dict[Any, list[Part]] = {}
    for part in scored:
        if part.predictions is not None and _has_all_classes(plan, part):
            weights = None if part.weights is None else part.weights.tobytes()
            form = (part.predictions.shape, part.predictions.dtype)
            alike = (part.split, part.kind, *form, weights)
            groups.setdefault(alike, []).append(part)
    compared = [
        one
        for group in groups.values()
        for start in range(0, len(group), _AT_ONCE)
        for one in _compared(plan, metric, group[start : start + _AT_ONCE])
    ]
    if compared or not groups:
        return Recomputed(tuple(compared), ())
    said = f"what was kept of the predictions gives no {metric.label}"
    return Recomputed((), (f"{said}: {_NONE_AGAIN}",))


_NONE_AGAIN = "none of its scores was computed again, and `bbc correct` needs --metric"


def _has_all_classes(plan: Design, part: Part) -> bool:
    tests = plan.tests[part.split] if part.split is not None else np.zeros(0, np.int64)
    return len(np.unique(plan.truth[tests])) >= max(len(plan.classes), 1)


def _compared(plan: Design, metric: Metric, group: list[Part]) -> list[Compared]:
    """Scores of parts of one split, all of one form."""
    predictions = group[0].predictions
    assert predictions is not None
    floats = predictions.dtype if predictions.dtype.kind == "f" else np.dtype(np.float64)
    own = with_clip(metric, float(np.finfo(floats).eps))
    sign = -1.0 if plan.scoring.startswith("neg_") else 1.0
    as_the_search = _performances(plan, own, group)
    by_default = as_the_search if own is metric else _performances(plan, metric, group)
    inexact = metric.wants in (PredictionKind.PROBABILITY, PredictionKind.VALUE)
    share = share_of([predictions]) if inexact else TOLERANCE
    return [
        Compared(part, sign * found, sign * default, tolerance_of(share, part.score or 0.0))
        for part, found, default in zip(group, as_the_search, by_default, strict=True)
        if not np.isnan(found)
    ]


def _performances(plan: Design, metric: Metric, group: list[Part]) -> list[float]:
    """Of each part of one split, all of one form and weights; NaN where there is none."""
    split, kind = group[0].split, group[0].kind
    assert split is not None
    assert kind is not None
    truth = plan.truth[plan.tests[split]]
    outcome = Outcome(plan.task, truth, plan.classes, weights=group[0].weights)
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
        return [_performances(plan, metric, one)[0] for one in alone] or [np.nan]
    once = np.ones((1, len(truth)), np.uint8)
    values: list[float] = metric.bind(outcome, predictions)(once)[0].tolist()
    return values


def _is_score(plan: Design, part: Part) -> bool:
    return plan.task is Task.BINARY and part.kind is PredictionKind.SCORE


def _floats(predictions: Any) -> Any:
    return predictions if predictions.dtype.kind == "f" else predictions.astype(np.float64)
