"""From the variance of an AUC to an answer: shared by DeLong and Hanley-McNeil."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.notes import Note, few_evaluated, no_interval, no_variance
from bbccli.errors import UnsupportedError
from bbccli.metrics.ranking import AUC
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals import normal
from bbccli.stats.splitting.split import choose, from_split, performance
from bbccli.types import BoolArray, Pooling, Task, distinct

Variance = Callable[[PredictionMatrix, int, BoolArray], float]
"""Variance of the AUC of a configuration on some samples (N,)."""

FEW = 30
"""Samples, or groups, of a class under which a normal interval of an AUC is coarse."""


def auc_answer(case: Case, variance: Variance, *, preselect: bool = False) -> Answer:
    """Return the AUC of the winner on the evaluation samples, with a normal interval.

    Raises
    ------
    UnsupportedError
        Another metric than the AUC, class labels instead of scores, or sample weights.
    UndefinedError
        Samples that can't be split.
    """
    _check(case)
    matrix, metric = case.matrix, case.metric
    finalist = choose(matrix, case.selector, case.plan, preselect=preselect)
    winner, rows = finalist.winner, finalist.split.evaluation
    value = performance(matrix, metric, Pooling.POOLED, winner, rows)
    error = float("nan") if np.isnan(value) else sqrt(variance(matrix, winner, rows))
    fewest, rarest = _rarest(matrix, predicted(matrix, winner, rows))
    if np.isnan(error):
        lacking = no_interval(case.method, f"only {fewest} {rarest} evaluates")
        return from_split(case, finalist, None, (lacking,))
    interval = normal(value, error, metric, case.plan, level=finalist.level)
    notes: tuple[Note, ...] = (no_variance(value),) if error == 0 else ()
    notes += (few_evaluated(fewest, rarest),) if fewest < FEW else ()
    return from_split(case, finalist, interval, notes)


def predicted(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> BoolArray:
    """Return those of the samples in `rows` (N,) that a configuration predicts in any repeat."""
    if matrix.available is None:
        return rows
    return np.asarray(rows & matrix.available[:, :, configuration].any(axis=0))


def _check(case: Case) -> None:
    if case.metric.name != AUC.name:
        binary = case.matrix.task is Task.BINARY
        raise UnsupportedError(
            f"{case.method} is for the AUC of two classes, not for {case.metric.label}",
            hint=f"{'--metric auc, or ' if binary else ''}--method bbc, which takes every metric",
        )
    if case.matrix.outcome.weights is not None:
        raise UnsupportedError(
            f"{case.method} takes no sample weights", hint="use bbc, which does: --method bbc"
        )


def _rarest(matrix: PredictionMatrix, rows: BoolArray) -> tuple[int, str]:
    """How many samples, or groups, in `rows` (N,) hold the rarer class, and what they are."""
    units = np.arange(matrix.n_samples) if matrix.groups is None else matrix.groups
    sizes = [len(distinct(units[rows & (matrix.outcome.values == k)])) for k in (0, 1)]
    fewest = min(sizes)
    word = "sample" if matrix.groups is None else "group"
    plural = "" if fewest == 1 else "s"
    return fewest, f"{word}{plural} of class {matrix.outcome.classes[sizes.index(fewest)]!r}"
