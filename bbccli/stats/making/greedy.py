"""`greedy:ROUNDS`, the ensemble selection of Caruana et al., by default of 25 rounds.

1. Start with an empty ensemble.
2. In each round, add the configuration with which the mean of the members is best in the bag, the
   first column on ties. A configuration may be added again.
3. Keep the ensemble of the round that was best, the first on ties. A member's share is how often
   it was added by then.

Source: Caruana, Niculescu-Mizil, Crew & Ksikes 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bbccli.domain.matrix import CUT, PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.metrics.capped import MeanSurprise, chance_of_truth
from bbccli.metrics.classification import ACCURACY
from bbccli.metrics.kernels import loop_forms, members
from bbccli.metrics.kernels.members import rounded
from bbccli.metrics.probability import BRIER
from bbccli.metrics.ranking import AUC
from bbccli.metrics.regression import MSE, RMSE
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.stats.making.interface import Combine, Given
from bbccli.stats.making.made import scored
from bbccli.stats.selection.candidates import holdout_parts
from bbccli.types import FloatArray, IntArray, Pooling, Task

Try = Callable[[Any, FloatArray, int], FloatArray]
"""Weights as `Trial.weigh` returns them, sums of the members (B, M), and their number ->
performances (B, C) with each configuration added."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A way to score ensembles with each configuration added.

    columns (C, R, N, ...) or (C, M): what is added up of each configuration.
    weigh: weights (B, N) in the bags -> what `values` takes of them, once for all rounds.
    values: performances of all candidates.
    """

    columns: FloatArray
    weigh: Callable[[IntArray], Any]
    values: Try


Choose = Callable[[FloatArray, FloatArray], tuple[IntArray, FloatArray]]
"""Performances (B, C) with each configuration added, how often each was added (B, C) -> what is
added (B,), -1 for nothing, and its performance (B,)."""


def combine(given: Given) -> Combine:
    """Return the shares of the members."""

    def choose(values: FloatArray, _: FloatArray) -> tuple[IntArray, FloatArray]:
        chosen = given.metric.direction.best(values)
        return chosen, np.where(chosen < 0, np.nan, values[np.arange(len(values)), chosen])

    return grown(given, given.number or 1, lambda _: choose)


def grown(given: Given, n_rounds: int, choosing: Callable[[IntArray], Choose]) -> Combine:
    """Return the shares of the members; `choosing` takes the weights (B, N)."""
    trial, direction = trial_of(given), given.metric.direction
    n_each = max(resources.current().memory // (8 * trial.columns.nbytes), 1)

    def shares(weights: IntArray) -> FloatArray:
        parts = (weights[a : a + n_each] for a in range(0, len(weights), n_each))
        return np.concatenate([of_bags(part) for part in parts])

    def of_bags(in_bag: IntArray) -> FloatArray:
        bags, weights = np.arange(len(in_bag)), trial.weigh(in_bag)
        sums = np.zeros((len(in_bag), *trial.columns.shape[1:]))
        added = np.zeros((len(in_bag), len(trial.columns)))
        best, kept = np.full(len(in_bag), np.nan), np.full(added.shape, np.nan)
        choose = choosing(in_bag)
        for n_members in range(n_rounds):
            chosen, now = choose(trial.values(weights, sums, n_members), added)
            sums += trial.columns[np.maximum(chosen, 0)]
            added[bags, chosen] += chosen >= 0
            ahead = direction.leads(now, best)
            best[ahead], kept[ahead] = now[ahead], added[ahead] / (n_members + 1)
        return kept

    return shares


def trial_of(given: Given) -> Trial:
    """Return the fastest way that gives the metric of a mean of repeats over pooled rows."""
    matrix, metric = given.matrix, given.metric
    pooled = given.pooling is Pooling.POOLED and holdout_parts(matrix) is None
    once = matrix.n_repeats == 1
    if pooled and isinstance(metric.bind, MeanSurprise):
        return _log_loss(matrix, metric.bind.clip)
    if pooled and (metric in (BRIER, MSE) or (metric == RMSE and once)):
        return _squared_error(matrix, metric)
    if matrix.task is Task.BINARY and pooled and metric == ACCURACY:
        return _accuracy(matrix)
    if pooled and once and metric == AUC and matrix.task is Task.BINARY:
        return _auc(given)
    return any_metric(given)


def any_metric(given: Given) -> Trial:
    """Score every mean as a column of its own: time O(B N C) per round, whatever the metric."""
    matrix, n = given.matrix, given.matrix.n_configurations
    columns = np.moveaxis(matrix.predictions, 2, 0).astype(np.float64)

    def values(weights: IntArray, sums: FloatArray, n_members: int) -> FloatArray:
        means = rounded((sums[:, None] + columns) / (n_members + 1))  # (B, C, R, N, ...)
        made = np.moveaxis(means.reshape(-1, *columns.shape[1:]), 0, 2)
        rows = np.repeat(weights, n, axis=0)
        return scored(matrix, made, given.metric, given.pooling, rows).reshape(-1, n)

    return Trial(columns, lambda weights: weights, values)


def _log_loss(matrix: PredictionMatrix, clip: float) -> Trial:
    chances = [chance_of_truth(matrix.outcome, of_repeat) for of_repeat in matrix.predictions]
    columns, masses = np.ascontiguousarray(np.concatenate(chances).T), masses_of(matrix)

    def values(weights: FloatArray, sums: FloatArray, n_members: int) -> FloatArray:
        surprises = loop_forms("members").surprises(weights, sums, columns, n_members, clip)
        return np.asarray(surprises / weights.sum(axis=1)[:, None])

    return Trial(columns, masses, values)


def _squared_error(matrix: PredictionMatrix, metric: Metric) -> Trial:
    truth = matrix.outcome.values.astype(np.float64)
    n_classes = matrix.predictions.shape[3] if matrix.predictions.ndim == 4 else 1
    if matrix.predictions.ndim == 4:
        truth = np.eye(n_classes)[matrix.outcome.values.astype(np.intp)]
    truth = np.tile(truth, (matrix.n_repeats, *(1,) * (truth.ndim - 1))).ravel()
    columns = np.moveaxis(matrix.predictions.astype(np.float64), 2, 0)
    columns, masses = columns.reshape(len(columns), -1), masses_of(matrix)
    squares = np.square(columns).T

    def weigh(in_bag: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        weights = masses(in_bag)
        of_rows = np.repeat(weights, n_classes, axis=1)
        return of_rows, of_rows @ squares, weights.sum(axis=1)[:, None]

    def values(weights: Any, sums: FloatArray, n_members: int) -> FloatArray:
        of_rows, squared, totals = weights
        errors = members.squared_errors(of_rows, squared, sums, columns, truth, n_members)
        means = np.maximum(errors, 0.0) / totals
        return np.asarray(np.sqrt(means) if metric == RMSE else means)

    return Trial(columns, weigh, values)


def _accuracy(matrix: PredictionMatrix) -> Trial:
    columns = np.moveaxis(matrix.predictions.astype(np.float64), 2, 0)
    columns, masses = columns.reshape(len(columns), -1), masses_of(matrix)
    truth = np.tile(matrix.outcome.values == 1, matrix.n_repeats)
    cut = CUT if matrix.threshold is None else matrix.threshold

    def values(weights: FloatArray, sums: FloatArray, n_members: int) -> FloatArray:
        hits = loop_forms("members").hits(weights, sums, columns, truth, n_members, cut)
        return np.asarray(hits / weights.sum(axis=1)[:, None])

    return Trial(columns, masses, values)


def _auc(given: Given) -> Trial:
    """Sort every mean where this is compiled; else as any metric."""
    matrix, general = given.matrix, any_metric(given)
    columns, masses = np.ascontiguousarray(general.columns[:, 0]), masses_of(matrix)
    truth = matrix.outcome.values == 1

    def values(weights: IntArray, sums: FloatArray, n_members: int) -> FloatArray:
        sort = getattr(loop_forms("members"), "concordances", None)
        if sort is None:
            return general.values(weights, sums[:, None], n_members)
        return np.asarray(sort(masses(weights), sums, columns, truth, n_members))

    return Trial(columns, lambda weights: weights, values)


def masses_of(matrix: PredictionMatrix) -> Callable[[IntArray], FloatArray]:
    """Return the function from weights (B, N) to those of the samples of all repeats (B, R N)."""
    given = matrix.outcome.weights
    counted = np.tile(np.ones(matrix.n_samples) if given is None else given, matrix.n_repeats)
    return lambda weights: np.asarray(np.tile(weights, matrix.n_repeats) * counted)
