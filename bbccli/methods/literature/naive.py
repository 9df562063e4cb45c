"""The naive bootstraps, of rows and of folds.

## naive

NB, the naive bootstrap of the winner's rows, which ignores the selection.

Formula: the estimate is m_w; the percentiles of m_w(in bag b) over B resamples make the interval.

Algorithm:

1. Select the winner w and its naive performance m_w as `cvt` does.
2. B times: draw N of the N rows (G of the G groups) with replacement: the same draws as `bbc`.
3. Score w on the drawn rows, each as often as it was drawn. An undefined resample (an AUC without
   one of the classes) is drawn again.
4. The percentiles of the B performances make the interval.

Assumptions: the winner was not selected. In the simulations of Paraschakis et al. 2024 the
one-sided 95% bound of a naive bootstrap covered the truth in about a third of the cases.

When to use: for one configuration, with any metric; or to show the effect of the correction, since
`naive` and `bbc` differ only by the selection. When not: for a selected winner.

Paraschakis et al. resample folds (`naive-f`). Rows are resampled here because folds are few and
coarse, and stratified ones more alike than random samples of their size: in our four test sets the
fold bootstrap has 0.54 to 1.14 times the standard deviation of the row bootstrap.

Cost: time O(B N), whatever C.

Source: Efron & Tibshirani 1993; Paraschakis et al. 2024.

## naive-f

NB over folds, as in the 2024 paper.

Formula: the percentiles of (1/F) Σ_j m_w,k(j) over all draws k(1), …, k(F) of the folds with
replacement make the interval.

Algorithm:

1. Select the winner by its mean over folds. That mean is the estimate: nothing is corrected.
2. Draw F of its F performances in the folds with replacement, and take their mean.
3. The percentiles of that mean over all draws make the interval, the draw of every fold among them.
   Up to ten folds all C(2F - 1, F) different draws are taken, each with its probability: no seed.
   Beyond ten, B are sampled. With repeats, each resample draws the folds of one repeat, and the
   distributions are mixed in equal parts.

Assumptions: as for `naive`; and folds that are independent. They share training samples, and
stratification makes them alike.

When to use: to compare with the published study. When not: otherwise; an interval from ten numbers
looks more exact than it is.

Cost: nothing beyond the performances in the folds.

Source: Paraschakis et al. 2024, and the authors' code.
"""

from __future__ import annotations

from bbccli.methods.base import DISTRIBUTION, Method, Need
from bbccli.stats.bootstrap.bbc_folds import of_one
from bbccli.stats.bootstrap.bbc_samples import of_winner
from bbccli.stats.bootstrap.summary import from_distribution
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection.rule import winner_by_fold
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
