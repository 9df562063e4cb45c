"""The naive bootstraps, of samples and of folds.

## naive

NB, the naive bootstrap of the winner's samples.

Formula: the estimate is m_w; the percentiles of m_w(in bag b) over B resamples make the interval.

Algorithm: select the winner w as `cvt` does, and score it in B bags, the same draws as those of
`bbc`. An undefined resample is drawn again.

Assumptions: the winner was not selected. Otherwise its one-sided 95% bound covered the truth in
about a third of the simulations of Paraschakis et al. 2024.

When to use: for a single configuration, with any metric; or to show the effect of the correction:
`naive` and `bbc` differ only by the selection. When not: for a selected winner.

Cost: O(B N), whatever C.

Source: Efron & Tibshirani 1993; Paraschakis et al. 2024, who resample folds (`naive-f`).

## naive-f

NB over folds, as in the 2024 paper.

Formula: the percentiles of (1/F) Σ_j m_w,k(j) over all draws k(1), …, k(F) of the folds with
replacement make the interval.

Algorithm: select the winner by its mean over folds; that mean is the estimate. Up to ten folds all
C(2F - 1, F) draws are taken, each with its probability; beyond ten, B are sampled. With repeats,
each draw takes the folds of one repeat.

Assumptions: those of `naive`, and independent folds; they share training samples, and
stratification makes them alike.

When to use: to compare with the published study. When not: otherwise: ten numbers make an interval
that looks more exact than it is.

Cost: nothing beyond the scores in the folds.

Source: Paraschakis et al. 2024, and the authors' code.
"""

from __future__ import annotations

from bbccli.methods.base import DISTRIBUTION, Method, Need
from bbccli.stats.bootstrap import from_distribution
from bbccli.stats.bootstrap.bbc_folds import of_one
from bbccli.stats.bootstrap.bbc_samples import of_winner
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection import winner_by_fold
from bbccli.stats.selection.units import on_few_folds
from bbccli.types import Pooling


def of_folds(case: Case) -> Answer:
    """Return the mean over folds with an interval of means of drawn folds.

    Raises UndefinedError: the metric is undefined in some fold.
    """
    repeats = winner_by_fold(case.matrix, case.metric, case.choice.winner)
    return from_distribution(
        case,
        of_one(case, repeats, case.choice.winner),
        value=case.choice.naive,
        n_drawn=len(repeats[0]),
        notes=on_few_folds(case.matrix),
    )


METHODS = (
    Method(
        name="naive",
        label="rows",
        answer=of_winner,
        gives=DISTRIBUTION,
        summary="bootstrap of the winner's rows, no correction",
        reference="Efron & Tibshirani 1993; NB of Paraschakis et al. 2024",
        ignores_selection=True,
    ),
    Method(
        name="naive-f",
        label="folds",
        answer=of_folds,
        gives=DISTRIBUTION,
        summary="bootstrap of the winner's performances in the folds, no correction",
        reference="NB of Paraschakis et al. 2024",
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
        ignores_selection=True,
    ),
)
