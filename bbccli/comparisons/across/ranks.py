"""Tests of families over data sets, by their ranks on each.

## friedman

Friedman's test of the mean ranks of K families on D data sets.

Formula, with R_j the mean rank of family j, 1 the best on a data set, and t the sizes of its ties:

```text
χ² = 12 D / (K (K + 1)) (Σ R_j² - K (K + 1)² / 4) / c,  df = K - 1,
c = 1 - Σ (t³ - t) / (D (K³ - K))
```

Algorithm: leave out data sets that lack a family
([incomplete-data-sets](notes.md#incomplete-data-sets)); rank the families on each, ties sharing
their mean. It needs three families and two data sets; for two families use `wilcoxon`. Demšar's
example (2006, table 6) is without the correction for ties: 9.28 instead of 10.23.

When to use: before pairs are compared. When not: with fewer than about ten data sets, or five
families: `iman-davenport` is less conservative.

Source: Friedman 1937; Demšar 2006, section 3.2.2.

## iman-davenport

Iman and Davenport's F of the same ranks.

Formula: F = (D - 1) χ² / (D (K - 1) - χ²), df = (K - 1), (K - 1)(D - 1).

Algorithm: as for `friedman`, with this statistic. If all data sets rank the families alike, p is
undefined.

When to use: instead of `friedman`, which is too conservative. When not: for two families.

Source: Iman & Davenport 1980; Demšar 2006, section 3.2.2.

## wilcoxon

Wilcoxon's signed-rank test of each pair, with Holm's adjustment: the default over data sets.

Formula, with the ranks of the absolute differences, zeros ranked too (Pratt), R+ the sum of the
positive ones and R- of the negative ones:

```text
p = P(|R+ - E R+| as large),  each nonzero difference + or - with probability 1/2
```

Algorithm:

1. Rank the absolute differences over the data sets; ties share their mean. Then leave zeros out.
   The statistic is the smaller of R+ and R-.
2. Up to 25 data sets p is exact, ties and zeros included (scipy: 13). Beyond, R+ is normal with
   mean Σ r/2 and variance Σ r²/4.
3. The effect is the rank-biserial correlation, (R+ - R-)/(R+ + R-). p is adjusted for the number of
   pairs. Fewer than six data sets can't give p ≤ 0.05 ([few-data-sets](notes.md#few-data-sets)).

Assumptions: independent data sets, on which differences are comparable in size, and symmetric about
their median.

When to use: for any number of families; its result for two of them does not depend on the others
(Benavoli, Corani & Mangili 2016). When not: for folds or repeats of one data set.

Source: Wilcoxon 1945; Pratt 1959; Demšar 2006, section 3.1.3, who splits the ranks of zeros; Kerby
2014 (effect).

## nemenyi

Nemenyi's test: two families differ if their mean ranks do so by a critical difference.

Formula, with q the studentized range of K values and infinite degrees of freedom, divided by √2:

```text
CD = q √(K (K + 1) / (6 D)),  z = (R_j - R_i) / √(K (K + 1) / (6 D))
```

Algorithm: with the mean ranks of `friedman`, z of a pair is positive where the first is better; p
is that of √2 |z| as a studentized range, which already allows for all pairs.

When to use: for the usual diagram of critical differences. When not: as the only test: its result
for two families depends on the others.

Source: Nemenyi 1963; Demšar 2006, section 3.2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from bbccli.comparisons.adjustment import verdict_by_p
from bbccli.comparisons.records import Comparison, Effect
from bbccli.metrics.kernels.pairs import mean_ranks
from bbccli.notes.comparisons import few_data_sets, undefined_test
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import count
from bbccli.stats.significance import f_ratio, friedman_test, positive_p, signed_ranks
from bbccli.types import TIE_TOLERANCE, Direction, FloatArray

MOST_EXACT = 25
"""Data sets up to which all ways to sign the ranks are counted."""

LEAST_P = 2.0**-53
"""A p-value under this is lost in the integral of the studentized range."""


@dataclass(frozen=True, eq=False)
class PerformanceTable:
    """Performances of K families on D data sets, each of them complete.

    performances (D, K): in the metric's unit; finite.
    families: K names.
    metric, direction: name of the metric, and which way it is better.
    level: in (0, 1).
    """

    performances: FloatArray
    families: tuple[str, ...]
    metric: str
    direction: Direction
    level: float

    @property
    def n_data_sets(self) -> int:
        """D."""
        return len(self.performances)

    @property
    def n_families(self) -> int:
        """K."""
        return len(self.families)

    @property
    def gains(self) -> FloatArray:
        """(D, K) performances, larger is better, those of a data set equal where rounding parts."""
        values = self.direction.sign * self.performances
        return np.vstack([equal_up_to_rounding(row) for row in values])

    @cached_property
    def ranks(self) -> FloatArray:
        """(D, K) ranks within each data set: 1 is the best, ties share the mean of theirs."""
        return mean_ranks(-self.gains)

    @property
    def means(self) -> FloatArray:
        """(K,) mean performances, in the metric's unit."""
        return np.asarray(self.performances.mean(axis=0))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every pair of families, in their order."""
        return list(combinations(range(self.n_families), 2))

    def differences(self, first: int, second: int) -> FloatArray:
        """(D,) how much better the first is on each; sizes that rounding parts are equal."""
        gains = self.gains
        scale = np.abs(self.performances[:, [first, second]]).max(axis=1)
        differences = gains[:, first] - gains[:, second]
        differences = np.where(np.abs(differences) <= TIE_TOLERANCE * scale, 0.0, differences)
        return np.sign(differences) * equal_up_to_rounding(
            np.abs(differences), float(scale.max(initial=0.0))
        )

    def too_few(self, families: int) -> tuple[str, str] | None:
        """Return why a test is undefined with so few data sets or families, and the remedy."""
        if self.n_families < families:
            why = f"only {self.n_families} are ranked, and it takes {families} or more"
            return why, "wilcoxon, for two"
        if self.n_data_sets < 2:
            number = count(self.n_data_sets, "data set")
            verb = "is" if self.n_data_sets == 1 else "are"
            why = f"there {verb} only {number}, and it takes 2 or more"
            return why, "more data sets"
        return None

    def of_all(
        self, test: str, undefined: tuple[str, str] | None = None, **fields: Any
    ) -> Comparison:
        """Return a comparison of all families at once."""
        return Comparison(
            first=", ".join(self.families),
            second="",
            metric=self.metric,
            test=test,
            n_units=self.n_data_sets,
            verdict=verdict_by_p(None, fields.get("p"), 1 - self.level),
            notes=(undefined_test(test, *undefined),) if undefined else (),
            compared=self.families,
            **fields,
        )

    def of_pair(
        self, test: str, pair: tuple[int, int], sign: float | None, **fields: Any
    ) -> Comparison:
        """Return a comparison of two families; `sign` is positive where the first is better."""
        first, second = pair
        return Comparison(
            first=self.families[first],
            second=self.families[second],
            metric=self.metric,
            test=test,
            first_value=float(self.means[first]),
            second_value=float(self.means[second]),
            difference=float(self.differences(first, second).mean()) + 0.0,
            n_units=self.n_data_sets,
            verdict=verdict_by_p(sign, fields["p"], 1 - self.level),
            **fields,
        )


def equal_up_to_rounding(values: FloatArray, scale: float | None = None) -> FloatArray:
    """Return values (n,) with those that differ only by rounding made equal.

    0.9 - 0.8 and 0.8 - 0.7 are different floats, and would get different ranks.

    >>> len(set(equal_up_to_rounding(np.array([0.9 - 0.8, 0.8 - 0.7, 0.2])).tolist()))
    2
    """
    order = np.argsort(values, kind="stable")
    largest = float(np.abs(values).max(initial=0.0)) if scale is None else scale
    step = np.diff(values[order], prepend=-np.inf) > TIE_TOLERANCE * largest
    equal = np.empty_like(values)
    equal[order] = values[order][np.maximum.accumulate(np.where(step, np.arange(len(order)), 0))]
    return equal


@dataclass(frozen=True, slots=True)
class AcrossTest:
    """A test of whether families perform alike over data sets.

    name: name on the command line.
    answer: the function: a table in, comparisons out.
    overall: True if it tests all families at once, instead of pairs.
    reference: for the page of a comparison; the documentation is the docstring of the module.
    adjusts: True if its p-values already allow for the number of pairs.
    """

    name: str
    answer: Callable[[PerformanceTable], list[Comparison]]
    overall: bool
    reference: str
    adjusts: bool = False


def run_friedman(table: PerformanceTable) -> list[Comparison]:
    """Return Friedman's test."""
    if undefined := table.too_few(3):
        return [table.of_all("friedman", undefined)]
    return [table.of_all("friedman", **friedman_test(table.ranks)._asdict())]


