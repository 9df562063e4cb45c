"""BBC over samples, and what moves it towards the figure of its winner.

## bbc

BBC, bootstrap bias corrected cross-validation, over samples.

Report this method by default. The table marks its row with `>`.

Formula: the estimate is (1/B) Σ_b m(w_b; out of bag b), where w_b is the winner in bag b.

Algorithm:

1. Select the winner and its naive performance as `cvt` does.
2. B times: draw N of the N rows with replacement; the drawn rows are the bag. [Unusable
   draws](#redrawn-resamples) are repeated.
3. Select the best configuration on the rows in the bag, each as often as it was drawn, by the rule
   of step 1.
4. Score that configuration on the rows out of the bag.
5. The estimate is the mean of the B performances; their percentiles make the interval.
6. If the metric is not a mean, both are shifted by the size correction below.

Size correction: about 0.37 N samples are out of the bag, and the expectation of some metrics
depends on their number: average precision, F scores, Jaccard, MCC, kappa, RMSE, R², the median
error, correlations. The configurations c that win show by how much, without another selection. With
s_c the share of the resamples that c wins:

```text
delta = Σ_c s_c ((1/B) Σ_b m(c; out of bag b) - m(c; all samples))
estimate = mean of step 5 - delta
```

The B performances are shifted alike, clipped to the metric's bounds, and guarded. Means, shares of
pairs (AUC, concordance) and conditional means (recall, precision, balanced accuracy) need no shift,
as the expectation of delta is 0; means over folds and differences between two selections are not
shifted either. `--no-size-correction` gives the figure of the paper. For a single configuration the
estimate is its naive figure.

With repeats, a sample is drawn with its predictions of all repeats; performances are computed per
repeat and averaged. With groups (patients with several rows, sites), step 2 draws G of the G
groups, each with all its samples.

Assumptions: those above; and, with pooled selection, that predictions of different folds are on one
scale (the pooled AUC compares them with each other). If they are not, use `--pooling within-folds`
for metrics of pairs, `--pooling fold-mean` for means.

Where a tool selected by the mean over folds of a metric that is neither a mean nor a share of pairs
(R², average precision, F scores, MCC), the winner and the winners in the bags are those by that
mean, but all are measured over pooled rows: the mean over small folds is another quantity, and
resamples of small folds tell nothing of it.

If the true performances are fixed, as in simulations that train no model, BBC is slightly
pessimistic: a bag holds about 63% of the samples, so the selection in it is a little worse than
the real one. Trained models can reverse that: through them a prediction depends on the other
samples, so a configuration that happens to suit the whole sample does well in the bag and out of
it, above all if the signal is weak. Without any signal BBC was optimistic by 0.03 with 40 samples,
and by 0.01 with 160, in [trained
classifiers](../benchmarks/validation-tables.md#trained-classifiers).

When to use: nearly always. When not: with a handful of samples in a class; see the note
[redrawn-resamples](notes.md#redrawn-resamples).

Cost: time O(B N C), memory O(B + N C) beside blocks of bounded size.

Source: Tsamardinos et al. 2018, Algorithm 5; interval: section 3.1. The size correction is ours.

## bbc-632

BBC-632, between BBC and the naive figures of the winners. Experimental.

It carries Efron's .632 rule for prediction errors over to a selection: that in a resample sees 63.2
% of the distinct samples.

Formula: 0.368 (1/B) Σ_b m(w_b; all samples) + 0.632 (1/B) Σ_b m(w_b; out of bag b), with w_b the
winner in bag b.

Algorithm:

1. Draw, select and score B resamples as `bbc` does.
2. Average the performances of their winners on all samples.
3. Weight this mean by 0.368 and that of BBC by 0.632.
4. The interval is BBC's, shifted to this estimate. The percentiles of the mixture itself would be
   too narrow, because it spreads less than the estimate.

Assumptions: those of BBC; and that the errors of the naive figures and of BBC cancel in the ratio
of the weights. That holds if performances are fixed: in such simulations the bias is nearer to 0
than BBC's from 40 samples on. It need not hold for models trained on few samples.

When to use: to see how much of BBC's pessimism comes from selecting on fewer distinct samples. When
not: as the only number, or with 20 samples or hard tasks, where it was [optimistic](validation.md);
[bbc-632plus](#bbc-632plus) is less so.

Cost: that of BBC, whose resamples it shares.

Source: the weights are those of Efron 1983, section 6; the use for a selection is ours.

## bbc-eb

BBC-EB, the winner shrunk towards its contenders, halfway to BBC-632. Experimental.

The winner's lead over configurations that the sample can't tell from it is partly noise, and
empirical Bayes subtracts as much as the noise explains.

Formula, for a metric that is maximised, with P_j the performance of configuration j on all samples,
w the winner, and T its contenders:

```text
shrunken = mean(P_T) + t2 / (t2 + v) (P_w - mean(P_T))
estimate = (shrunken + bbc-632) / 2, but not below bbc, nor above the naive figure
```

Algorithm:

1. Draw, select and score B resamples as `bbc` does. S holds the variances and covariances of the
   performances in the bags over the resamples.
2. The contenders T are the configurations j with P_w - P_j ≤ 2 sd(P_w - P_j), with the standard
   deviation from S: an error that all share cancels in the difference. The 2 is a convention: a
   threshold that grows with the number of configurations includes too many of hundreds. Of m
   identical configurations one counts, with weight √m in all means over T below; those without a
   performance do not count.
3. The noise v is the mean variance less the mean covariance of T (of different configurations): the
   part of the error that contenders do not share.
4. The signal t2 is the variance of P over T (unbiased, with these weights) less v, and v / 20 at
   least.
5. Shrink P_w towards the mean of the contenders by t2 / (t2 + v).
6. The estimate is the mean of that and `bbc-632`, clipped between `bbc` and the naive figure. With
   a single configuration, or copies of one, it is the figure itself.
7. The interval is BBC's, shifted to this estimate. If the estimate was clipped, the interval covers
   the ends before and after clipping.

Derivation: let P_j = μ_j + e + ε_j among the contenders, with true performances μ_j of variance t2,
an error e that all share, and errors ε_j of variance v. Given P, the mean of μ_j + e is that of
step 5, whichever j won, because a posterior ignores the selection. The P_j spread with variance t2
+ v, and S gives v, since e adds the same to variances and covariances. That is the James-Stein
estimator for correlated errors. Nothing in the sample reveals e, so it stays in the estimate. The
root of the number of copies is a compromise: a grid may repeat one model because a setting has no
effect. If another metric selects, it decides on the contenders; the metric that measures is shrunk.

Assumptions: those of BBC; and that the contenders' errors are about equally large and symmetric.
Near the bound of the metric they are neither, so the shrinkage is too strong there; the estimate is
never worse than that of `bbc`.

Evidence: in [the bank](validation.md) it has the smallest RMSE of the methods with intervals.

When to use: for the best estimate of the winner's own performance from one study. When not: as the
only number while it is experimental.

Cost: that of BBC, whose resamples it shares, and O(B C) for the moments; if B C exceeds a million,
or another metric selects, the performances in the bags are computed again.

Source: James & Stein 1961; Efron & Morris 1973, for an unknown mean and variance. The contenders,
the noise from the resamples and the mean with `bbc-632` are ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.methods.base import DISTRIBUTION, Method
from bbccli.stats.bootstrap.bbc_samples import corrected, in_full_size, moved, out_of_bag
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
    performances = case.measured.performances()
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * performances[drawn.winners]
    return moved(case, drawn, mixed)


def towards_contenders(case: Case) -> Answer:
    """Return the mean of the shrunken winner and `bbc-632`, between `bbc` and the naive figure."""
    from bbccli.stats.bootstrap.contenders import contenders, noise_of, shrunken

    choice, drawn = case.choice, out_of_bag(case)
    everywhere, n_resamples = case.measured.performances(), len(drawn.values)
    rivals = contenders(case, n_resamples)
    if rivals.n_distinct == 1:
        return moved(case, drawn, np.full(n_resamples, choice.naive))
    rivals = rivals.among(~np.isnan(everywhere[rivals.columns]))
    noise = noise_of(case, rivals, n_resamples)
    of_winner = shrunken(choice.naive, everywhere[rivals.columns], rivals.shares, noise)
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * everywhere[drawn.winners]
    # what each resample adds through the noise: nothing on average over those that count
    through = of_winner.influence - of_winner.influence[~np.isnan(mixed)].mean()
    return _between(case, drawn, (of_winner.value + through + mixed) / 2)


def _between(case: Case, drawn: Distribution, mixed: FloatArray) -> Answer:
    """Return the mean of `mixed` (B,), no worse than `bbc` and no better than the naive figure.

    Where it is clipped, the interval reaches from the worse to the better of the ends before and
    after.
    """
    answer, gain = moved(case, drawn, mixed), case.metric.direction.gain
    in_full, naive = in_full_size(case, drawn), case.choice.naive
    of_bbc = drawn.values if in_full is None else in_full
    if gain(answer.value, naive) > 0 or gain(np.nanmean(of_bbc), naive) > 0:
        limit = np.full(len(mixed), naive)
    elif gain(np.nanmean(of_bbc), answer.value) > 0:
        limit = of_bbc
    else:
        return answer
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
            "the winner's {metric} was shrunk towards those of the configurations that "
            "the data cannot tell from it, and averaged with the .632 estimate from "
            "{resamples} of the {units}"
        ),
        experimental=True,
    ),
)
