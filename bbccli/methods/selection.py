"""Configuration selection (css): performances of all configurations, and the winner.

The winner and the rule for ties exist here once, for every method.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric, Scorer
from bbccli.notes import listing
from bbccli.types import Direction, FloatArray, IntArray, Pooling


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

    def restrict(self, rows: np.ndarray) -> MeanOf:
        """Keep the samples in `rows`."""
        return MeanOf(tuple(scorer.restrict(rows) for scorer in self.scorers))


@dataclass(frozen=True, slots=True, eq=False)
class MeanOverFolds:
    """Mean over the folds of one repeat; folds where a resample is undefined don't count."""

    folds: IntArray
    scorers: tuple[Scorer, ...]

    @classmethod
    def of(cls, scorer: Scorer, folds: IntArray) -> MeanOverFolds:
        """Split a scorer by folds (N,)."""
        return cls(folds, tuple(scorer.restrict(folds == f) for f in np.unique(folds)))

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.scorers[0].n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Mean over folds (B, C')."""
        parts = self._parts(weights)
        return _nanmean([s(w, configurations) for s, w in zip(self.scorers, parts, strict=True)])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean over folds (B,) of one configuration per row of weights."""
        parts = self._parts(weights)
        return _nanmean(
            [s.paired(w, configurations) for s, w in zip(self.scorers, parts, strict=True)]
        )

    def restrict(self, rows: np.ndarray) -> MeanOverFolds:
        """Keep the samples in `rows`."""
        scorers = [
            scorer.restrict(rows[self.folds == f])
            for scorer, f in zip(self.scorers, np.unique(self.folds), strict=True)
        ]
        return MeanOverFolds(self.folds[rows], tuple(scorers))

    def _parts(self, weights: IntArray) -> list[IntArray]:
        return [weights[:, self.folds == f] for f in np.unique(self.folds)]


_BOUND: WeakKeyDictionary[PredictionMatrix, dict[str, tuple[Scorer, ...]]] = WeakKeyDictionary()


def bind(matrix: PredictionMatrix, metric: Metric) -> tuple[Scorer, ...]:
    """Bind the metric to each of R repeats; kept as long as the matrix, so methods share it."""
    bound = _BOUND.setdefault(matrix, {})
    if metric.name not in bound:
        bound[metric.name] = tuple(metric.bind(matrix.outcome, p) for p in matrix.predictions)
    return bound[metric.name]


def performances(matrix: PredictionMatrix, metric: Metric, pooling: Pooling) -> Scorer:
    """Return the scorer that css maximises: over pooled rows, or the mean over folds.

    A performance is computed per repeat and averaged over repeats.

    Raises
    ------
    UndefinedError
        Fold means without folds, or with a fold in which the metric is undefined.
    """
    scorers = bind(matrix, metric)
    if pooling is Pooling.POOLED:
        return scorers[0] if len(scorers) == 1 else MeanOf(scorers)
    fold_performances(matrix, metric)
    folds = _folds(matrix)
    by_fold = [MeanOverFolds.of(s, f) for s, f in zip(scorers, folds, strict=True)]
    return by_fold[0] if len(by_fold) == 1 else MeanOf(tuple(by_fold))


def fold_performances(matrix: PredictionMatrix, metric: Metric) -> tuple[FloatArray, ...]:
    """Return the performances (F, C) in each fold, one array per repeat.

    Raises
    ------
    UndefinedError
        Folds are unknown, or the metric is undefined in some of them (AUC with one class).
    """
    result = []
    for scorer, folds in zip(bind(matrix, metric), _folds(matrix), strict=True):
        codes = np.unique(folds)
        values = scorer((folds == codes[:, None]).astype(np.uint8))
        undefined = np.isnan(values).any(axis=1)
        if undefined.any():
            raise _undefined_folds(matrix, metric, codes[undefined])
        result.append(values)
    return tuple(result)


def select_winner(values: FloatArray, direction: Direction) -> int:
    """Return the index of the best of C performances: the first column on ties.

    Raises
    ------
    UndefinedError
        No configuration has a defined performance.
    """
    winner = int(direction.best(values))
    if winner < 0:
        raise UndefinedError("the metric is undefined for every configuration on these samples")
    return winner


def _folds(matrix: PredictionMatrix) -> IntArray:
    if matrix.folds is None:
        raise UndefinedError(
            "the folds of the samples are unknown",
            hint="add a fold column (--fold NAME) or use --pooling pooled",
        )
    return matrix.folds


def _undefined_folds(matrix: PredictionMatrix, metric: Metric, codes: IntArray) -> UndefinedError:
    names = [matrix.fold_names[code] for code in codes]
    one_each = " (leave-one-out)" if matrix.n_folds == matrix.n_samples else ""
    return UndefinedError(
        f"{metric.label} is undefined in fold{'s' if len(names) > 1 else ''} "
        f"{listing(names)}{one_each}: a class is missing there",
        hint="use bbc with pooled predictions, or stratified folds that hold every class",
    )


def _mean(parts: list[FloatArray]) -> FloatArray:
    return np.asarray(sum(parts[1:], parts[0]) / len(parts))


def _nanmean(parts: list[FloatArray]) -> FloatArray:
    """Mean over the parts that are defined; NaN where none is."""
    total, n_defined = np.zeros_like(parts[0]), np.zeros_like(parts[0])
    for part in parts:
        defined = ~np.isnan(part)
        total += np.where(defined, part, 0.0)
        n_defined += defined
    return total / np.where(n_defined > 0, n_defined, np.nan)
