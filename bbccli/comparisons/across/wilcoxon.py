"""Pairs of families over data sets, by the sizes of their differences.

## wilcoxon

Wilcoxon's signed-rank test of each pair, with Holm's adjustment: the default over data sets.

Formula, with the ranks of the absolute differences, zeros ranked too (Pratt), R+ the sum of those
of positive ones and R- of negative ones:

```text
p = P(|R+ - E R+| as large),  each nonzero difference + or - with probability 1/2             (1)
```

Algorithm:

1. Take the difference of the two on every data set; those that differ by rounding are equal.
2. Rank their absolute values, zeros among them; ties share the mean of their ranks. Then leave
   zeros out. The statistic is the smaller of R+ and R-.
3. Up to 25 data sets p is exact, ties and zeros included: all ways to sign the ranks are counted.
   Of more, R+ is normal with mean Σ r/2 and variance Σ r²/4, without a correction for continuity.
4. The effect is the rank-biserial correlation, (R+ - R-)/(R+ + R-).
5. Adjust for the number of pairs. Where no difference is left p is 1. Fewer than six data sets
   can't have p ≤ 0.05; the note [few-data-sets](notes.md#few-data-sets) says so.

Differences: scipy is exact for up to 13 data sets with ties or zeros, normal for more.

Assumptions: independent data sets, on which differences are comparable in size, and symmetric about
their median.

When to use: for any number of families: what it says of two does not depend on which others are
compared, as tests of mean ranks do (Benavoli, Corani & Mangili 2016). When not: for folds or
repeats of one data set.

Cost: none.

Source: Wilcoxon 1945; Pratt 1959; Demšar 2006, section 3.1.3; Kerby 2014 (effect).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from bbccli.comparisons.across.base import AcrossTest
from bbccli.comparisons.across.table import Table
from bbccli.comparisons.pairs.base import verdict_of
from bbccli.comparisons.pairs.case import positive, two_sided_normal
from bbccli.comparisons.ranking import mean_ranks
from bbccli.comparisons.records import Comparison, Effect
from bbccli.notes import few_data_sets
from bbccli.types import FloatArray

MOST_EXACT = 25
"""Data sets up to which all ways to sign the ranks are counted."""


def run(table: Table) -> list[Comparison]:
    """Return Wilcoxon's test of each pair of families."""
    return [_compared(table, first, second) for first, second in table.pairs]


def _compared(table: Table, first: int, second: int) -> Comparison:
    differences, n = table.differences(first, second), table.n_data_sets
    above, below, p = signed_ranks(differences)
    effect = (above - below) / (above + below) if above + below else None
    least = 2.0 ** (1 - n)
    notes = (few_data_sets("wilcoxon", n, least),) if least > 1 - table.level else ()
    means = table.performances.mean(axis=0)
    return Comparison(
        first=table.families[first],
        second=table.families[second],
        metric=table.metric,
        test="wilcoxon",
        first_value=float(means[first]),
        second_value=float(means[second]),
        difference=float(differences.mean()) + 0.0,
        statistic=min(above, below),
        p=p,
        effect=None if effect is None else Effect("rank-biserial", effect),
        n_units=n,
        verdict=verdict_of(effect, p, 1 - table.level),
        notes=notes,
    )


def signed_ranks(differences: FloatArray) -> tuple[float, float, float]:
    """Return the rank sums of positive and of negative differences (n,), and the p-value.

    Examples
    --------
    >>> signed_ranks(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    (15.0, 0.0, 0.0625)
    """
    ranks = mean_ranks(np.abs(differences))
    above = float(ranks[differences > 0].sum())
    below = float(ranks[differences < 0].sum())
    signed = ranks[differences != 0]
    if len(signed) == 0:
        return above, below, 1.0
    if len(differences) <= MOST_EXACT:
        return above, below, positive(_exact(signed, min(above, below)))
    z = (above - below) / sqrt(float((signed**2).sum()))
    return above, below, two_sided_normal(z)


def _exact(ranks: FloatArray, smaller: float) -> float:
    """Probability that either rank sum is as small, from the ways to reach each: whole numbers."""
    steps = [round(2 * rank) for rank in ranks]  # mean ranks are halves
    ways = np.zeros(sum(steps) + 1, np.int64)
    ways[0] = 1
    for step in steps:
        ways[step:] += ways[: len(ways) - step].copy()
    n_as_small = int(ways[: round(2 * smaller) + 1].sum())
    return float(min(2 * n_as_small / 2 ** len(steps), 1.0))


TESTS = (
    AcrossTest(
        name="wilcoxon",
        label="each pair",
        answer=run,
        overall=False,
        summary="Wilcoxon's signed-rank test of each pair of families",
        reference="Wilcoxon 1945; Pratt 1959; Demšar 2006",
    ),
)
