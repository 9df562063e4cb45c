"""BBC-F, bootstrap bias corrected cross-validation, over folds.

Formula: as for BBC, with folds in place of samples and means over folds in place of performances.

Algorithm:

1. Compute the performance of each configuration in each of the F folds.
2. Select the winner by its mean over folds, whatever `--pooling` says. That mean is the naive
   performance.
3. Draw F of the F folds with replacement. Draws that contain every fold leave nothing out and are
   discarded.
4. Select the configuration with the best mean over the drawn folds, each as often as it was drawn.
5. Score it by its mean over the folds that were not drawn.
6. The estimate is the mean over all draws; their percentiles make the interval.

Few draws are distinct: C(2F - 1, F) - 1, which is 9 for F = 3, 125 for F = 5 and 92,377 for F = 10.
Up to ten folds all are enumerated, each with its probability, so seed and number of resamples do
not matter. With more folds B draws are sampled. With repeats, see [the decision](#decisions).

Assumptions: those above, and folds of about equal size.

When to use: with 8 folds or more, for metrics that are means over folds by nature, or if N C is
large: [with 10 folds](../benchmarks/validation-tables.md#ten-folds) its intervals cover as often as
those of `bbc`. When not: if the metric is undefined in a fold, or far from a mean, as R2 is; or
with 5 folds or fewer, since the interval rests on a handful of values: with the 5 folds of [the
bank](validation.md) it covered less often than that of `bbc` and scored worse.

Cost: time O(M F C) for M draws, whatever N, once the performances in the folds are known.

Source: Paraschakis et al. 2024, section 2, Algorithm 1, and the authors' code.
"""

from __future__ import annotations

from bbccli.methods.base import DISTRIBUTION, Method, Need
from bbccli.notes import folds_within_repeats
from bbccli.stats.bootstrap.bbc_folds import out_of_bag
from bbccli.stats.bootstrap.summary import from_distribution
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
    distribution = out_of_bag(case, judged, measured)
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
