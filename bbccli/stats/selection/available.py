"""Available cases: each configuration scored on the samples that it predicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bbccli.metrics.base import Scorer
from bbccli.metrics.weighting import Units, without_each
from bbccli.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class AvailableCases:
    """A scorer under which the samples that a configuration lacks have no weight.

    Attributes
    ----------
    scorer
        Of all samples; what it holds where a prediction is missing never counts.
    available : (N, C) bool
        Where a configuration has a prediction.
    patterns : (P, N) bool
        The distinct columns of `available`.
    pattern_of : (C,) int
        Pattern of each configuration.
    """

    scorer: Scorer
    available: BoolArray
    patterns: BoolArray
    pattern_of: IntArray

    @classmethod
    def of(cls, scorer: Scorer, available: BoolArray) -> AvailableCases:
        """Group configurations by what they lack."""
        patterns, pattern_of = np.unique(available.T, axis=0, return_inverse=True)
        return cls(scorer, available, patterns, pattern_of.reshape(-1))

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.scorer.n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Score weights (B, N) on C' configurations, those of one pattern at a time: (B, C')."""
        return self._by_pattern(
            configurations, len(weights), lambda known, c: self.scorer(weights * known, c)
        )

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Score each row of weights (B, N) on its own configuration (B,): (B,)."""
        known = self.patterns[self.pattern_of[configurations]]
        return self.scorer.paired(weights * known, configurations)

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Performances without each of the units, under weights (N,): (U, C')."""
        return self._by_pattern(
            configurations,
            units.n_units,
            lambda known, c: without_each(self.scorer, weights * known, units, c),
        )

    def _by_pattern(
        self,
        configurations: IntArray | None,
        n_rows: int,
        score: Callable[[BoolArray, IntArray], FloatArray],
    ) -> FloatArray:
        chosen = np.arange(self.n_configurations) if configurations is None else configurations
        values = np.empty((n_rows, len(chosen)))
        patterns = self.pattern_of[chosen]
        for pattern in np.unique(patterns):
            alike = np.flatnonzero(patterns == pattern)
            values[:, alike] = score(self.patterns[pattern], chosen[alike])
        return values

    def restrict(self, rows: BoolArray) -> AvailableCases:
        """Keep the samples in `rows`."""
        return AvailableCases.of(self.scorer.restrict(rows), self.available[rows])
