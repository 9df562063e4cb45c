"""The area under one curve, and how far chance carries it."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from bbccli.types import BoolArray, FloatArray


def area(scores: FloatArray, positive: BoolArray) -> float:
    """Share of pairs in which the positive sample scores higher, ties by half; scores (N,)."""
    negatives, positives = np.sort(scores[~positive]), np.sort(scores[positive])
    below = np.searchsorted(negatives, positives, "left")
    not_above = np.searchsorted(negatives, positives, "right")
    return float((below + not_above).mean() / (2 * len(negatives)))


def error_by_chance(n_negative: int, n_positive: int) -> float:
    """Standard error of the area of scores that know nothing, without ties, which make it smaller.

    Source: Mann & Whitney 1947, the variance of U over the square of the number of pairs.

    Examples
    --------
    >>> round(error_by_chance(50, 50), 4)
    0.058
    """
    return sqrt((n_negative + n_positive + 1) / (12 * n_negative * n_positive))


def concordance_error_by_chance(n_events: int) -> float:
    """Standard error of the concordance of risks that know nothing, of samples all with an event.

    Censored samples add pairs, so with them it is smaller.

    Source: Kendall 1938, the variance of tau, of which the concordance is (tau + 1) / 2.

    Examples
    --------
    >>> round(concordance_error_by_chance(100), 4)
    0.0339
    """
    if n_events < 2:
        return inf
    return sqrt((2 * n_events + 5) / (18 * n_events * (n_events - 1)))


def hanley_mcneil_variance(auc: float, n_positive: float, n_negative: float) -> float:
    """Return the variance of an AUC of M positive and N negative samples.

    References
    ----------
    Hanley & McNeil 1982, equation 1.

    Examples
    --------
    >>> round(hanley_mcneil_variance(0.9, 10, 20) ** 0.5, 4)
    0.0698
    """
    square = auc**2
    q1, q2 = auc / (2 - auc), 2 * square / (1 + auc)
    total = auc * (1 - auc) + (n_positive - 1) * (q1 - square) + (n_negative - 1) * (q2 - square)
    return max(total / (n_positive * n_negative), 0.0)


def newcombe_variance(auc: float, n_positive: float, n_negative: float) -> float:
    """Return Hanley and McNeil's variance with half of all samples in the place of each class.

    Their model of the scores treats the classes unlike; this one does not. It is theirs where the
    classes are of one size, and nearer to that of normal scores where they are not.

    References
    ----------
    Newcombe 2006, method 4.

    Examples
    --------
    >>> round(newcombe_variance(0.85, 83.1, 193.9) ** 0.5, 5)
    0.02549
    """
    half = (n_positive + n_negative) / 2
    parts = 1 + (half - 1) * ((1 - auc) / (2 - auc) + auc / (1 + auc))
    return max(auc * (1 - auc) * parts / (n_positive * n_negative), 0.0)
