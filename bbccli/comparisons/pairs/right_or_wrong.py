"""Tests of proportions correct of the same samples.

## mcnemar

McNemar's test with the mid-p: the default for accuracy and error.

Formula, with b samples that the first configuration alone predicts correctly, c that the second
alone does, and X binomial (b + c, 1/2):

```text
p = 2 P(X < min(b, c)) + P(X = min(b, c))
```

Algorithm: p is 1 where b + c = 0. The interval is Bonett and Price's: with p12 = (b + 1)/(n + 2)
and p21 = (c + 1)/(n + 2), p12 - p21 ∓ z √((p12 + p21 - (p12 - p21)²)/(n + 2)). The effect is the
odds ratio b/c. It is for unweighted shares in one repeat; otherwise use `wald` or `permutation`. If
predictions are missing, the samples that both predict are compared
([samples-in-common](notes.md#samples-in-common)).

Assumptions: independent samples.

When to use: for two classifiers that were named before seeing results; the mid-p hardly ever
exceeds its level. When not: for the winner of a search.

Source: Fagerland, Lydersen & Laake 2013; Bonett & Price 2012.

## mcnemar-exact

McNemar's test with the exact binomial p-value.

Formula: p = min(1, 2 P(X ≤ min(b, c))), with b, c and X as for `mcnemar`.

Algorithm: as for `mcnemar`, with this p-value; capped at 1, unlike in Raschka 2018, section 4.4.

When to use: if the level must be kept. When not: if power matters.

Source: McNemar 1947; Fagerland, Lydersen & Laake 2013.

## mcnemar-chi2

McNemar's test with the chi-squared distribution, corrected for continuity.

Formula: χ² = (|b - c| - 1)² / (b + c), with 1 degree of freedom; 0 where |b - c| ≤ 1.

Algorithm: as for `mcnemar`, with this p-value; 1 without a discordant sample, where mlxtend and
statsmodels return 0. For b = c it is 0, as in R.

When to use: to check a published figure. When not: with fewer than 25 discordant samples.

Source: McNemar 1947; Edwards 1948.

## two-proportions

The z test of two proportions correct, for comparison with the literature only.

Formula, with p1 and p2 correct of n samples each and p their mean:

```text
z = (p1 - p2) / √(2 p (1 - p) / n)
```

Algorithm: a two-sided normal z; the interval is p1 - p2 ∓ z √(p1 (1 - p1)/n + p2 (1 - p2)/n). It
ignores that both predict the same samples, so it overlooks differences that paired tests find
([unpaired](notes.md#unpaired)). Raschka 2018, section 4.2, writes another standard deviation;
mlxtend's `proportion_difference` does not pool the variance, and is one-sided.

When to use: to check a published figure. When not: to compare two configurations of one file;
`mcnemar` does.

Source: Fleiss, Levin & Paik 2003, section 3.2.

## cochran-q

Cochran's Q test of whether M configurations are correct equally often.

Formula, with n samples, G_i correct of configuration i, L_j configurations correct on sample j, and
T correct in all:

```text
Q = (M - 1) (M Σ G_i² - T²) / (M T - Σ L_j²),  df = M - 1
```

Algorithm: Q is χ² distributed; where its denominator is 0, Q is 0 and p is 1. For two
configurations it is McNemar's χ² without the correction. ε of Greenhouse and Geisser is reported
too; if it is far below 1, both df of `looney-f` should be multiplied by it.

Assumptions: independent samples; about 24 or more on which they differ.

When to use: to test if any of several configurations differs, before pairs are compared. When not:
for those that a search ranked first.

Source: Cochran 1950; Greenhouse & Geisser 1959.

## looney-f

Looney's F test of the same hypothesis.

Formula, with ACC_i correct of configuration i as a share, ACC their mean:

```text
SSA = n Σ_i (ACC_i - ACC)²,  SSB = Σ_j L_j² / M - M n ACC²,  SST = M n ACC (1 - ACC),
F = (SSA / (M - 1)) / ((SST - SSA - SSB) / ((M - 1)(n - 1))),  df = (M - 1), (M - 1)(n - 1);
F = (n - 1) Q / (n (M - 1) - Q)
```

Algorithm: as for `cochran-q`, with this statistic; undefined if SST equals SSA + SSB. Raschka 2018,
section 4.7, and mlxtend differ in SSA, ACC and the second df.

When to use: to check a published figure. When not: otherwise; use `cochran-q`.

Source: Looney 1988.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, sqrt
from typing import Any

import numpy as np

from bbccli.comparisons.pairs.base import LABELLED, OF_SHARES, PairCase, PairTest
from bbccli.comparisons.records import Comparison, Effect
from bbccli.notes import Note
from bbccli.notes.comparisons import samples_in_common, undefined_test, unpaired
from bbccli.stats.intervals.ends import interval_by
from bbccli.stats.significance import Pivot, Significance, chi_squared, cochran, f_ratio, positive_p
from bbccli.types import BoolArray, Direction, Pooling

Fields = dict[str, Any]
"""Fields of a `Comparison`."""

Formula = Callable[[PairCase, BoolArray], Fields | Note]
"""Correct predictions of M configurations (n, M) -> result of a test, or why it is undefined."""


def of_shares(formula: Formula) -> Callable[[PairCase], Comparison]:
    """Make a test of a formula, on the samples that all configurations predict."""

    def run(case: PairCase) -> Comparison:
        rows = case.in_common
        assert case.correct is not None
        yes = np.asarray(case.correct.losses[rows][:, case.places] > 0)
        fields = formula(case, yes if case.metric.direction is Direction.MAXIMIZE else ~yes)
        result = partial(case.result, values=yes.mean(axis=0), n_units=len(yes))
        if isinstance(fields, Note):
            return result(notes=(fields,))
        on_rows = () if rows.all() else (samples_in_common(int(rows.sum()), len(rows)),)
        return result(notes=fields.pop("notes", ()) + on_rows, **fields)

    return run


def mcnemar(case: PairCase, right: BoolArray, decide: Callable[[int, int], Significance]) -> Fields:
    """Return one of McNemar's tests, with Bonett and Price's interval.

    Source: Bonett & Price 2012, equation 4.
    """
    first, second = right.T
    b, c, n = int((first & ~second).sum()), int((~first & second).sum()), len(right)
    tested = decide(b, c) if b + c else Significance(0.0, (), 1.0)
    p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    pivot = Pivot(p12 - p21, sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2)))
    return {
        **tested._asdict(),
        "interval": interval_by(pivot.ends, case.bounded, case.plan),
        "effect": Effect("odds-ratio", b / c if c else inf) if b + c else None,
    }


def mid_p(b: int, c: int) -> Significance:
    """Return the smaller count, and the mid-p of equation 1.

    >>> round(mid_p(3, 9).p, 6)
    0.092285
    """
    from scipy.special import bdtr

    k, n = min(b, c), b + c
    below = float(bdtr(k - 1, n, 0.5)) if k else 0.0
    return Significance(float(k), (), positive_p(below + float(bdtr(k, n, 0.5))))


def exact(b: int, c: int) -> Significance:
    """Return the smaller count, and the exact p-value of equation 2.

    >>> round(exact(3, 9).p, 6), exact(5, 5).p
    (0.145996, 1.0)
    """
    from scipy.special import bdtr

    k = min(b, c)
    return Significance(float(k), (), positive_p(2 * float(bdtr(k, b + c, 0.5))))


def continuity_corrected(b: int, c: int) -> Significance:
    """Return chi-squared with the continuity correction of equation 3, and its p-value.

    >>> statistic, df, p = continuity_corrected(3, 9)
    >>> round(statistic, 4), df, round(p, 4)
    (2.0833, (1.0,), 0.1489)
    """
    return chi_squared(max(abs(b - c) - 1, 0) ** 2 / (b + c), 1)


def two_proportions(case: PairCase, right: BoolArray) -> Fields:
    """Return the z test of unpaired proportions, with its interval."""
    n, (first, second) = len(right), right.mean(axis=0).tolist()
    p = (first + second) / 2
    pooled = Pivot(first - second, sqrt(2 * p * (1 - p) / n))
    spread = sqrt(first * (1 - first) / n + second * (1 - second) / n)
    return {
        "statistic": pooled.statistic,
        "p": pooled.p,
        "interval": interval_by(Pivot(first - second, spread).ends, case.bounded, case.plan),
        "notes": (unpaired(),),
    }


def cochran_q(case: PairCase, right: BoolArray) -> Fields:
    """Return Cochran's Q test of M configurations; 0 where nothing differs."""
    m = right.shape[1]
    between, within = (int(sums[-1]) for sums in cochran(right))
    tested = chi_squared((m - 1) * between / within if within else 0.0, m - 1)
    return {**tested._asdict(), "epsilon": greenhouse_geisser(right)}


