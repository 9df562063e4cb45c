"""What the predictions themselves tell about their validity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bbccli.notes import Note
from bbccli.outcome import Outcome
from bbccli.readers import remarks
from bbccli.readers.predictions import Predictions
from bbccli.types import BoolArray, FloatArray, PredictionKind, Task

# Cells that the check of the polarity looks at; of larger matrices it takes evenly spaced columns.
_MOST_CELLS = 4_000_000
_PREFIX = 16


def doubts(predictions: Predictions, outcome: Outcome) -> Iterator[Note]:
    """Yield a note for suspicious polarity, and one for configurations that are the same."""
    if outcome.task is Task.BINARY and predictions.kind is not PredictionKind.LABEL:
        positive = np.asarray(outcome.values == 1)
        if 0 < positive.sum() < len(positive):
            aucs = _aucs(predictions.array[0], positive)
            median = float(np.median(aucs))
            if median < 0.5:
                other, name = outcome.classes
                yield remarks.polarity(median, len(aucs), name, other)
    pairs = _duplicates(predictions.array, predictions.configurations)
    if pairs:
        yield remarks.duplicate_configurations(len(pairs), pairs[0])


def _aucs(predictions: FloatArray, positive: BoolArray) -> FloatArray:
    """AUC of (evenly spaced) configurations of (N, C), ties counting one half."""
    n_samples, n_configurations = predictions.shape
    step = -(-n_configurations * n_samples // _MOST_CELLS)
    return np.array([_auc(column, positive) for column in predictions.T[:: max(step, 1)]])


def _auc(scores: FloatArray, positive: BoolArray) -> float:
    """Share of pairs in which the positive sample scores higher; scores (N,)."""
    negatives, positives = np.sort(scores[~positive]), np.sort(scores[positive])
    below = np.searchsorted(negatives, positives, "left")
    not_above = np.searchsorted(negatives, positives, "right")
    return float((below + not_above).mean() / (2 * len(negatives)))


def _duplicates(array: FloatArray, names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs (earlier, later) of configurations with the same predictions."""
    start = np.moveaxis(array[:, :_PREFIX], 2, 0)
    alike: dict[bytes, list[int]] = {}
    for position, prefix in enumerate(start):
        alike.setdefault(prefix.tobytes(), []).append(position)
    pairs: list[tuple[int, int]] = []
    for positions in alike.values():
        seen: dict[bytes, int] = {}
        for position in positions if len(positions) > 1 else ():
            earlier = seen.setdefault(array[:, :, position].tobytes(), position)
            if earlier != position:
                pairs.append((earlier, position))
    return [(names[a], names[b]) for a, b in sorted(pairs)]
