"""BBC over samples, and what moves it towards the figure of its winner.

## bbc

BBC, bootstrap bias corrected cross-validation, over samples: the default to report.

Formula: the estimate is (1/B) Σ_b m(w_b; out of bag b), where w_b is the winner in bag b.

Algorithm:

1. Select the winner and its naive score as `cvt` does.
2. B times, draw N of the N samples with replacement: the bag. A sample is drawn with its
   predictions of all repeats, groups are drawn whole, and [unusable draws](#redrawn-resamples) are
   repeated.
3. Select the best configuration in the bag, by the rule of step 1, and score it on the samples out
   of the bag.
4. The estimate is the mean of the B scores; their percentiles make the interval.

Size correction: a bag leaves out about 0.37 N samples, and the expectation of some metrics depends
on that number: average precision, F scores, Jaccard, MCC, kappa, RMSE, R², the median error,
correlations. For these, estimate and scores are reduced by delta, with s_c the share of the
resamples that c wins; `--no-size-correction` leaves it out, like the paper:

```text
delta = Σ_c s_c ((1/B) Σ_b m(c; out of bag b) - m(c; all samples))
```

Of fewer than about 20 samples, delta of R² can exceed what it corrects: then the distances from 1
are multiplied by a ratio instead, with a [doubt](notes.md#few-left-out).

Assumptions: those above; and, with pooled selection, that the predictions of different folds are on
one scale. If they are not, use `--pooling within-folds` for metrics of pairs, such as the AUC, and
`--pooling fold-mean` for means.

Evidence: slightly pessimistic if the true scores are fixed, since a bag holds about 63% of the
samples. With [trained classifiers](../benchmarks/validation-tables.md#trained-classifiers) and no
signal it was optimistic by 0.03 with 40 samples and by 0.01 with 160. [The bank](validation.md) has
2,950 studies.

When to use: nearly always. When not: with a handful of samples in a class
([redrawn-resamples](notes.md#redrawn-resamples)).

Cost: O(B N C).

Source: Tsamardinos et al. 2018, Algorithm 5; interval: section 3.1. The size correction is ours.

## bbc-632

BBC-632, between BBC and the naive scores of the winners. Experimental.

Formula: 0.368 (1/B) Σ_b m(w_b; all samples) + 0.632 (1/B) Σ_b m(w_b; out of bag b), with w_b the
winner in bag b, which holds 63.2% of the distinct samples.

Algorithm: with the resamples of `bbc`, average the winners' scores on all samples and out of the
bag, with these weights. The interval is that of `bbc`, shifted to this estimate.

Assumptions: those of `bbc`; and that the errors of the two parts cancel in the ratio of the
weights. They do if true scores are fixed, from 40 samples on; with models trained on few samples
they need not.

When to use: for a tighter interval (`--tight`), or to see how much of the pessimism of `bbc` comes
from selecting on fewer distinct samples. When not: as the only number, or with 20 samples or hard
tasks, where it was [optimistic](validation.md).

Cost: that of `bbc`, whose resamples it shares.

Source: weights: Efron 1983, section 6; their use for a selection is ours.

## bbc-eb

BBC-EB, the winner shrunk towards its contenders, halfway to BBC-632. Experimental.

Part of the winner's lead over configurations that the sample cannot distinguish from it is noise;
empirical Bayes takes it off.

Formula, for a metric that is maximised, with P_j the score of configuration j on all samples, w the
winner, T its contenders, and t2 and v the variances of signal and noise among them:

```text
shrunken = mean(P_T) + t2 / (t2 + v) (P_w - mean(P_T))
estimate = (shrunken + bbc-632) / 2, but not below bbc, nor above the naive score
```

Algorithm:

1. With the resamples of `bbc`, take the variances and covariances S of the scores in the bags.
2. The contenders T are the j with P_w - P_j ≤ 2 sd(P_w - P_j), by S. Of m identical configurations
   one counts, with weight √m.
3. The noise v is the mean variance less the mean covariance over T. The signal t2 is the variance
   of P over T (unbiased) less v, and v / 20 at least.
4. Shrink, average with `bbc-632`, and clip. A single configuration keeps its figure.
5. The interval is that of `bbc`, shifted to this estimate; if it was clipped, the interval covers
   the ends before and after.

Assumptions: those of `bbc`; and that the contenders' errors are about equally large and symmetric.
Near the metric's bound they are neither, and it shrinks too much, though never beyond `bbc`.

Evidence: the smallest RMSE of the methods with intervals in [the bank](validation.md).

When to use: for the best estimate of the winner's own score. When not: as the only number while it
is experimental.

Cost: that of `bbc`, and O(B C); if B C exceeds a million, or another metric selects, the scores in
the bags are computed again.

Source: James & Stein 1961; Efron & Morris 1973. The contenders, the noise from the resamples and
the mean with `bbc-632` are ours.
"""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.methods.base import DISTRIBUTION, Method
from bbccli.stats.bootstrap.bbc_samples import corrected, in_full_size, moved, on_all, out_of_bag
from bbccli.stats.case import Answer, Case
from bbccli.types import FloatArray

