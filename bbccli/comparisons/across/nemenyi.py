"""Pairs of families over data sets, by their mean ranks.

## nemenyi

Nemenyi's test: two families differ where their mean ranks are a critical difference apart.

Formula, with q the studentized range of K values and infinite degrees of freedom, divided by √2:

```text
CD = q √(K (K + 1) / (6 D)),  z = (R_j - R_i) / √(K (K + 1) / (6 D))                          (1)
```

Algorithm:

1. Take the mean ranks of `friedman`.
2. The statistic of a pair is z, positive where the first has the better ranks; its p-value is that
   of √2 |z| as a studentized range. It allows for all pairs: nothing is adjusted.
3. The critical difference is that of the level.

Differences: the studentized range is to be divided by √2 once, in q; tables of Demšar 2006 hold q.
Families that others are compared with change what it says of two (Benavoli, Corani & Mangili 2016).

When to use: for the usual diagram of critical differences. When not: as the only test; `wilcoxon`
is the default.

Cost: none.

Source: Nemenyi 1963; Demšar 2006, section 3.2.2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from bbccli.comparisons.across.base import AcrossTest, too_few
from bbccli.comparisons.across.table import Table
from bbccli.comparisons.pairs.base import verdict_of
from bbccli.comparisons.records import Comparison

LEAST_P = 2.0**-53
"""A p-value under this is lost in the integral of the studentized range."""


def run(table: Table) -> list[Comparison]:
    """Return Nemenyi's test of each pair of families."""
    from scipy.stats import studentized_range

    pairs, k = list(table.pairs), table.n_families
    lacking = too_few("nemenyi", table, 2, 2)
    notes = (lacking,) if lacking else ()
    ranks, means = table.ranks.mean(axis=0), table.performances.mean(axis=0)
    z = np.array([(ranks[j] - ranks[i]) / unit_of(table) for i, j in pairs])
    p = np.clip(studentized_range.sf(sqrt(2) * np.abs(z), k, np.inf), LEAST_P, 1.0)
    found = []
    for (i, j), statistic, value in zip(pairs, z.tolist(), p.tolist(), strict=True):
        known = None if lacking else 1.0 if statistic == 0 else value
        found.append(
            Comparison(
                first=table.families[i],
                second=table.families[j],
                metric=table.metric,
                test="nemenyi",
                first_value=float(means[i]),
                second_value=float(means[j]),
                difference=float(table.differences(i, j).mean()) + 0.0,
                statistic=statistic + 0.0,
                p=known,
                p_adjusted=known,
                adjustment=None if lacking else "nemenyi",
                n_units=table.n_data_sets,
                verdict=verdict_of(statistic, known, 1 - table.level),
                notes=notes,
            )
        )
    return found


def unit_of(table: Table) -> float:
    """Return the standard error of a difference of two mean ranks."""
    k = table.n_families
    return sqrt(k * (k + 1) / (6 * table.n_data_sets))


def critical_difference(table: Table) -> float | None:
    """Return the difference of mean ranks that Nemenyi's test rejects at the level of the table.

    None with fewer than two data sets.

    References
    ----------
    Demšar 2006, section 3.2.2.
    """
    from scipy.stats import studentized_range

    if too_few("nemenyi", table, 2, 2):
        return None
    range_ = float(studentized_range.ppf(table.level, table.n_families, np.inf))
    return range_ / sqrt(2) * unit_of(table)


TESTS = (
    AcrossTest(
        name="nemenyi",
        label="each pair, mean ranks",
        answer=run,
        overall=False,
        summary="Nemenyi's test of mean ranks, and its critical difference",
        reference="Nemenyi 1963; Demšar 2006",
        adjusts=True,
    ),
)
