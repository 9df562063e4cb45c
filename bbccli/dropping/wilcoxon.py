"""Wilcoxon: signed ranks of the differences to the best, fold by fold.

1. The best is the configuration with the best mean over the folds.
2. Test, one-sided, whether the best's differences to a configuration lie above zero; zero
   differences are split between the signs.
3. Drop the configuration when p is below 1 - threshold.

Folds are few, and the smallest p of n folds is 2^-n: at the threshold of 0.9 the first drop comes
after four folds.

Source: WilcoxonPruner of the Python package Optuna; Wilcoxon 1945.
"""

from __future__ import annotations

import numpy as np

from bbccli.dropping.base import Requirement, Rule, Verdict, compare, leader
from bbccli.dropping.standing import Standing
from bbccli.types import FloatArray, IntArray

MOST_EXACT = 50
"""Differences up to which the distribution of their rank sum is enumerated."""

DECIMALS = 12
"""Differences that agree to so many are ties: they are differences of rounded numbers."""


def wilcoxon(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations that lose to the best by Wilcoxon's signed-rank test over folds.

    References
    ----------
    Wilcoxon 1945.
    """

    def test(gains: FloatArray) -> Verdict:
        best, _, behind = leader(gains)
        p_value = np.where(behind, signed_ranks(gains[:, [best]] - gains), 1.0)
        return Verdict(behind & (p_value < 1 - threshold), p_value=p_value)

    return compare(standing, test)


def signed_ranks(differences: FloatArray) -> FloatArray:
    """Return the p (C,) of Wilcoxon's test that columns of differences (n, C) lie above zero.

    One-sided, and exact given the ranks, with ties and zeros, up to `MOST_EXACT` differences;
    beyond by the normal distribution. A zero difference has a rank and no sign.
    """
    sizes = np.round(np.abs(differences), DECIMALS)
    doubled = (sizes[:, None] > sizes).sum(axis=1) + (sizes[:, None] >= sizes).sum(axis=1) + 1
    doubled = np.where(sizes > 0, doubled, 0)
    observed = np.where(differences > 0, doubled, 0).sum(axis=0)
    if len(doubled) > MOST_EXACT:
        from scipy.special import ndtr

        spread = np.sqrt((doubled**2).sum(axis=0)) / 2
        ahead = observed - doubled.sum(axis=0) / 2
        return np.asarray(
            ndtr(-np.divide(ahead, spread, out=np.zeros_like(spread), where=spread > 0))
        )
    chance = _sums(doubled)
    reached = np.arange(chance.shape[1]) >= observed[:, None]
    return np.asarray(np.where(reached, chance, 0.0).sum(axis=1))


def _sums(values: IntArray) -> FloatArray:
    """(C, T + 1) probability that the sum of values (n, C), each in or out by a fair coin, is t."""
    sums = np.arange(len(values) * (len(values) + 1) + 1)
    chance = np.zeros((values.shape[1], len(sums)))
    chance[:, 0] = 1.0
    for value in values:
        before = sums - value[:, None]
        moved = np.take_along_axis(chance, np.maximum(before, 0), axis=1)
        chance = (chance + np.where(before >= 0, moved, 0.0)) / 2
    return chance


RULE = Rule(
    name="wilcoxon",
    label="signed ranks over folds",
    run=wilcoxon,
    needs=frozenset({Requirement.FOLDS}),
    threshold=0.9,
    min_folds=2,
    reference="Wilcoxon 1945",
)
