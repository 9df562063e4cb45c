"""BBC-F, bootstrap bias corrected cross-validation, over folds.

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

from bbccli.methods.base import DISTRIBUTION, Method, Need
from bbccli.notes.methods import folds_within_repeats
from bbccli.stats.bootstrap import from_distribution
from bbccli.stats.bootstrap.bbc_folds import out_of_folds
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection.candidates import fold_performances
from bbccli.stats.selection.units import on_few_folds
from bbccli.types import Pooling


def run(case: Case) -> Answer:
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
        name="bbc-f",
        label="corrected, folds",
        answer=run,
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
