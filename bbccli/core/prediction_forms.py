"""The forms in which predictions of a kind can be had: as they are, or cut into class labels."""

from __future__ import annotations

import numpy as np

from bbccli.errors import OptionError, parameter
from bbccli.types import FloatArray, IntArray, PredictionKind, Task

# A probability of exactly one half is not above it: the class that sorts first is predicted,
# as an arg max over the two columns would.
CUT = 0.5

PLURAL = {
    PredictionKind.LABEL: "class labels",
    PredictionKind.PROBABILITY: "probabilities",
    PredictionKind.SCORE: "scores without bounds",
    PredictionKind.VALUE: "values",
}

FORMS = {
    PredictionKind.LABEL: {PredictionKind.LABEL},
    PredictionKind.PROBABILITY: set(PredictionKind) - {PredictionKind.VALUE},
    PredictionKind.SCORE: {PredictionKind.SCORE},
    PredictionKind.VALUE: {PredictionKind.VALUE},
}
"""Forms in which predictions of a kind can be had, whatever the threshold."""


def as_labels(
    predictions: FloatArray, kind: PredictionKind, threshold: float | None
) -> FloatArray | IntArray:
    """Return class codes (R, N, C) int64 of predictions (R, N, C) or (R, N, C, K).

    Labels as they are; the positive class where a score or probability is above the threshold, or
    one half; of K columns the largest, the first on ties.
    """
    if predictions.ndim == 4:
        return np.asarray(np.argmax(predictions, axis=3))
    if kind is PredictionKind.LABEL:
        return predictions.astype(np.int64)
    return (predictions > (CUT if threshold is None else threshold)).astype(np.int64)


def check_threshold(threshold: float | None, task: Task, kind: PredictionKind) -> None:
    """Refuse a threshold for predictions that it does not apply to, or out of their range."""
    if threshold is None:
        return
    plural = PLURAL[kind]
    scores = kind in (PredictionKind.SCORE, PredictionKind.PROBABILITY)
    if task is not Task.BINARY or not scores:
        raise OptionError(
            f"{parameter('threshold')} cuts scores or probabilities of two classes; these "
            f"predictions are {plural} of a {task} task",
            hint="leave it out",
        )
    bounded = kind is PredictionKind.PROBABILITY
    if not np.isfinite(threshold) or (bounded and not 0 <= threshold <= 1):
        raise OptionError(
            f"{parameter('threshold')} is {threshold:g}, and the predictions are {plural}",
            hint="for example 0.5" if bounded else "a finite number, for example 0",
        )
