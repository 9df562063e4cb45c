"""The no-information performance: what predictions reach that have nothing to do with the truth.

Each prediction meets the truth of every sample, as if both were independent, and the metric is
scored on all these pairs at once:

- of a mean of losses it is Efron & Tibshirani's gamma, (1 / N^2) sum_i sum_j Q(y_i, f_j), exactly;
- of the AUC, and of any concordance, it is one half exactly; of a correlation it is 0.

A truth of K classes needs N K pairs, each class weighing what its samples do. Any other takes all
N^2 pairs while they are few. Where there are more than `MOST_PAIRS` (or `LEAST_EACH` per sample),
each prediction meets the truths that follow its own in a seeded random order: seeded permutations
of the truth, scored together.

Groups don't matter: pairs across them are as independent as any. Sample weights multiply: a pair
weighs the product of the weights of its truth and its prediction. The pairs of a truth and a
prediction lie in no fold, so folds don't matter either.

Source: Efron & Tibshirani 1997, section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core import resources
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.metrics.base import Metric, Scorer
from bbccli.stats.resampling import Unit
from bbccli.stats.selection.available import AvailableCases
from bbccli.types import FloatArray, IntArray

MOST_PAIRS = 2**16
"""Pairs up to which every prediction meets every truth."""

LEAST_EACH = 8
"""Truths that each prediction meets, at least, where there are as many."""


def no_information(
    matrix: PredictionMatrix, metric: Metric, configurations: IntArray, seed: int
) -> FloatArray:
    """Return the no-information performances of some configurations, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions; with repeats the result is the mean over repeats.
    configurations : (C',) int
        Which configurations.
    seed
        Of the order in which predictions meet truths, where they don't meet all.

    Returns
    -------
    (C',) float64
        NaN where the metric is undefined, such as precision where no positive is predicted.

    Notes
    -----
    Time and memory are those of the metric on max(N K, 2^16) pairs, by blocks of configurations.

    References
    ----------
    Efron & Tibshirani 1997, section 3.
    """
    truths, samples, weights = _pairs(matrix.outcome, seed)
    outcome = _of(matrix.outcome, truths)
    cells = len(truths) * matrix.n_repeats * metric.cell_bytes(len(truths))
    width = max(resources.current().memory // (4 * cells), 1)
    blocks = np.array_split(configurations, -(-len(configurations) // width))
    values = [
        [scorer(weights[None])[0] for scorer in _bind(matrix, metric, outcome, samples, columns)]
        for columns in blocks
    ]
    return np.concatenate([np.mean(of_repeats, axis=0) for of_repeats in values])


def _bind(
    matrix: PredictionMatrix,
    metric: Metric,
    outcome: Outcome,
    samples: IntArray,
    columns: IntArray,
) -> list[Scorer]:
    """The scorers of the pairs in each of R repeats."""
    predictions = matrix.as_kind(metric.wants, columns)[:, samples]
    scorers = [metric.bind(outcome, of_repeat) for of_repeat in predictions]
    if matrix.available is None:
        return scorers
    available = matrix.available[:, samples][:, :, columns]
    return [AvailableCases.of(*part) for part in zip(scorers, available, strict=True)]


def _pairs(outcome: Outcome, seed: int) -> tuple[IntArray, IntArray, NDArray[Any]]:
    """Samples whose truth and whose prediction make each of P pairs, and weights (P,) in [0, 1]."""
    n_samples = len(outcome)
    given: FloatArray = np.ones(n_samples) if outcome.weights is None else outcome.weights
    n_each = min(n_samples, max(MOST_PAIRS // n_samples, LEAST_EACH))
    if outcome.task.is_classification:
        classes, first, of_sample = np.unique(
            outcome.values, return_index=True, return_inverse=True
        )
        if len(classes) <= n_each:
            masses = np.bincount(of_sample, given)
            truths = np.repeat(first, n_samples)
            samples = np.tile(np.arange(n_samples), len(classes))
            weights = np.outer(masses, given).ravel()
            return truths, samples, weights / weights.max()
    order = _order(n_samples, seed)
    places = np.arange(n_samples) + np.arange(1, n_each + 1)[:, None]
    truths, samples = order[places % n_samples].ravel(), np.tile(order, n_each)
    weights = given[truths] * given[samples]
    return truths, samples, weights / weights.max()


def _order(n_samples: int, seed: int) -> IntArray:
    sequence = np.random.SeedSequence(seed, spawn_key=(Unit.TRUTH,))
    return np.random.Generator(np.random.PCG64(sequence)).permutation(n_samples)


def _of(outcome: Outcome, rows: IntArray) -> Outcome:
    """The truth of some samples, which may repeat, without their weights."""
    event = None if outcome.event is None else outcome.event[rows]
    return Outcome(outcome.task, outcome.values[rows], outcome.classes, event)
