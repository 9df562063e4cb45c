"""Performances without each unit: in closed form where a scorer has one, else one by one."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bbccli import kernels, resources
from bbccli.metrics.base import Scorer
from bbccli.metrics.weighting import Units
from bbccli.types import FloatArray, IntArray

MOST_CELLS = 2**22
"""Weights scored at once."""


@runtime_checkable
class LeavesOut(Protocol):
    """A scorer that knows its performances without each unit, in time O(N C') up to logarithms."""

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Performances without each of U units, under weights (N,) of 0 and 1: (U, C')."""


def without_each(
    scorer: Scorer, weights: IntArray, units: Units, configurations: IntArray | None = None
) -> FloatArray:
    """Return the performances without each of U units, under weights (N,) of 0 and 1: (U, C').

    Of a unit without weight, that of all; NaN where what is left is undefined.

    Notes
    -----
    Time O(N C') for means, totals and pairs up to logarithms, and what is made of these; else
    O(U N C').
    """
    if isinstance(scorer, LeavesOut):
        return scorer.without_each(weights, units, configurations)
    return one_by_one(scorer, weights, units, configurations)


def one_by_one(
    scorer: Scorer, weights: IntArray, units: Units, configurations: IntArray | None = None
) -> FloatArray:
    """Return the same by one evaluation of the metric for each unit."""
    whole = scorer(weights[None], configurations)
    without = np.repeat(whole, units.n_units, axis=0)
    present = units.sums(weights) > 0
    for chosen in _batches(np.flatnonzero(present), len(weights), without.shape[1]):
        without[chosen] = scorer(weights * (units.codes != chosen[:, None]), configurations)
    return without


Counts = tuple[NDArray[Any], NDArray[Any]]
"""Twice the weight of concordant pairs (U, C'), and the weight of all pairs (U, 1)."""


@runtime_checkable
class CountsLeavingOut(Protocol):
    """A counter of pairs that knows its counts without each unit."""

    def counted_without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> Counts:
        """Counts without each of U units, under weights (N,) of 0 and 1."""


def counted_without_each(
    counter: Any, weights: IntArray, units: Units, configurations: IntArray | None = None
) -> Counts:
    """Return the pairs of a counter without each of U units, under weights (N,) of 0 and 1."""
    if isinstance(counter, CountsLeavingOut):
        return counter.counted_without_each(weights, units, configurations)
    counts, pairs = counter.counted(weights[None], configurations)
    counts, pairs = (np.repeat(part, units.n_units, axis=0) for part in (counts, pairs))
    for chosen in _batches(np.arange(units.n_units), len(weights), counts.shape[1]):
        left = weights * (units.codes != chosen[:, None])
        counts[chosen], pairs[chosen] = counter.counted(left, configurations)
    return counts, pairs


def _batches(chosen: IntArray, n_samples: int, n_columns: int) -> Any:
    """Yield units whose weights fit the memory, with the engine settled for the work."""
    step = max(MOST_CELLS // max(n_samples, 1), 1)
    with resources.use(kernels.decide(len(chosen) * n_columns * n_samples)):
        for start in range(0, len(chosen), step):
            yield chosen[start : start + step]
