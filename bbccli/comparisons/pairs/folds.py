"""Differences of two configurations in the folds: the data of the t tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.comparisons.pairs.case import PairCase
from bbccli.comparisons.records import Effect
from bbccli.errors import UndefinedError
from bbccli.selection.candidates import by_repeat, fold_performances, folds_of, parts_of
from bbccli.selection.pooling import MeanOverFolds
from bbccli.selection.units import size_ratio
from bbccli.types import FloatArray

FEWEST = 3
"""Folds, of all repeats, under which a standard deviation says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class FoldDifferences:
    """Differences in J folds, of all repeats.

    Attributes
    ----------
    values : (J, 2)
        Performances of the two in each fold.
    gains : (J,)
        How much better the first is in each, repeat by repeat.
    ratio
        n_test / n_train, the mean over the folds.
    """

    values: FloatArray
    gains: FloatArray
    ratio: float

    @property
    def mean(self) -> float:
        """Mean difference."""
        return float(self.gains.mean()) + 0.0

    @property
    def spread(self) -> float:
        """Standard deviation of the differences; exactly 0 where they differ by rounding."""
        found = float(np.std(self.gains, ddof=1)) if len(self.gains) > 1 else 0.0
        return 0.0 if found <= 1e-12 * float(np.abs(self.values).max(initial=0.0)) else found

    @property
    def effect(self) -> Effect | None:
        """Cohen's d of paired differences: mean / standard deviation; None without spread."""
        return Effect("cohens-d", self.mean / self.spread) if self.spread else None


def fold_differences(case: PairCase) -> FoldDifferences:
    """Return the differences of the two configurations of a case in its folds.

    In repeated hold-out the parts that the repeats hold out take the place of folds.

    Raises
    ------
    UndefinedError
        The metric is undefined in some fold for either.
    """
    values = _values(case)
    undefined = np.isnan(values)
    if undefined.any():
        name = case.names[int(np.flatnonzero(undefined.any(axis=0))[0])]
        raise UndefinedError(
            f"{case.metric.label} of {name} is undefined in "
            f"{int(undefined.any(axis=1).sum())} of {len(values)} folds",
            hint="wald or permutation, over samples; or stratified folds that hold every class",
        )
    gains = np.asarray(case.metric.direction.gain(values[:, 0], values[:, 1]))
    gains = np.where(np.abs(gains) <= 1e-12 * np.abs(values).max(), 0.0, gains)
    return FoldDifferences(values, gains, _ratio(case))


def _values(case: PairCase) -> FloatArray:
    """Performances (J, 2) in the folds."""
    matrix, pair = case.matrix, np.array(case.configurations)
    parts = parts_of(matrix)
    if parts is None:
        return np.vstack([found[:, pair] for found in fold_performances(matrix, case.metric)])
    held_out = MeanOverFolds.of_parts(by_repeat(matrix, case.metric, case.columns), parts)
    return np.vstack(
        [
            scorer(np.ones((1, len(rows)), np.uint8))[:, case.places]
            for scorer, rows in zip(held_out.scorers, held_out.members, strict=True)
        ]
    )


def _ratio(case: PairCase) -> float:
    """n_test / n_train, the mean over the folds."""
    parts = parts_of(case.matrix)
    if parts is None:
        return size_ratio(folds_of(case.matrix))
    sizes = parts.sum(axis=1)
    return float(np.mean(sizes / np.maximum(case.matrix.n_samples - sizes, 1)))
