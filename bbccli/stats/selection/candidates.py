"""Configuration selection (rule): performances of all configurations, and the winner.

The winner and the rule for ties exist here once, for every method.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.errors import UndefinedError, UnsupportedError, parameter
from bbccli.metrics.base import Metric, Scorer
from bbccli.metrics.statistic import Statistic
from bbccli.notes import listing
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Engine
from bbccli.stats.selection.pooling import (
    AvailableCases,
    MeanOf,
    MeanOverFolds,
    mean,
    mean_of_defined,
    scored_in_folds,
    within_folds,
)
from bbccli.types import BoolArray, FloatArray, IntArray, Pooling, distinct, readonly

Made = TypeVar("Made")

SWEPT_BESIDE = 64
"""Bytes per sample of the weights that are laid side by side to count pairs, in each thread."""

_CACHES: WeakKeyDictionary[PredictionMatrix, dict[Hashable, list[Any]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The configurations of a matrix under one metric, bound in blocks that fit the memory.

    A single block, the usual case, is bound once and kept with the matrix for all methods. Each of
    several is bound when needed and then released.
    """

    matrix: PredictionMatrix
    metric: Metric
    pooling: Pooling

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.matrix.n_configurations

    @property
    def n_sweeps(self) -> int:
        """Passes over all samples that it takes to score one weighting on all of C."""
        return self.n_configurations * self.metric.n_sweeps(self.matrix.n_samples)

    @property
    def one_thread(self) -> bool:
        """True if one thread is faster than several.

        Where numpy sweeps pairs, in many short calls, threads wait for the interpreter's lock.
        """
        return self.metric.of_pairs and resources.current().engine is Engine.NUMPY

    @property
    def whole(self) -> bool:
        """True if all columns are bound at once, and kept."""
        return len(self.blocks()) == 1

    def blocks(self) -> list[IntArray]:
        """Return the columns of each block: consecutive, and together all of C."""
        n_repeats, n_samples, n_configurations = self.matrix.predictions.shape[:3]
        columns = np.arange(n_configurations)
        cell = self.metric.cell_bytes(n_samples, len(self.matrix.outcome.classes))
        column = n_repeats * n_samples * cell
        settled = resources.current()
        width = settled.memory // (4 * column)
        if width < n_configurations:  # several are bound at once, each in a thread
            beside = SWEPT_BESIDE // cell * self.metric.of_pairs
            width = max(width // settled.jobs - beside, 1)
        if width >= len(columns):
            return [columns]
        return np.array_split(columns, -(-len(columns) // width))

    def bind(self, columns: IntArray) -> Scorer:
        """Return the scorer of some columns, under which css selects.

        A performance is computed per repeat and averaged over repeats.
        """
        if len(columns) < self.n_configurations:
            return self._bind(columns)
        return cached(self.matrix, (self.metric, self.pooling), lambda: self._bind(columns))

    def score(self, weights: IntArray) -> FloatArray:
        """Score weights (B, N) on all configurations, block by block: (B, C)."""
        return np.hstack([self.bind(columns)(weights) for columns in self.blocks()])

    def performances(self) -> FloatArray:
        """Return the performances (C,) on all samples: scored once, for many methods ask."""

        def on_all(columns: IntArray) -> FloatArray:
            scorer, n_samples = self.bind(columns), self.matrix.n_samples
            if isinstance(scorer, Statistic) and scorer.adds_up and scorer.counted:
                return scorer.in_parts([np.arange(n_samples)])
            return scorer(np.ones((1, n_samples), np.uint8))

        def score() -> FloatArray:
            if self.pooling is Pooling.FOLD_MEAN:
                by_repeat = fold_performances(self.matrix, self.metric)
                values = mean([mean_of_defined(list(folds)) for folds in by_repeat])
            else:
                values = np.hstack([on_all(c) for c in self.blocks()]).ravel()
            return np.asarray(readonly(values))

        return cached(self.matrix, ("performances", self.metric, self.pooling), score)

    def figure(self, column: int) -> float:
        """Return a performance on all samples."""
        return float(self.figures(np.array([column]))[0])

    def figures(self, columns: IntArray) -> FloatArray:
        """Return performances (C',) on all samples, each the same to the last bit whatever is
        beside it.
        """
        blocks = self.blocks()
        pooled = by_repeat(self.matrix, self.metric, columns[:1] if len(blocks) > 1 else blocks[0])
        if all(getattr(scorer, "counted", False) for scorer in pooled):
            return np.asarray(self.performances()[columns])  # counts are exact
        # sums of a single row and column don't depend on others
        everything, first = np.ones((1, self.matrix.n_samples), np.uint8), np.zeros(1, np.int64)
        # whose terms are made from the predictions; those of means may be these themselves
        if len(blocks) == 1 and type(whole := self.bind(blocks[0])) is Statistic:
            return np.asarray(whole.each(everything, columns, alone=True)[0])
        return np.concatenate([self.bind(c).paired(everything, first) for c in columns[:, None]])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Score each row of weights (B, N) on its own configuration (B,): (B,), NaN for -1."""
        needed, places = self._needed(configurations)
        values = self.bind(needed).paired(weights, places)
        return np.asarray(np.where(configurations < 0, np.nan, values))

    def of_repeats(self, columns: IntArray) -> tuple[Scorer, ...]:
        """Return the scorers of some columns in each of R repeats."""
        if self.pooling is Pooling.FOLD_MEAN:
            return self._by_fold(columns)
        scorers = by_repeat(self.matrix, self.metric, columns)
        if self.pooling is Pooling.POOLED:
            return scorers
        folds = folds_of(self.matrix)
        return tuple(within_folds(s, f) for s, f in zip(scorers, folds, strict=True))

    def errors(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Standard error over folds of one configuration per row of weights (B, N): (B,).

        With repeats, the mean of the standard errors in each.
        """
        needed, places = self._needed(configurations)
        parts = [scorer.error(weights, places) for scorer in self._by_fold(needed)]
        return np.asarray(sum(parts[1:], parts[0]) / len(parts))

    def _needed(self, configurations: IntArray) -> tuple[IntArray, ...]:
        """Columns to bind for some configurations (B,), and their places; the first one for -1."""
        columns = np.maximum(configurations, 0)
        if self.whole:
            return np.arange(self.n_configurations), columns
        return np.unique(columns, return_inverse=True)

    def _by_fold(self, columns: IntArray) -> tuple[MeanOverFolds, ...]:
        def make() -> tuple[MeanOverFolds, ...]:
            folds = folds_of(self.matrix)
            scorers = by_repeat(self.matrix, self.metric, columns)
            return tuple(MeanOverFolds.of(s, f) for s, f in zip(scorers, folds, strict=True))

        if len(columns) < self.n_configurations:
            return make()
        return cached(self.matrix, (self.metric, "by fold"), make)

    def _bind(self, columns: IntArray) -> Scorer:
        scorers = self.of_repeats(columns)
        parts = holdout_parts(self.matrix)
        if parts is not None:
            return MeanOverFolds.of_parts(scorers, parts)
        return scorers[0] if len(scorers) == 1 else MeanOf(scorers)


def by_repeat(matrix: PredictionMatrix, metric: Metric, columns: IntArray) -> tuple[Scorer, ...]:
    """Bind the metric to some columns of each of R repeats; to all of them only once."""
    if len(columns) == matrix.n_configurations:
        return cached(matrix, metric, lambda: _bind(matrix, metric, slice(None)))
    return _bind(matrix, metric, columns)


def _bind(
    matrix: PredictionMatrix, metric: Metric, columns: IntArray | slice
) -> tuple[Scorer, ...]:
    if isinstance(columns, np.ndarray) and np.all(np.diff(columns) == 1) and len(columns):
        columns = slice(int(columns[0]), int(columns[-1]) + 1)  # a view, where a copy would be made
    predictions = matrix.as_kind(metric.wants, columns)
    scorers = tuple(metric.bind(matrix.outcome, of_repeat) for of_repeat in predictions)
    if matrix.available is None:
        return scorers
    available = matrix.available[:, :, columns]
    return tuple(AvailableCases.of(*part) for part in zip(scorers, available, strict=True))


def holdout_parts(matrix: PredictionMatrix) -> BoolArray | None:
    """Return the samples held out in each repeat (R, N) of repeated hold-out, else None."""
    available = matrix.available
    if not matrix.repeated_holdout or available is None:
        return None
    parts: BoolArray = cached(matrix, "parts", lambda: readonly(available.any(axis=2)))
    return parts


def candidates(matrix: PredictionMatrix, metric: Metric, pooling: Pooling) -> Candidates:
    """Return all configurations, scored over pooled rows, by the mean over folds or within them.

    Raises UndefinedError: folds are unknown; fold means with a fold in which the metric is
        undefined.
    Raises UnsupportedError: pairs within folds of a metric that is not of pairs.
    """
    if pooling is Pooling.FOLD_MEAN:
        fold_performances(matrix, metric)
    if pooling is Pooling.WITHIN_FOLDS:
        check_of_pairs(metric)
        folds_of(matrix)
    return Candidates(matrix, metric, pooling)


def check_of_pairs(metric: Metric) -> None:
    """Refuse to count pairs of a metric that is not made of pairs.

    Raises UnsupportedError: it is a mean, or another function of the samples.
    """
    if not metric.of_pairs:
        pooled = parameter("pooling", Pooling.POOLED)
        raise UnsupportedError(
            f"{parameter('pooling', Pooling.WITHIN_FOLDS)} counts pairs of samples; {metric.label} "
            "is not made of pairs",
            hint=(
                f"use {pooled}; only auc, gini, auc-ovo, auc-ovr and the concordances are made of "
                "pairs"
            ),
        )


def repeats_of(matrix: PredictionMatrix) -> tuple[PredictionMatrix, ...]:
    """Return the R repeats, each as a matrix of its own."""
    repeats = range(matrix.n_repeats)
    return cached(matrix, "repeats", lambda: tuple(matrix.of_repeat(r) for r in repeats))


def fold_performances(matrix: PredictionMatrix, metric: Metric) -> tuple[FloatArray, ...]:
    """Return the performances (F, C) in each fold, one array per repeat.

    A configuration whose performance is undefined in some fold (precision where it predicts no
    positive) has a NaN there; to the methods over folds it can't win.

    Raises UndefinedError: folds are unknown, or the metric is undefined for every configuration in
        some of them (AUC with one class).
    """
    result: tuple[FloatArray, ...] = cached(
        matrix, ("in folds", metric), lambda: _in_folds(matrix, metric)
    )
    for values, folds in zip(result, folds_of(matrix), strict=True):
        undefined = np.isnan(values).all(axis=1)
        if undefined.any():
            raise _undefined_folds(matrix, metric, distinct(folds)[undefined])
    return result


def _in_folds(matrix: PredictionMatrix, metric: Metric) -> tuple[FloatArray, ...]:
    folds = folds_of(matrix)
    parts = [
        [
            scored_in_folds(score, of_repeat)
            for score, of_repeat in zip(by_repeat(matrix, metric, c), folds, strict=True)
        ]
        for c in Candidates(matrix, metric, Pooling.POOLED).blocks()
    ]
    return tuple(readonly(np.hstack(part)) for part in zip(*parts, strict=True))


def cached(matrix: PredictionMatrix, key: Hashable, make: Callable[[], Made]) -> Made:
    """Return `make()` for this matrix and key, computed once."""
    # one look-up: to hash a metric takes as long
    kept: list[Made] = _CACHES.setdefault(matrix, {}).setdefault(key, [])
    if not kept:
        kept.append(make())
    return kept[0]


def folds_of(matrix: PredictionMatrix) -> IntArray:
    """Return the folds (R, N); an UndefinedError where they are unknown."""
    if matrix.repeated_holdout:
        raise UndefinedError(
            "in repeated hold-out each repeat is one part of the samples: there are no folds",
            hint="use --pooling pooled, which scores each repeat and averages over the repeats",
        )
    if matrix.folds is None:
        raise UndefinedError(
            "the folds of the samples are unknown",
            hint="add a fold column (--fold NAME) or use --pooling pooled",
        )
    return matrix.folds


def _undefined_folds(matrix: PredictionMatrix, metric: Metric, codes: IntArray) -> UndefinedError:
    names = [matrix.fold_names[code] for code in codes]
    # where no fold holds a pair, none can be compared within folds
    within = metric.of_pairs and len(codes) != matrix.n_folds
    pooled = "--pooling within-folds or pooled" if within else "--pooling pooled"
    one_each = " (leave-one-out)" if matrix.n_folds == matrix.n_samples else ""
    why, folds = "", "larger folds"
    if matrix.task.is_classification:
        why = ", where a class is missing or nothing can be scored"
        folds = "stratified folds that hold every class"
    return UndefinedError(
        f"{metric.label} is undefined in fold{'s' if len(names) > 1 else ''} "
        f"{listing(names)}{one_each}{why}",
        hint=f"use bbc with {pooled}, or {folds}",
    )
