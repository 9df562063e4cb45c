"""Influence values: what each sample does to a performance, for any metric.

1. Score the samples without the i-th one: a row of weights that is 1 but for a 0 at i.
2. L_i = (n - 1) (m - m_(-i)), where n is the number of samples in the stratum of i.

For a mean of losses L_i is exactly the loss of sample i less the mean. For the AUC, with classes
as strata, it is exactly the placement of sample i (the share of the other class that it is in
order with) less the AUC: V10 - A of a positive sample, V01 - A of a negative one (DeLong, DeLong &
Clarke-Pearson 1988). For other metrics it is the jackknife value, which differs from the
derivative by O(1/n).

Where samples come in groups, step 1 leaves out whole groups, and n is their number.

Step 1 takes no evaluation for each sample where the metric is a mean, a formula of totals or a
share of pairs: a total without a sample is the total less the sample's part, and the pairs without
it are all pairs less those that it is part of, which the sorted scores tell. So it is within
folds, over folds and over repeats. The values are the same. Concordances of censored times and
metrics of sorted columns, such as average precision, are scored once for each sample.

Of an AUC, or of a difference of two, DeLong's variance:

1. The placement of a positive sample is the share of the negatives that score lower, that of a
   negative one the share of the positives that score higher. Both have the AUC as their mean.
2. A sample's influence is its placement less the AUC, divided by the number of its class.
3. The variance is M / (M - 1) times the sum of squared influences of the M positives, plus
   N / (N - 1) times that of the N negatives.

Where samples come in groups, influences are added up within each before step 3, and the products
of a group's two sums count as well.

Source: Efron & Tibshirani 1993, chapter 11; Davison & Hinkley 1997, section 2.7; DeLong, DeLong &
Clarke-Pearson 1988; Obuchowski 1997.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.metrics.base import Scorer
from bbccli.metrics.kernels.pairs import placements
from bbccli.metrics.weighting import Units, without_each
from bbccli.stats.resampling import BLOCK, Unit, generator
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind


def influence(
    scorer: Scorer,
    weights: IntArray,
    configurations: IntArray | None = None,
    *,
    strata: IntArray | None = None,
    members: IntArray | None = None,
) -> FloatArray:
    """Return the jackknife influence values of C' configurations, in the metric's unit.

    scorer: of N samples.
    weights (N,) int: 0 for the samples to ignore, which have no influence; 1 for the others.
    configurations (C',) int, optional: which configurations; all of them by default.
    strata (U,) int, optional: stratum of each unit, such as its class. Without it all are in one.
    members (N,) int, optional: unit of each sample, from 0 to U - 1, where units are groups.
        Without it each sample is one.
    Returns (U, C') float64: positive where the unit raises the performance; they add up to 0 within
        the strata of a mean or an AUC. NaN where the performance is undefined without the unit.
    Source: Efron & Tibshirani 1993, chapter 11; DeLong, DeLong & Clarke-Pearson 1988.

    Time O(N C' log N) for means, formulas of totals and shares of pairs; else U + 1 evaluations of
    the metric, O(U N C').

    >>> from bbccli.metrics.base import MeanScorer
    >>> scorer = MeanScorer.of(np.array([[True], [True], [False], [True]]))
    >>> influence(scorer, np.ones(4, int))[:, 0]
    array([ 0.25,  0.25, -0.75,  0.25])
    """
    codes = np.arange(len(weights)) if members is None else members
    units = Units(codes, int(codes.max(initial=-1)) + 1)
    present = units.sums(weights) > 0
    whole = scorer(weights[None], configurations)
    changes = whole - without_each(scorer, weights, units, configurations)
    changes[~present] = 0.0  # also where all is undefined
    in_stratum = np.zeros(units.n_units, np.int64) if strata is None else strata
    sizes = np.bincount(in_stratum, present)[in_stratum]
    return np.asarray((sizes[:, None] - 1) * changes)


def standard_error(values: FloatArray, strata: IntArray | None = None) -> float:
    """Return the standard error of a performance from its influence values (U,).

    The root of the sum over strata of S2 / n, where S2 is the variance of the values within the
    stratum (ddof 1) and n their number. Of an AUC, with classes as strata, it is DeLong's; of a
    mean it is s / sqrt(n). NaN where a stratum has a single unit.

    Source: DeLong, DeLong & Clarke-Pearson 1988; Efron & Tibshirani 1993, chapter 11.

    >>> standard_error(np.array([0.25, 0.25, -0.75, 0.25]))
    0.25
    """
    in_stratum = np.zeros(len(values), np.int64) if strata is None else strata
    _, codes, sizes = np.unique(in_stratum, return_inverse=True, return_counts=True)
    if sizes.min(initial=2) < 2:
        return float("nan")
    means = np.bincount(codes, values) / sizes
    squares = np.bincount(codes, (values - means[codes]) ** 2)
    return float(np.sqrt((squares / (sizes * (sizes - 1))).sum()))


def auc_influence(scores: FloatArray, positive: BoolArray, negative: BoolArray) -> FloatArray:
    """Return how each of N samples influences the AUC of positives and negatives.

    scores (N,)
    positive, negative (N,) bool
    Returns (N,): placement less AUC, divided by the number of samples of the class; 0 for others.
        Those of each class add up to 0.
    Source: DeLong, DeLong & Clarke-Pearson 1988, equation 4.
    """
    placed = placements(scores, positive, negative)
    influences = np.zeros(len(scores))
    for members in (positive, negative):
        influences[members] = (placed[members] - placed[members].mean()) / members.sum()
    return influences


def auc_variance(
    influences: FloatArray, positive: BoolArray, negative: BoolArray, groups: IntArray | None = None
) -> float:
    """Return the variance of an AUC, or of a difference of AUCs, from influences (N,) on it.

    With I10 groups that hold a positive sample, I01 that hold a negative one and I in all, and
    with P_g and Q_g the sums of the influences of a group's positive and negative samples::

        I10 / (I10 - 1) sum P_g^2 + I01 / (I01 - 1) sum Q_g^2 + 2 I / (I - 1) sum P_g Q_g

    Without groups each sample is one, and this is DeLong's variance. NaN with fewer than two
    groups of a class.

    Source: DeLong, DeLong & Clarke-Pearson 1988, equation 6; Obuchowski 1997, section 2.
    """
    units = np.arange(len(influences)) if groups is None else groups
    sums = [np.bincount(units, influences * members) for members in (positive, negative)]
    present = [np.bincount(units, members) > 0 for members in (positive, negative)]
    products = ((0, 0, present[0]), (1, 1, present[1]), (0, 1, present[0] | present[1]))
    parts = [_corrected(float(sums[i] @ sums[j]), int(inside.sum())) for i, j, inside in products]
    # the sum of products may be negative, and so the total, in the last bit
    return max(parts[0] + parts[1] + 2 * parts[2], 0.0)


def auc_influence_in(matrix: PredictionMatrix, configuration: int, rows: BoolArray) -> FloatArray:
    """Return the influence (N,) of each sample in `rows` (N,) on the AUC of a configuration.

    It is a mean over repeats; with hold-outs, over those with a defined AUC.
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
        total += auc_influence(of_repeat, present & positive, present & negative)
        n_defined += 1
    return total / n_defined


def _corrected(total: float, n_units: int) -> float:
    return total * n_units / (n_units - 1) if n_units > 1 else float("nan")


MOST_MULTIPLIED = 2**16
"""Units whose multipliers are drawn in one call. Part of what a seed means for more of them."""


def multipliers(n_units: int, seed: int, position: int) -> Iterator[tuple[slice, FloatArray]]:
    """Yield one block of standard normal numbers (BLOCK, U), by parts of the units.

    Given the data, sums of influence values times standard normal numbers have the covariances of
    the figures, so their standardised maximum has the law of the largest error (Chernozhukov,
    Chetverikov & Kato 2013).

    n_units: U, units to multiply.
    seed: of the plan.
    position: of the block, 0 or more.
    Yields slice: the units of a part, up to 2^16 of them.
    Yields (BLOCK, U'): their multipliers.
    """
    rng = generator(seed, (Unit.MULTIPLIERS, 0, position))
    for start in range(0, n_units, MOST_MULTIPLIED):
        part = slice(start, min(start + MOST_MULTIPLIED, n_units))
        yield part, rng.standard_normal((BLOCK, part.stop - part.start))


def divisors(df: IntArray, weights: FloatArray, seed: int, position: int) -> FloatArray:
    """Return ratios (BLOCK,) of estimated standard errors to the true ones, for one block.

    They are roots of sums over strata of weights (H,) times chi2 / df, with df (H,): a normal
    number over that of one stratum is Student's t.
    """
    rng = generator(seed, (Unit.MULTIPLIERS, 1, position))
    squares = np.stack([rng.chisquare(n, BLOCK) / n for n in df], axis=1)
    return np.asarray(np.sqrt(squares @ weights))
