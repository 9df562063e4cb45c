"""TT: the correction of Tibshirani and Tibshirani, from the folds alone.

1. Select the winner and its naive performance by css (CVT).
2. In each fold k, take by how much the best configuration of that fold beats the winner there.
3. The mean of these gains over the folds estimates the optimism.
4. Report the naive performance made worse by it.

With repeats, step 3 averages over the folds of all repeats.

Source: Algorithm 4 of Tsamardinos, Greasidou & Borboudakis 2018; equation 4 of Tibshirani &
Tibshirani 2009.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs, on_few_folds
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.candidates import fold_performances
from bbccli.types import Select


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
        `pooling` decides the winner and the naive figure; nothing is drawn.
    select_by
        Metric that selects the winner and the best of each fold, when that is another.

    Returns
    -------
    Estimate
        A point; TT gives no interval. Its optimism is never negative, unless another metric
        selects.

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
    naive = cvt(matrix, metric, plan, select_by=selector)
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
    few = on_few_folds(matrix)
    return Estimate(
        method="tt",
        metric=metric.name,
        selected_by=selector.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=naive.value - metric.direction.sign * optimism,
        plan=plan,
        notes=naive.notes + few,
    )


METHOD = Method(
    name="tt",
    label="corrected",
    run=tt,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT}),
    summary="naive figure less the mean gain of each fold's best over the winner",
    reference="Tibshirani & Tibshirani 2009; Tsamardinos et al. 2018, Algorithm 4",
)
