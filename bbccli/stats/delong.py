"""DeLong's variance of an AUC, or of a difference of two.

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

import numpy as np

from bbccli.core.matrix import PredictionMatrix
from bbccli.metrics.kernels.pairs import placements
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind


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
    influences: FloatArray, positive: BoolArray, negative: BoolArray, groups: IntArray | None = None
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


def influence_in(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> FloatArray:
    """Return the influence (N,) of each sample in `rows` (N,) on the AUC of a configuration.

    Averaged over repeats; of hold-outs over those in which the AUC is defined.
    """
    scores = matrix.as_kind(PredictionKind.SCORE, np.array([configuration]))[:, :, 0]
    positive, negative = (matrix.outcome.values == k for k in (1, 0))
    total, n_defined = np.zeros(matrix.n_samples), 0
    for repeat, of_repeat in enumerate(scores):
        present = rows
        if matrix.available is not None:
            present = rows & matrix.available[repeat, :, configuration]
        if matrix.repeated_holdout and not (
            (present & positive).any() and (present & negative).any()
        ):
            continue  # the AUC is the mean over the repeats that have one
        total += influence(of_repeat, present & positive, present & negative)
        n_defined += 1
    return total / n_defined


def _corrected(total: float, n_units: int) -> float:
    """Multiply a sum over units by n / (n - 1)."""
    return total * n_units / (n_units - 1) if n_units > 1 else float("nan")
