"""The totals that metrics of predicted classes are made of, class by class.

Classes are those that occur among the samples of the matrix. A class that a resample lacks makes
its recall undefined; a class that no sample ever has is not waited for.
"""

from __future__ import annotations

import numpy as np

from bbccli.outcome import Outcome
from bbccli.types import BoolArray, FloatArray, IntArray

MISSING_CLASS = "where a class has no sample"
NEVER_PREDICTED = "where a class is predicted for no sample"


def actual(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, 1, K) whether a sample is of each class: its total is TP + FN."""
    return np.asarray(outcome.values[:, None, None] == np.unique(outcome.values))


def guessed(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C, K) whether a sample is predicted to be of each class: its total is TP + FP."""
    return np.asarray(predicted[:, :, None] == np.unique(outcome.values))


def hits(outcome: Outcome, predicted: IntArray) -> BoolArray:
    """(N, C, K) whether a sample is of a class and predicted to be: its total is TP."""
    return actual(outcome, predicted) & guessed(outcome, predicted)


def f_scores(
    hits: FloatArray, guessed: FloatArray, actual: FloatArray, beta: float = 1.0
) -> FloatArray:
    """(1 + beta^2) TP / (beta^2 (TP + FN) + (TP + FP)) of each class (B, C, K).

    NaN where a class has no sample: 0 for those that predict it, and nothing for those that don't,
    would put a wrong prediction above a right one.
    """
    return present((1 + beta**2) * hits / (beta**2 * actual + guessed), actual)


def present(values: FloatArray, actual: FloatArray) -> FloatArray:
    """Keep the values of classes that have samples; NaN for the others."""
    return np.where(actual > 0, values, np.nan)


def weighted(values: FloatArray, actual: FloatArray) -> FloatArray:
    """Mean (B, C) over classes by their size; classes without samples don't count."""
    parts = np.where(actual > 0, actual * values, 0.0)
    return np.asarray(parts.sum(axis=-1) / actual.sum(axis=-1))
