"""Ensembles with each configuration added, in numpy: the inner loops of greedy selection.

All forms take weights (B, M), sums of the members (B, M) and columns (C, M), where M are the
samples of all repeats, and return (B, C).
"""

from __future__ import annotations

import numpy as np

from bbccli.types import FloatArray

CELLS = 2**21
"""Means of one step: they stay in the cache next to memory."""

SPLITTER = 2.0**9 + 1
"""Rounds to 44 of 53 bits: to a share of 3e-14."""


def rounded(means: FloatArray) -> FloatArray:
    """Round means so that equal ones tie: added up in another order, they differ in the last bits.

    Source: Dekker 1971, of Veltkamp.
    """
    scaled = means * SPLITTER
    return np.asarray(scaled - (scaled - means))


def squared_errors(
    weights: FloatArray, squared: FloatArray, sums: FloatArray, columns: FloatArray,
    truth: FloatArray, number: int,
) -> FloatArray:  # fmt: skip
    """Weighted sums of the squared errors, by two matrix products: no array (B, M, C) is made.

    With R = sums - (number + 1) y, Σ w (R + p)² is Σ w R² + 2 Σ w R p + Σ w p².

    squared (B, C): Σ w p², the same in each round.
    """
    left = sums - (number + 1) * truth
    masses = weights * left
    cross, left_over = masses @ columns.T, np.einsum("bm,bm->b", masses, left)
    return np.asarray((left_over[:, None] + 2 * cross + squared) / (number + 1) ** 2)


def surprises(
    weights: FloatArray, sums: FloatArray, columns: FloatArray, number: int, clip: float
) -> FloatArray:
    """Weighted sums of -ln of the mean probability of the truth, which is at least `clip`."""
    losses = np.empty((len(weights), len(columns)))
    for bag, (row, summed) in enumerate(zip(weights, sums, strict=True)):
        inside = row > 0
        means = summed[inside] + columns[:, inside]
        np.maximum(means, clip * (number + 1), out=means)
        losses[bag] = np.log(number + 1) * row.sum() - np.log(means, out=means) @ row[inside]
    return losses


def hits(
    weights: FloatArray, sums: FloatArray, columns: FloatArray, truth: FloatArray, number: int,
    cut: float,
) -> FloatArray:  # fmt: skip
    """Weighted counts of the samples whose class is predicted: 1 above the cut."""
    counts = np.empty((len(weights), len(columns)))
    for bag, (row, summed) in enumerate(zip(weights, sums, strict=True)):
        inside = row > 0
        above = rounded((summed[inside] + columns[:, inside]) / (number + 1)) > cut
        counts[bag] = (above == truth[inside]) @ row[inside]
    return counts