def looney_f(case: PairCase, right: BoolArray) -> Fields | Note:
    """Return Looney's F test of M configurations; undefined where no variance is left."""
    n, m = right.shape
    if n < 2:
        return undefined_test(case.test, "all of them predict only one sample, and it takes two")
    between, within = (int(sums[-1]) for sums in cochran(right))
    left = n * within - between
    if not left and between:
        why = "every sample says the same, so that no variance is left"
        return undefined_test(case.test, why, "cochran-q")
    f = (n - 1) * between / left if left else 0.0
    return {**f_ratio(f, m - 1, (m - 1) * (n - 1))._asdict(), "epsilon": greenhouse_geisser(right)}


def greenhouse_geisser(right: BoolArray) -> float | None:
    """Return epsilon of measurements (n, M), between 1 / (M - 1) and 1; None without variance.

    tr(S)² / ((M - 1) tr(S²)), with S the covariance of the measurements, centred both ways.

    Source: Greenhouse & Geisser 1959.

    >>> greenhouse_geisser(np.array([[True, False], [False, True], [True, True]]))
    1.0
    """
    if len(right) < 2:
        return None
    values = right - right.mean(axis=1, keepdims=True)
    values = values - values.mean(axis=0)
    covariance = values.T @ values
    trace, m = float(np.trace(covariance)), right.shape[1]
    if trace <= 1e-12 * right.size:
        return None
    epsilon = trace**2 / ((m - 1) * float((covariance**2).sum()))
    return float(min(max(epsilon, 1 / (m - 1)), 1.0))


_test = partial(PairTest, for_tasks=LABELLED, needs=OF_SHARES, pooling=Pooling.POOLED)

TESTS = (
    _test("mcnemar", of_shares(partial(mcnemar, decide=mid_p)), "Fagerland, Lydersen & Laake 2013"),
    _test("mcnemar-exact", of_shares(partial(mcnemar, decide=exact)), "McNemar 1947"),
    _test(
        "mcnemar-chi2",
        of_shares(partial(mcnemar, decide=continuity_corrected)),
        "McNemar 1947; Edwards 1948",
    ),
    _test("two-proportions", of_shares(two_proportions), "Fleiss, Levin & Paik 2003"),
    _test("cochran-q", of_shares(cochran_q), "Cochran 1950", several=True),
    _test("looney-f", of_shares(looney_f), "Looney 1988", several=True),
)
