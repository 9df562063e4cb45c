"""NB over folds: resample the winner's performances in the folds.

1. Select the winner by its mean over folds. That mean is the estimate: nothing is corrected.
2. Draw F of its F performances in the folds with replacement, and take their mean.
3. The interval is made of the percentiles of that mean over all draws.

Up to ten folds all C(2F - 1, F) different draws are taken, each with its probability; beyond, B
are sampled. With repeats, each resample draws the folds of one repeat, and the distributions are
mixed in equal parts.

Source: NB of Paraschakis et al. 2024 and the authors' code.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.bootstrap.out_of_bag import Selections, bootstrap
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs, on_few_folds
from bbccli.methods.bbc_f import EXACT_LIMIT, mixture
from bbccli.methods.corrected import enough, from_distribution
from bbccli.methods.cvt import cvt
from bbccli.methods.naive import uncorrected
from bbccli.methods.winner import winner_by_fold
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.resampling import (
    Draws,
    Resamples,
    Unit,
    any_draw,
    count_every_resample,
    every_resample,
)
from bbccli.results import Distribution, Estimate
from bbccli.types import FloatArray, IntArray, Pooling


def naive_f(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the winner's mean over folds with a bootstrap interval over its folds.

    Parameters
    ----------
    matrix
        Out-of-sample predictions, with F folds.
    metric
        Must be defined in every fold.
    plan
        `level` and `side`; `n_resamples` or `tolerance`, and `seed`, where draws are sampled. The
        winner is the best fold mean, whatever `pooling` says.
    select_by
        Metric that selects the winner, when that is another.

    Returns
    -------
    Estimate
        The mean over folds and a percentile interval that ignores the selection.

    Raises
    ------
    UndefinedError
        Folds unknown, fewer than two, or some in which the metric is undefined.

    References
    ----------
    Paraschakis, Castellani, Borboudakis & Tsamardinos 2024.
    """
    check_needs(METHOD, matrix)
    by_mean = replace(plan, pooling=Pooling.FOLD_MEAN)
    plain = cvt(matrix, metric, by_mean, select_by=select_by)
    repeats = winner_by_fold(matrix, metric, plain)
    exact = max(count_every_resample(len(values)) for values in repeats) <= EXACT_LIMIT
    if exact:
        distribution = mixture([_enumerate(values) for values in repeats])
    else:
        distribution = enough(
            lambda n: mixture(
                [
                    _sample(values, n, plan.seed, repeat, progress)
                    for repeat, values in enumerate(repeats)
                ]
            ),
            matrix,
            metric,
            plan,
        )
    winners = np.full(len(distribution.values), matrix.configurations.index(plain.winner))
    few = on_few_folds(matrix)
    return uncorrected(
        from_distribution(
            matrix,
            metric,
            replace(plan, tolerance=None) if exact else plan,
            plain,
            replace(distribution, winners=winners),
            method="naive-f",
            value=plain.value,
            n_drawn=len(repeats[0]),
            notes=few,
        )
    )


def _enumerate(values: FloatArray) -> Distribution:
    """Every mean of F draws from F values."""
    drawn, probabilities = every_resample(len(values), any_draw)
    means = drawn @ values / len(values)
    return Distribution(means, np.zeros(len(means), np.int64), probabilities)


def _sample(
    values: FloatArray,
    n_resamples: int,
    seed: int,
    repeat: int,
    progress: Progress,
) -> Distribution:
    """B means of F draws from F values, those of one repeat."""
    draws = Draws(len(values), seed, (Unit.FOLDS, repeat), any_draw)

    def score(drawn: Resamples) -> tuple[IntArray, FloatArray]:
        return np.zeros(len(drawn), np.int64), drawn.in_bag @ values / len(values)

    return bootstrap(Selections(), n_resamples, draws, score, progress=progress)


METHOD = Method(
    name="naive-f",
    label="folds",
    run=naive_f,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="bootstrap of the winner's performances in the folds, no correction",
    reference="NB of Paraschakis et al. 2024",
    ignores_selection=True,
)
