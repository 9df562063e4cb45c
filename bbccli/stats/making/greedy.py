"""`greedy:ROUNDS`, the ensemble selection of Caruana et al., by default of 25 rounds.

1. Start with an empty ensemble.
2. In each round, add the configuration with which the mean of the members is best in the bag, the
   first column on ties. A configuration may be added again.
3. Keep the ensemble of the round that was best, the first on ties. A member's share is how often
   it was added by then.

Source: Caruana, Niculescu-Mizil, Crew & Ksikes 2004.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bbccli.platform import resources
from bbccli.stats.making.interface import Combine, Given
from bbccli.stats.making.made import rounded, scored
from bbccli.types import FloatArray, IntArray

Try = Callable[[IntArray, FloatArray, int], FloatArray]
"""Weights (B, N), sums of the members (R, N, B, ...), their number -> performances (B, C) with each
configuration added."""


def combine(given: Given) -> Combine:
    """Return the shares of the members."""
    tried, predictions = any_metric(given), given.matrix.predictions.astype(np.float64)
    direction, n_rounds = given.metric.direction, given.number or 1
    n_each = max(resources.current().memory // (8 * predictions.nbytes), 1)

    def shares(weights: IntArray) -> FloatArray:
        parts = (weights[a : a + n_each] for a in range(0, len(weights), n_each))
        return np.concatenate([of_bags(part) for part in parts])

    def of_bags(weights: IntArray) -> FloatArray:
        bags = np.arange(len(weights))
        sums = np.zeros_like(predictions[:, :, bags * 0])
        added = np.zeros((len(weights), given.matrix.n_configurations))
        best, kept = np.full(len(weights), np.nan), np.full(added.shape, np.nan)
        for n_members in range(n_rounds):
            values = tried(weights, sums, n_members)
            chosen = direction.best(values)
            now = np.where(chosen < 0, np.nan, values[bags, chosen])
            sums += predictions[:, :, np.maximum(chosen, 0)]
            added[bags, chosen] += chosen >= 0
            ahead = direction.leads(now, best)
            best[ahead], kept[ahead] = now[ahead], added[ahead] / (n_members + 1)
        return kept

    return shares


def any_metric(given: Given) -> Try:
    """Score every mean as a column of its own: time O(B N C) per round, whatever the metric."""
    matrix, n = given.matrix, given.matrix.n_configurations
    predictions = matrix.predictions.astype(np.float64)

    def values(weights: IntArray, sums: FloatArray, n_members: int) -> FloatArray:
        means: FloatArray = (sums[:, :, :, None] + predictions[:, :, None]) / (n_members + 1)
        means = rounded(means).reshape(*means.shape[:2], -1, *means.shape[4:])
        rows = np.repeat(weights, n, axis=0)
        return scored(matrix, means, given.metric, given.pooling, rows).reshape(-1, n)

    return values
