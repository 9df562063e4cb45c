"""Performances of K families on D data sets, and their ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bbccli.comparisons.ranking import mean_ranks
from bbccli.types import TIE_TOLERANCE, Direction, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Table:
    """Performances of K families on D data sets, each of them complete.

    Attributes
    ----------
    performances : (D, K)
        In the metric's unit; finite.
    families
        K names.
    metric, direction
        Name of the metric, and which way it is better.
    level
        In (0, 1).
    """

    performances: FloatArray
    families: tuple[str, ...]
    metric: str
    direction: Direction
    level: float

    @property
    def n_data_sets(self) -> int:
        """D."""
        return len(self.performances)

    @property
    def n_families(self) -> int:
        """K."""
        return len(self.families)

    @property
    def gains(self) -> FloatArray:
        """(D, K) performances, larger is better, those of a data set equal where rounding parts."""
        values = self.direction.sign * self.performances
        return np.vstack([settled(row) for row in values])

    @cached_property
    def ranks(self) -> FloatArray:
        """(D, K) ranks within each data set: 1 is the best, ties share the mean of theirs."""
        return np.vstack([mean_ranks(-row) for row in self.gains])

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        """Every pair of families, in their order."""
        for first in range(self.n_families):
            for second in range(first + 1, self.n_families):
                yield first, second

    def differences(self, first: int, second: int) -> FloatArray:
        """(D,) how much better the first is on each; sizes that rounding parts are equal."""
        gains = self.gains
        scale = np.abs(self.performances[:, [first, second]]).max(axis=1)
        found = gains[:, first] - gains[:, second]
        found = np.where(np.abs(found) <= TIE_TOLERANCE * scale, 0.0, found)
        return np.sign(found) * settled(np.abs(found), float(scale.max(initial=0.0)))


def settled(values: FloatArray, scale: float | None = None) -> FloatArray:
    """Return values (n,), those equal to the next smaller one that differ from it by rounding.

    0.9 - 0.8 and 0.8 - 0.7 are not the same float, and would get different ranks.

    Examples
    --------
    >>> len(set(settled(np.array([0.9 - 0.8, 0.8 - 0.7, 0.2])).tolist()))
    2
    """
    order = np.argsort(values, kind="stable")
    largest = float(np.abs(values).max(initial=0.0)) if scale is None else scale
    step = np.diff(values[order], prepend=-np.inf) > TIE_TOLERANCE * largest
    found = np.empty_like(values)
    found[order] = values[order][np.maximum.accumulate(np.where(step, np.arange(len(order)), 0))]
    return found


def tie_sizes(values: FloatArray) -> IntArray:
    """Return how many values share each of the distinct ones."""
    return np.unique(values, return_counts=True)[1]
