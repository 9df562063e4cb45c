"""Isotonic regression by pooling adjacent violators."""

from __future__ import annotations

import numpy as np

from bbccli.types import FloatArray


def isotonic(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the non-decreasing values (n,) nearest to the given ones in weighted squares.

    Notes
    -----
    Time O(n): a block is merged with the one before as long as it is not above it.

    References
    ----------
    Ayer, Brunk, Ewing, Reid & Silverman 1955.

    Examples
    --------
    >>> isotonic(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    means: list[float] = []
    sizes: list[float] = []
    lengths: list[int] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, size, length = value, weight, 1
        while means and means[-1] >= mean:
            before, size_before = means.pop(), sizes.pop()
            mean = (before * size_before + mean * size) / (size_before + size)
            size, length = size + size_before, length + lengths.pop()
        means.append(mean)
        sizes.append(size)
        lengths.append(length)
    return np.repeat(means, lengths)
