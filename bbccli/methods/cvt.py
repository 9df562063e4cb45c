"""The naive figure, and its corrections over the folds.

## cvt

CVT, cross-validation with tuning: the naive score.

Formula: m_w, where m_c is the score of configuration c and w is the first of the best.

Algorithm: score each configuration on its out-of-sample predictions, pooled or as the mean over
folds, averaged over repeats; [select](#selection) w.

When to use: to see an uncorrected report. When not: as a result, unless there is only one
configuration. The more configurations, the closer their scores and the fewer the samples, the more
optimistic it is.

Cost: one evaluation of the metric per configuration.

Source: Tsamardinos et al. 2018, Algorithm 2.

## tt

TT, the correction of Tibshirani and Tibshirani, from the folds alone.

Formula, with m_kc the score of configuration c in fold k and m̄_c its mean over folds, for a metric
that is maximised:

```text
w = first c with the best m̄_c,   optimism = (1/F) Σ_k ( max_c m_kc - m_kw )
estimate = m̄_w - optimism
```

Algorithm: select w by its mean over folds, whatever `--pooling` says. The optimism is the mean lead
of each fold's best configuration over w, over the folds of all repeats.

Assumptions: a fold's best is ahead of the winner there by as much as the winner's score exceeds its
true one. With small folds and many configurations the estimate may leave the metric's bounds
([beyond-bounds](notes.md#beyond-bounds)).

Evidence: with the 5 folds of [the bank](validation.md) it is hardly biased; [with
10](../benchmarks/validation-tables.md#ten-folds) it is too strict by .59 RMSEs of `bbc`, and its
own RMSE is 1.32 times as large.

When to use: as a quick second opinion. When not: with few or small folds, whose scores are coarse
or undefined.

Cost: one evaluation per fold and configuration.

Source: Tibshirani & Tibshirani 2009, equation 4; Tsamardinos et al. 2018, Algorithm 4.

## bbc-f

BBC-F, bootstrap bias corrected cross-validation, over folds.

Formula: as for `bbc`, with folds in place of samples and means over folds in place of scores.

Algorithm:

1. Select the winner by its mean over the F folds, whatever `--pooling` says.
2. Draw F of the F folds with replacement; a draw of all folds leaves nothing out and is discarded.
3. Select the configuration with the best mean over the drawn folds, and score it by its mean over
   the others.
4. The estimate is the mean over all draws; their percentiles make the interval.

C(2F - 1, F) - 1 draws are distinct: 9 for F = 3, 125 for F = 5, 92,377 for F = 10. Up to ten folds
all are enumerated, each with its probability, so there is no Monte Carlo error; with more folds B
are sampled. Each repeat is drawn by itself, and the distributions are mixed.

Assumptions: those above, and folds of about equal size.

Evidence: [with 10 folds](../benchmarks/validation-tables.md#ten-folds) its intervals cover as often
as those of `bbc`; with the 5 of [the bank](validation.md) less often.

When to use: with 8 folds or more, for metrics that are means over folds by nature, or if N C is
large. When not: with 5 folds or fewer, which leave a handful of values for the interval; if the
metric is undefined in a fold, or far from a mean, like R².

Cost: O(M F C) for M draws, whatever N.

Source: Paraschakis et al. 2024, section 2, Algorithm 1, and the authors' code.
"""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.methods.base import DISTRIBUTION, POINT, Method, Need, check_best
from bbccli.notes.methods import beyond_bounds, folds_within_repeats
from bbccli.stats.bootstrap import from_distribution
from bbccli.stats.bootstrap.bbc_folds import out_of_folds
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection import winner_by_fold
from bbccli.stats.selection.candidates import fold_performances
from bbccli.stats.selection.units import on_few_folds
from bbccli.types import Pooling


def naive_figure(case: Case) -> Answer:
    """Return the naive figure itself; its optimism is 0 by construction."""
    return Answer(case.choice.naive)


def gain_over_folds(case: Case) -> Answer:
    """Return the mean over folds less the mean gain of each fold's best over the winner.

    Raises UndefinedError: the metric is undefined in some fold, such as the AUC of leave-one-out
        folds.
    Raises UnsupportedError: a rule of selection other than the best.
    """
    check_best(case)
    metric, choice = case.metric, case.choice
    winner_by_fold(case.matrix, metric, choice.winner)  # raises where it is undefined
    by_fold = np.concatenate(fold_performances(case.matrix, metric))
    judged = np.concatenate(fold_performances(case.matrix, case.selector))
    best = by_fold[np.arange(len(by_fold)), case.selector.direction.best(judged)]
    optimism = float(np.mean(metric.direction.gain(best, by_fold[:, choice.winner])))
    if np.isnan(optimism):
        raise UndefinedError(
            f"{metric.label} is undefined in some fold for the configuration that wins there",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    value = choice.naive - metric.direction.sign * optimism
    notes, (low, high) = on_few_folds(case.matrix), case.bounded.bounds
    if not low <= value <= high:
        notes += (beyond_bounds(case.method, value, metric.label, low, high),)
    return Answer(value, notes=notes)


def over_folds(case: Case) -> Answer:
    """Return the mean of the performances on the folds left out, and their interval.

    Raises UndefinedError: the metric is undefined in some fold.
    """
    _ = case.choice  # raises where it is undefined on all samples
    judged, measured = (fold_performances(case.matrix, m) for m in (case.selector, case.metric))
    distribution = out_of_folds(case, judged, measured)
    repeated = (folds_within_repeats(case.matrix.n_repeats),) if case.matrix.n_repeats > 1 else ()
    notes = on_few_folds(case.matrix) + repeated
    return from_distribution(case, distribution, n_drawn=len(judged[0]), notes=notes)


METHODS = (
    Method(
        name="cvt",
        label="naive, too good",
        answer=naive_figure,
        gives=POINT,
        makes=True,
        summary="performance of the winner as selected: optimistic, shown for comparison",
        reference="Tsamardinos et al. 2018, Algorithm 2",
    ),
    Method(
        name="tt",
        label="corrected",
        answer=gain_over_folds,
        gives=POINT,
        summary="mean over folds less the mean gain of each fold's best over the winner",
        reference="Tibshirani & Tibshirani 2009; Tsamardinos et al. 2018, Algorithm 4",
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
    ),
    Method(
        name="bbc-f",
        label="corrected, folds",
        answer=over_folds,
        gives=DISTRIBUTION,
        summary="select in bootstrap resamples of the folds, score on the folds left out",
        reference="Paraschakis et al. 2024, section 2, Algorithm 1",
        done=(
            "the selection was repeated on {resamples} of the folds, and each winner was "
            "scored on the folds left out"
        ),
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
    ),
)
