"""The area under the ROC curve, its standard errors, and the ranks that it rests on."""

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


def mean_ranks(values: FloatArray) -> FloatArray:
    """Return the ranks in each row (..., n), from 1 for the smallest; ties share their mean.

    >>> mean_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    n = values.shape[-1]
    if not values.size:
        return np.zeros(values.shape)
    rows = np.ascontiguousarray(values).reshape(-1, n)
    before = n * np.arange(len(rows))[:, None]
    entries = np.argsort(rows, axis=1) + before
    ordered = rows.ravel()[entries]
    ends = np.ones((len(rows), n + 1), bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=ends[:, 1:-1])
    starts, lasts = np.flatnonzero(ends[:, :-1]), np.flatnonzero(ends[:, 1:])
    middles = starts.astype(float)
    if len(starts) < rows.size:
        middles = np.repeat((starts + lasts) / 2, lasts - starts + 1)
    ranks = np.empty(rows.shape)
    ranks.ravel()[entries.ravel()] = middles
    return np.asarray(ranks - before + 1).reshape(values.shape)
