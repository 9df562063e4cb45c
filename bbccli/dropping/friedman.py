"""F-race: Friedman's test over folds, then Conover's comparison with the best.

1. Rank the C configurations in each of n folds; R_j is the sum of the ranks of configuration j.
2. Friedman's test, with its correction for ties; go on only if it is significant.
3. Drop j when R_j - R_best exceeds
   t sqrt(2 (n A - sum R^2) / ((n - 1) (C - 1))), A the sum of the squared ranks and t the
   1 - alpha / 2 quantile of Student's t with (n - 1) (C - 1) degrees of freedom.
4. With two configurations left: drop one that never wins a fold, else by Wilcoxon's signed ranks.

The first test comes after five folds. Here alpha is 1 - threshold.

Source: Birattari, Stuetzle, Paquete & Varrentrapp 2002; the form is that of the R package irace;
Conover 1999, pages 369-371.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, compare, leader
from bbccli.dropping.standing import Standing
from bbccli.dropping.wilcoxon import signed_ranks
from bbccli.types import FloatArray


def friedman(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations whose ranks over the folds are significantly worse than the best's.

    References
    ----------
    Birattari et al. 2002; Conover 1999, pages 369-371.
    """

    def test(gains: FloatArray) -> Verdict:
        p_value = _of_two(gains) if gains.shape[1] == 2 else _of_many(gains)
        return Verdict(p_value < 1 - threshold, p_value=p_value)

    return compare(standing, test)


@dataclass(frozen=True, slots=True, eq=False)
class RankSums:
    """Sums of ranks (C,), 1 for the best; sum of the squared ranks; p of Friedman's test."""

    sums: FloatArray
    squares: float
    p_value: float


def rank_sums(gains: FloatArray) -> RankSums:
    """Rank gains (n, C) in each row and test whether the C columns differ; 1 where all tie."""
    from scipy.special import chdtrc
    from scipy.stats import rankdata

    n, k = gains.shape
    ranks = rankdata(-gains, axis=1)
    sums, squares = ranks.sum(axis=0), float((ranks**2).sum())
    # equals the usual statistic with its correction for ties (Conover 1999, page 370)
    spread = squares - n * k * (k + 1) ** 2 / 4
    if spread <= 0:
        return RankSums(sums, squares, 1.0)
    statistic = (k - 1) * float(((sums - n * (k + 1) / 2) ** 2).sum()) / spread
    return RankSums(sums, squares, float(chdtrc(k - 1, statistic)))


def _of_many(gains: FloatArray) -> FloatArray:
    """The larger p of Friedman's test and Conover's comparison with the best: (C,)."""
    from scipy.special import stdtr

    n, k = gains.shape
    found = rank_sums(gains)
    freedom = (n - 1) * (k - 1)
    left = n * found.squares - float((found.sums**2).sum())
    scale = np.sqrt(max(2 * left / freedom, 0.0))
    behind = found.sums - found.sums.min()
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(behind > 0, 2 * stdtr(freedom, -behind / scale), 1.0)
    return np.maximum(apart, found.p_value)


def _of_two(gains: FloatArray) -> FloatArray:
    """Zero for one that never wins a fold, else Wilcoxon's p: (2,), 1 for the best."""
    best, _, behind = leader(gains)
    other = 1 - best
    differences = gains[:, [best]] - gains[:, [other]]
    p_value = np.ones(2)
    if behind[other]:
        never = bool((differences >= 0).all())
        p_value[other] = 0.0 if never else min(1.0, 2 * signed_ranks(differences)[0])
    return p_value


RULE = Rule(
    name="friedman",
    label="ranks over folds (F-race)",
    run=friedman,
    needs=frozenset({Requirement.FOLDS}),
    threshold=0.95,
    min_folds=5,
    reference="Birattari, Stuetzle, Paquete & Varrentrapp 2002",
)
