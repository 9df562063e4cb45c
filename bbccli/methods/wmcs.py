"""WMCS, the weighted mean correction with shrinkage. For comparison.

Formula: as [`wmc`](#wmc), with X around shrunken means. With m̄ the mean of the m̄_c over all
configurations, w the winner, and gains signed so that more is better,

```text
b = E( X_w | X_w is the best ) - m̄_w,   s = min( b / (m̄_w - m̄), 1 ),   m̃_c = m̄_c - s (m̄_c - m̄)
estimate = Σ_c P( X_c - m̄_c + m̃_c is the best ) m̄_c
```

Algorithm:

1. Steps 1 and 2 of `wmc`, with the same draws.
2. b is how much too good the winner looks where it wins again: the expected optimism. It is not
   taken for less than 0.
3. Draw the means of all configurations towards their mean by the share s that b has of the winner's
   lead over it; entirely where the winner leads by nothing, or never wins again.
4. The weights are those of the shrunken means, the performances that they weight are not shrunken.

Assumptions: as those of `wmc`. The shrinkage depends on which losers are in the search: many
bad ones raise the winner's lead over the mean, and with it what is left of the lead.

Evidence: bias and RMSE (estimate minus the true performance of the winner) in simulations of the
2018 paper: 200 independent configurations, 10 folds, 200 repetitions of each row (100 of N = 500).
The standard error of a bias is at most 0.008.

| True accuracies | N | `cvt` | `tt` | `wmc` | `wmcs` | `bbc` |
|---|---|---|---|---|---|---|
| Be(9, 6) | 20 | +0.149, 0.163 | +0.110, 0.135 | +0.009, 0.067 | -0.029, 0.075 | -0.024, 0.104 |
| Be(9, 6) | 40 | +0.093, 0.105 | +0.021, 0.066 | +0.011, 0.052 | -0.020, 0.057 | -0.018, 0.068 |
| Be(9, 6) | 100 | +0.036, 0.048 | -0.060, 0.075 | -0.003, 0.033 | -0.013, 0.037 | -0.019, 0.045 |
| Be(9, 6) | 500 | +0.010, 0.017 | -0.024, 0.031 | +0.001, 0.014 | +0.000, 0.014 | -0.002, 0.016 |
| Be(24, 6) | 20 | +0.121, 0.131 | +0.121, 0.130 | -0.027, 0.057 | -0.028, 0.057 | -0.020, 0.091 |
| Be(24, 6) | 40 | +0.082, 0.091 | +0.070, 0.083 | -0.010, 0.040 | -0.025, 0.049 | -0.015, 0.060 |
| Be(24, 6) | 100 | +0.036, 0.043 | +0.003, 0.029 | -0.006, 0.024 | -0.021, 0.032 | -0.014, 0.033 |
| Be(24, 6) | 500 | +0.009, 0.013 | -0.019, 0.023 | +0.000, 0.010 | -0.001, 0.010 | -0.002, 0.011 |

On average `wmc` is within 0.03 of the truth here, `wmcs` too strict by up to 0.03, and both vary
less than `bbc`. The configurations of these rows are independent of each other; with training
nothing was measured, and neither gives an interval.

When to use: to compare with the literature. When not: as the number to report; use `bbc`.

Cost: twice that of `wmc`.

Source: Bernau, Augustin & Boulesteix 2013; `wmc` of the R package CMA with `shrinkage`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bbccli.methods.base import POINT, Method, Need
from bbccli.methods.wmc import draws, run
from bbccli.types import Direction, FloatArray, Pooling


def shrunken(gains: FloatArray, parts: FloatArray) -> FloatArray:
    """Return the gains (C,) drawn towards their mean, from what each fold adds to them (F, C)."""
    mean, winner = float(np.nanmean(gains)), int(Direction.MAXIMIZE.best(gains))
    lead = gains[winner] - mean
    again = [
        drawn[Direction.MAXIMIZE.best(drawn) == winner, winner] for drawn in draws(gains, parts)
    ]
    won = np.concatenate(again)
    if not len(won) or lead <= 0:
        return np.where(np.isnan(gains), np.nan, mean)
    share = np.clip((won.mean() - gains[winner]) / lead, 0, 1)
    return np.asarray(gains - share * (gains - mean))


METHODS = (
    Method(
        name="wmcs",
        label="weighted mean",
        answer=partial(run, centre=shrunken),
        gives=POINT,
        summary="wmc with means drawn towards each other by the expected optimism",
        reference="Bernau, Augustin & Boulesteix 2013",
        needs=frozenset({Need.FOLDS}),
        pooling=Pooling.FOLD_MEAN,
    ),
)
