"""`stack`, the weights of non-negative least squares, as SuperLearner fits them.

1. In the bag, find the weights a >= 0 with the least Σ w (y - Σ a p)², over all classes if there
   are several; y is 1 for the true one.
2. Divide them by their sum. Without a positive weight all configurations share equally.

Source: Lawson & Hanson 1974 for the algorithm; Breiman 1996, Stacked regressions; van der Laan,
Polley & Hubbard 2007.
"""

from __future__ import annotations

import numpy as np

from bbccli.stats.making.interface import Combine, Given
from bbccli.stats.selection.candidates import holdout_parts
from bbccli.types import FloatArray, IntArray

PATIENCE = 30
"""Steps of the algorithm per configuration, at most."""


def combine(given: Given) -> Combine:
    """Return the weights of each bag, which add up to 1."""
    from scipy.optimize import nnls

    matrix, parts = given.matrix, holdout_parts(given.matrix)
    predictions = np.moveaxis(matrix.predictions.astype(np.float64), 2, -1)  # (R, N, [K,] C)
    truth = matrix.outcome.values.astype(np.float64)
    if predictions.ndim == 4:
        truth = np.eye(predictions.shape[2])[matrix.outcome.values.astype(np.intp)]
    truth = np.broadcast_to(truth, predictions.shape[:-1])
    given_weights = matrix.outcome.weights
    weighing = np.ones(matrix.n_samples) if given_weights is None else given_weights
    counted = np.broadcast_to(weighing, predictions.shape[:2]) * (True if parts is None else parts)

    def shares(weights: IntArray) -> FloatArray:
        shares = np.empty((len(weights), predictions.shape[-1]))
        for bag, row in enumerate(weights):
            masses = counted * row
            rows = masses > 0
            roots = np.sqrt(masses[rows])
            roots = roots.reshape(-1, *(1,) * (truth.ndim - 2))
            columns = predictions[rows] * roots[..., None]
            target = (truth[rows] * roots).ravel()
            n_columns = columns.shape[-1]
            shares[bag], _ = nnls(
                columns.reshape(-1, n_columns), target, maxiter=PATIENCE * n_columns
            )
        sums = shares.sum(axis=1, keepdims=True)
        return np.where(sums > 0, shares / np.where(sums > 0, sums, 1), 1 / shares.shape[1])

    return shares
