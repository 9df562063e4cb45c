"""Student's t over the winner's scores in the folds, plain and corrected.

## t-folds

Student's t over the winner's folds.

Formula: m ∓ t_(F-1) s / √F, with the mean m and the standard deviation s of the winner's F scores
in the folds. With repeats s² / F is averaged over them.

Algorithm: select the winner by its mean over folds, which is the estimate, and treat the F scores
as independent. The interval is clipped to the bounds of the metric.

Assumptions: independent and nearly normal folds. They are neither: their models share training
samples.

When to use: to see what many reports do. When not: for a selected winner; with folds of a few
samples. If all folds are equal it has [no width](notes.md#no-variance).

Cost: nothing beyond the scores in the folds.

Source: Student 1908.

## t-corrected

Student's t with the variance of Nadeau and Bengio.

Formula: m ∓ t_(J-1) s √(1/J + n_test / n_train), over the J folds of all repeats; n_test / n_train
is the mean over the folds, 1 / (F - 1) for equal ones.

Algorithm: as for `t-folds`, with this standard error: folds share training samples, and those of
several repeats test samples too.

Assumptions: the correlation of two folds is n_test / (n_test + n_train), a rule of thumb.

When to use: instead of `t-folds`, above all with repeats. When not: for a selected winner.

Cost: nothing beyond the scores in the folds.

Source: Nadeau & Bengio 2003; with repeats Bouckaert & Frank 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from bbccli.methods.base import INTERVAL, Method, Need
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals.ends import interval_by, without_width
from bbccli.stats.selection import winner_by_fold
from bbccli.stats.selection.candidates import folds_of
from bbccli.stats.selection.units import on_few_folds, size_ratio
from bbccli.stats.significance import Pivot
from bbccli.types import FloatArray, IntArray, Pooling


def run(case: Case, *, law: Callable[[tuple[FloatArray, ...], IntArray], Pivot]) -> Answer:
    """Return the mean over folds with Student's interval, by the law of its spread.

    Raises UndefinedError: the metric is undefined in some fold.
    """
    value = case.choice.naive
    by_repeat = winner_by_fold(case.matrix, case.metric, case.choice.winner)
    pivot = replace(law(by_repeat, folds_of(case.matrix)), value=value)
    notes = on_few_folds(case.matrix) + without_width(pivot.ends, value)
    return Answer(value, interval_by(pivot.ends, case.bounded, case.plan), notes=notes)


def independent(by_repeat: tuple[FloatArray, ...], folds: IntArray) -> Pivot:
    """Return the law of the mean of independent folds, from performances (F,) per repeat.

    >>> folds = np.array([[0, 0, 1, 1, 2, 2]])
    >>> pivot = independent((np.array([0.7, 0.8, 0.9]),), folds)
    >>> round(pivot.error, 6), pivot.df
    (0.057735, 2.0)
    """
    of_repeats = [Pivot.of_parts(values) for values in by_repeat]
    error = float(np.sqrt(np.mean([repeat.error**2 for repeat in of_repeats])))
    return replace(of_repeats[0], error=error, df=min(repeat.df for repeat in of_repeats))


def overlapping(by_repeat: tuple[FloatArray, ...], folds: IntArray) -> Pivot:
    """Return the law with the variance (1/J + n_test / n_train) s^2.

    >>> folds = np.array([[0, 0, 1, 1, 2, 2]])
    >>> pivot = overlapping((np.array([0.7, 0.8, 0.9]),), folds)
    >>> round(pivot.error, 6), pivot.df
    (0.091287, 2.0)
    """
    return Pivot.of_parts(np.concatenate(by_repeat), size_ratio(folds))


_method = partial(
    Method,
    label="folds",
    gives=INTERVAL,
    needs=frozenset({Need.FOLDS}),
    pooling=Pooling.FOLD_MEAN,
    ignores_selection=True,
)

METHODS = (
    _method(
        name="t-folds",
        answer=partial(run, law=independent),
        summary="Student's t over the winner's performances in the folds",
        reference="Student 1908",
    ),
    _method(
        name="t-corrected",
        answer=partial(run, law=overlapping),
        summary="Student's t over folds, its variance corrected for shared training samples",
        reference="Nadeau & Bengio 2003",
    ),
)
