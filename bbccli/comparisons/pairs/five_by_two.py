"""Five repeats of two folds: Dietterich's t and Alpaydin's F.

## five-by-two-t

Dietterich's 5x2cv paired t test.

Formula, with d_ij the difference in fold j of repeat i, d_i their mean, and s_i² = (d_i1 - d_i)² +
(d_i2 - d_i)²:

```text
t = d_11 / √(Σ s_i² / 5),  df = 5                                                             (1)
```

Algorithm:

1. Score both in the ten folds of exactly five repeats of two; nothing is trained again.
2. Compute t and its two-sided p-value. The numerator is the difference in the first fold of the
   first repeat alone, so p depends on which comes first. The difference shown is the mean of all
   ten.
3. Where all s_i are 0, p is 1 if no fold differs, else undefined.

When to use: to check a published figure. When not: otherwise; `five-by-two-f` uses all ten.

Cost: the performances in the folds.

Source: Dietterich 1998, section 3.5.

## five-by-two-f

Alpaydin's combined 5x2cv F test.

Formula:

```text
F = Σ_i Σ_j d_ij² / (2 Σ s_i²),  df = 10, 5                                                   (2)
```

Algorithm: as for `five-by-two-t`, with this statistic; it does not depend on the order of the
folds.

When to use: for a learner with five repeats of two folds. When not: with other designs, where
`corrected-t` is; for the winner of a search.

Cost: the performances in the folds.

Source: Alpaydin 1999.
"""

from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np

from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, positive, two_sided_t, undefined
from bbccli.comparisons.pairs.folds import fold_differences
from bbccli.comparisons.pairs.needs import Need
from bbccli.types import FloatArray, Pooling


def run(case: PairCase, *, combined: bool) -> PairAnswer:
    """Return the t test of equation 1, or the F test of equation 2."""
    folds = fold_differences(case)
    gains, n = folds.gains.reshape(5, 2), len(folds.gains)
    values = folds.values.mean(axis=0)
    squares = float(((gains - gains.mean(axis=1, keepdims=True)) ** 2).sum())
    if squares <= (1e-12 * float(np.abs(folds.values).max(initial=0.0))) ** 2:
        if gains.any():
            why = "both folds of each repeat differ by the same: there is no variance"
            return undefined(case, why, "wald or permutation", n_units=n, values=values)
        return PairAnswer(statistic=0.0, df=_DF[combined], p=1.0, n_units=n, values=values)
    statistic, p = _decide(gains, squares, combined=combined)
    return PairAnswer(
        statistic=statistic,
        df=_DF[combined],
        p=p,
        effect=folds.effect,
        n_units=n,
        values=values,
    )


_DF = {False: (5.0,), True: (10.0, 5.0)}


def _decide(gains: FloatArray, squares: float, *, combined: bool) -> tuple[float, float]:
    """Statistic and p-value from differences (5, 2) and the sum of the five variances."""
    from scipy.special import fdtrc

    if combined:
        f = float((gains**2).sum()) / (2 * squares)
        return f, positive(float(fdtrc(10, 5, f)))
    t = float(gains[0, 0]) / sqrt(squares / 5)
    return t, two_sided_t(t, 5)


TESTS = (
    PairTest(
        name="five-by-two-t",
        label="5 x 2 folds",
        answer=partial(run, combined=False),
        summary="Dietterich's t test over five repeats of two folds",
        reference="Dietterich 1998",
        needs=frozenset({Need.FOLDS, Need.FIVE_BY_TWO}),
        pooling=Pooling.FOLD_MEAN,
    ),
    PairTest(
        name="five-by-two-f",
        label="5 x 2 folds",
        answer=partial(run, combined=True),
        summary="Alpaydin's F test over five repeats of two folds",
        reference="Alpaydin 1999",
        needs=frozenset({Need.FOLDS, Need.FIVE_BY_TWO}),
        pooling=Pooling.FOLD_MEAN,
    ),
)
