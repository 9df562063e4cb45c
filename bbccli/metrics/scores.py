"""Metrics of externally computed scores: by a judge, an exact match, a loss per sample."""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import Metric, mean_of
from bbccli.metrics.weighting import EVERY_SAMPLE
from bbccli.types import BoolArray, Direction, FloatArray, MetricKind, PredictionKind, Task

YES_OR_NO = (0.0, 1.0)
"""Bounds of scores that may be a yes or no."""

UNKNOWN = (-np.inf, np.inf)


def bounds_of(outcome: Outcome) -> tuple[float, float]:
    """Smallest and largest possible score, which is also that of a mean."""
    return outcome.bounds or UNKNOWN


def as_scored(outcome: Outcome, scores: FloatArray) -> FloatArray | BoolArray:
    """(N, C) scores as they are; counted exactly where each is 0 or 1."""
    if bounds_of(outcome) == YES_OR_NO and bool(((scores == 0) | (scores == 1)).all()):
        return np.asarray(scores == 1)
    return np.asarray(scores, np.float64)


_mean = partial(
    Metric,
    tasks=frozenset({Task.SCORE}),
    wants=PredictionKind.VALUE,
    bounds=UNKNOWN,
    bind=mean_of(as_scored),
    reference="Miller 2024",
    rests_on=EVERY_SAMPLE,
    bounds_of=bounds_of,
    formula="(1/N) Σ sᵢ",
)
"""A mean of scores that are given."""


MEAN_SCORE = _mean(
    name="mean-score",
    kind=MetricKind.MEAN,
    label="mean score",
    summary="mean of scores that are given per sample; higher is better",
    direction=Direction.MAXIMIZE,
    remarks="sᵢ is the score of sample i as the file has it. The bounds come from --bounds or the "
    "metadata, or are 0 and 1 if every score is 0 or 1; unknown bounds leave no guard.",
)

MEAN_LOSS = _mean(
    name="mean-loss",
    kind=MetricKind.MEAN,
    label="mean loss",
    summary="mean of losses that are given per sample; lower is better",
    direction=Direction.MINIMIZE,
    remarks="It is never the default, because a number does not say what it means.",
)

METRICS = (MEAN_SCORE, MEAN_LOSS)
