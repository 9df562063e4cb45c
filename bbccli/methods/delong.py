"""DL: the AUC of samples that took no part in the selection, with DeLong's interval.

1. Split the samples, and select the winner on those of the selection (split.py).
2. On the M positive and N negative evaluation samples, take the placement of each positive, the
   share of negatives that score lower, and of each negative, the share of positives that score
   higher (equation 4). Both have the AUC as their mean.
3. A sample's influence is its placement less the AUC, divided by M or by N.
4. The variance is M / (M - 1) times the sum of squared influences of the positives, plus
   N / (N - 1) times that of the negatives (equation 6).
5. The interval is normal, clipped to [0, 1].

Where samples come in groups, influences are added up within each before step 4, and the products
of a group's two sums count as well: Obuchowski 1997. With repeats, influences are averaged over
them: the variance is that of the mean AUC.

`delong-10p` preselects the best tenth of the configurations on the selection samples, selects
the best of them on the evaluation samples, and computes the interval at the level of Šidák.

Source: DeLong, DeLong & Clarke-Pearson 1988; Obuchowski 1997; Paraschakis et al. 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from bbccli.kernels.placements import placements
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method
from bbccli.metrics.base import Metric
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate
from bbccli.splitting.auc_interval import auc_estimate, predicted
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind


def delong(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
    preselect: bool = False,
) -> Estimate:
    """Return the winner's AUC on the evaluation samples, with DeLong's interval.

    Parameters
    ----------
    matrix
        Of two classes, with scores or probabilities.
    metric
        The AUC.
    plan
        `evaluation_share`, `seed` of the split, `pooling` of the selection, `level`, `side`.
    select_by
        Metric that selects, when that is another.
    preselect
        Let the evaluation samples select among the best tenth of the configurations.

    Returns
    -------
    Estimate
        Without an interval, and with a note, where fewer than two samples (groups) of a class
        evaluate. A perfect AUC has no variance: the interval has no width, and a note says so.

    Raises
    ------
    UnsupportedError
        Another metric, class labels instead of scores, or sample weights.
    UndefinedError
        Samples that can't be split with both classes on both sides.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, equations 4 to 6; Obuchowski 1997; Paraschakis et al.
    2024.
    """
    method = "delong-10p" if preselect else "delong"
    return auc_estimate(
        matrix, metric, plan, select_by, delong_variance, method=method, preselect=preselect
    )


def delong_variance(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> float:
    """Return the variance of the AUC of one configuration on the samples in `rows` (N,).

    NaN with fewer than two samples, or groups, of a class.
    """
    known = predicted(matrix, configuration, rows)
    positive, negative = (known & (matrix.outcome.values == k) for k in (1, 0))
    influences = influence_of(matrix, configuration, rows)
    return variance_of(influences, positive, negative, matrix.groups)


def influence_of(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> FloatArray:
    """Influence (N,) of each sample in `rows` (N,) on the AUC, averaged over repeats."""
    scores = matrix.as_kind(PredictionKind.SCORE, np.array([configuration]))[:, :, 0]
    positive, negative = (matrix.outcome.values == k for k in (1, 0))
    found, n_defined = np.zeros(matrix.n_samples), 0
    for repeat, of_repeat in enumerate(scores):
        known = rows
        if matrix.available is not None:
            known = rows & matrix.available[repeat, :, configuration]
        if matrix.repeated_holdout and not ((known & positive).any() and (known & negative).any()):
            continue  # the AUC is the mean over the repeats that have one
        found += influence(of_repeat, known & positive, known & negative)
        n_defined += 1
    return found / n_defined


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
    Equal AUCs have z = 0 and p = 1, also where the variance is 0, as for identical scores.

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
    with np.errstate(divide="ignore"):
        z = 0.0 if difference == 0 else float(np.float64(difference) / error)
    return Comparison(difference, error, z, 2 * NormalDist().cdf(-abs(z)))


def _corrected(total: float, n_units: int) -> float:
    """Multiply a sum over units by n / (n - 1)."""
    return total * n_units / (n_units - 1) if n_units > 1 else float("nan")


METHOD = Method(
    name="delong",
    label="split",
    run=delong,
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="AUC on held-out samples, with DeLong's interval",
    reference="DeLong et al. 1988; Paraschakis et al. 2024",
)

METHOD_10P = Method(
    name="delong-10p",
    label="split, best of 10 %",
    run=partial(delong, preselect=True),
    needs=frozenset(),
    gives=frozenset({Gives.POINT, Gives.INTERVAL}),
    summary="as delong, for the best of preselected configurations, at Šidák's level",
    reference="DeLong et al. 1988; Paraschakis et al. 2024",
)
