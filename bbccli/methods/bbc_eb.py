"""BBC-EB, the winner shrunk towards its contenders, halfway to BBC-632. Experimental.

It is marked so in all outputs. Of the configurations that the sample can't tell from the winner,
the winner is the luckiest: its lead is partly noise, and empirical Bayes takes off as much as the
noise explains.

Formula, for a metric that is maximised, with P_j the performance of configuration j on all samples,
w the winner, and T its contenders:

```text
shrunken = mean(P_T) + t2 / (t2 + v) (P_w - mean(P_T))        estimate = (shrunken + bbc-632) / 2
```

Algorithm:

1. Draw, select and score B resamples as `bbc` does; they are the same resamples. Of the
   performances in the bags, which the selection computes anyway, take variances and covariances S
   over the resamples.
2. The contenders T are the configurations j with P_w - P_j ≤ 2 sd(P_w - P_j), where the standard
   deviation is from S: what makes the sample easy or hard for all alike cancels in the difference.
   Identical configurations count once, those without a performance not at all.
3. The noise v is the mean variance less the mean covariance of T (of different configurations): the
   part of the error that contenders do not share.
4. The signal t2 is the variance of P over T (with one less than their number below) less v, and v /
   20 at least.
5. Shrink P_w towards the mean of the contenders by t2 / (t2 + v).
6. The estimate is the mean of that and `bbc-632`. With a single configuration, or copies of one, it
   is the figure itself.
7. The interval is BBC's, moved to this estimate.

Derivation: let P_j = μ_j + e + ε_j among the contenders, with true performances μ_j of variance t2,
an error e that all share, and errors ε_j of variance v. Given P, the mean of μ_j + e is the average
of the P_j plus t2 / (t2 + v) times the distance of P_j from it, whichever j won: a posterior does
not mind the selection. The P_j spread with variance t2 + v, and S gives v, for e adds the same to
variances and covariances. That is the estimator of James and Stein with a mean and a variance from
the data, for errors that are correlated. The shared e stays in the estimate: nothing in the sample
tells it. Where another metric selects, it decides on the contenders, and the shrinking is in the
metric that measures.

Assumptions: those of BBC; and that the contenders' errors are about equally large and symmetric.
Near the bound of the metric they are neither, and it is pessimistic there: on one population with
AUCs of 0.98 and more the shrunken figure had 1.45 times BBC's RMSE, the mean with `bbc-632` 1.15
times.

Evidence: in 1,920 studies with training on real tables (16 populations, N = 40, 100 and 300, about
60 configurations), the RMSE was 0.926 ± 0.006 of BBC's, lower in 93 % of 123 cells, the bias +0.02
of BBC's RMSE where BBC's was -0.18. The formula was fixed, and in 1,920 studies on 24 other
populations (118 to 121 configurations, most of them unstable learners) it was 0.909 ± 0.013, lower
in 94 % of 220 cells. The 2 of step 2 was chosen later: a threshold that grows with the number of
configurations was as good up to 120, and worse with 500 in simulations.

When to use: to name the winner's own performance as closely as one study can. When not: as the only
number while it is experimental; near perfect performance, where `bbc` is closer.

Cost: that of BBC, whose resamples it shares, and O(B C) for the moments; where B C is over a
million, or where another metric selects, the performances in the bags are computed again.

Source: James & Stein 1961; Efron & Morris 1973, for an unknown mean and variance. The contenders,
the noise from the resamples and the mean with `bbc-632` are ours.
"""

from __future__ import annotations

import numpy as np

from bbccli.bootstrap.contenders import contenders, noise_of, shrunken
from bbccli.bootstrap.of_samples import out_of_bag
from bbccli.case import Answer, Case
from bbccli.methods.base import DISTRIBUTION, Method
from bbccli.methods.bbc_632 import IN_BAG, moved


def run(case: Case) -> Answer:
    """Return the mean of the shrunken winner and `bbc-632`; errors are those of `bbc`."""
    choice, drawn = case.choice, out_of_bag(case)
    everywhere, n_resamples = case.measured.performances(), len(drawn.values)
    found = contenders(case, n_resamples)
    if found.n_distinct == 1:
        return moved(case, drawn, np.full(n_resamples, choice.naive))
    columns = found.columns[~np.isnan(everywhere[found.columns])]
    noise = noise_of(case, columns, n_resamples)
    of_winner = shrunken(choice.naive, everywhere[columns], noise)
    mixed = IN_BAG * drawn.values + (1 - IN_BAG) * everywhere[drawn.winners]
    # what each resample adds through the noise: nothing on average over those that count
    through = of_winner.influence - of_winner.influence[~np.isnan(mixed)].mean()
    return moved(case, drawn, (of_winner.value + through + mixed) / 2)


METHODS = (
    Method(
        name="bbc-eb",
        label="corrected, shrunk",
        answer=run,
        gives=DISTRIBUTION,
        summary="the winner shrunk towards its contenders, halfway to bbc-632",
        reference="James & Stein 1961; Efron & Morris 1973",
        experimental=True,
    ),
)
