"""The pair sweep under real weights: sums in float64 instead of whole numbers."""

from __future__ import annotations

import numpy as np

from bbccli.kernels.pairs import PresortedPairs
from bbccli.types import FloatArray, IntArray

CACHE = 2**19
"""Weights swept side by side."""


def concordant_mass(
    pairs: PresortedPairs, weights: FloatArray, configurations: IntArray
) -> FloatArray:
    """Twice the weight of concordant pairs, ties counting one half.

    Parameters
    ----------
    pairs
        The sorted cases and controls of all configurations.
    weights : (B, N) non-negative
        One weighting of the samples per row.
    configurations : (C',) int
        Which configurations.

    Returns
    -------
    (B, C') float64
        As `kernels.concordant_weight`, to rounding. Time O(B C' N), extra memory O(CACHE + N).
    """
    sums = np.empty((len(weights), len(configurations)))
    width = max(CACHE // weights.shape[1], 1)
    for start in range(0, len(weights), width):
        lanes = np.ascontiguousarray(weights[start : start + width].T, np.float64)
        running = np.zeros((1 + pairs.controls.shape[1], lanes.shape[1]))
        for position, c in enumerate(configurations):
            np.cumsum(lanes[pairs.controls[c]], axis=0, out=running[1:])
            beaten = running[pairs.below[c]] + running[pairs.upto[c]]
            part = np.einsum("il,il->l", lanes[pairs.cases[c]], beaten)
            sums[start : start + width, position] = part
    return sums
