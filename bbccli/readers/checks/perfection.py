"""Configurations that are always right where no other comes near: a leak, or no predictions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import sqrt

import numpy as np

from bbccli.areas import area, hanley_mcneil_variance
from bbccli.notes import Note
from bbccli.outcome import Outcome
from bbccli.readers import remarks
from bbccli.readers.predictions import Predictions
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task

ERRORS = 3
"""Standard errors from 1 that make the best of the others imperfect beyond chance."""

CORRELATED = 0.95
"""Correlation with the truth below which the best of the others does not come near."""

_GLANCE = 32
"""Rows of each class, or of all, that are looked at first."""


def perfect(
    predictions: Predictions, outcome: Outcome, passed_over: Collection[int] = ()
) -> Iterator[Note]:
    """Yield a note where a configuration orders all samples as the truth does, and others don't.

    Parameters
    ----------
    predictions
        (R, N, C) or (R, N, C, K), finite; the first repeat is looked at.
    outcome
        Truth of the N samples.
    passed_over
        Configurations of which it is known.
    """
    if predictions.kind is PredictionKind.LABEL or outcome.task is Task.SURVIVAL:
        return
    array, truth = predictions.array[0], outcome.values
    if not len(truth) or truth.min() == truth.max():
        return
    possible = _ordered(*_glance(array, outcome), outcome.task)
    found = [
        c
        for c in np.flatnonzero(possible).tolist()
        if _ordered(array[:, [c]], truth, outcome.task)[0]
    ]
    told = [c for c in found if c not in passed_over]
    others = [c for c in range(array.shape[1]) if c not in found]
    if not told or not others:
        return
    best, performance, said = _best(array[:, others], outcome)
    if _comes_near(performance, outcome):
        return
    names = predictions.configurations
    yield remarks.perfect_configuration([names[c] for c in told], names[others[best]], said)


def _glance(array: FloatArray, outcome: Outcome) -> tuple[FloatArray, FloatArray | IntArray]:
    """Predictions and truth of a few samples, some of each class."""
    truth = outcome.values
    rows = np.arange(min(_GLANCE, len(truth)))
    if outcome.task.is_classification:
        parts = [np.flatnonzero(truth == k)[:_GLANCE] for k in range(len(outcome.classes))]
        rows = np.concatenate(parts)
    return array[rows], truth[rows]


def _ordered(columns: FloatArray, truth: FloatArray | IntArray, task: Task) -> BoolArray:
    """(C,) whether columns (n, C) or (n, C, K) order the samples as the truth (n,) does.

    Scores may do so the other way round. Of class columns, that of the true class is the largest.
    """
    if columns.ndim == 3:
        return np.asarray((columns.argmax(axis=2) == truth[:, None]).all(axis=0))
    if task is Task.BINARY:
        above, below = columns[truth == 1], columns[truth != 1]
        rising = above.min(axis=0) > below.max(axis=0)
        return np.asarray(rising | (above.max(axis=0) < below.min(axis=0)))
    order = np.argsort(truth, kind="stable")
    steps, wanted = np.diff(columns[order], axis=0), np.sign(np.diff(truth[order]))[:, None]
    rising = (np.sign(steps) == wanted).all(axis=0)
    return np.asarray(rising | (np.sign(steps) == -wanted).all(axis=0))


def _best(array: FloatArray, outcome: Outcome) -> tuple[int, float, str]:
    """Position of the best of columns (N, C) or (N, C, K), its performance, and that in words."""
    truth = outcome.values
    if array.ndim == 3:
        performances, label = (array.argmax(axis=2) == truth[:, None]).mean(axis=0), "accuracy"
    elif outcome.task is Task.BINARY:
        areas = np.array([area(column, truth == 1) for column in array.T])
        performances, label = np.maximum(areas, 1 - areas), "AUC"
    else:
        centred, values = array - array.mean(axis=0), truth - truth.mean()
        with np.errstate(over="ignore"):  # numbers beyond 1e154 have no square
            spread = np.sqrt((centred**2).sum(axis=0) * (values**2).sum())
        products = np.abs(values @ centred)
        performances = np.divide(products, spread, out=np.zeros_like(products), where=spread > 0)
        label = "correlation"
    best = int(np.argmax(performances))
    return best, float(performances[best]), f"{label} {performances[best]:.3g}"


def _comes_near(performance: float, outcome: Outcome) -> bool:
    """Whether a performance may be 1 but for chance."""
    if outcome.task is Task.REGRESSION:
        return performance >= CORRELATED
    if outcome.task is Task.BINARY:
        n_negative, n_positive = outcome.class_counts
        error = sqrt(hanley_mcneil_variance(performance, n_positive, n_negative))
    else:
        error = sqrt(performance * (1 - performance) / len(outcome))
    return 1 - performance <= ERRORS * error