def run_iman_davenport(table: PerformanceTable) -> list[Comparison]:
    """Return Iman and Davenport's test."""
    compared = partial(table.of_all, "iman-davenport")
    if undefined := table.too_few(3):
        return [compared(undefined)]
    n, k, statistic = table.n_data_sets, table.n_families, friedman_test(table.ranks).statistic
    left = n * (k - 1) - statistic
    if left <= 1e-9 * n * k:
        why = "all data sets rank the families in the same order, so there is no variance"
        return [compared((why, "friedman"))]
    tested = f_ratio((n - 1) * statistic / left, k - 1, (k - 1) * (n - 1))
    return [compared(**tested._asdict())]


def run_wilcoxon(table: PerformanceTable) -> list[Comparison]:
    """Return Wilcoxon's test of each pair of families."""
    return [_signed(table, pair) for pair in table.pairs]


def _signed(table: PerformanceTable, pair: tuple[int, int]) -> Comparison:
    differences, n = table.differences(*pair), table.n_data_sets
    above, below, p = signed_rank(differences)
    effect = (above - below) / (above + below) if above + below else None
    least = 2.0 ** (1 - n)
    return table.of_pair(
        "wilcoxon",
        pair,
        effect,
        statistic=min(above, below),
        p=p,
        effect=None if effect is None else Effect("rank-biserial", effect),
        notes=(few_data_sets("wilcoxon", n, least),) if least > 1 - table.level else (),
    )


