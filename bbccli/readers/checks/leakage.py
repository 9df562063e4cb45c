"""Configurations that are always right where no other comes near: a leak, or no predictions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from math import sqrt

import numpy as np

from bbccli.core.areas import area, hanley_mcneil_variance
from bbccli.core.notes import Note, remarks
from bbccli.core.outcome import Outcome
from bbccli.readers.checks.target_copies import glance
from bbccli.readers.predictions import Values
from bbccli.types import FloatArray, IntArray, PredictionKind, Task

ERRORS = 3
"""Standard errors from 1 that make the best of the others imperfect beyond chance."""

CORRELATED = 0.95
"""Correlation with the truth below which the best of the others does not come near."""


def in_order(predictions: Values, outcome: Outcome, folds: IntArray | None = None) -> IntArray:
    """Return which configurations (C,) order all samples as the truth does: 1; -1 the other way.

    Of labels, which are copies or models that are never right, -1 alone. What is the mean of the
    other samples' truth goes the other way by itself, and is 0.

    Parameters
    ----------
    predictions
        (R, N, C) or (R, N, C, K), finite; the first repeat is looked at.
    outcome
        Truth of the N samples.
    folds : (R, N), optional
    """
    array, truth = predictions.array[0], outcome.values
    found, labels = np.zeros(array.shape[1], np.int64), predictions.kind is PredictionKind.LABEL
    if outcome.task is Task.SURVIVAL or (labels and outcome.task is not Task.BINARY):
        return found
    if not len(truth) or truth.min() == truth.max():
        return found
    possible = _ordered(*glance(array, truth), outcome.task)
    for c in np.flatnonzero(possible).tolist():
        found[c] = _ordered(array[:, [c]], truth, outcome.task)[0]
        others = leaves_one_out(array[:, c], outcome, predictions.kind, folds)
        if (labels and found[c] > 0) or (found[c] < 0 and others):
            found[c] = 0
    return found


def leaves_one_out(
    column: FloatArray, outcome: Outcome, kind: PredictionKind, folds: IntArray | None
) -> bool:
    """True if a column (N,) that goes against the truth says no more than the others' mean truth.

    Without sample i the mean is (N m - y_i) / (N - 1): it goes against the truth, though nothing
    was learnt. Each entry is within 1 / (N - 1) times the largest distance from m; rounding and
    smoothing may double that. Of labels it is the larger class of the others, where the classes are
    of one size and each sample is a fold.
    """
    truth = outcome.values.astype(float)
    if kind is PredictionKind.LABEL:
        alone = folds is None or int(np.bincount(folds[0]).max()) == 1
        even = len(set(outcome.class_counts.tolist())) == 1
        return bool(alone and even and (column != truth).all())
    if column.ndim > 1 or outcome.task is Task.SURVIVAL:
        return False
    most = 2 * np.abs(truth - truth.mean()).max() / max(len(truth) - 1, 1)
    return bool(np.abs(column - truth.mean()).max() <= most)


def on_perfection(
    predictions: Values,
    outcome: Outcome,
    in_order: IntArray,
    score: Callable[[IntArray], FloatArray],
    passed_over: Collection[int],
) -> Iterator[Note]:
    """Yield notes on configurations that order all samples, by how the others perform.

    Parameters
    ----------
    in_order : (C,)
        As `in_order` returns it.
    score
        Configurations -> their `performances`.
    passed_over
        Configurations that are known to equal the truth.
    """
    names, kind = predictions.configurations, predictions.kind
    found, others = (np.flatnonzero(which) for which in (in_order, in_order == 0))
    told = [c for c in found.tolist() if c not in passed_over]
    if not told or not len(others):
        return
    measure = measure_of(outcome, kind)
    scored = _either_way(score(others), measure)
    best = int(np.argmax(scored))
    performance = float(scored[best])
    if _comes_near(performance, outcome, measure):
        return
    said = f"{measure} {performance:.3g}"
    for way in (1, -1):
        some = [names[c] for c in told if in_order[c] == way]
        if some:
            yield remarks.perfect_configuration(some, names[others[best]], said, way=way)


def _ordered(columns: FloatArray, truth: FloatArray | IntArray, task: Task) -> IntArray:
    """(C,) 1 where columns (n, C) or (n, C, K) order the samples as the truth (n,) does, else 0.

    Scores that do so the other way round have -1. Of class columns, that of the true class is the
    largest.
    """
    if columns.ndim == 3:
        return np.asarray((columns.argmax(axis=2) == truth[:, None]).all(axis=0).astype(np.int64))
    if task is Task.BINARY:
        above, below = columns[truth == 1], columns[truth != 1]
        rising = above.min(axis=0) > below.max(axis=0)
        falling = above.max(axis=0) < below.min(axis=0)
        return np.asarray(rising.astype(np.int64) - falling)
    order = np.argsort(truth, kind="stable")
    steps, wanted = np.diff(columns[order], axis=0), np.sign(np.diff(truth[order]))[:, None]
    rising = (np.sign(steps) == wanted).all(axis=0)
    return np.asarray(rising.astype(np.int64) - (np.sign(steps) == -wanted).all(axis=0))


def performances(predictions: Values, outcome: Outcome, columns: IntArray) -> FloatArray:
    """Return the measure of configurations (C',) of the first repeat of predictions."""
    array, truth = predictions.array[:, :, columns][0], outcome.values
    if outcome.task.is_classification and measure_of(outcome, predictions.kind) == "accuracy":
        labels = array.argmax(axis=2) if array.ndim == 3 else array
        return np.asarray((labels == truth[:, None]).mean(axis=0))
    if outcome.task is Task.BINARY:
        return np.array([area(column, truth == 1) for column in array.T])
    centred, values = array - array.mean(axis=0), truth - truth.mean()
    with np.errstate(over="ignore"):  # numbers beyond 1e154 have no square
        spread = np.sqrt((centred**2).sum(axis=0) * (values**2).sum())
    products = values @ centred
    found = np.divide(products, spread, out=np.zeros_like(products), where=spread > 0)
    return np.asarray(found)


def _either_way(performances: FloatArray, measure: str) -> FloatArray:
    """Return how well something tells the truth, if need be the other way round."""
    if measure == "AUC":
        return np.maximum(performances, 1 - performances)
    return np.abs(performances)


def measure_of(outcome: Outcome, kind: PredictionKind) -> str:
    """Return what `performances` are called."""
    if outcome.task is Task.BINARY and kind is not PredictionKind.LABEL:
        return "AUC"
    return "accuracy" if outcome.task.is_classification else "correlation"


def _comes_near(performance: float, outcome: Outcome, measure: str) -> bool:
    """True if a performance may be 1 but for chance."""
    if outcome.task is Task.REGRESSION:
        return performance >= CORRELATED
    if measure == "AUC":
        n_negative, n_positive = outcome.class_counts
        error = sqrt(hanley_mcneil_variance(performance, n_positive, n_negative))
    else:
        error = sqrt(performance * (1 - performance) / len(outcome))
    return 1 - performance <= ERRORS * error
