"""Intervals of the AUC of held-out samples, without and with preselection.

## delong

DL: the AUC of held-out samples, with DeLong's interval.

A [split method](#split-methods), for the AUC of two classes only.

Formula, with M positive and N negative evaluation samples, the placements V10 of a positive (the
share of negatives that score lower, ties one half) and V01 of a negative (the share of positives
that score higher), and A the mean of either:

```text
variance = Σ_i (V10_i - A)² / (M (M - 1)) + Σ_j (V01_j - A)² / (N (N - 1))
```

Algorithm: split, select the winner on the selection samples, and compute A and its variance on the
evaluation samples. The interval is A ± z √variance, clipped to [0, 1]. Deviations are added up
within groups, where positives and negatives covary (Obuchowski 1997), and averaged over repeats,
before they are squared. Sample weights are refused.

Assumptions: a normal distribution of the AUC, which is doubtful near 1, where the interval has [no
width](notes.md#no-variance), and with few samples of a class.

Evidence: its one-sided 95% bound covered the winner's true AUC in 90% of the [studies of
2024](../benchmarks/validation-tables.md#beside-the-paper) with 500 samples in two equal classes, in
83% where one class has 50 of them, and in 74% with 50 samples; the paper's figures are similar.

When to use: to compare with the literature, or with hundreds of samples of each class. When not:
otherwise.

Cost: one evaluation of the metric per configuration, and O(N log N).

Source: DeLong, DeLong & Clarke-Pearson 1988, equations 4 to 6; Obuchowski 1997; Paraschakis et al.
2024.

## delong-10p

DL with preselection.

Formula: as for `delong`, with z at Šidák's level, level^(1/m).

Algorithm: that of `delong`, for the best of the m [preselected](#split-methods) configurations.

Assumptions: those of `delong`, further out in the tail, where the normal distribution fits worse.

Evidence: in the studies named under `delong` its bound covered in 82%, 49% and 10%.

When to use: to compare with the literature. When not: as a result: its bound covers far too seldom.

Cost: that of `delong`.

Source: Paraschakis et al. 2024; Šidák 1967.

## hanley-mcneil

HM: the AUC of held-out samples, with the interval of Hanley and McNeil.

A [split method](#split-methods), for the AUC of two classes only.

Formula, with A the AUC of M positive and N negative evaluation samples, Q1 = A / (2 - A) and Q2 = 2
A² / (1 + A):

```text
variance = (A (1 - A) + (M - 1) (Q1 - A²) + (N - 1) (Q2 - A²)) / (M N)
```

Algorithm: that of `delong`, with this variance.

Assumptions: exponential distributions of the scores, which fit many others well; a normal
distribution of the AUC. Groups and sample weights are refused.

When to use: if only an AUC and two counts are known. When not: otherwise; see `delong`.

The code of Paraschakis et al. 2024 takes the counts of right and wrong predictions for M and N; the
published inclusion (0.84 on average, 0.34 with preselection) belongs to that formula.

Cost: one evaluation of the metric per configuration.

Source: Hanley & McNeil 1982, equation 1; Paraschakis et al. 2024.

## hanley-mcneil-10p

HM with preselection.

Formula: as for `hanley-mcneil`, with z at Šidák's level, level^(1/m).

Algorithm: that of `delong-10p`, with the variance of `hanley-mcneil`.

Assumptions: those of `hanley-mcneil`.

When to use: to compare with the literature. When not: as a result; see `delong-10p`.

Cost: that of `hanley-mcneil`.

Source: Paraschakis et al. 2024; Šidák 1967.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import UnsupportedError
from bbccli.methods.base import INTERVAL, Method, with_preselection
from bbccli.methods.literature.split import choose_evaluated, from_split, performance
from bbccli.metrics.kernels.pairs import hanley_mcneil_variance
from bbccli.metrics.ranking import AUC
from bbccli.notes import Note
from bbccli.notes.intervals import few_evaluated, no_interval, no_variance
from bbccli.stats.case import Answer, Case
from bbccli.stats.influence import auc_influence_in, auc_variance
from bbccli.stats.intervals.ends import normal
from bbccli.stats.selection.units import units_of
from bbccli.types import BoolArray, Pooling, Task, distinct

Variance = Callable[[PredictionMatrix, int, BoolArray], float]
"""Variance of the AUC of a configuration on some samples (N,)."""

FEW = 30
"""Samples, or groups, of a class under which a normal interval of an AUC is coarse."""


def auc_answer(case: Case, variance: Variance, *, preselect: bool = False) -> Answer:
    """Return the AUC of the winner on the evaluation samples, with a normal interval.

    Raises UnsupportedError: another metric than the AUC, class labels instead of scores, or sample
        weights.
    Raises UndefinedError: samples that can't be split.
    """
    _check(case)
    matrix, metric = case.matrix, case.metric
    finalist = choose_evaluated(matrix, case.selector, case.plan, preselect=preselect)
    winner, rows = finalist.winner, finalist.split.evaluation
    value = performance(matrix, metric, Pooling.POOLED, winner, rows)
    error = float("nan") if np.isnan(value) else sqrt(variance(matrix, winner, rows))
    fewest, rarest = _rarest(matrix, rows_predicted(matrix, winner, rows))
    if np.isnan(error):
        lacking = no_interval(case.method, f"only {fewest} {rarest} evaluates")
        return from_split(case, finalist, None, (lacking,))
    interval = normal(value, error, metric, case.plan, level=finalist.level)
    notes: tuple[Note, ...] = (no_variance(value),) if error == 0 else ()
    notes += (few_evaluated(fewest, rarest),) if fewest < FEW else ()
    return from_split(case, finalist, interval, notes)


def rows_predicted(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> BoolArray:
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
    """Number of samples, or groups, in `rows` (N,) with the rarer class, and a name for them."""
    units = units_of(matrix)
    sizes = [len(distinct(units[rows & (matrix.outcome.values == k)])) for k in (0, 1)]
    fewest = min(sizes)
    word = "sample" if matrix.groups is None else "group"
    plural = "" if fewest == 1 else "s"
    return fewest, f"{word}{plural} of class {matrix.outcome.classes[sizes.index(fewest)]!r}"


def delong_variance(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> float:
    """Return the variance of the AUC of one configuration on the samples in `rows` (N,).

    NaN with fewer than two samples, or groups, of a class.
    """
    present = rows_predicted(matrix, configuration, rows)
    positive, negative = (present & (matrix.outcome.values == k) for k in (1, 0))
    influences = auc_influence_in(matrix, configuration, rows)
    return auc_variance(influences, positive, negative, matrix.groups)


def hanley_mcneil(case: Case, *, preselect: bool = False) -> Answer:
    """Return the AUC on the evaluation samples; as `auc_answer`, and samples in groups raise."""
    if case.matrix.groups is not None:
        raise UnsupportedError(
            f"{case.method} is for independent samples; these come in groups",
            hint="use delong, whose variance takes groups, or bbc: --method bbc",
        )
    return auc_answer(case, _variance, preselect=preselect)


def _variance(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> float:
    auc = performance(matrix, AUC, Pooling.POOLED, configuration, rows)
    present = rows[None]
    if matrix.available is not None:
        present = rows & matrix.available[:, :, configuration]
    # the mean, where a configuration predicts different samples in the repeats
    counts = [float(np.mean((present & (matrix.outcome.values == k)).sum(axis=1))) for k in (1, 0)]
    return hanley_mcneil_variance(auc, *counts)


_split = partial(Method, label="split", gives=INTERVAL, splits=True)

METHODS = (
    *with_preselection(
        _split(
            name="delong",
            answer=partial(auc_answer, variance=delong_variance),
            summary="AUC on held-out samples, with DeLong's interval",
            reference="DeLong et al. 1988; Paraschakis et al. 2024",
            done="the winner was scored on {held_out}, with a normal interval from "
            "DeLong's variance{sidak}",
        )
    ),
    *with_preselection(
        _split(
            name="hanley-mcneil",
            answer=hanley_mcneil,
            summary="AUC on held-out samples, with Hanley and McNeil's interval",
            reference="Hanley & McNeil 1982; Paraschakis et al. 2024",
            done="the winner was scored on {held_out}, with a normal interval from the "
            "variance of Hanley and McNeil{sidak}",
        )
    ),
)
