"""Influence-function interval of the winner's cross-validated performance.

1. Select the winner and its naive performance m as cvt does. That is the estimate.
2. The influence d_i of sample i is the derivative of m by the relative weight of the sample, by
   central differences: with every sample M times, d_i = M / 2 (m with i once more - m with i once
   less). With repeats and fold means m is the mean over them, and so is d_i.
3. The standard error is sqrt(sum_i d_i^2). Samples in groups are weighted together: the sum runs
   over groups, which are independent where their samples are not.
4. The interval is m -+ z times the standard error, with the normal quantile z.

For the mean over folds of the AUC this is LeDell's interval: a case i of fold v has
d_i = (share of the fold's controls below i - AUC_v) / (V n1_v), and where every fold has the same
numbers of cases and controls the sum of squares is her variance. For the accuracy it is
Wald's interval, and for the pooled AUC DeLong's with N for N - 1. Any other metric that changes
smoothly with the weights has one the same way; a median has none.

Source: LeDell, Petersen & van der Laan 2015; Efron 1982, chapter 6 (infinitesimal jackknife).
"""

from __future__ import annotations

import numpy as np

from bbccli import kernels, resources
from bbccli.bootstrap.drawing import WEIGHT_BYTES
from bbccli.intervals import normal
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, on_few_groups
from bbccli.methods.cvt import cvt
from bbccli.methods.winner import alone
from bbccli.metrics.base import Metric, Scorer
from bbccli.notes import no_interval
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.selection.candidates import candidates
from bbccli.types import FloatArray, IntArray, distinct

COPIES = 1000
"""M, weight of every sample before one is changed by 1: a small step in whole numbers."""

ROUNDING = 1e-9
"""Share of the performance below which a standard error is rounding."""

ROUGH = 0.1
"""Share by which the change of a smooth metric never differs from the sum of the changes."""


def influence(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the winner's naive performance with an interval from influence values.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Must change smoothly with the weights of the samples.
    plan
        `level` and `side`; `pooling`: with fold-mean, LeDell's cross-validated performance.
    select_by
        Metric that selects the winner, when that is another.

    Returns
    -------
    Estimate
        The naive figure, and an interval that ignores the selection; no interval where the metric
        jumps, or where no sample has any influence on it, and a note that says so.

    Notes
    -----
    Time O(N^2), of groups O(G N), once the winner is known.

    References
    ----------
    LeDell, Petersen & van der Laan 2015; Efron 1982, chapter 6.
    """
    naive = cvt(matrix, metric, plan, select_by=select_by)
    winner = np.array([matrix.configurations.index(naive.winner)])
    scorer = candidates(matrix, metric, plan.pooling).bind(winner)
    units = np.arange(matrix.n_samples) if matrix.groups is None else matrix.groups
    n_scored = 2 * len(distinct(units)) * matrix.n_samples * metric.n_sweeps(matrix.n_samples)
    with resources.use(kernels.decide(n_scored)):
        above, below = _changes(scorer, units, progress)
    changes = (above + below) / 2
    if np.abs(changes).max() <= ROUNDING * abs(naive.value):
        why = f"no sample changes the {metric.label} when it counts a little more or less"
        return alone(naive, METHOD.name, None, (no_interval(METHOD.name, why),))
    if not _adds_up(scorer, units, above):
        why = f"the {metric.label} jumps when a sample counts a little more or less"
        return alone(naive, METHOD.name, None, (no_interval(METHOD.name, why),))
    error = float(np.sqrt((changes**2).sum()))
    interval = normal(naive.value, error, metric.within(matrix.outcome), plan)
    return alone(naive, METHOD.name, interval, on_few_groups(matrix))


def _changes(scorer: Scorer, units: IntArray, progress: Progress) -> FloatArray:
    """Derivatives (2, U) of the performance by the weight of each unit, upwards and downwards."""
    names = distinct(units)
    base, first = _base(units), np.zeros(1, np.int64)
    middle = scorer.paired(base, first)
    changes = np.empty((2, len(names)))
    step = max(resources.current().memory // (2 * len(units) * WEIGHT_BYTES), 1)
    for start in range(0, len(names), step):
        rows = slice(start, start + step)
        members = (units == names[rows, None]).astype(np.uint16)
        columns = np.zeros(len(members), np.int64)
        changes[0, rows] = COPIES * (scorer.paired(base + members, columns) - middle)
        changes[1, rows] = COPIES * (middle - scorer.paired(base - members, columns))
        progress(min(start + step, len(names)), len(names))
    return changes


def _adds_up(scorer: Scorer, units: IntArray, changes: FloatArray) -> bool:
    """Whether what improves one by one improves as much all together: the metric is smooth."""
    raised = changes > 0
    members = np.isin(units, distinct(units)[raised]).astype(np.uint16)
    base, first = _base(units), np.zeros(1, np.int64)
    together = COPIES * (scorer.paired(base + members, first) - scorer.paired(base, first))[0]
    one_by_one = changes[raised].sum()
    return bool(abs(together - one_by_one) <= ROUGH * np.abs(changes).sum())


def _base(units: IntArray) -> IntArray:
    """Weights (1, N) of M for each sample."""
    return np.full((1, len(units)), COPIES, np.uint16)


METHOD = Method(
    name="influence",
    label="rows",
    run=influence,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="normal interval from the samples' influence on the winner's performance",
    reference="LeDell, Petersen & van der Laan 2015",
    ignores_selection=True,
)