def signed_rank(differences: FloatArray) -> tuple[float, float, float]:
    """Return the rank sums of positive and of negative differences (n,), and the p-value.

    >>> signed_rank(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    (15.0, 0.0, 0.0625)
    """
    sums, p = signed_ranks(np.column_stack([differences, -differences]), MOST_EXACT)
    return float(sums[0]), float(sums[1]), positive_p(2 * float(p.min()))


def run_nemenyi(table: PerformanceTable) -> list[Comparison]:
    """Return Nemenyi's test of each pair of families."""
    from scipy.stats import studentized_range

    pairs, ranks = table.pairs, table.ranks.mean(axis=0)
    undefined = table.too_few(2)
    z = np.array([(ranks[j] - ranks[i]) / unit_of(table) for i, j in pairs])
    p = studentized_range.sf(sqrt(2) * np.abs(z), table.n_families, np.inf)
    p = np.where(z == 0, 1.0, np.clip(p, LEAST_P, 1.0))
    return [
        table.of_pair(
            "nemenyi",
            pair,
            statistic,
            statistic=statistic + 0.0,
            p=None if undefined else value,
            p_adjusted=None if undefined else value,
            adjustment=None if undefined else "nemenyi",
            notes=(undefined_test("nemenyi", *undefined),) if undefined else (),
        )
        for pair, statistic, value in zip(pairs, z.tolist(), p.tolist(), strict=True)
    ]


def unit_of(table: PerformanceTable) -> float:
    """Return the standard error of a difference of two mean ranks."""
    k = table.n_families
    return sqrt(k * (k + 1) / (6 * table.n_data_sets))


def critical_difference(table: PerformanceTable) -> float | None:
    """Return the difference of mean ranks that Nemenyi's test rejects at the level of the table.

    None with fewer than two data sets.

    Source: Demšar 2006, section 3.2.2.
    """
    from scipy.stats import studentized_range

    if table.too_few(2):
        return None
    range_ = float(studentized_range.ppf(table.level, table.n_families, np.inf))
    return range_ / sqrt(2) * unit_of(table)


TESTS = (
    AcrossTest(
        name="friedman",
        answer=run_friedman,
        overall=True,
        reference="Friedman 1937; Demšar 2006",
    ),
    AcrossTest(
        name="iman-davenport",
        answer=run_iman_davenport,
        overall=True,
        reference="Iman & Davenport 1980; Demšar 2006",
    ),
    AcrossTest(
        name="wilcoxon",
        answer=run_wilcoxon,
        overall=False,
        reference="Wilcoxon 1945; Pratt 1959; Demšar 2006",
    ),
    AcrossTest(
        name="nemenyi",
        answer=run_nemenyi,
        overall=False,
        reference="Nemenyi 1963; Demšar 2006",
        adjusts=True,
    ),
)
