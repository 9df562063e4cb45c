"""TT: the correction of Tibshirani and Tibshirani, from the folds alone.

1. Select the winner by its mean over folds: its mean is the naive performance.
2. In each fold k, take by how much the best configuration of that fold beats the winner there.
3. The mean of these gains over the folds estimates the optimism.
4. Report the naive performance made worse by it.

The gains are differences of performances in folds, so the figure that they correct is a mean of
such. A pooled performance is none: TT can't use one.

With repeats, step 3 averages over the folds of all repeats.

Source: Algorithm 4 of Tsamardinos, Greasidou & Borboudakis 2018; equation 4 of Tibshirani &
Tibshirani 2009.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs, on_few_folds
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.notes import Note, beyond_bounds
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.candidates import fold_performances
from bbccli.types import Pooling, Select


def tt(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the TT-corrected performance of the winner, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions, with folds.
    metric
        Must be defined in every fold.
    plan
        The winner is always the best fold mean, whatever `pooling` says; nothing is drawn.
    select_by
        Metric that selects the winner and the best of each fold, when that is another.

    Returns
    -------
    Estimate
        A point; TT gives no interval. Its optimism is never negative, unless another metric
        selects. Nothing keeps it within the bounds of the metric; a note says where it is not.

    Raises
    ------
    UndefinedError
        Folds unknown, fewer than two, or some in which the metric is undefined, such as the AUC
        of leave-one-out folds.
    UnsupportedError
        A rule of selection other than the best.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 4; Tibshirani & Tibshirani 2009, eq. 4.
    """
    check_needs(METHOD, matrix)
    if plan.select is not Select.BEST:
        raise UnsupportedError(
            "tt corrects the selection of the best configuration only",
            hint="bbc and bbc-f resample any rule of selection; or --select best",
        )
    selector = select_by or metric
    naive = cvt(matrix, metric, replace(plan, pooling=Pooling.FOLD_MEAN), select_by=selector)
    by_fold = np.concatenate(fold_performances(matrix, metric))
    judged = np.concatenate(fold_performances(matrix, selector))
    best = by_fold[np.arange(len(by_fold)), selector.direction.best(judged)]
    of_winner = by_fold[:, matrix.configurations.index(naive.winner)]
    optimism = float(np.mean(metric.direction.gain(best, of_winner)))
    if np.isnan(optimism):
        raise UndefinedError(
            f"{metric.label} of the winner is undefined in some fold",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    value = naive.value - metric.direction.sign * optimism
    return Estimate(
        method="tt",
        metric=metric.name,
        selected_by=selector.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=value,
        plan=plan,
        notes=(*naive.notes, *on_few_folds(matrix), *_out_of_bounds(value, metric)),
    )


def _out_of_bounds(value: float, metric: Metric) -> tuple[Note, ...]:
    """Return a note where the estimate is no possible performance."""
    low, high = metric.bounds
    return () if low <= value <= high else (beyond_bounds("tt", value, metric.label, low, high),)


METHOD = Method(
    name="tt",
    label="corrected",
    run=tt,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT}),
    summary="mean over folds less the mean gain of each fold's best over the winner",
    reference="Tibshirani & Tibshirani 2009; Tsamardinos et al. 2018, Algorithm 4",
)
