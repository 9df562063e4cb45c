"""Ranks, of which ties share the mean."""

from __future__ import annotations

import numpy as np

from bbccli.types import FloatArray


def mean_ranks(values: FloatArray) -> FloatArray:
    """Return the ranks (n,) of values, from 1 for the smallest; ties share the mean of theirs.

    Examples
    --------
    >>> mean_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[codes], np.float64)
