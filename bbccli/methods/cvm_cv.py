"""CVM-CV: select on one repeat of the cross-validation, evaluate on the others.

1. For each repeat r: select a configuration by its performance in repeat r (css).
2. Average the performance of that configuration over the other repeats.
3. The estimate is the mean of these R averages.

There is no interval. A bootstrap of the procedure would repeat the optimism: a resample's best is
the best of noisier figures, and percentiles of such maxima lie above the truth.

The repeats use the same samples, so what is selected in one repeat is favoured in the others too:
the split of the samples into folds is fresh, the samples are not. CVM-CV takes off less than BBC.

Source: Tsamardinos, Rakhshani & Lagani 2015, section 4, Algorithm 3.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.candidates import candidates, repeats_of
from bbccli.selection.css import css_of, winner_of


def cvm_cv(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the CVM-CV estimate of the winner's performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of R >= 2 repeats.
    metric
        Measures, and decides which configuration is best.
    plan
        `pooling` decides how one performance is made of a repeat; `select` is the rule. Nothing
        is drawn.
    select_by
        Metric that selects, when that is another.

    Returns
    -------
    Estimate
        A point. Its winner and naive figure are those of all repeats together.

    Raises
    ------
    UndefinedError
        Fewer than two repeats, or a metric that is undefined in one.

    Notes
    -----
    Time O(R N C).

    References
    ----------
    Tsamardinos, Rakhshani & Lagani 2015, section 4, Algorithm 3.
    """
    check_needs(METHOD, matrix)
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    value = _on_other_repeats(matrix, metric, selector, plan)
    if np.isnan(value):
        raise UndefinedError(
            f"{metric.label} is undefined in some repeat",
            hint="another --metric, or a --method that pools the repeats",
        )
    return Estimate(
        method="cvm-cv",
        metric=metric.name,
        selected_by=selector.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.naive,
        value=value,
        plan=plan,
        notes=naive.notes,
    )


def _on_other_repeats(
    matrix: PredictionMatrix, metric: Metric, selector: Metric, plan: Plan
) -> float:
    """Mean over repeats of what is selected there and measured in the others; NaN if undefined."""
    repeats = repeats_of(matrix)
    css = css_of(matrix, selector, plan)
    winners = [winner_of(candidates(repeat, selector, plan.pooling), css) for repeat in repeats]
    if min(winners) < 0:
        return float("nan")
    # (R, C): a row per repeat that measures
    measured = np.array([candidates(r, metric, plan.pooling).performances() for r in repeats])
    of_winners = measured[:, winners]  # measured in the repeat of the row, selected in the column's
    elsewhere = ~np.eye(len(repeats), dtype=bool)
    return float(np.mean(of_winners[elsewhere]))


METHOD = Method(
    name="cvm-cv",
    label="other repeats",
    run=cvm_cv,
    needs=frozenset({Need.REPEATS}),
    gives=frozenset({Gives.POINT}),
    summary="select on one repeat, evaluate on the others",
    reference="Tsamardinos, Rakhshani & Lagani 2015, section 4, Algorithm 3",
)
