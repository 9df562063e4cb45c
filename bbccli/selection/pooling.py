"""One performance out of several: means over repeats and over folds, pairs within folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from bbccli.metrics.base import Scorer
from bbccli.metrics.combined import Combined
from bbccli.metrics.leaving_out import counted_without_each, without_each
from bbccli.metrics.pairs import PairCounter, share_of_pairs
from bbccli.metrics.weighting import Units
from bbccli.selection.available import AvailableCases
from bbccli.types import BoolArray, FloatArray, IntArray

FEW_FOLDS = 64
"""Folds up to which each may look through all samples."""


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

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Mean performance without each of the units, under weights (N,): (U, C')."""
        return _mean([without_each(one, weights, units, configurations) for one in self.scorers])

    def restrict(self, rows: BoolArray) -> MeanOf:
        """Keep the samples in `rows`."""
        return MeanOf(tuple(scorer.restrict(rows) for scorer in self.scorers))


@dataclass(frozen=True, slots=True, eq=False)
class MeanOverFolds:
    """Mean over the folds of one repeat; folds where a resample is undefined don't count.

    In repeated hold-out the parts that the repeats hold out take the place of the folds.

    Attributes
    ----------
    members : F arrays of int
        The samples of each fold, ascending.
    scorers : F scorers
        Each of the samples of one fold.
    """

    members: tuple[IntArray, ...]
    scorers: tuple[Scorer, ...]

    @classmethod
    def of_parts(cls, scorers: Sequence[Scorer], parts: BoolArray) -> MeanOverFolds:
        """Take each scorer on the samples of its own part (R, N)."""
        own = zip(scorers, parts, strict=True)
        members = tuple(np.flatnonzero(part) for part in parts)
        return cls(members, tuple(scorer.restrict(rows) for scorer, rows in own))

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
        parts = zip(self.scorers, self.members, strict=True)
        return _nanmean([scorer(weights[:, rows], configurations) for scorer, rows in parts])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Mean over folds (B,) of one configuration per row of weights."""
        parts = zip(self.scorers, self.members, strict=True)
        return _nanmean([scorer.paired(weights[:, rows], configurations) for scorer, rows in parts])

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Mean over folds without each of the units, under weights (N,): (U, C').

        A unit changes only the folds that hold it.
        """
        parts = []
        for scorer, rows in zip(self.scorers, self.members, strict=True):
            here, own = units.within(rows)
            whole = scorer(weights[None, rows], configurations)
            left = without_each(scorer, weights[rows], own, configurations)
            defined = ~np.isnan(whole), ~np.isnan(left)
            parts.append(
                (here, (np.nan_to_num(whole), defined[0]), (np.nan_to_num(left), defined[1]))
            )
        sums, n_defined = _with_changes(parts, units.n_units)
        return np.asarray(sums / np.where(n_defined > 0, n_defined, np.nan))

    def n_undefined(self, weights: IntArray, configurations: IntArray) -> IntArray:
        """Count the folds (B,) in which `paired` is undefined."""
        parts = zip(self.scorers, self.members, strict=True)
        values = [s.paired(weights[:, rows], configurations) for s, rows in parts]
        return np.asarray(np.isnan(values).sum(axis=0))

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
        return MeanOverFolds(_kept_among(self.members, rows), scorers)


