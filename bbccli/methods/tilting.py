"""BT: bootstrap tilting, on samples that did not select.

1. Select the winner on the selection samples, or (`tilting-10p`) preselect the best tenth there
   and select the best of them on the evaluation samples, at Šidák's level.
2. Draw B resamples of the evaluation samples; t_b is the winner's performance in them, t_0 the
   observed one, L_i its influence values.
3. Under the tilt t resample b has the weight W_b(t) = prod_i (n w_i(t))^f_bi, where w_i(t) is
   proportional to exp(t L_i), and
   p(t) = (1/B) sum_b W_b(t) ([t_b > t_0] + [t_b = t_0] / 2).
4. t* is where p crosses 1 - level; the bound is the performance under the weights w_i(t*).
5. The upper end is the same on the mirror image.

The weights are not normalised by their sum, as in the authors' code.

Source: Efron 1981; Rink & Brannath 2025; Paraschakis et al. 2024 and their code.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.splitting.split import choose
from bbccli.splitting.tilt import Replicates, Tail, importance, rounding
from bbccli.splitting.tilted import estimate

LARGEST_LOGARITHM = 500.0
"""Of a weight; a p with such a weight in it is far above any error."""


def tilting(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
    preselect: bool = False,
) -> Estimate:
    """Return the winner's performance on the evaluation samples, with a tilted interval.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Measures, and selects.
    plan
        `evaluation_share`, `n_resamples` B or `tolerance`, `level`, `side`, `pooling` of the
        selection, `seed` of split and resamples.
    select_by
        Metric that selects, when that is another.
    preselect
        Whether the evaluation samples choose among the best tenth of the selection samples.

    Returns
    -------
    Estimate
        Of the configuration that the split selects. Without an interval, and with a note, where
        the performance does not vary.

    Raises
    ------
    UndefinedError
        The samples can't be split, or the metric is undefined on a side of the split.

    Notes
    -----
    With n evaluation samples: time O((B + n) n) for scoring them, O(B) for each tilt tried.

    References
    ----------
    Rink & Brannath 2025; Paraschakis et al. 2024.
    """
    selector = select_by or metric
    finalist = choose(matrix, selector, plan, preselect=preselect)
    return estimate(
        matrix,
        metric,
        plan,
        finalist,
        tail,
        method="tilting-10p" if preselect else "tilting",
        selected_by=selector,
        columns=np.array([finalist.winner]),
        level=finalist.level,
        progress=progress,
    )


def tail(replicates: Replicates, pessimistic: bool = True) -> Tail:
    """Return p of each tilt: the weight of the resamples at least as good as the observed figure.

    Resamples that are exactly as good, up to rounding, count one half.
    """
    values = replicates.values[:, replicates.column]
    lead = values - replicates.observed
    same = rounding(values)
    counts = np.where(np.abs(lead) <= same, 0.5, (lead > same).astype(float))
    known, totals, n_resamples = counts[counts > 0], replicates.totals[counts > 0], len(counts)

    def p(tilt: float) -> float:
        logarithms = importance(replicates.influence, totals, tilt)
        weights = np.exp(np.minimum(logarithms, LARGEST_LOGARITHM))
        return float(weights @ known) / n_resamples

    return p


METHOD = Method(
    name="tilting",
    label="split",
    run=tilting,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="bootstrap tilting (BT) on the evaluation samples of a split",
    reference="Rink & Brannath 2025; Paraschakis et al. 2024",
)

METHOD_10P = Method(
    name="tilting-10p",
    label="split, best of 10 %",
    run=partial(tilting, preselect=True),
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="as tilting, for the best of preselected configurations, at Šidák's level",
    reference="Rink & Brannath 2025; Paraschakis et al. 2024",
)
