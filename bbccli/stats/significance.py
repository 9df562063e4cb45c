"""Statistics and their null laws: written once for winners, pairs, ranks and rules of dropping.

An estimate over its standard error follows Student's t, or the normal law (`Pivot`). Friedman's
test compares ranks, Cochran's what is right or wrong, Wilcoxon's the signs of ranked differences.
"""

from __future__ import annotations

from math import erfc, inf, isinf, sqrt
from typing import NamedTuple

import numpy as np

from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray

SMALLEST_P = float(np.finfo(float).tiny)
"""A p-value under this can't be told from 0, which none is: 2.2e-308."""


class Significance(NamedTuple):
    """A statistic, the degrees of freedom of its law, and its p-value."""

    statistic: float
    df: tuple[float, ...]
    p: float


def positive_p(p: float) -> float:
    """Return a p-value that is neither 0, where it is too small for a float, nor above 1."""
    return min(max(float(p), SMALLEST_P), 1.0)


def chi_squared(statistic: float, df: float) -> Significance:
    """Test a statistic that is chi-squared.

    >>> round(chi_squared(25 / 12, 1).p, 4)
    0.1489
    """
    from scipy.special import chdtrc

    return Significance(statistic, (float(df),), positive_p(chdtrc(df, statistic)))


def f_ratio(statistic: float, above: float, below: float) -> Significance:
    """Test a ratio of two variances with these degrees of freedom."""
    from scipy.special import fdtrc

    return Significance(
        statistic, (float(above), float(below)), positive_p(fdtrc(above, below, statistic))
    )


@dataclass(frozen=True, slots=True)
class Pivot:
    """An estimate whose standardised error has a known law.

    value, error: estimate and standard error, in one unit.
    df: degrees of freedom of Student's t; infinite for the normal law.

    >>> round(Pivot(1.959964, 1.0).p, 6), round(Pivot(2.262157, 1.0, 9).p, 6)
    (0.05, 0.05)
    """

    value: float
    error: float
    df: float = inf

    @classmethod
    def of_parts(cls, values: FloatArray, ratio: float = 0.0) -> Pivot:
        """Return the mean of J values in folds, with J - 1 degrees of freedom.

        Its variance is (1 / J + ratio) s^2, where `ratio` is n_test / n_train for models that
        share training samples, and 0 for independent ones.

        Source: Student 1908; Nadeau & Bengio 2003.
        """
        spread = float(np.std(values, ddof=1))
        error = spread * sqrt(1 / len(values) + ratio)
        return cls(float(values.mean()), error, float(len(values) - 1))

    @property
    def statistic(self) -> float:
        """Estimate over standard error; 0 without an error."""
        return self.value / self.error if self.error else 0.0

    @property
    def p(self) -> float:
        """Probability of a statistic as far from 0, on either side."""
        if isinf(self.df):
            return positive_p(erfc(abs(self.statistic) / sqrt(2)))
        from scipy.special import stdtr

        return positive_p(2 * stdtr(self.df, -abs(self.statistic)))

    def ends(self, outside: float) -> tuple[float, float]:
        """Return the ends of an interval that has a probability `outside` beyond each."""
        if isinf(self.df):
            from statistics import NormalDist

            reach = -NormalDist().inv_cdf(outside) * self.error
        else:
            from scipy.special import stdtrit

            reach = -float(stdtrit(self.df, outside)) * self.error
        return self.value - reach, self.value + reach


def friedman_test(ranks: FloatArray) -> Significance:
    """Test whether k columns are ranked alike in n rows, from ranks (n, k) whose ties share means.

    The form (k - 1) sum (R_j - n (k + 1) / 2)^2 / (A - n k (k + 1)^2 / 4), with rank sums R_j and
    A the sum of the squared ranks, corrects for ties. 0 where all tie.

    Source: Friedman 1937; Conover 1999, page 370.
    """
    n, k = ranks.shape
    spread = float((ranks**2).sum()) - n * k * (k + 1) ** 2 / 4
    between = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    return chi_squared((k - 1) * between / spread if spread > 0 else 0.0, k - 1)


def cochran(right: BoolArray) -> tuple[IntArray, IntArray]:
    """Return sums of squares of right answers (n, C), among the first 1, 2, ..., C columns.

    Cochran's Q of the first k is (k - 1) times the first of these over the second.

    Returns between (C,): k sum G^2 - T^2, with column totals G and total T.
    Returns within (C,): k T - sum L^2, with row totals L; 0 where no row tells the columns apart.
    Source: Cochran 1950.
    """
    k, per_column = np.arange(1, right.shape[1] + 1), right.sum(axis=0, dtype=np.int64)
    totals, rows = np.cumsum(per_column), np.cumsum(right, axis=1, dtype=np.int64)
    between = k * np.cumsum(per_column**2) - totals**2
    return between, k * totals - (rows**2).sum(axis=0)


def signed_ranks(differences: FloatArray, most_exact: int) -> tuple[FloatArray, FloatArray]:
    """Rank differences (n, C) by size, and test whether columns are above zero.

    Zeros are ranked too, and have no sign (Pratt).

    most_exact: largest n with an exact p, given the ranks, ties and zeros; beyond it p is normal.
    Returns sums (C,): of the ranks of positive differences.
    Returns p (C,): probability of a sum as large if all signs were tosses of a fair coin.
    Source: Wilcoxon 1945; Pratt 1959.

    >>> sums, p = signed_ranks(np.array([[0.1], [0.2], [0.3]]), 25)
    >>> sums.tolist(), p.tolist()
    ([6.0], [0.125])
    """
    sizes = np.abs(differences)
    doubled = (sizes[:, None] > sizes).sum(axis=1) + (sizes[:, None] >= sizes).sum(axis=1) + 1
    doubled = np.where(sizes > 0, doubled, 0)
    sums = np.where(differences > 0, doubled, 0).sum(axis=0)
    if len(doubled) > most_exact:
        from scipy.special import ndtr

        spread, ahead = np.sqrt((doubled**2).sum(axis=0)) / 2, sums - doubled.sum(axis=0) / 2
        z = np.divide(ahead, spread, out=np.zeros_like(spread), where=spread > 0)
        return sums / 2, np.asarray(ndtr(-z))
    chance = _coin_sums(doubled)
    reached = np.arange(chance.shape[1]) >= sums[:, None]
    return sums / 2, np.asarray(np.where(reached, chance, 0.0).sum(axis=1))


def _coin_sums(values: IntArray) -> FloatArray:
    """(C, T + 1) probability that the sum of values (n, C), each in or out by a fair coin, is t."""
    sums = np.arange(len(values) * (len(values) + 1) + 1)
    chance = np.zeros((values.shape[1], len(sums)))
    chance[:, 0] = 1.0
    for value in values:
        before = sums - value[:, None]
        moved = np.take_along_axis(chance, np.maximum(before, 0), axis=1)
        chance = (chance + np.where(before >= 0, moved, 0.0)) / 2
    return chance