@dataclass(frozen=True, slots=True, eq=False)
class WithinFolds:
    """Concordant pairs of the folds of one repeat, as a share of all pairs within folds.

    Predictions of different folds are never compared. A fold without a pair adds nothing.

    Attributes
    ----------
    members : F arrays of int
        The samples of each fold, ascending.
    counters : F counters
        Each of the samples of one fold.
    """

    members: tuple[IntArray, ...]
    counters: tuple[PairCounter, ...]

    @classmethod
    def of(cls, counter: PairCounter, folds: IntArray) -> WithinFolds:
        """Split a counter of pairs by folds (N,)."""
        return cls(*by_fold(counter, folds))

    @property
    def n_configurations(self) -> int:
        """C."""
        return self.counters[0].n_configurations

    def __call__(self, weights: IntArray, configurations: IntArray | None = None) -> FloatArray:
        """Share of the pairs (B, C')."""
        parts = zip(self.counters, self.members, strict=True)
        return _share([c.counted(weights[:, rows], configurations) for c, rows in parts])

    def paired(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Share of the pairs (B,) of one configuration per row of weights."""
        parts = zip(self.counters, self.members, strict=True)
        return _share([c.counted_paired(weights[:, rows], configurations) for c, rows in parts])

    def without_each(
        self, weights: IntArray, units: Units, configurations: IntArray | None = None
    ) -> FloatArray:
        """Share of the pairs without each of the units, under weights (N,): (U, C')."""
        parts = []
        for counter, rows in zip(self.counters, self.members, strict=True):
            here, own = units.within(rows)
            whole = counter.counted(weights[None, rows], configurations)
            left = counted_without_each(counter, weights[rows], own, configurations)
            parts.append((here, whole, left))
        return share_of_pairs(*_with_changes(parts, units.n_units))

    def restrict(self, rows: BoolArray) -> WithinFolds:
        """Keep the samples in `rows`."""
        parts = zip(self.counters, self.members, strict=True)
        counters = tuple(counter.restrict(rows[inside]) for counter, inside in parts)
        return WithinFolds(_kept_among(self.members, rows), counters)


def by_fold(scorer: Any, folds: IntArray) -> tuple[tuple[IntArray, ...], tuple[Any, ...]]:
    """Split a scorer by folds (N,): the samples of each of F folds, ascending, and its scorer.

    It is restricted to runs of about sqrt(F) folds, and these to each of theirs, so that not every
    fold has to look through all samples: time O(N sqrt(F)), not O(N F).
    """
    members = members_of(folds)
    scorers: list[Any] = []
    for some in runs_of(members):
        inside = np.zeros(len(folds), bool)
        inside[np.concatenate(some)] = True
        run, of_run = (scorer, folds) if inside.all() else (scorer.restrict(inside), folds[inside])
        scorers += [run.restrict(of_run == folds[rows[0]]) for rows in some]
    return members, tuple(scorers)


def members_of(folds: IntArray) -> tuple[IntArray, ...]:
    """Return the samples of each fold, ascending: F arrays, by the codes of the folds (N,)."""
    order = np.argsort(folds, kind="stable")
    return tuple(np.split(order, np.flatnonzero(np.diff(folds[order])) + 1))


def runs_of(members: Sequence[IntArray]) -> Iterator[Sequence[IntArray]]:
    """Yield runs of folds: all of a few, about sqrt(F) of many."""
    n_folds = len(members)
    width = n_folds if n_folds <= FEW_FOLDS else isqrt(n_folds)
    for start in range(0, n_folds, width):
        yield members[start : start + width]


def _kept_among(members: Sequence[IntArray], rows: BoolArray) -> tuple[IntArray, ...]:
    """Samples of each fold that are in `rows` (N,), counted among those alone."""
    place = np.cumsum(rows) - 1
    return tuple(place[inside[rows[inside]]] for inside in members)


def within_folds(scorer: Any, folds: IntArray) -> Scorer:
    """Return the scorer that compares samples of one fold only, for a metric of pairs."""
    if isinstance(scorer, Combined):
        parts = tuple(within_folds(part, folds) for part in scorer.scorers)
        return Combined(parts, scorer.combine)
    if isinstance(scorer, AvailableCases):
        return AvailableCases.of(within_folds(scorer.scorer, folds), scorer.available)
    return WithinFolds.of(scorer, folds)


def _with_changes(
    parts: Sequence[tuple[IntArray, Sequence[Any], Sequence[Any]]], n_units: int
) -> list[FloatArray]:
    """Sums over folds without each of U units, which change only the folds that hold them.

    Of each fold the units that it holds, figures (1, ...) of all of it, and figures (U', ...)
    without each of them. Of each figure a sum (U, ...).
    """
    found: list[FloatArray] = []
    for wholes, lefts in zip(
        zip(*(whole for _, whole, _ in parts), strict=True),
        zip(*(left for _, _, left in parts), strict=True),
        strict=True,
    ):
        sums = np.repeat(np.asarray(sum(wholes), np.float64), n_units, axis=0)
        for (here, _, _), whole, left in zip(parts, wholes, lefts, strict=True):
            sums[here] += left.astype(np.float64) - whole
        found.append(sums)
    return found


def _share(parts: list[tuple[Any, Any]]) -> FloatArray:
    """Concordant and all pairs of the parts, added up, as a share."""
    counts, pairs = (sum(part[1:], part[0]) for part in zip(*parts, strict=True))
    return share_of_pairs(counts, pairs)


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
