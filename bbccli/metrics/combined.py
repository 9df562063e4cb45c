"""A performance made of other performances: their mean, or a function of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bbccli.metrics.base import Scorer
from bbccli.metrics.leaving_out import without_each
from bbccli.metrics.weighting import Units
from bbccli.types import BoolArray, FloatArray, IntArray

Combine = Callable[[Sequence[FloatArray]], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Combined:
    """A function of the performances by several scorers of the same samples."""

    scorers: tuple[Scorer, ...]
    combine: Combine

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.scorers[0].n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Performance of each configuration under each row of weights."""
        return self.combine([scorer(weights, configurations) for scorer in self.scorers])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Performance of one configuration per row of weights."""
        return self.combine([scorer.paired(weights, configurations) for scorer in self.scorers])

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Performance without each of the units, under weights (N,): (U, C')."""
        parts = [without_each(one, weights, units, configurations) for one in self.scorers]
        return self.combine(parts)

    def restrict(self, rows: BoolArray) -> Combined:
        """Keep the samples in `rows`."""
        return Combined(tuple(scorer.restrict(rows) for scorer in self.scorers), self.combine)


def mean(parts: Sequence[FloatArray]) -> FloatArray:
    """Mean of several performances; NaN where any is."""
    return np.asarray(sum(parts[1:], parts[0]) / len(parts))
