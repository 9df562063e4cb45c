"""HM: the AUC of samples that took no part in the selection, with Hanley and McNeil's interval.

1. Split the samples, and select the winner on those of the selection (split.py).
2. With A its AUC on M positive and N negative evaluation samples, Q1 = A / (2 - A) and
   Q2 = 2 A^2 / (1 + A), the variance is

   (A (1 - A) + (M - 1) (Q1 - A^2) + (N - 1) (Q2 - A^2)) / (M N).

3. The interval is normal, clipped to [0, 1].

Q1 and Q2 are what two exponential distributions of scores give. The formula looks at the AUC and
the counts alone, not at the scores, and holds for samples that are independent.

`hanley-mcneil-10p` preselects the best tenth of the configurations on the selection samples,
selects the best of them on the evaluation samples, and computes the interval at the level of
Šidák.

Source: Hanley & McNeil 1982; Paraschakis et al. 2024, whose code puts the counts of right and
wrong predictions in the place of M and N, and M + 1 in that of M - 1.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.areas import hanley_mcneil_variance
from bbccli.errors import UnsupportedError
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method
from bbccli.metrics.base import Metric
from bbccli.metrics.ranking import AUC
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.splitting.auc_interval import auc_estimate
from bbccli.splitting.split import performance
from bbccli.types import BoolArray, Pooling


def hanley_mcneil(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
    preselect: bool = False,
) -> Estimate:
    """Return the winner's AUC on the evaluation samples, with Hanley and McNeil's interval.

    Parameters
    ----------
    matrix
        Of two classes, with scores or probabilities, without groups.
    metric
        The AUC.
    plan
        `evaluation_share`, `seed` of the split, `pooling` of the selection, `level`, `side`.
    select_by
        Metric that selects, when that is another.
    preselect
        Let the evaluation samples select among the best tenth of the configurations.

    Returns
    -------
    Estimate
        Without an interval, and with a note, where fewer than two samples of a class evaluate. A
        perfect AUC has no variance: the interval has no width, and a note says so.

    Raises
    ------
    UnsupportedError
        Another metric, class labels instead of scores, sample weights or groups.
    UndefinedError
        The samples can't be split, or the AUC is undefined on a side of the split.

    References
    ----------
    Hanley & McNeil 1982, equation 1; Paraschakis et al. 2024.
    """
    method = "hanley-mcneil-10p" if preselect else "hanley-mcneil"
    if matrix.groups is not None:
        raise UnsupportedError(
            f"{method} is for independent samples; these come in groups",
            hint="use delong, whose variance takes groups, or bbc: --method bbc",
        )
    return auc_estimate(
        matrix, metric, plan, select_by, _variance, method=method, preselect=preselect
    )


def _variance(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> float:
    """Variance of a configuration's AUC on some samples (N,)."""
    auc = performance(matrix, AUC, Pooling.POOLED, configuration, rows)
    known = rows[None]
    if matrix.available is not None:
        known = rows & matrix.available[:, :, configuration]
    # of the samples that a configuration predicts, where repeats differ in that: the mean
    counts = [float(np.mean((known & (matrix.outcome.values == k)).sum(axis=1))) for k in (1, 0)]
    return hanley_mcneil_variance(auc, *counts)


METHOD = Method(
    name="hanley-mcneil",
    label="split",
    run=hanley_mcneil,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="AUC on held-out samples, with Hanley and McNeil's interval",
    reference="Hanley & McNeil 1982; Paraschakis et al. 2024",
)

METHOD_10P = Method(
    name="hanley-mcneil-10p",
    label="split, best of 10 %",
    run=partial(hanley_mcneil, preselect=True),
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="as hanley-mcneil, for the best of preselected configurations, at Šidák's level",
    reference="Hanley & McNeil 1982; Paraschakis et al. 2024",
)
