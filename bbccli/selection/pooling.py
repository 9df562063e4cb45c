"""One performance out of several: means over repeats, and over folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.metrics.base import Scorer
from bbccli.types import BoolArray, FloatArray, IntArray, distinct


@dataclass(frozen=True, slots=True, eq=False)
class MeanOf:
    """Mean of several scorers of the same samples: repeats of the cross-validation."""

    scorers: tuple[Scorer, ...]

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.scorers[0].n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Mean performance (B, C')."""
        return _mean([scorer(weights, configurations) for scorer in self.scorers])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean performance (B,) of one configuration per row of weights."""
        return _mean([scorer.paired(weights, configurations) for scorer in self.scorers])

    def restrict(self, rows: BoolArray) -> MeanOf:
        """Keep the samples in `rows`."""
        return MeanOf(tuple(scorer.restrict(rows) for scorer in self.scorers))


@dataclass(frozen=True, slots=True, eq=False)
class MeanOverFolds:
    """Mean over the folds of one repeat; folds where a resample is undefined don't count.

    Attributes
    ----------
    members : F arrays (N,) bool
        The samples of each fold.
    scorers : F scorers
        Each of the samples of one fold.
    """

    members: tuple[BoolArray, ...]
    scorers: tuple[Scorer, ...]

    @classmethod
    def of(cls, scorer: Scorer, folds: IntArray) -> MeanOverFolds:
        """Split a scorer by folds (N,)."""
        members = tuple(folds == fold for fold in distinct(folds))
        return cls(members, tuple(scorer.restrict(rows) for rows in members))

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.scorers[0].n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Mean over folds (B, C')."""
        parts = zip(self.scorers, self.members, strict=True)
        return _nanmean([scorer(weights[:, rows], configurations) for scorer, rows in parts])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean over folds (B,) of one configuration per row of weights."""
        parts = zip(self.scorers, self.members, strict=True)
        return _nanmean([scorer.paired(weights[:, rows], configurations) for scorer, rows in parts])

    def error(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Standard error (B,) of `paired`: s / sqrt(F) over the folds that are defined."""
        parts = zip(self.scorers, self.members, strict=True)
        values = np.stack([s.paired(weights[:, rows], configurations) for s, rows in parts])
        n_defined = (~np.isnan(values)).sum(axis=0)
        squares = (values - _nanmean(list(values))) ** 2
        variance = np.nansum(squares, axis=0) / np.where(n_defined > 1, n_defined - 1, np.nan)
        return np.asarray(np.sqrt(variance / np.maximum(n_defined, 1)))

    def restrict(self, rows: BoolArray) -> MeanOverFolds:
        """Keep the samples in `rows`."""
        parts = zip(self.scorers, self.members, strict=True)
        scorers = tuple(scorer.restrict(rows[inside]) for scorer, inside in parts)
        return MeanOverFolds(tuple(inside[rows] for inside in self.members), scorers)


def _mean(parts: list[FloatArray]) -> FloatArray:
    return np.asarray(sum(parts[1:], parts[0]) / len(parts))


def _nanmean(parts: list[FloatArray]) -> FloatArray:
    """Mean over the parts that are defined; NaN where none is."""
    total, n_defined = np.zeros_like(parts[0]), np.zeros_like(parts[0])
    for part in parts:
        defined = ~np.isnan(part)
        total += np.where(defined, part, 0.0)
        n_defined += defined
    return np.asarray(total / np.where(n_defined > 0, n_defined, np.nan))
