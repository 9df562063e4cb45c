"""Nested selection: select on all folds but one, evaluate on that fold.

1. For each fold: select the configuration with the best performance on the samples of all other
   folds (css): over their pooled rows, or by the mean over those folds.
2. Score that configuration on the fold.
3. The estimate is the mean over the folds. With repeats, a selection sees one repeat at a time and
   the mean is over the folds of all repeats.

This is the selection of nested cross-validation without its training: the predictions that select
come from models that have seen the fold. It corrects for the selection, with a higher variance
than BBC: each fold is scored by one selection only.

Source: Algorithm 3 of Tsamardinos, Greasidou & Borboudakis 2018 on given predictions.
"""

from __future__ import annotations

import numpy as np

from bbccli import resources
from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs, on_few_folds
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.candidates import candidates, fold_performances, folds_of, repeats_of
from bbccli.selection.css import css_of, winners_of
from bbccli.types import IntArray, distinct


def nested_selection(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the mean performance of the configurations selected without the fold that scores them.

    Parameters
    ----------
    matrix
        Out-of-sample predictions, with folds.
    metric
        Measures, and selects; must be defined in every fold.
    plan
        `pooling` decides how the other folds make one performance; nothing is drawn.
    select_by
        Metric that selects, when that is another.

    Returns
    -------
    Estimate
        A point. Its winner and naive figure are those of all folds together, by `pooling`.

    Raises
    ------
    UndefinedError
        Folds unknown, fewer than two, or some in which the metric is undefined.

    Notes
    -----
    Time O(F N C).

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 3.
    """
    check_needs(METHOD, matrix)
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    by_fold = fold_performances(matrix, metric)
    selected = _selected_without(matrix, selector, plan)
    values = [v[np.arange(len(v)), winners] for v, winners in zip(by_fold, selected, strict=True)]
    value = float(np.mean(np.concatenate(values)))
    if np.isnan(value):
        raise UndefinedError(
            f"{metric.label} is undefined in fold after fold for what the others select",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    few = on_few_folds(matrix)
    return Estimate(
        method="nested-selection",
        metric=metric.name,
        selected_by=selector.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=value,
        plan=plan,
        notes=naive.notes + few,
    )


def _selected_without(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> list[IntArray]:
    """The configuration (F,) selected without each fold, one array per repeat."""
    css = css_of(matrix, metric, plan)
    selected = []
    for repeat, folds in zip(repeats_of(matrix), folds_of(matrix), strict=True):
        every, names = candidates(repeat, metric, plan.pooling), distinct(folds)
        step = max(resources.current().memory // (4 * len(folds)), 1)
        parts = [names[start : start + step, None] for start in range(0, len(names), step)]
        winners = [winners_of(every, css, (folds != part).view(np.uint8)) for part in parts]
        selected.append(np.concatenate(winners))
    if any((winners < 0).any() for winners in selected):
        raise UndefinedError(
            f"{metric.label} is undefined in folds that are left when one is taken out",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    return selected


METHOD = Method(
    name="nested-selection",
    label="corrected, folds",
    run=nested_selection,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT}),
    summary="select on all folds but one, evaluate on that fold",
    reference="Tsamardinos et al. 2018, Algorithm 3, without training",
)
