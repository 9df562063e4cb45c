"""DeLong's variance of an AUC, and his test of two.

1. The placement of a positive sample is the share of the negatives that score lower, that of a
   negative one the share of the positives that score higher. Both have the AUC as their mean.
2. A sample's influence is its placement less the AUC, divided by the number of its class.
3. The variance is M / (M - 1) times the sum of squared influences of the M positives, plus
   N / (N - 1) times that of the N negatives.

Where samples come in groups, influences are added up within each before step 3, and the products
of a group's two sums count as well.

Source: DeLong, DeLong & Clarke-Pearson 1988; Obuchowski 1997.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from bbccli.kernels.placements import placements
from bbccli.types import BoolArray, FloatArray, IntArray


def influence(scores: FloatArray, positive: BoolArray, negative: BoolArray) -> FloatArray:
    """Return by how much each of N samples moves the AUC of the positive and negative ones.

    Parameters
    ----------
    scores : (N,)
    positive, negative : (N,) bool

    Returns
    -------
    (N,)
        Placement less AUC, divided by the number of samples of the class; 0 for others. Those of
        each class add up to 0.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, equation 4.
    """
    placed = placements(scores, positive, negative)
    found = np.zeros(len(scores))
    for members in (positive, negative):
        found[members] = (placed[members] - placed[members].mean()) / members.sum()
    return found


def variance_of(
    influences: FloatArray,
    positive: BoolArray,
    negative: BoolArray,
    groups: IntArray | None = None,
) -> float:
    """Return the variance of an AUC, or of a difference of AUCs, from influences (N,) on it.

    With I10 groups that hold a positive sample, I01 that hold a negative one and I in all, and
    with P_g and Q_g the sums of the influences of a group's positive and negative samples::

        I10 / (I10 - 1) sum P_g^2 + I01 / (I01 - 1) sum Q_g^2 + 2 I / (I - 1) sum P_g Q_g

    Without groups each sample is one, and this is DeLong's variance. NaN with fewer than two
    groups of a class.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, equation 6; Obuchowski 1997, section 2.
    """
    units = np.arange(len(influences)) if groups is None else groups
    sums = [np.bincount(units, influences * members) for members in (positive, negative)]
    held = [np.bincount(units, members) > 0 for members in (positive, negative)]
    products = ((0, 0, held[0]), (1, 1, held[1]), (0, 1, held[0] | held[1]))
    parts = [_corrected(float(sums[i] @ sums[j]), int(inside.sum())) for i, j, inside in products]
    # the sum of products may be negative, and so the total, in the last bit
    return max(parts[0] + parts[1] + 2 * parts[2], 0.0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A difference of two AUCs of the same samples, its standard error, z, and two-sided p."""

    difference: float
    error: float
    z: float
    p: float


def delong_test(
    first: FloatArray, second: FloatArray, positive: BoolArray, negative: BoolArray
) -> Comparison:
    """Test whether two configurations have the same AUC, from their scores (N,) of one sample.

    The difference of the influences gives the variance of the difference, covariance and all.
    Equal AUCs have z = 0 and p = 1, also where the variance is 0, as for identical scores; of AUCs
    that differ where the variance is 0, neither is defined: they are NaN.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, section 3.

    Examples
    --------
    >>> scores, positive = np.array([0.1, 0.4, 0.3, 0.8]), np.array([False, False, True, True])
    >>> delong_test(scores, scores, positive, ~positive)
    Comparison(difference=0.0, error=0.0, z=0.0, p=1.0)
    """
    from statistics import NormalDist

    auc = [placements(scores, positive, negative)[positive].mean() for scores in (first, second)]
    difference = float(auc[0] - auc[1])
    influences = [influence(scores, positive, negative) for scores in (first, second)]
    error = sqrt(variance_of(influences[0] - influences[1], positive, negative))
    z = 0.0 if difference == 0 else difference / error if error else float("nan")
    return Comparison(difference, error, z, 2 * NormalDist().cdf(-abs(z)))


def _corrected(total: float, n_units: int) -> float:
    """Multiply a sum over units by n / (n - 1)."""
    return total * n_units / (n_units - 1) if n_units > 1 else float("nan")
