"""Which samples are right: the data of the tests of proportions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.comparisons.pairs.case import PairCase
from bbccli.metrics.base import MeanScorer, Scorer
from bbccli.notes import Note, samples_in_common
from bbccli.selection.available import AvailableCases
from bbccli.selection.candidates import by_repeat
from bbccli.types import BoolArray, Direction, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Correctness:
    """Which of n samples each of M configurations is right on.

    Attributes
    ----------
    right : (n, M) bool
        Of the samples that all of them predict.
    values : (M,)
        Performances on those, by the metric.
    notes
        Where there are others.
    """

    right: BoolArray
    values: FloatArray
    notes: tuple[Note, ...]

    @property
    def n(self) -> int:
        """Samples that all of them predict."""
        return len(self.right)

    @property
    def discordant(self) -> tuple[int, int]:
        """Samples on which the first alone is right, and those on which the second alone is."""
        first, second = self.right[:, 0], self.right[:, 1]
        return int((first & ~second).sum()), int((~first & second).sum())


def correctness(case: PairCase) -> Correctness:
    """Return which samples the configurations of a case are right on; of a single repeat."""
    scorer, rows = _scorer(case), in_common(case)
    if isinstance(scorer, AvailableCases):
        scorer = scorer.scorer
    assert isinstance(scorer, MeanScorer)
    yes = np.asarray(scorer.losses[rows][:, case.places] > 0)
    right = yes if case.metric.direction is Direction.MAXIMIZE else ~yes
    values = yes.sum(axis=0) / len(yes)
    notes = () if rows.all() else (samples_in_common(int(rows.sum()), len(rows)),)
    return Correctness(right, values, notes)


def in_common(case: PairCase) -> BoolArray:
    """Return which samples (N,) all configurations of a case predict; of a single repeat."""
    available = case.matrix.available
    if available is None:
        return np.ones(case.matrix.n_samples, bool)
    return np.asarray(available[0][:, case.configurations].all(axis=1))


def is_yes_or_no(case: PairCase) -> bool:
    """Whether the metric is the mean of a yes or no per sample."""
    scorer = _scorer(case)
    found = scorer.scorer if isinstance(scorer, AvailableCases) else scorer
    return isinstance(found, MeanScorer) and found.share


def _scorer(case: PairCase) -> Scorer:
    """The scorer of the `columns` of a case in the first repeat, over pooled samples."""
    return by_repeat(case.matrix, case.metric, case.columns)[0]
