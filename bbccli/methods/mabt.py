"""MABT: multiplicity-adjusted bootstrap tilting.

1. Preselect the best tenth of the configurations on the selection samples, and select the best of
   those on the evaluation samples.
2. Draw B resamples of the evaluation samples and score all m preselected configurations in each:
   t_bc. Their pseudo-observations are u_bc = rank of t_bc among the B values of c, ties at the
   highest, over B + 1.
3. H is the distribution function of max_c u_bc: of how good the best of m looks where none is
   better than its due. It holds the dependence between the configurations, their copula.
4. Under the tilt t resample b has the weight W_b(t), as in `tilting`, and F(t) is the share of the
   weight, normalised, of the resamples whose t_b of the winner is at most the observed t_0.
5. p(t) = 1 - H(F(t)), the probability that the best of m looks at least as good as the winner did.
6. t* is where p falls below 1 - level; the bound is the winner's performance under the weights
   w_i(t*).

p is a step function, so t* lies at a step, on its cautious side. The optimistic end, where one is
asked for, is tilted with m = 1: the best of several is never too low, so nothing is to be adjusted.

Source: Rink & Brannath 2025 and their code; Paraschakis et al. 2024.
"""

from __future__ import annotations

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
from bbccli.types import FloatArray, IntArray


def mabt(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the performance of the best preselected configuration, with a MABT interval.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Measures, and selects.
    plan
        `evaluation_share`, `n_resamples` B or `tolerance`, `level`, `side`, `pooling` of the
        preselection, `seed` of split and resamples.
    select_by
        Metric that selects, when that is another.

    Returns
    -------
    Estimate
        The winner's performance on the evaluation samples, which chose it: too good. The interval
        accounts for that.

    Raises
    ------
    UndefinedError
        The samples can't be split, or the metric is undefined on a side of the split.

    Notes
    -----
    With n evaluation samples: time O((B m + n) n), then O(B) for each tilt tried.

    References
    ----------
    Rink & Brannath 2025.
    """
    selector = select_by or metric
    finalist = choose(matrix, selector, plan, preselect=True)
    winner = np.array([finalist.winner])
    return estimate(
        matrix,
        metric,
        plan,
        finalist,
        tail,
        method="mabt",
        selected_by=selector,
        columns=winner if finalist.preselected is None else np.sort(finalist.preselected),
        level=plan.level,
        progress=progress,
    )


def tail(replicates: Replicates, pessimistic: bool = True) -> Tail:
    """Return p of each tilt: how often the best of m looks at least as good as the winner did."""
    own = replicates.values[:, replicates.column]
    judged = replicates.values if pessimistic else own[:, None]
    n_resamples = len(own)
    highest = np.sort(np.max([ranks(column) for column in judged.T], axis=0))
    beaten = own <= replicates.observed + rounding(own)

    def p(tilt: float) -> float:
        logarithms = importance(replicates.influence, replicates.totals, tilt)
        weights = np.exp(logarithms - logarithms.max())
        share = weights[beaten].sum() / weights.sum()
        below = np.searchsorted(highest, share * (n_resamples + 1), side="right")
        return float(n_resamples - below) / n_resamples

    return p


def ranks(values: FloatArray) -> IntArray:
    """Rank of each of B values, from 1; those that are equal up to rounding share the highest.

    What is undefined has the rank 0: it is never the best.
    """
    known = values[~np.isnan(values)]
    found = np.searchsorted(np.sort(known), values + rounding(known), side="right")
    return np.where(np.isnan(values), 0, found)


METHOD = Method(
    name="mabt",
    label="split, best of 10 %",
    run=mabt,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="tilting adjusted for the choice among preselected configurations (MABT)",
    reference="Rink & Brannath 2025",
)
