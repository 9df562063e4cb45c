"""Student's t over the winner's performances in the folds, plain and corrected.

1. Select the winner by its mean over folds. That mean m is the estimate: nothing is corrected.
2. t-folds: take the performances in the F folds as independent. The standard error is s / sqrt(F),
   the degrees of freedom F - 1. With R repeats, its square is averaged over the repeats: the folds
   of another repeat hold the same samples.
   t-corrected: the folds share training samples, and those of several repeats test samples too.
   Over the J folds of all repeats the squared error is (1/J + n_test / n_train) s^2, the degrees
   of freedom J - 1.
3. The interval is m -+ t times the standard error.

Source: Student 1908; Nadeau & Bengio 2003, the corrected resampled t; for repeats Bouckaert & Frank
2004.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs, on_few_folds
from bbccli.methods.cvt import cvt
from bbccli.methods.winner import Ends, alone, interval_by, winner_by_fold, without_width
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.types import FloatArray, IntArray, Pooling

Spread = tuple[float, int]
"""Standard error of the mean over folds, and its degrees of freedom."""


def t_folds(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return Student's interval over the winner's performances in the folds.

    Parameters
    ----------
    matrix
        Out-of-sample predictions, with F folds.
    metric
        Must be defined in every fold.
    plan
        `level` and `side`. The winner is the best fold mean, whatever `pooling` says.
    select_by
        Metric that selects the winner, when that is another.

    Returns
    -------
    Estimate
        The mean over folds, and an interval that ignores the selection.

    Raises
    ------
    UndefinedError
        Folds unknown, fewer than two, or some in which the metric is undefined.

    References
    ----------
    Student 1908.
    """
    return _student(T_FOLDS, matrix, metric, plan, select_by, plain)


def t_corrected(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return Student's interval with the variance corrected for shared training samples.

    Parameters, result and errors are those of `t_folds`.

    References
    ----------
    Nadeau & Bengio 2003; Bouckaert & Frank 2004.
    """
    return _student(
        T_CORRECTED,
        matrix,
        metric,
        plan,
        select_by,
        lambda v: corrected(v, size_ratio(matrix.folds)),
    )


def plain(by_repeat: tuple[FloatArray, ...]) -> Spread:
    """Return the spread of the mean of independent folds, from performances (F,) per repeat.

    Examples
    --------
    >>> error, freedom = plain((np.array([0.7, 0.8, 0.9]),))
    >>> round(error, 6), freedom
    (0.057735, 2)
    """
    squares = [np.var(values, ddof=1) / len(values) for values in by_repeat]
    return float(np.sqrt(np.mean(squares))), min(len(values) for values in by_repeat) - 1


def corrected(by_repeat: tuple[FloatArray, ...], ratio: float) -> Spread:
    """Return the spread with the variance (1/J + ratio) s^2, ratio = n_test / n_train.

    Examples
    --------
    >>> error, freedom = corrected((np.array([0.7, 0.8, 0.9]),), 0.5)
    >>> round(error, 6), freedom
    (0.091287, 2)
    """
    values = np.concatenate(by_repeat)
    square = (1 / len(values) + ratio) * np.var(values, ddof=1)
    return float(np.sqrt(square)), len(values) - 1


def size_ratio(folds: IntArray | None) -> float:
    """Return n_test / n_train of folds (R, N), the mean over all folds.

    Examples
    --------
    >>> size_ratio(np.array([[0, 0, 1, 1, 2, 2]]))
    0.5
    """
    sizes = [np.bincount(row) for row in ([] if folds is None else folds)]
    ratios = [n / (row.sum() - n) for row in sizes for n in row if n]
    return float(np.mean(ratios))


def _student(
    method: Method,
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    select_by: Metric | None,
    spread: Callable[[tuple[FloatArray, ...]], Spread],
) -> Estimate:
    """The mean over folds with the interval of a spread."""
    check_needs(method, matrix)
    naive = cvt(matrix, metric, replace(plan, pooling=Pooling.FOLD_MEAN), select_by=select_by)
    error, freedom = spread(winner_by_fold(matrix, metric, naive))
    ends = _t_ends(naive.value, error, freedom)
    few = on_few_folds(matrix)
    notes = (*few, *without_width(ends, naive.value))
    interval = interval_by(ends, metric.within(matrix.outcome), plan)
    return replace(alone(naive, method.name, interval, notes), plan=plan)


def _t_ends(value: float, error: float, freedom: int) -> Ends:
    def ends(outside: float) -> tuple[float, float]:
        from scipy.special import stdtrit

        margin = -float(stdtrit(freedom, outside)) * error
        return value - margin, value + margin

    return ends


T_FOLDS = Method(
    name="t-folds",
    label="folds",
    run=t_folds,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="Student's t over the winner's performances in the folds",
    reference="Student 1908",
    ignores_selection=True,
)

T_CORRECTED = Method(
    name="t-corrected",
    label="folds",
    run=t_corrected,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="Student's t over folds, its variance corrected for shared training samples",
    reference="Nadeau & Bengio 2003",
    ignores_selection=True,
)

METHODS = (T_FOLDS, T_CORRECTED)
