"""Metrics of predicted classes."""

from __future__ import annotations

import numpy as np

from bbccli.matrix import Outcome
from bbccli.metrics.base import Metric, mean_of
from bbccli.types import BoolArray, Direction, FloatArray, IntArray, PredictionKind, Task

# A probability of exactly one half is not above it: the class that sorts first is predicted,
# as an arg max over the two columns would.
CUT = 0.5


def predicted_classes(outcome: Outcome, predictions: FloatArray) -> IntArray:
    """Class codes (N, C) of labels (N, C), probabilities (N, C) or class columns (N, C, K).

    Probabilities of the positive class are cut at 0.5; of K columns the largest counts, the
    first on ties.
    """
    if predictions.ndim == 3:
        return np.asarray(np.argmax(predictions, axis=2))
    if outcome.task is Task.BINARY:
        return (predictions > CUT).astype(np.int64)
    return predictions.astype(np.int64)


def is_correct(outcome: Outcome, predictions: FloatArray) -> BoolArray:
    """(N, C) whether the predicted class is the true one."""
    return np.asarray(predicted_classes(outcome, predictions) == outcome.values[:, None])


ACCURACY = Metric(
    name="accuracy",
    label="accuracy",
    summary="share of samples whose class is predicted correctly",
    tasks=frozenset({Task.BINARY, Task.MULTICLASS}),
    kinds=frozenset({PredictionKind.LABEL, PredictionKind.PROBABILITY}),
    direction=Direction.MAXIMIZE,
    bounds=(0.0, 1.0),
    bind=mean_of(is_correct),
    reference="Raschka 2018, section 1.3",
)
