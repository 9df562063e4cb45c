"""Metrics that need the sorted predictions of one configuration at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bbccli.matrix import Outcome
from bbccli.metrics.base import Bind, Predictions, scaled
from bbccli.types import BoolArray, FloatArray, IntArray

MOST_CELLS = 2**16
"""Weights looked at together: numpy's calls are amortised, and they stay in the cache.

Their columns are reordered by `take`, which keeps each row together in memory; after indexing,
running totals along the rows take several times as long.
"""

OfColumn = Callable[[int], FloatArray]
"""Configuration c -> its performance (B,) under each row of weights."""

UnderWeights = Callable[[FloatArray], OfColumn]
"""Weights (B, N) float64 -> what scores a configuration under them."""

Prepare = Callable[[Outcome, Predictions], UnderWeights]
"""Outcome and predictions (N, C) -> the same, sorted once."""


def by_column(prepare: Prepare) -> Bind:
    """Score one configuration after the other, each under many rows of weights at once.

    ``prepare(outcome, predictions)(weights)(c)`` is the performance (B,) of configuration c.
    """
    return lambda outcome, predictions: ColumnScorer(
        outcome, predictions, prepare, prepare(outcome, predictions)
    )


@dataclass(frozen=True, slots=True, eq=False)
class ColumnScorer:
    """Performances by sorted columns. Time O(B N C) after sorting once."""

    outcome: Outcome
    predictions: Predictions
    prepare: Prepare
    under: UnderWeights

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.predictions.shape[1])

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Performance of each configuration under each row of weights."""
        chosen = np.arange(self.n_configurations) if configurations is None else configurations
        values = np.empty((len(weights), len(chosen)))
        step = max(MOST_CELLS // max(weights.shape[1], 1), 1)
        for start in range(0, len(weights), step):
            rows = slice(start, start + step)
            masses = scaled(weights[rows], self.outcome.weights).astype(np.float64, copy=False)
            of = self.under(masses)
            for position, c in enumerate(chosen):
                values[rows, position] = of(c)
        return values

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Performance of one configuration per row of weights."""
        values = np.empty(len(weights))
        for c in np.unique(configurations):
            rows = configurations == c
            values[rows] = self(weights[rows], np.array([c]))[:, 0]
        return values

    def restrict(self, rows: BoolArray) -> ColumnScorer:
        """Keep the samples in `rows`."""
        outcome, predictions = self.outcome.take(rows), self.predictions[rows]
        return ColumnScorer(outcome, predictions, self.prepare, self.prepare(outcome, predictions))


def shifted(totals: FloatArray) -> FloatArray:
    """Return the totals (B, G) before each step: 0, and all but the last."""
    before = np.zeros_like(totals)
    before[:, 1:] = totals[:, :-1]
    return before
