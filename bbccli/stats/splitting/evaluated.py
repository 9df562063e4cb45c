"""The evaluation samples of a split, bound to a metric, to be resampled and tilted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core import resources
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.progress import Progress
from bbccli.core.threads import ordered_map
from bbccli.metrics import kernels
from bbccli.metrics.base import Metric, Scorer
from bbccli.stats.influence import influence
from bbccli.stats.resampling import BLOCK, Draws, Unit, any_draw
from bbccli.stats.selection.candidates import candidates
from bbccli.stats.splitting.split import Finalist
from bbccli.stats.splitting.tilt import Replicates, tilted_weights
from bbccli.types import FloatArray, IntArray, Pooling, distinct

MOST_CELLS = 2**22
"""Weights of resamples scored at once in each thread."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """A finalist on the samples that evaluate it, beside those it was chosen from.

    Attributes
    ----------
    scorer
        Of n evaluation samples, pooled, and m configurations.
    column
        Place of the finalist among the m.
    members : (n,) int
        Unit of each sample: itself, or its group.
    strata : (U,) int, optional
        Strata of the U units: the classes where the metric is undefined without one of them.
    influence : (U,)
        Influence values of the units on the finalist.
    observed
        Performance of the finalist.
    """

    scorer: Scorer
    column: int
    members: IntArray
    strata: IntArray | None
    influence: FloatArray
    observed: float

    @classmethod
    def of(
        cls, matrix: PredictionMatrix, metric: Metric, finalist: Finalist, columns: IntArray
    ) -> Evaluated:
        """Bind the evaluation samples to some columns (m,), in increasing order."""
        rows = finalist.split.evaluation
        if matrix.available is not None:
            rows = rows & matrix.available[:, :, finalist.winner].any(axis=0)
        scorer = candidates(matrix, metric, Pooling.POOLED).bind(columns).restrict(rows)
        column = int(np.searchsorted(columns, finalist.winner))
        everything, chosen = np.ones(int(rows.sum()), np.uint8), np.array([column])
        members, strata = np.arange(len(everything)), None
        if matrix.groups is not None:
            members = np.unique(matrix.groups[rows], return_inverse=True)[1]
        elif matrix.task.is_classification:
            strata = _classes_needed(scorer, matrix.outcome.values[rows])
        values = influence(scorer, everything, chosen, strata=strata, members=members)[:, 0]
        observed = float(scorer.paired(everything[None], chosen)[0])
        return cls(scorer, column, members, strata, values, observed)

    def under(self, tilt: float) -> float:
        """Performance of the finalist when the samples have tilted weights."""
        weights: NDArray[Any] = tilted_weights(self.influence, tilt)[self.members]
        return float(self.scorer.paired(weights[None], np.array([self.column]))[0])

    def replicates(self, n_resamples: int, seed: int, progress: Progress) -> Replicates:
        """Draw B resamples of the units and score the m configurations in each."""
        sizes = np.bincount(self.members)
        draws = Draws(len(sizes), seed, (Unit.EVALUATION,), any_draw, self.members, self.strata)
        shares = (self.influence / sizes)[self.members]
        parts = []
        for values, totals in self._scored(draws, shares, n_resamples):
            parts.append((values, totals))
            progress(min(sum(len(done) for _, done in parts), n_resamples), n_resamples)
        values, totals = (np.concatenate(part)[:n_resamples] for part in zip(*parts, strict=True))
        return Replicates(values, self.observed, self.column, self.influence, totals)

    def _scored(
        self, draws: Draws, shares: FloatArray, n_resamples: int
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Performances (b, m), and sums of influence values (b,), of the blocks in order."""
        n_blocks = -(-n_resamples // BLOCK)
        step = int(np.clip(MOST_CELLS // (BLOCK * len(self.members)), 1, 16))

        def score(first: int) -> tuple[FloatArray, FloatArray]:
            in_bag = draws.batch(first, min(step, n_blocks - first)).in_bag
            return self.scorer(in_bag), in_bag @ shares

        work = n_resamples * len(self.members) * self.scorer.n_configurations
        with resources.use(kernels.decide(work)):
            yield from ordered_map(score, range(0, n_blocks, step), resources.current().jobs)


def _classes_needed(scorer: Scorer, classes: IntArray | FloatArray) -> IntArray | None:
    """The class of each sample (n,), where the metric is undefined if one is missing; or None."""
    codes = classes.astype(np.int64)
    without = (codes != distinct(codes)[:, None]).astype(np.uint8)
    return codes if np.isnan(scorer(without)).any() else None
