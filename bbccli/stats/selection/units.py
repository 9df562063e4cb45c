"""Units that a result rests on: samples, groups of samples, folds."""

from __future__ import annotations

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.notes.methods import few_folds
from bbccli.notes.of_data import few_groups
from bbccli.types import IntArray

FEW_FOLDS = 5
FEW_GROUPS = 20


def units_of(matrix: PredictionMatrix) -> IntArray:
    """Return the unit (N,) of each sample, from 0 on: itself, or its group."""
    if matrix.groups is None:
        return np.arange(matrix.n_samples)
    return np.unique(matrix.groups, return_inverse=True)[1]


def n_units_of(matrix: PredictionMatrix) -> int:
    """Return the number of samples, or of the groups that they come in."""
    return matrix.n_samples if matrix.n_groups is None else matrix.n_groups


def rests_on(matrix: PredictionMatrix, metric: Metric, winner: int) -> float:
    """Return the number of samples, or groups, that a performance of the winner rests on.

    The metric names them, such as the samples of the smallest class; with repeats the smallest
    number counts. Weighted samples count as Kish's effective number.
    """
    predictions = matrix.as_kind(metric.wants, slice(winner, winner + 1))[:, :, 0]
    available = [None] * len(predictions)
    if matrix.available is not None:
        available = list(matrix.available[:, :, winner])
    return min(
        metric.rests_on.n_units(matrix.outcome, of_repeat, groups=matrix.groups, available=there)
        for of_repeat, there in zip(predictions, available, strict=True)
    )


def on_few_folds(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Return a note where a method over folds rests on a handful of them."""
    n_folds = matrix.n_folds
    return (few_folds(n_folds),) if n_folds and n_folds < FEW_FOLDS else ()


def on_few_groups(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Return a note where a method over groups rests on a handful of them."""
    n_groups = matrix.n_groups
    return (few_groups(n_groups),) if n_groups is not None and n_groups < FEW_GROUPS else ()


def size_ratio(folds: IntArray) -> float:
    """Return n_test / n_train of folds (R, N), the mean over all folds.

    >>> size_ratio(np.array([[0, 0, 1, 1, 2, 2]]))
    0.5
    """
    sizes = [np.bincount(row) for row in folds]
    ratios = [n / (row.sum() - n) for row in sizes for n in row if n]
    return float(np.mean(ratios))


def single_classes(outcome: Outcome, groups: IntArray | None) -> IntArray:
    """Return the codes of the classes with one sample, or with samples in one group (N,) only."""
    codes = outcome.values.astype(np.int64)
    if groups is not None:
        codes = np.unique(np.stack([codes, groups]), axis=1)[0]
    return np.flatnonzero(np.bincount(codes) == 1)
