"""McNemar's tests of two proportions correct of the same samples.

## mcnemar

McNemar's test with the mid-p: the default for accuracy and error.

Formula, with b samples that the first configuration alone predicts correctly, c that the second
alone does, and X binomial (b + c, 1/2):

```text
p = 2 P(X < min(b, c)) + P(X = min(b, c))                                                     (1)
```

Algorithm:

1. Count b and c; samples on which both are right, or both wrong, say nothing of the difference.
2. Compute p; it is 1 where b + c = 0. The statistic is min(b, c).
3. The interval of the difference is Bonett and Price's: with p12 = (b + 1)/(n + 2) and p21 = (c +
   1) /(n + 2), p12 - p21 ∓ z √((p12 + p21 - (p12 - p21)²)/(n + 2)), within -1 and 1.
4. The effect is the odds ratio b/c; it is infinite where c = 0, and there is none where b + c = 0.

For shares of independent samples in one repeat, unweighted: `wald` and `permutation` are for the
others. Of samples that not all predict, those that both do are compared, with the note
[samples-in-common](notes.md#samples-in-common); without one in common these
tests are refused, and `wald` is the default.

Assumptions: independent samples.

When to use: for two classifiers that were named before seeing results. The mid-p hardly ever
exceeds its level, and the exact test is needlessly conservative. When not: for the winner of a
search.

Cost: none.

Source: Fagerland, Lydersen & Laake 2013; Bonett & Price 2012.

## mcnemar-exact

McNemar's test with the exact binomial p-value.

Formula: p = min(1, 2 P(X ≤ min(b, c))), with b, c and X as for `mcnemar`.                     (2)

Algorithm: as for `mcnemar`, with this p-value.

Differences: Raschka 2018, section 4.4, adds up 2 P(X ≥ max(b, c)), or writes the sum from the
larger of b and c; at b = c that is more than 1, and this is capped there.

When to use: where the level is to be kept for certain. When not: where power matters.

Cost: none.

Source: McNemar 1947; Fagerland, Lydersen & Laake 2013.

## mcnemar-chi2

McNemar's test with the chi-squared distribution, corrected for continuity.

Formula: χ² = (|b - c| - 1)² / (b + c), with 1 degree of freedom; 0 where |b - c| ≤ 1.         (3)

Algorithm: as for `mcnemar`, with this p-value.

Differences: without a discordant sample p is 1. mlxtend and statsmodels return p = 0 for identical
predictions, and R none. For b = c they have χ² = 1/(b + c); here it is 0, as in R: a correction
never goes past equality.

When to use: to check a published figure. When not: with fewer than 25 discordant samples.

Cost: none.

Source: McNemar 1947; Edwards 1948.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, sqrt

from bbccli.comparisons.pairs.base import LABELLED, PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, positive
from bbccli.comparisons.pairs.labels import correctness
from bbccli.comparisons.pairs.needs import OF_SHARES
from bbccli.comparisons.records import Effect
from bbccli.intervals.ends import interval_by
from bbccli.types import Interval, Pooling

Decide = Callable[[int, int], tuple[float, tuple[float, ...], float]]
"""b and c, not both 0 -> statistic, degrees of freedom, p-value."""


def run(case: PairCase, *, decide: Decide) -> PairAnswer:
    """Return one of McNemar's tests of two configurations."""
    counted = correctness(case)
    b, c = counted.discordant
    statistic, df, p = decide(b, c) if b + c else (0.0, (), 1.0)
    return PairAnswer(
        statistic=statistic,
        df=df,
        p=positive(p),
        interval=bonett_price(case, b, c, counted.n),
        effect=odds_ratio(b, c),
        n_units=counted.n,
        notes=counted.notes,
        values=counted.values,
    )


def mid_p(b: int, c: int) -> tuple[float, tuple[float, ...], float]:
    """Return the smaller count, and the mid-p of equation 1.

    Examples
    --------
    >>> round(mid_p(3, 9)[2], 6)
    0.092285
    """
    from scipy.special import bdtr

    k, n = min(b, c), b + c
    below = float(bdtr(k - 1, n, 0.5)) if k else 0.0
    return float(k), (), below + float(bdtr(k, n, 0.5))


def exact(b: int, c: int) -> tuple[float, tuple[float, ...], float]:
    """Return the smaller count, and the exact p-value of equation 2.

    Examples
    --------
    >>> round(exact(3, 9)[2], 6), exact(5, 5)[2]
    (0.145996, 1.0)
    """
    from scipy.special import bdtr

    k = min(b, c)
    return float(k), (), min(2 * float(bdtr(k, b + c, 0.5)), 1.0)


def chi_squared(b: int, c: int) -> tuple[float, tuple[float, ...], float]:
    """Return chi-squared with the continuity correction of equation 3, and its p-value.

    Examples
    --------
    >>> statistic, df, p = chi_squared(3, 9)
    >>> round(statistic, 4), df, round(p, 4)
    (2.0833, (1.0,), 0.1489)
    """
    from scipy.special import chdtrc

    statistic = max(abs(b - c) - 1, 0) ** 2 / (b + c)
    return statistic, (1.0,), float(chdtrc(1, statistic))


def bonett_price(case: PairCase, b: int, c: int, n: int) -> Interval:
    """Return Bonett and Price's interval of the difference of two paired proportions.

    References
    ----------
    Bonett & Price 2012, equation 4.
    """
    first, second = (b + 1) / (n + 2), (c + 1) / (n + 2)
    middle = first - second
    error = sqrt((first + second - middle**2) / (n + 2))

    def ends(outside: float) -> tuple[float, float]:
        from scipy.special import ndtri

        reach = -float(ndtri(outside)) * error
        return middle - reach, middle + reach

    return interval_by(ends, case.bounded, case.plan)


def odds_ratio(b: int, c: int) -> Effect | None:
    """Return b / c; None where both are 0.

    Examples
    --------
    >>> odds_ratio(6, 4).value
    1.5
    """
    return Effect("odds-ratio", b / c if c else inf) if b + c else None


def _test(name: str, label: str, decide: Decide, summary: str, reference: str) -> PairTest:
    return PairTest(
        name=name,
        label=label,
        answer=partial(run, decide=decide),
        summary=summary,
        reference=reference,
        for_tasks=LABELLED,
        needs=OF_SHARES,
        pooling=Pooling.POOLED,
    )


TESTS = (
    _test(
        "mcnemar",
        "discordant samples, mid-p",
        mid_p,
        "McNemar's test of two proportions correct, with the mid-p",
        "Fagerland, Lydersen & Laake 2013",
    ),
    _test(
        "mcnemar-exact",
        "discordant samples, exact",
        exact,
        "McNemar's exact test: as mcnemar, never above its level",
        "McNemar 1947",
    ),
    _test(
        "mcnemar-chi2",
        "discordant samples, chi-squared",
        chi_squared,
        "McNemar's chi-squared test, corrected for continuity",
        "McNemar 1947; Edwards 1948",
    ),
)
