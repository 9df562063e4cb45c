"""BBC over samples, and what moves it towards the figure of its winner.

## bbc

BBC, bootstrap bias corrected cross-validation, over samples.

The method to report by default. The table marks its row with `>`; the others are there for
comparison, not to choose from.

Formula: the estimate is (1/B) Σ_b m(w_b; out of bag b), where w_b is the winner in bag b.

Algorithm:

1. Select the winner and its naive performance as `cvt` does.
2. B times: draw N of the N rows with replacement. A draw that leaves no row out of the bag is drawn
   again, and so is one in which the metric is undefined: in the bag for every configuration, or out
   of it for the one selected there ([the rule](#redrawn-resamples)).
3. Select the best configuration on the rows in the bag, each as often as it was drawn, by the rule
   of step 1.
4. Score that configuration on the rows out of the bag.
5. The estimate is the mean of the B performances; the interval is made of their percentiles.
6. Where the metric is no mean, both are moved by the size correction below.

Size correction: a bag leaves out about 0.37 N samples, and on so few a metric that is no mean has
another expectation than on N: average precision, F scores, Jaccard, MCC, kappa, RMSE, R², the
median error, correlations. The configurations c that win tell by how much, without another
selection; with s_c the share of the resamples that c wins:

```text
delta = Σ_c s_c ((1/B) Σ_b m(c; out of bag b) - m(c; all samples))
estimate = mean of step 5 - delta
```

The B performances are moved by as much, then cut off at the metric's bounds, then guarded. For
means, shares of pairs (AUC, concordance) and conditional means (recall, precision, balanced
accuracy) the expectation of delta is 0, and nothing is moved; nor are means over folds, nor
differences between two selections. `--no-size-correction` gives the figure of the paper. With a
single configuration the estimate is its figure.

No model is trained: only rows of predictions are drawn. With repeats, a sample's predictions of all
repeats enter a resample together or not at all; a performance is computed per repeat and averaged.
Where samples come in groups (patients with several rows, sites), step 2 draws G of the G groups,
each with all its samples.

Assumptions: those above; and, with pooled selection, that predictions of different folds are on one
scale (the pooled AUC compares them with each other). If they are not, use `--pooling within-folds`,
which compares samples of one fold only, or `--pooling fold-mean` for metrics that are not of pairs.

Where the true performances are fixed, as in simulations that train no model, it is slightly
conservative: a bag holds about 63 % of the samples, so the selection in it is a little worse than
the real one. Trained models can turn that round. A sample's prediction depends on the other samples
through the model, so a configuration that suits the sample as a whole suits what is out of the bag
as well as what is in it, and the weaker the signal, the more of the lead is such luck. Without any
signal BBC was optimistic by 0.03 with 40 samples, and by 0.01 with 160, in
[trained classifiers](validation-tables.md#trained-classifiers).

When to use: nearly always. When not: with a handful of samples in a class; see the note
[redrawn-resamples](notes.md#redrawn-resamples).

Cost: time O(B N C), memory O(B + N C) beside blocks of bounded size.

Source: Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5; interval: section 3.1. The size
correction is ours.

## bbc-632

BBC-632, between BBC and the naive figures of what it selects. Experimental.

It is marked so in all outputs. The winner of a resample was selected on 63.2 % of the distinct
samples, so BBC is conservative where performances are fixed. Efron's .632 rule for prediction
errors carries over.

Formula: 0.368 (1/B) Σ_b m(w_b; all samples) + 0.632 (1/B) Σ_b m(w_b; out of bag b), with w_b the
winner in bag b.

Algorithm:

1. Draw, select and score B resamples as `bbc` does; they are the same resamples.
2. Take the performance on all samples of the configuration that each resample selected, and
   average.
3. Weigh this mean by 0.368 and that of BBC by 0.632.
4. The interval is BBC's, moved to this estimate. The mixture of both parts itself spreads less than
   the estimate does, and its percentiles would be too narrow.

Assumptions: those of BBC; and that the naive figures are too good by about as much as BBC is too
strict, in the ratio of the weights. That holds where performances are fixed numbers that are
sampled: in simulations of such the bias is nearer to 0 than BBC's from 40 samples on. Where models
are trained on few samples it need not.

When to use: to see how much of BBC's caution comes from selecting on 63 % of the distinct samples.
When not: as the only number, and not with 20 samples or on hard tasks, where it was optimistic;
[bbc-632plus](#bbc-632plus) is less so. The evidence is in [validation](validation.md).

Cost: that of BBC, whose resamples it shares.

Source: the weights are those of Efron 1983, section 6; the use for a selection is ours.

## bbc-eb

BBC-EB, the winner shrunk towards its contenders, halfway to BBC-632. Experimental.

It is marked so in all outputs. Of the configurations that the sample can't tell from the winner,
the winner is the luckiest: its lead is partly noise, and empirical Bayes takes off as much as the
noise explains.

Formula, for a metric that is maximised, with P_j the performance of configuration j on all samples,
w the winner, and T its contenders:

```text
shrunken = mean(P_T) + t2 / (t2 + v) (P_w - mean(P_T))
estimate = (shrunken + bbc-632) / 2, but not below bbc, nor above the naive figure
```

Algorithm:

1. Draw, select and score B resamples as `bbc` does; they are the same resamples. Of the
   performances in the bags, which the selection computes anyway, take variances and covariances S
   over the resamples.
2. The contenders T are the configurations j with P_w - P_j ≤ 2 sd(P_w - P_j), where the standard
   deviation is from S: what makes the sample easy or hard for all alike cancels in the difference.
   Of m identical configurations one counts, with weight √m in all means over T below; those without
   a performance do not count.
3. The noise v is the mean variance less the mean covariance of T (of different configurations): the
   part of the error that contenders do not share.
4. The signal t2 is the variance of P over T (unbiased, with these weights) less v, and v / 20 at
   least.
5. Shrink P_w towards the mean of the contenders by t2 / (t2 + v).
6. The estimate is the mean of that and `bbc-632`, clipped between `bbc` and the naive figure. With
   a single configuration, or copies of one, it is the figure itself.
7. The interval is BBC's, moved to this estimate. Where the estimate was clipped, it reaches from
   the worse to the better of its ends before and after.

Derivation: let P_j = μ_j + e + ε_j among the contenders, with true performances μ_j of variance t2,
an error e that all share, and errors ε_j of variance v. Given P, the mean of μ_j + e is the average
of the P_j plus t2 / (t2 + v) times the distance of P_j from it, whichever j won: a posterior does
not mind the selection. The P_j spread with variance t2 + v, and S gives v, for e adds the same to
variances and covariances. That is the estimator of James and Stein with a mean and a variance from
the data, for errors that are correlated. The root of the number of copies is a compromise: a grid
may repeat one model many times because a setting has no effect, which says nothing of the others.
The shared e stays in the estimate: nothing in the sample
tells it. Where another metric selects, it decides on the contenders, and the shrinking is in the
metric that measures.

Assumptions: those of BBC; and that the contenders' errors are about equally large and symmetric.
Near the bound of the metric they are neither, and the shrinking takes off too much there: step 6
keeps it from falling below `bbc`.

Evidence: in the 26 populations of [the bank](validation.md), with models that are trained, the RMSE
was 0.934 ± 0.010 of BBC's, the bias +0.05 ± 0.03 of BBC's RMSE where BBC's was -0.15 ± 0.03. The 2
of step 2 is a convention: a threshold that grows with the number of configurations takes in too
many where they are hundreds.

When to use: to name the winner's own performance as closely as one study can. When not: as the only
number while it is experimental.

Cost: that of BBC, whose resamples it shares, and O(B C) for the moments; where B C is over a
million, or where another metric selects, the performances in the bags are computed again.

Source: James & Stein 1961; Efron & Morris 1973, for an unknown mean and variance. The contenders,
the noise from the resamples and the mean with `bbc-632` are ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.core.results import Distribution
from bbccli.methods.base import DISTRIBUTION, Method
from bbccli.stats.bootstrap.contenders import contenders, noise_of, shrunken
from bbccli.stats.bootstrap.of_samples import corrected, in_full_size, moved, out_of_bag
from bbccli.stats.case import Answer, Case
from bbccli.types import FloatArray

IN_BAG = 0.632
"""Share of the distinct samples that a resample holds: 1 - 1 / e."""


def towards_naive(case: Case) -> Answer:
    """Return the mixture of out-of-bag and naive performances; errors are those of `bbc`."""
    _ = case.choice
    drawn = out_of_bag(case)
    performances = case.measured.performances()
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * performances[drawn.winners]
    return moved(case, drawn, mixed)


def towards_contenders(case: Case) -> Answer:
    """Return the mean of the shrunken winner and `bbc-632`, between `bbc` and the naive figure."""
    choice, drawn = case.choice, out_of_bag(case)
    everywhere, n_resamples = case.measured.performances(), len(drawn.values)
    found = contenders(case, n_resamples)
    if found.n_distinct == 1:
        return moved(case, drawn, np.full(n_resamples, choice.naive))
    found = found.among(~np.isnan(everywhere[found.columns]))
    noise = noise_of(case, found, n_resamples)
    of_winner = shrunken(choice.naive, everywhere[found.columns], found.shares, noise)
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
        summary="select in bootstrap resamples of the rows, score out of the bag",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5",
    ),
    Method(
        name="bbc-632",
        label="corrected, .632",
        answer=towards_naive,
        gives=DISTRIBUTION,
        summary="0.632 BBC + 0.368 naive figures of the resamples' winners",
        reference="Efron 1983, section 6, for the weights",
        experimental=True,
    ),
    Method(
        name="bbc-eb",
        label="corrected, shrunk",
        answer=towards_contenders,
        gives=DISTRIBUTION,
        summary="the winner shrunk towards its contenders, halfway to bbc-632",
        reference="James & Stein 1961; Efron & Morris 1973",
        experimental=True,
    ),
)
