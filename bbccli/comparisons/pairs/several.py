"""Several proportions correct of the same samples at once: Cochran's Q and Looney's F.

## cochran-q

Cochran's Q test of whether M configurations are correct equally often.

Formula, with n samples, G_i correct of configuration i, L_j configurations correct on sample j, and
T correct in all:

```text
Q = (M - 1) (M Σ G_i² - T²) / (M T - Σ L_j²),  df = M - 1                                     (1)
```

Algorithm:

1. Count what is correct, in whole numbers: time O(n M).
2. Compute Q; its p-value is that of χ². Where no sample is right for some and wrong for others the
   denominator is 0: Q is 0 and p is 1.
3. Report ε of Greenhouse and Geisser, between 1/(M - 1) and 1: how alike the variances of the
   pairwise differences are. Far below 1, both df of `looney-f` are too many by this factor.

Of two configurations Q is McNemar's χ² without the correction, (b - c)²/(b + c).

Differences: mlxtend's enumerates all 2^M patterns, 1.4 s for 16 configurations, and returns no
number for identical predictions.

Assumptions: independent samples; about 24 or more on which they differ.

When to use: to ask whether any of several configurations differs, before pairs are compared. When
not: for those that a search ranked first.

Cost: none.

Source: Cochran 1950; Greenhouse & Geisser 1959.

## looney-f

Looney's F test of the same.

Formula, with ACC_i correct of configuration i as a share, ACC their mean:

```text
SSA = n Σ_i (ACC_i - ACC)²,  SSB = Σ_j L_j² / M - M n ACC²,  SST = M n ACC (1 - ACC)
F = (SSA / (M - 1)) / ((SST - SSA - SSB) / ((M - 1)(n - 1))),  df = (M - 1), (M - 1)(n - 1)   (2)
F = (n - 1) Q / (n (M - 1) - Q)                                                               (3)
```

Algorithm: as for `cochran-q`, with this statistic; (3) holds to the last digit. Where nothing is
left of SST beside SSA and SSB, F is undefined.

Differences: Raschka 2018, section 4.7, adds SSA up over samples instead of configurations, leaves
1/M out of ACC, squares ACC in SST, and gives the second df once as (M - 1) n, as mlxtend computes,
and once as (M - 1)(n - 1).

When to use: to check a published figure. When not: otherwise; it says what Q says.

Cost: none.

Source: Looney 1988.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from bbccli.comparisons.pairs.base import LABELLED, PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase, positive, undefined
from bbccli.comparisons.pairs.labels import Correctness, correctness
from bbccli.comparisons.pairs.needs import OF_SHARES
from bbccli.types import BoolArray, Pooling


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of squares of n samples and M configurations, times M n: whole numbers.

    Attributes
    ----------
    between
        M Σ G² - T², which is M n SSA.
    within
        n (M T - Σ L²), which is M n (SST - SSB).
    """

    n: int
    m: int
    between: int
    within: int

    @classmethod
    def of(cls, right: BoolArray) -> Sums:
        """Count what is right (n, M)."""
        n, m = right.shape
        per_configuration = [int(count) for count in right.sum(axis=0)]
        per_sample = right.sum(axis=1).astype(np.int64)
        total = sum(per_configuration)
        between = m * sum(count**2 for count in per_configuration) - total**2
        return cls(n, m, between, n * (m * total - int((per_sample**2).sum())))

    @property
    def q(self) -> float:
        """Cochran's Q of equation 1; 0 where nothing differs."""
        return (self.m - 1) * self.n * self.between / self.within if self.within else 0.0

    @property
    def f(self) -> float | None:
        """Looney's F of equation 2; 0 where nothing differs, None where nothing is left."""
        left = self.within - self.between
        if left == 0 or self.n < 2:
            return None if self.between or self.n < 2 else 0.0
        return (self.n - 1) * self.between / left


def run_q(case: PairCase) -> PairAnswer:
    """Return Cochran's Q test of M configurations."""
    from scipy.special import chdtrc

    counted = correctness(case)
    sums = Sums.of(counted.right)
    p = positive(float(chdtrc(sums.m - 1, sums.q)))
    return _answer(counted, sums.q, (float(sums.m - 1),), p)


def run_f(case: PairCase) -> PairAnswer:
    """Return Looney's F test of M configurations."""
    from scipy.special import fdtrc

    counted = correctness(case)
    if counted.n < 2:
        why = "all of them predict a single sample, and it takes two"
        return undefined(case, why, values=counted.values, n_units=counted.n)
    sums = Sums.of(counted.right)
    df = (float(sums.m - 1), float((sums.m - 1) * (sums.n - 1)))
    if sums.f is None:
        why = "every sample says the same, so that no variance is left"
        return undefined(case, why, "cochran-q", values=counted.values, n_units=counted.n)
    return _answer(counted, sums.f, df, positive(float(fdtrc(*df, sums.f))))


def _answer(counted: Correctness, statistic: float, df: tuple[float, ...], p: float) -> PairAnswer:
    return PairAnswer(
        statistic=statistic,
        df=df,
        p=p,
        n_units=counted.n,
        epsilon=greenhouse_geisser(counted.right),
        notes=counted.notes,
        values=counted.values,
    )


def greenhouse_geisser(right: BoolArray) -> float | None:
    """Return epsilon of measurements (n, M), between 1 / (M - 1) and 1; None without variance.

    tr(S)² / ((M - 1) tr(S²)), with S the covariance of the measurements, centred both ways.

    References
    ----------
    Greenhouse & Geisser 1959.

    Examples
    --------
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
    found = trace**2 / ((m - 1) * float((covariance**2).sum()))
    return float(min(max(found, 1 / (m - 1)), 1.0))


_test = partial(
    PairTest,
    label="several at once",
    for_tasks=LABELLED,
    needs=OF_SHARES,
    several=True,
    pooling=Pooling.POOLED,
)

TESTS = (
    _test(
        name="cochran-q",
        answer=run_q,
        summary="Cochran's Q of whether several are correct equally often",
        reference="Cochran 1950",
    ),
    _test(
        name="looney-f",
        answer=run_f,
        summary="Looney's F of the same, on the scale of an analysis of variance",
        reference="Looney 1988",
    ),
)
