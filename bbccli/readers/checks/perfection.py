"""Configurations that are always right where no other comes near: a leak, or no predictions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from math import sqrt
from typing import Any

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
    found = in_order(predictions, outcome)
    score = partial(performances, predictions.array, outcome)
    yield from on_perfection(predictions.configurations, outcome, found, score, passed_over)


def in_order(predictions: Predictions, outcome: Outcome) -> BoolArray:
    """Return which configurations (C,) order all samples as the truth does."""
    array, truth = predictions.array[0], outcome.values
    none = np.zeros(array.shape[1], bool)
    if predictions.kind is PredictionKind.LABEL or outcome.task is Task.SURVIVAL:
        return none
    if not len(truth) or truth.min() == truth.max():
        return none
    possible = _ordered(*_glance(array, outcome), outcome.task)
    for c in np.flatnonzero(possible).tolist():
        none[c] = _ordered(array[:, [c]], truth, outcome.task)[0]
    return none


def on_perfection(
    names: Sequence[str],
    outcome: Outcome,
    in_order: BoolArray,
    score: Callable[[IntArray], FloatArray],
    passed_over: Collection[int],
) -> Iterator[Note]:
    """Yield the note on configurations that order all samples (C,), by how the others perform.

    Parameters
    ----------
    score
        Configurations -> their `performances`.
    """
    found, others = (np.flatnonzero(which) for which in (in_order, ~in_order))
    told = [c for c in found.tolist() if c not in passed_over]
    if not told or not len(others):
        return
    scored = score(others)
    best = int(np.argmax(scored))
    performance = float(scored[best])
    if _comes_near(performance, outcome):
        return
    said = f"{_measure(outcome)} {performance:.3g}"
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


def performances(predictions: Any, outcome: Outcome, columns: IntArray) -> FloatArray:
    """Return how well configurations (C',) of the first repeat of predictions tell the truth."""
    array, truth = predictions[:, :, columns][0], outcome.values
    if array.ndim == 3:
        return np.asarray((array.argmax(axis=2) == truth[:, None]).mean(axis=0))
    if outcome.task is Task.BINARY:
        areas = np.array([area(column, truth == 1) for column in array.T])
        return np.asarray(np.maximum(areas, 1 - areas))
    centred, values = array - array.mean(axis=0), truth - truth.mean()
    with np.errstate(over="ignore"):  # numbers beyond 1e154 have no square
        spread = np.sqrt((centred**2).sum(axis=0) * (values**2).sum())
    products = np.abs(values @ centred)
    found = np.divide(products, spread, out=np.zeros_like(products), where=spread > 0)
    return np.asarray(found)


def _measure(outcome: Outcome) -> str:
    """What `performances` are called."""
    if outcome.task is Task.BINARY:
        return "AUC"
    return "accuracy" if outcome.task.is_classification else "correlation"


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
