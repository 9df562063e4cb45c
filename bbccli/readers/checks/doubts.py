"""What the predictions themselves tell about their validity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bbccli.areas import area, error_by_chance
from bbccli.notes import Note
from bbccli.outcome import Outcome
from bbccli.readers import remarks
from bbccli.readers.checks.perfection import perfect
from bbccli.readers.checks.strays import strays
from bbccli.readers.predictions import Predictions
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task

ERRORS = 3.5
"""Standard errors by chance that a median AUC lies below one half where it is remarked on.

Models of a cross-validation share training samples, so that what they make of noise spreads by a
fifth more than chance: this level keeps the note to one file of noise in 200."""

# Cells that the check of the polarity looks at; of larger matrices it takes evenly spaced columns.
_MOST_CELLS = 4_000_000
_PREFIX = 16


def doubts(
    predictions: Predictions,
    outcome: Outcome,
    folds: IntArray | None = None,
    copies: IntArray | None = None,
    known: frozenset[str] = frozenset(),
) -> Iterator[Note]:
    """Yield notes on columns that are unlikely to be predictions, on polarity and on duplicates.

    Parameters
    ----------
    predictions
        (R, N, C) or (R, N, C, K), finite.
    outcome
        Truth of the N samples.
    folds : (R, N), optional
        Fold of each sample in each repeat.
    copies : optional
        Configurations that equal the truth.
    known
        Configurations that are known to be such.
    """
    names, copied = predictions.configurations, [] if copies is None else copies.tolist()
    if copied:
        yield remarks.equals_truth([names[c] for c in copied])
    yield from strays(predictions, outcome, folds, known)
    yield from perfect(predictions, outcome, copied)
    yield from polarity(predictions, outcome)
    pairs = _duplicates(predictions.array, names)
    if pairs:
        yield remarks.duplicate_configurations(len(pairs), pairs[0])


def doubts_of_scores(scores: Predictions) -> Iterator[Note]:
    """Yield notes on scores (R, N, C) that are compared with no truth.

    A configuration that is always right, or always wrong, is nothing strange here.
    """
    pairs = _duplicates(scores.array, scores.configurations)
    if pairs:
        yield remarks.duplicate_configurations(len(pairs), pairs[0])


def polarity(predictions: Predictions, outcome: Outcome) -> Iterator[Note]:
    """Yield a note on predictions that seem to be of the other class."""
    if outcome.task is Task.BINARY and predictions.kind is not PredictionKind.LABEL:
        counts = [int(count) for count in outcome.class_counts]
        if min(counts):
            areas = _areas(predictions.array, np.asarray(outcome.values == 1))
            median = _median(areas)
            if median < reversed_below(*counts):
                other, name = outcome.classes
                yield remarks.polarity(median, len(areas), name, other)


def _median(values: FloatArray) -> float:
    """Median of (n,), without the masked arrays that numpy's own would import for it."""
    n = len(values)
    return float(np.sort(values)[(n - 1) // 2 : n // 2 + 1].mean())


def reversed_below(n_negative: int, n_positive: int) -> float:
    """Median AUC below which predictions seem reversed rather than unlucky.

    All configurations predict the same samples, so that their median errs no less than one of
    them does, however many there are.
    """
    return 0.5 - ERRORS * error_by_chance(n_negative, n_positive)


def _areas(predictions: Any, positive: BoolArray) -> FloatArray:
    """AUC of (evenly spaced) configurations of (1, N, C), ties counting one half."""
    _, n_samples, n_configurations = predictions.shape
    step = -(-n_configurations * n_samples // _MOST_CELLS)
    columns = predictions[:, :, :: max(step, 1)][0].T
    return np.array([area(column, positive) for column in columns])


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
