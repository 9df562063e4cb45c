"""Metrics that need the sorted predictions of one configuration at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bbccli.core.outcome import Outcome
from bbccli.metrics.base import Bind, Predictions
from bbccli.metrics.kernels.running import lanes_at_once, side_by_side
from bbccli.metrics.weighting import by_configuration, scaled
from bbccli.types import BoolArray, FloatArray, IntArray

OfColumn = Callable[[int], FloatArray]
"""Configuration c -> its performance (L,) in each lane of weights."""

UnderWeights = Callable[[FloatArray], OfColumn]
"""Weights in lanes (N + 1, L) float64, the last row 0 -> what scores a configuration."""

Prepare = Callable[[Outcome, Predictions], UnderWeights]
"""Outcome and predictions (N, C) -> the same, sorted once."""


def by_column(prepare: Prepare) -> Bind:
    """Score one configuration after the other, each under many weightings side by side.

    ``prepare(outcome, predictions)(lanes)(c)`` is the performance (L,) of configuration c.
    Running totals down the lanes are cheap by `kernels.running`.
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
        step = lanes_at_once(weights.shape[1])
        for start in range(0, len(weights), step):
            rows = slice(start, start + step)
            masses = scaled(weights[rows], self.outcome.weights)
            of = self.under(side_by_side(masses, np.float64))
            for position, c in enumerate(chosen):
                values[rows, position] = of(c)
        return values

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Performance of one configuration per row of weights."""
        return by_configuration(self, weights, configurations)

    def restrict(self, rows: BoolArray) -> ColumnScorer:
        """Keep the samples in `rows`."""
        outcome, predictions = self.outcome.take(rows), self.predictions[rows]
        return ColumnScorer(outcome, predictions, self.prepare, self.prepare(outcome, predictions))
