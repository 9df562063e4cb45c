"""CVM-CV: select on one repeat of the cross-validation, evaluate on the others.

1. For each repeat r: select the configuration with the best performance in repeat r (css).
2. Average the performance of that configuration over the other repeats.
3. The estimate is the mean of these R averages.

The repeats use the same samples, so what is selected in one repeat is favoured in the others too:
the split of the samples into folds is fresh, the samples are not. CVM-CV takes off less than BBC.

Source: Tsamardinos, Rakhshani & Lagani 2015, section 3.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, Progress, check_needs, silent
from bbccli.methods.cvt import cvt
from bbccli.methods.selection import performances_by_repeat
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.results import Estimate


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
        `pooling` decides how one performance is made of a repeat; nothing is drawn.
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

    References
    ----------
    Tsamardinos, Rakhshani & Lagani 2015, section 3.
    """
    check_needs(METHOD, matrix)
    selector = select_by or metric
    naive = cvt(matrix, metric, plan, select_by=selector)
    judged = performances_by_repeat(matrix, selector, plan.pooling)
    measured = performances_by_repeat(matrix, metric, plan.pooling)
    winners = selector.direction.best(judged)
    of_winners = measured[:, winners]  # (R evaluated, R selected)
    elsewhere = ~np.eye(len(winners), dtype=bool)
    value = float(of_winners[elsewhere].mean())
    if np.isnan(value):
        raise UndefinedError(f"{metric.label} is undefined in some repeat")
    return Estimate(
        method="cvm-cv",
        metric=metric.name,
        selected_by=selector.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=value,
        plan=plan,
        notes=naive.notes,
    )


METHOD = Method(
    name="cvm-cv",
    label="other repeats",
    run=cvm_cv,
    needs=frozenset({Need.REPEATS}),
    gives=frozenset({Gives.POINT}),
    summary="select on one repeat, evaluate on the others",
    reference="Tsamardinos, Rakhshani & Lagani 2015, section 3",
)
