"""From the variance of an AUC to an estimate: shared by DeLong and Hanley-McNeil."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from bbccli.errors import UnsupportedError
from bbccli.intervals import normal
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.metrics.ranking import AUC
from bbccli.notes import Note, few_evaluated, no_interval, no_variance
from bbccli.plan import Plan
from bbccli.results import Estimate
from bbccli.splitting.split import choose, from_split, performance
from bbccli.types import BoolArray, Pooling, Task, distinct

Variance = Callable[[PredictionMatrix, int, BoolArray], float]
"""Variance of the AUC of a configuration on some samples (N,)."""

FEW = 30
"""Samples, or groups, of a class under which a normal interval of an AUC is coarse."""


def auc_estimate(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    select_by: Metric | None,
    variance: Variance,
    *,
    method: str,
    preselect: bool,
) -> Estimate:
    """Return the AUC of the winner on the evaluation samples, with a normal interval.

    Raises
    ------
    UnsupportedError
        Another metric than the AUC, or sample weights.
    UndefinedError
        Samples that can't be split.
    """
    selector = select_by or metric
    _check(matrix, metric, method)
    finalist = choose(matrix, selector, plan, preselect=preselect)
    winner, rows = finalist.winner, finalist.split.evaluation
    value = performance(matrix, metric, Pooling.POOLED, winner, rows)
    error = float("nan") if np.isnan(value) else sqrt(variance(matrix, winner, rows))
    fewest, rarest = _rarest(matrix, predicted(matrix, winner, rows))
    if np.isnan(error):
        interval = None
        notes: tuple[Note, ...] = (no_interval(method, f"only {fewest} {rarest} evaluates"),)
    else:
        interval = normal(value, error, metric, plan, level=finalist.level)
        notes = (no_variance(value),) if error == 0 else ()
        notes += (few_evaluated(fewest, rarest),) if fewest < FEW else ()
    return from_split(
        matrix,
        metric,
        plan,
        finalist,
        method=method,
        selected_by=selector,
        interval=interval,
        notes=notes,
    )


def predicted(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> BoolArray:
    """Return those of the samples in `rows` (N,) that a configuration predicts in any repeat."""
    if matrix.available is None:
        return rows
    return np.asarray(rows & matrix.available[:, :, configuration].any(axis=0))


def _check(matrix: PredictionMatrix, metric: Metric, method: str) -> None:
    if metric.name != AUC.name:
        binary = matrix.task is Task.BINARY
        raise UnsupportedError(
            f"{method} is for the AUC of two classes, not for {metric.label}",
            hint=f"{'--metric auc, or ' if binary else ''}--method bbc, which takes every metric",
        )
    if matrix.outcome.weights is not None:
        raise UnsupportedError(
            f"{method} takes no sample weights", hint="use bbc, which does: --method bbc"
        )


def _rarest(matrix: PredictionMatrix, rows: BoolArray) -> tuple[int, str]:
    """How many samples, or groups, in `rows` (N,) hold the rarer class, and what they are."""
    units = np.arange(matrix.n_samples) if matrix.groups is None else matrix.groups
    sizes = [len(distinct(units[rows & (matrix.outcome.values == k)])) for k in (0, 1)]
    fewest = min(sizes)
    word = "sample" if matrix.groups is None else "group"
    plural = "" if fewest == 1 else "s"
    return fewest, f"{word}{plural} of class {matrix.outcome.classes[sizes.index(fewest)]!r}"
