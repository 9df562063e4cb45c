"""The area under the ROC curve, and its standard errors."""

from __future__ import annotations

import numpy as np

from bbccli.types import BoolArray, FloatArray


def area(scores: FloatArray, positive: BoolArray) -> float:
    """Proportion of pairs in which the positive sample scores higher, ties count half; scores
    (N,).
    """
    negatives, positives = np.sort(scores[~positive]), np.sort(scores[positive])
    below = np.searchsorted(negatives, positives, "left")
    not_above = np.searchsorted(negatives, positives, "right")
    return float((below + not_above).mean() / (2 * len(negatives)))


def hanley_mcneil_variance(auc: float, n_positive: float, n_negative: float) -> float:
    """Return the variance of an AUC: Hanley & McNeil 1982, equation 1.

    Examples
    --------
    >>> round(hanley_mcneil_variance(0.9, 10, 20) ** 0.5, 4)
    0.0698
    """
    square = auc**2
    q1, q2 = auc / (2 - auc), 2 * square / (1 + auc)
    total = auc * (1 - auc) + (n_positive - 1) * (q1 - square) + (n_negative - 1) * (q2 - square)
    return max(total / (n_positive * n_negative), 0.0)
