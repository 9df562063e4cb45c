"""Whether any of several families differs, over data sets.

## friedman

Friedman's test of the mean ranks of K families on D data sets.

Formula, with R_j the mean rank of family j, 1 the best on a data set, and t the sizes of its ties:

```text
χ² = 12 D / (K (K + 1)) (Σ R_j² - K (K + 1)² / 4) / c,  df = K - 1                            (1)
c = 1 - Σ (t³ - t) / (D (K³ - K))
```

Algorithm:

1. Leave out data sets that lack a family, with the note
   [incomplete-data-sets](notes.md#incomplete-data-sets).
2. Rank the families on each; ties share the mean of their ranks.
3. Compute χ² with the correction c for ties, and its p-value. Where all tie everywhere p is 1.

It takes three families, and two data sets; of two families `wilcoxon` is the test.

When to use: before pairs are compared. When not: with fewer than about ten data sets, or five
families: `iman-davenport` is less conservative.

Cost: none.

Source: Friedman 1937; Demšar 2006, section 3.2.2.

## iman-davenport

Iman and Davenport's F of the same ranks.

Formula: F = (D - 1) χ² / (D (K - 1) - χ²), df = (K - 1), (K - 1)(D - 1).                      (2)

Algorithm: as for `friedman`, with this statistic. Where all data sets rank the families alike
nothing is left to compare with, and p is undefined.

When to use: instead of `friedman`, which is too conservative. When not: for two families.

Cost: none.

Source: Iman & Davenport 1980; Demšar 2006, section 3.2.2.
"""

from __future__ import annotations

from functools import partial

from bbccli.comparisons.across.base import AcrossTest, too_few
from bbccli.comparisons.across.table import Table, tie_sizes
from bbccli.comparisons.pairs.base import verdict_of
from bbccli.comparisons.pairs.case import positive
from bbccli.comparisons.records import Comparison
from bbccli.notes import Note, undefined_test


def run_friedman(table: Table) -> list[Comparison]:
    """Return Friedman's test of equation 1."""
    from scipy.special import chdtrc

    lacking = too_few("friedman", table, 2, 3)
    if lacking:
        return [_comparison("friedman", table, notes=(lacking,))]
    statistic, df = friedman_statistic(table), table.n_families - 1
    p = positive(float(chdtrc(df, statistic)))
    return [_comparison("friedman", table, statistic, (float(df),), p)]


def run_iman_davenport(table: Table) -> list[Comparison]:
    """Return Iman and Davenport's test of equation 2."""
    from scipy.special import fdtrc

    compare = partial(_comparison, "iman-davenport", table)
    lacking = too_few("iman-davenport", table, 2, 3)
    if lacking:
        return [compare(notes=(lacking,))]
    n, k, statistic = table.n_data_sets, table.n_families, friedman_statistic(table)
    df, left = (float(k - 1), float((k - 1) * (n - 1))), n * (k - 1) - statistic
    if left <= 1e-9 * n * k:
        why = "all data sets rank the families alike: there is no variance"
        return [compare(notes=(undefined_test("iman-davenport", why, "friedman"),))]
    f = (n - 1) * statistic / left
    return [compare(f, df, positive(float(fdtrc(*df, f))))]


def friedman_statistic(table: Table) -> float:
    """Return chi-squared of equation 1; 0 where all tie."""
    n, k, ranks = table.n_data_sets, table.n_families, table.ranks
    ties = sum(int((tie_sizes(row) ** 3 - tie_sizes(row)).sum()) for row in ranks)
    correction = 1 - ties / (n * (k**3 - k))
    if correction <= 0:
        return 0.0
    spread = float((ranks.mean(axis=0) ** 2).sum()) - k * (k + 1) ** 2 / 4
    return max(12 * n / (k * (k + 1)) * spread / correction, 0.0)


def _comparison(
    name: str,
    table: Table,
    statistic: float | None = None,
    df: tuple[float, ...] = (),
    p: float | None = None,
    notes: tuple[Note, ...] = (),
) -> Comparison:
    return Comparison(
        first=", ".join(table.families),
        second="",
        metric=table.metric,
        test=name,
        statistic=statistic,
        df=df,
        p=p,
        n_units=table.n_data_sets,
        verdict=verdict_of(None, p, 1 - table.level),
        notes=notes,
        compared=table.families,
    )


TESTS = (
    AcrossTest(
        name="friedman",
        label="all families",
        answer=run_friedman,
        overall=True,
        summary="Friedman's test of mean ranks over data sets",
        reference="Friedman 1937; Demšar 2006",
    ),
    AcrossTest(
        name="iman-davenport",
        label="all families",
        answer=run_iman_davenport,
        overall=True,
        summary="F test of the same mean ranks, less conservative",
        reference="Iman & Davenport 1980; Demšar 2006",
    ),
)