IN_BAG = 0.632
"""Share of the distinct samples that a resample holds: 1 - 1 / e."""

AVERAGED = (
    "the selection was repeated on {resamples} of the {units}, and the winners' mean {metric} on "
    "the {units} left out was averaged with that on all samples, with weights"
)


def towards_naive(case: Case) -> Answer:
    """Return the mixture of out-of-bag and naive performances; errors are those of `bbc`."""
    _ = case.choice
    drawn = out_of_bag(case)
    everywhere = on_all(case, len(drawn.values))
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * everywhere
    return moved(case, drawn, mixed)


def towards_contenders(case: Case) -> Answer:
    """Return the mean of the shrunken winner and `bbc-632`, between `bbc` and the naive figure."""
    from bbccli.stats.bootstrap.contenders import contenders, limit_error, noise_of, shrunken

    choice, drawn = case.choice, out_of_bag(case)
    everywhere, n_resamples = case.measured.performances(), len(drawn.values)
    rivals = contenders(case, n_resamples)
    if rivals.n_distinct == 1:
        return moved(case, drawn, np.full(n_resamples, choice.naive))
    noise = noise_of(case, rivals, n_resamples)
    of_winner = shrunken(choice.naive, everywhere[rivals.columns], rivals.shares, noise)
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * everywhere[drawn.winners]
    # what each resample adds through the noise: nothing on average over those that count
    through = of_winner.influence - of_winner.influence[~np.isnan(mixed)].mean()
    further = limit_error(choice.naive, everywhere, rivals, noise) / 2
    return _between(case, drawn, (of_winner.value + through + mixed) / 2, further)


def _between(case: Case, drawn: Distribution, mixed: FloatArray, further: float) -> Answer:
    """Return the mean of `mixed` (B,), no worse than `bbc` and no better than the naive figure.

    `further` is a part of its Monte-Carlo error beside the spread of `mixed`. Where it is clipped,
    the interval reaches from the worse to the better of the ends before and after.
    """
    answer, gain = moved(case, drawn, mixed), case.metric.direction.gain
    in_full, naive = in_full_size(case, drawn), case.choice.naive
    of_bbc = drawn.values if in_full is None else in_full
    if gain(answer.value, naive) > 0 or gain(np.nanmean(of_bbc), naive) > 0:
        limit = np.full(len(mixed), naive)
    elif gain(np.nanmean(of_bbc), answer.value) > 0:
        limit = of_bbc
    else:
        error = answer.error and replace(answer.error, value=hypot(answer.error.value, further))
        return replace(answer, error=error)
    clipped = moved(case, drawn, limit)
    if answer.interval is None or clipped.interval is None:
        return clipped
    before, after = answer.interval, clipped.interval
    lower, upper = min(before.lower, after.lower), max(before.upper, after.upper)
    return replace(clipped, interval=replace(after, lower=lower, upper=upper))


METHODS = (
    Method(
        name="bbc",
        label="corrected",
        answer=corrected,
        gives=DISTRIBUTION,
        makes=True,
        summary="select in bootstrap resamples of the rows, score out of the bag",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5",
        done=(
            "the selection was repeated on {resamples} of the {units}, and each winner "
            "was scored on the {units} left out"
        ),
    ),
    Method(
        name="bbc-632",
        label="corrected, .632",
        answer=towards_naive,
        gives=DISTRIBUTION,
        summary="0.632 BBC + 0.368 naive figures of the resamples' winners",
        reference="Efron 1983, section 6, for the weights",
        done=f"{AVERAGED} 0.632 and 0.368",
        experimental=True,
    ),
    Method(
        name="bbc-eb",
        label="corrected, shrunk",
        answer=towards_contenders,
        gives=DISTRIBUTION,
        summary="the winner shrunk towards its contenders, halfway to bbc-632",
        reference="James & Stein 1961; Efron & Morris 1973",
        done=(
            "the winner's {metric} was shrunk towards those of the configurations that the data "
            "cannot distinguish from it, and averaged with the .632 estimate from {resamples} of "
            "the {units}"
        ),
        experimental=True,
    ),
)
