"""Two proportions, as if they were of different samples.

## two-proportions

The z test of two proportions correct, for comparison with the literature only: it ignores that both
configurations predict the same samples, and so it misses differences that the paired tests find. It
says so in the note [unpaired](notes.md#unpaired).

Formula, with p1 and p2 correct of n samples each and p their mean:

```text
z = (p1 - p2) / √(2 p (1 - p) / n)                                                            (1)
```

Algorithm:

1. Count the samples that each configuration predicts correctly.
2. Compute z; the p-value is that of a normal z, two-sided. Where all or none are correct p is 1.
3. The interval is p1 - p2 ∓ z √(p1 (1 - p1)/n + p2 (1 - p2)/n).

Differences: Raschka 2018, section 4.2, writes the standard deviation without the factor 1/n1 +
1/n2, and n outside of the root. mlxtend's `proportion_difference` does not pool the variance, and
returns the lower tail of z: 0.98 where the two-sided p-value is 0.04.

When to use: to check a published figure. When not: to compare two configurations of one file;
`mcnemar` does.

Cost: none.

Source: Fleiss, Levin & Paik 2003, section 3.2.
"""

from __future__ import annotations

from math import sqrt

from bbccli.comparisons.pairs.base import LABELLED, PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, two_sided_normal
from bbccli.comparisons.pairs.labels import correctness
from bbccli.comparisons.pairs.needs import OF_SHARES
from bbccli.intervals.ends import interval_by
from bbccli.notes import unpaired
from bbccli.types import Pooling


def run(case: PairCase) -> PairAnswer:
    """Return the z test of equation 1."""
    counted = correctness(case)
    n = counted.n
    first, second = counted.right.mean(axis=0).tolist()
    p = (first + second) / 2
    error = sqrt(2 * p * (1 - p) / n)
    z = (first - second) / error if error > 0 else 0.0
    spread = sqrt(first * (1 - first) / n + second * (1 - second) / n)

    def ends(outside: float) -> tuple[float, float]:
        from scipy.special import ndtri

        reach = -float(ndtri(outside)) * spread
        return first - second - reach, first - second + reach

    return PairAnswer(
        statistic=z,
        p=two_sided_normal(z),
        interval=interval_by(ends, case.bounded, case.plan),
        n_units=n,
        notes=(unpaired(), *counted.notes),
        values=counted.values,
    )


TESTS = (
    PairTest(
        name="two-proportions",
        label="unpaired, for comparison only",
        answer=run,
        summary="z test of two proportions, as if of different samples",
        reference="Fleiss, Levin & Paik 2003",
        for_tasks=LABELLED,
        needs=OF_SHARES,
        pooling=Pooling.POOLED,
    ),
)
