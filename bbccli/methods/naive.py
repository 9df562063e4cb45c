"""NB, the naive bootstrap: resample the rows of the winner as if it had not been selected.

1. Select the winner and its naive performance as cvt does. That is the estimate.
2. B times: draw N of the N rows with replacement, or G of the G groups; the draws are those of BBC.
3. Score the winner on the drawn rows, each as often as it was drawn. A draw in which it has no
   performance (an AUC without one of the classes) is drawn again.
4. The interval is made of the percentiles of the B performances.

Nothing is selected in the resamples, so the interval knows nothing of the winner's curse.

Source: NB of Paraschakis et al. 2024, here over rows; naive-f is theirs, over folds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.bootstrap.out_of_bag import Selections, bootstrap
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method
from bbccli.methods.bbc import notes_on_draws
from bbccli.methods.corrected import enough, from_distribution
from bbccli.methods.cvt import cvt
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.resampling import Resamples, any_draw, draws_of
from bbccli.results import Estimate
from bbccli.selection.candidates import cached, candidates
from bbccli.types import FloatArray, IntArray


def naive(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the winner's naive performance with a bootstrap interval that ignores the selection.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples.
    metric
        Measures; a resample in which it is undefined for the winner is drawn again.
    plan
        `n_resamples` B or `tolerance`, `level` and `side` of the interval, `pooling`, `seed`.
    select_by
        Metric that selects the winner, when that is another.

    Returns
    -------
    Estimate
        The naive figure and the percentile interval of B performances on resampled rows.

    Raises
    ------
    UndefinedError
        The winner is undefined in nearly every resample.

    Notes
    -----
    Time O(B N), whatever C, once the winner is known.

    References
    ----------
    Paraschakis, Castellani, Borboudakis & Tsamardinos 2024.
    """
    plain = cvt(matrix, metric, plan, select_by=select_by)
    winner = matrix.configurations.index(plain.winner)
    measured = candidates(matrix, metric, plan.pooling)
    draws = draws_of(matrix.n_samples, matrix.groups, plan.seed, any_draw)
    found = cached(matrix, ("naive", metric, winner, plan.pooling, plan.seed), Selections)

    def score(drawn: Resamples) -> tuple[IntArray, FloatArray]:
        winners = np.full(len(drawn), winner)
        return winners, measured.paired(drawn.in_bag, winners)

    n_sweeps = metric.n_sweeps(matrix.n_samples)
    distribution = enough(
        lambda n: bootstrap(found, n, draws, score, n_sweeps=n_sweeps, progress=progress),
        matrix,
        metric,
        plan,
    )
    return uncorrected(
        from_distribution(
            matrix,
            metric,
            plan,
            plain,
            distribution,
            method="naive",
            value=plain.value,
            notes=notes_on_draws(matrix, metric, distribution),
        )
    )


def uncorrected(estimate: Estimate) -> Estimate:
    """Return the estimate of a winner that was not selected in the resamples."""
    return replace(estimate, selection=(), ignores_selection=True)


METHOD = Method(
    name="naive",
    label="rows",
    run=naive,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="bootstrap of the winner's rows, no correction",
    reference="Efron & Tibshirani 1993; NB of Paraschakis et al. 2024",
    ignores_selection=True,
)
