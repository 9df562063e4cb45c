"""BBC-F: bootstrap bias corrected cross-validation, over folds.

1. Compute the performance of each configuration in each of the F folds.
2. Select the winner by its mean over folds: its mean is the naive performance.
3. B times: draw F of the F folds with replacement. A draw of every fold is drawn again.
4. Select the configuration with the best mean over the drawn folds, with multiplicity.
5. Score it by its mean over the folds that were not drawn.
6. The estimate is the mean of the B performances, the interval their percentiles.

With R repeats, each resample draws the folds of one repeat, B resamples from each. Drawing from
all R F folds together would select on the very samples that it scores: each sample lies in one
fold of every repeat.

Source: Paraschakis et al. 2024, section 2.3 and the authors' code.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.intervals import percentile
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, Progress, check_needs, silent
from bbccli.methods.cvt import cvt
from bbccli.methods.out_of_bag import winners_out_of_bag
from bbccli.methods.selection import fold_performances
from bbccli.methods.tt import FEW_FOLDS
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.notes import Note, few_folds, partial_folds
from bbccli.plan import Plan
from bbccli.resampling import ResampleStream, Unit, leaves_some_out
from bbccli.results import Distribution, Estimate
from bbccli.types import Pooling


def bbc_f(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, *, progress: Progress = silent
) -> Estimate:
    """Return the BBC-F estimate of the winner's performance, in the metric's unit.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations, with F folds.
    metric
        Must be defined in every fold.
    plan
        `n_resamples` B, `level` and `side` of the interval, `seed`. The winner is always the best
        fold mean, whatever `pooling` says.

    Returns
    -------
    Estimate
        Mean and percentile interval of the out-of-bag performances.

    Raises
    ------
    UndefinedError
        Folds unknown, fewer than two, or some in which the metric is undefined.

    Notes
    -----
    Time O(B F C) once the fold performances are known.

    References
    ----------
    Paraschakis, Castellani, Borboudakis & Tsamardinos 2024, section 2.3.
    """
    check_needs(METHOD, matrix)
    naive = cvt(matrix, metric, _by_fold_mean(plan))
    parts = [
        winners_out_of_bag(
            MeanScorer.of(by_fold),
            ResampleStream(len(by_fold), seed=plan.seed, unit=Unit.FOLDS, accept=leaves_some_out),
            metric.direction,
            plan.n_resamples,
            progress=progress,
        )
        for by_fold in fold_performances(matrix, metric)
    ]
    distribution = _mixture(parts)
    return Estimate(
        method="bbc-f",
        metric=metric.name,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=distribution.mean(),
        interval=percentile(distribution, metric, plan),
        distribution=distribution,
        plan=plan,
        notes=naive.notes + _notes(matrix),
    )


def _by_fold_mean(plan: Plan) -> Plan:
    return replace(plan, pooling=Pooling.FOLD_MEAN)


def _mixture(parts: list[Distribution]) -> Distribution:
    return Distribution(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.winners for part in parts]),
    )


def _notes(matrix: PredictionMatrix) -> tuple[Note, ...]:
    notes = []
    if matrix.n_folds and matrix.n_folds < FEW_FOLDS:
        notes.append(few_folds(matrix.n_folds))
    if matrix.n_repeats > 1:
        notes.append(partial_folds(matrix.n_repeats))
    return tuple(notes)


METHOD = Method(
    name="bbc-f",
    label="corrected, folds",
    run=bbc_f,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="select in bootstrap resamples of the folds, score on the folds left out",
    reference="Paraschakis et al. 2024, section 2.3",
)
