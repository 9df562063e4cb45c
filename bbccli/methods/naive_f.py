"""NB over folds, as in the 2024 paper.

Formula: the interval is made of the percentiles of (1/F) Σ_j m_w,k(j) over all draws k(1), …, k(F)
of the folds with replacement.

Algorithm:

1. Select the winner by its mean over folds. That mean is the estimate: nothing is corrected.
2. Draw F of its F performances in the folds with replacement, and take their mean.
3. The interval is made of the percentiles of that mean over all draws, the draw of every fold among
   them. Up to ten folds all C(2F - 1, F) different draws are taken, each with its probability: no
   seed. Beyond, B are sampled. With repeats, each resample draws the folds of one repeat, and the
   distributions are mixed in equal parts.

Assumptions: as for `naive`; and folds that are independent. They share training samples, and
stratification makes them alike.

When to use: to compare with the published study. When not: else; an interval from ten numbers that
looks exact is still one from ten numbers.

Cost: nothing beyond the performances in the folds.

Source: Paraschakis, Castellani, Borboudakis & Tsamardinos 2024, and the authors' code.
"""

from __future__ import annotations

from bbccli.bootstrap.of_folds import of_one
from bbccli.bootstrap.summary import from_distribution
from bbccli.case import Answer, Case
from bbccli.methods.base import DISTRIBUTION, Method, Need
from bbccli.selection.choice import winner_by_fold
from bbccli.selection.units import on_few_folds
from bbccli.types import Pooling


def run(case: Case) -> Answer:
    """Return the mean over folds with an interval of means of drawn folds.

    Raises
    ------
    UndefinedError
        The metric is undefined in some fold.
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
        name="naive-f",
        label="folds",
        answer=run,
        gives=DISTRIBUTION,
        summary="bootstrap of the winner's performances in the folds, no correction",
        reference="NB of Paraschakis et al. 2024",
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
        ignores_selection=True,
    ),
)
