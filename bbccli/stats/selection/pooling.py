"""Scorers of scorers: available cases, means over repeats and over folds, pairs within folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np

from bbccli.metrics.base import MeanScorer, Scorer
from bbccli.metrics.statistic import InParts, Statistic, Total
from bbccli.metrics.weighting import Units, added, members_among, with_changes, without_each
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray, distinct, starts_of

FEW_FOLDS = 64
"""Folds up to which each may look through all samples."""


@dataclass(frozen=True, slots=True, eq=False)
class AvailableCases:
    """A scorer that gives no weight to samples that a configuration does not predict.

    scorer: of all samples; its values at missing predictions never count.
    available (N, C) bool: where a configuration has a prediction.
    patterns (P, N) bool: the distinct columns of `available`.
    pattern_of (C,) int: pattern of each configuration.
    """

    scorer: Scorer
    available: BoolArray
    patterns: BoolArray
    pattern_of: IntArray

    @classmethod
    def of(cls, scorer: Scorer, available: BoolArray) -> AvailableCases:
        """Group configurations by their missing predictions."""
        patterns, pattern_of = np.unique(available.T, axis=0, return_inverse=True)
        return cls(scorer, available, patterns, pattern_of.reshape(-1))

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.scorer.n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Score weights (B, N) on C' configurations, those of one pattern at a time: (B, C')."""
        return self._by_pattern(
            configurations, len(weights), lambda available, c: self.scorer(weights * available, c)
        )

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Score each row of weights (B, N) on its own configuration (B,): (B,)."""
        available = self.patterns[self.pattern_of[configurations]]
        return self.scorer.paired(weights * available, configurations)

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Performances without each of the units, under weights (N,): (U, C')."""
        return self._by_pattern(
            configurations,
            units.n_units,
            lambda available, c: without_each(self.scorer, weights * available, units, c),
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


def mean_behind(scorer: Scorer) -> MeanScorer | None:
    """Return the mean of losses behind a scorer, also one of available cases; else None."""
    scorer = scorer.scorer if isinstance(scorer, AvailableCases) else scorer
    return scorer if isinstance(scorer, MeanScorer) else None


def has_closed_form(scorer: Scorer) -> bool:
    """True if leaving out each sample takes no evaluation for each."""
    scorer = scorer.scorer if isinstance(scorer, AvailableCases) else scorer
    return isinstance(scorer, Statistic) and all(
        type(part).without is not Total.without for part in scorer.parts
    )


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
        return mean([scorer(weights, configurations) for scorer in self.scorers])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean performance (B,) of one configuration per row of weights."""
        return mean([scorer.paired(weights, configurations) for scorer in self.scorers])

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Mean performance without each of the units, under weights (N,): (U, C')."""
        return mean(
            [without_each(scorer, weights, units, configurations) for scorer in self.scorers]
        )

    def restrict(self, rows: BoolArray) -> MeanOf:
        """Keep the samples in `rows`."""
        return MeanOf(tuple(scorer.restrict(rows) for scorer in self.scorers))


@dataclass(frozen=True, slots=True, eq=False)
class MeanOverFolds:
    """Mean over the folds of one repeat; folds where a resample is undefined don't count.

    In repeated hold-out the parts that the repeats hold out take the place of the folds.

    members (F arrays of int): the samples of each fold, ascending.
    scorers (F scorers): each of the samples of one fold.
    """

    members: tuple[IntArray, ...]
    scorers: tuple[Scorer, ...]

    @classmethod
    def of_parts(cls, scorers: Sequence[Scorer], parts: BoolArray) -> MeanOverFolds:
        """Take each scorer on the samples of its own part (R, N)."""
        by_repeat = zip(scorers, parts, strict=True)
        members = tuple(np.flatnonzero(part) for part in parts)
        return cls(members, tuple(scorer.restrict(rows) for scorer, rows in by_repeat))

    @classmethod
    def of(cls, scorer: Scorer, folds: IntArray) -> MeanOverFolds:
        """Split a scorer by folds (N,)."""
        return cls(*by_fold(scorer, folds))

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.scorers[0].n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Mean over folds (B, C')."""
        return mean_of_defined(
            [score(weights[:, rows], configurations) for score, rows in self._folds]
        )

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean over folds (B,) of one configuration per row of weights."""
        return mean_of_defined(self._by_fold(weights, configurations))

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Mean over folds without each of the units, under weights (N,): (U, C').

        A unit changes only the folds that hold it.
        """
        sums, defined = [], []
        for scorer, rows in self._folds:
            here, within = units.within(rows)
            full = scorer(weights[None, rows], configurations)
            left = without_each(scorer, weights[rows], within, configurations)
            sums.append((here, np.nan_to_num(full), np.nan_to_num(left)))
            defined.append((here, 1.0 - np.isnan(full), 1.0 - np.isnan(left)))
        n_defined = with_changes(defined, units.n_units)
        means = with_changes(sums, units.n_units) / np.where(n_defined > 0, n_defined, np.nan)
        return np.asarray(means)

    def n_undefined(self, weights: IntArray, configurations: IntArray) -> IntArray:
        """Count the folds (B,) in which `paired` is undefined."""
        return np.asarray(np.isnan(self._by_fold(weights, configurations)).sum(axis=0))

    def error(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Standard error (B,) of `paired`: s / sqrt(F) over the folds that are defined."""
        values = np.stack(self._by_fold(weights, configurations))
        n_defined = (~np.isnan(values)).sum(axis=0)
        squares = (values - mean_of_defined(list(values))) ** 2
        variance = np.nansum(squares, axis=0) / np.where(n_defined > 1, n_defined - 1, np.nan)
        return np.asarray(np.sqrt(variance / n_defined))

    def restrict(self, rows: BoolArray) -> MeanOverFolds:
        """Keep the samples in `rows`."""
        scorers = tuple(scorer.restrict(rows[inside]) for scorer, inside in self._folds)
        return MeanOverFolds(members_among(self.members, rows), scorers)

    @property
    def _folds(self) -> Iterable[tuple[Scorer, IntArray]]:
        return zip(self.scorers, self.members, strict=True)

    def _by_fold(self, weights: IntArray, configurations: IntArray) -> list[FloatArray]:
        """Performance (B,) in each fold, of one configuration per row of weights."""
        return [scorer.paired(weights[:, rows], configurations) for scorer, rows in self._folds]


def by_fold(scorer: Any, folds: IntArray) -> tuple[tuple[IntArray, ...], tuple[Any, ...]]:
    """Split a scorer by folds (N,): the samples of each of F folds, ascending, and its scorer.

    It is restricted to runs of about sqrt(F) folds first, and these to single folds: time O(N
    sqrt(F)) instead of O(N F).
    """
    members, scorers = members_of(folds), []
    for run, of_run, some in _runs(scorer, folds, members):
        scorers += [run.restrict(of_run == folds[rows[0]]) for rows in some]
    return members, tuple(scorers)


def _runs(
    scorer: Any, folds: IntArray, members: Sequence[IntArray]
) -> Iterator[tuple[Any, IntArray, Sequence[IntArray]]]:
    """Yield runs of folds, all of a few or about sqrt(F) of many: scorer, folds and members."""
    width = len(members) if len(members) <= FEW_FOLDS else isqrt(len(members))
    for start in range(0, len(members), width):
        some = members[start : start + width]
        inside = np.zeros(len(folds), bool)
        inside[np.concatenate(some)] = True
        run, of_run = (scorer, folds) if inside.all() else (scorer.restrict(inside), folds[inside])
        yield run, of_run, some


def members_of(folds: IntArray) -> tuple[IntArray, ...]:
    """Return the samples of each fold, ascending: F arrays, by the codes of the folds (N,)."""
    order = np.argsort(folds, kind="stable")
    starts = starts_of(folds[order]).tolist()
    return tuple(order[start:end] for start, end in pairwise([*starts, len(order)]))


def within_folds(scorer: Any, folds: IntArray) -> Scorer:
    """Return the scorer that compares samples within folds only, for a metric of pairs.

    Pairs are added up over the folds (N,); a fold without a pair adds nothing.
    """
    if isinstance(scorer, AvailableCases):
        return AvailableCases.of(within_folds(scorer.scorer, folds), scorer.available)
    members, of_folds = by_fold(scorer, folds)
    totals = zip(*(fold.parts for fold in of_folds), strict=True)
    whole: Statistic = scorer
    return replace(whole, parts=tuple(InParts(members, parts) for parts in totals))


def scored_in_folds(scorer: Scorer, folds: IntArray) -> FloatArray:
    """Return the performances (F, C) in folds (N,).

    They are scored by runs of folds, so that no fold scans all samples. Sums of real numbers are
    made configuration by configuration, so they don't depend on which are bound together.
    """
    codes = distinct(folds)
    bound = scorer.scorer if isinstance(scorer, AvailableCases) else scorer
    if isinstance(bound, Statistic) and bound.whole:
        everything = np.ones((1, len(folds)), np.uint8)
        of_folds = zip(*by_fold(scorer, folds), strict=True)
        return np.vstack([scores(everything[:, rows]) for rows, scores in of_folds])
    few = len(codes) <= FEW_FOLDS
    if isinstance(scorer, Statistic) and scorer.adds_up and (few or not scorer.counted):
        return scorer.in_parts(members_of(folds))
    if few:
        return scorer((folds == codes[:, None]).astype(np.uint8))
    parts = [
        run((of_run == distinct(of_run)[:, None]).astype(np.uint8))
        for run, of_run, _ in _runs(scorer, folds, members_of(folds))
    ]
    return np.vstack(parts)


def mean(parts: list[FloatArray]) -> FloatArray:
    """Return the mean over parts of the same shape."""
    return np.asarray(added(parts) / len(parts))


def mean_of_defined(parts: list[FloatArray]) -> FloatArray:
    """Return the mean over the parts that are defined; NaN where none is."""
    total, n_defined = np.zeros_like(parts[0]), np.zeros_like(parts[0])
    for part in parts:
        defined = ~np.isnan(part)
        total += np.where(defined, part, 0.0)
        n_defined += defined
    return np.asarray(total / np.where(n_defined > 0, n_defined, np.nan))
