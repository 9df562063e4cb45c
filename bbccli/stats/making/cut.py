"""`--threshold tuned`, the cut above which the positive class is predicted, tuned in every bag.

1. Sort the scores of the bag, the largest first. Cuts lie between two different scores.
2. A metric of two classes is a function of true and false positives, which are running sums of the
   weights; so all cuts of a column under all bags are two cumulated sums.
3. Take the best cut, the highest on ties, midway between the scores of the bag on either side.

The best cut has a positive sample right above it and a negative one right below, or no sample on
one side, so only such cuts are looked at. Below all samples it is half the lowest probability.
With repeats it is one cut for all, by the predictions of all repeats together.

Where the best configuration is selected by the same metric, and not calibrated, configuration and
cut are chosen together: the configuration whose best cut is best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import Scorer
from bbccli.stats.making.interface import Combine, Find, Given
from bbccli.stats.selection.candidates import parts_of
from bbccli.types import BoolArray, Direction, FloatArray, IntArray, PredictionKind, Task

CELLS = 2**22
"""Weights of bags that are sorted at once."""


def find(given: Given) -> Find:
    """Return the best cut of what is made in each bag."""
    sweep = Sweep.of(given)

    def cuts(weights: IntArray, made: FloatArray) -> FloatArray:
        bags = [
            sweep.of_bag(made[:, :, bag].ravel(), masses)
            for bag, masses in enumerate(sweep.masses(weights))
        ]
        sizes = [len(cuts) for cuts, _ in bags]
        inside = np.arange(max(sizes)) < np.array(sizes)[:, None]
        values = np.full(inside.shape, np.nan)
        values[inside] = sweep.judge(np.concatenate([cells for _, cells in bags]))
        first = given.metric.direction.best(values)
        chosen = [of_bag[max(k, 0)] for (of_bag, _), k in zip(bags, first, strict=True)]
        return np.where(first < 0, np.nan, chosen)

    return cuts


def combine(given: Given) -> Combine:
    """Return a share of 1 for the configuration whose best cut is best."""
    sweep, predictions = Sweep.of(given), given.matrix.predictions

    def shares(weights: IntArray) -> FloatArray:
        values = np.empty((len(weights), given.matrix.n_configurations))
        step = max(CELLS // sweep.truth.size, 1)
        for start in range(0, len(weights), step):
            rows = slice(start, start + step)
            masses = np.ascontiguousarray(sweep.masses(weights[rows]).T)
            for c in range(values.shape[1]):
                values[rows, c] = sweep.best(predictions[:, :, c].ravel(), masses)
        winners = given.metric.direction.best(values)
        found = np.zeros(values.shape)
        found[np.arange(len(winners)), winners] = 1.0
        found[winners < 0] = np.nan
        return found

    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """All cuts of columns of scores.

    direction, rates: of the metric by which cuts are judged; it is bound to one sample of each
        cell of the confusion matrix, so that weights are the counts of the cells.
    truth (R N,): True where a sample is positive.
    weights (R N,): of samples, and 0 where one has no prediction.
    bounded: True for probabilities, which no cut below 0 divides.
    """

    direction: Direction
    rates: Scorer
    truth: BoolArray
    weights: FloatArray
    bounded: bool

    @classmethod
    def of(cls, given: Given) -> Sweep:
        """Bind the cuts of the samples of a matrix."""
        matrix, metric, parts = given.matrix, given.metric, parts_of(given.matrix)
        weights = matrix.outcome.weights
        told = np.ones(matrix.n_samples) if weights is None else weights
        told = np.tile(told, (matrix.n_repeats, 1)) * (True if parts is None else parts)
        cells = Outcome(Task.BINARY, np.array([1, 0, 1, 0]), matrix.outcome.classes)
        return cls(
            direction=metric.direction,
            rates=metric.bind(cells, np.array([[1], [1], [0], [0]])),
            truth=np.tile(matrix.outcome.values == 1, matrix.n_repeats),
            weights=told.ravel(),
            bounded=matrix.kind is PredictionKind.PROBABILITY,
        )

    def masses(self, weights: IntArray) -> FloatArray:
        """Return what each row (R N,) counts in each bag (B, N)."""
        n_repeats = len(self.truth) // weights.shape[1]
        return np.asarray(np.tile(weights, n_repeats) * self.weights)

    def judge(self, cells: FloatArray) -> FloatArray:
        """Return the figures (K,) of counts (K, 4): true and false positives, and negatives."""
        return self.rates(np.maximum(cells, 0.0))[:, 0]

    def best(self, scores: FloatArray, masses: FloatArray) -> FloatArray:
        """Return the figure (B,) of the best cut of a column under each bag (R N, B)."""
        order = np.argsort(-scores, kind="stable")
        ordered, positive, own = scores[order], self.truth[order], masses[order]
        cells = _cells(own, positive, _places(ordered, positive))
        values = self.judge(cells.reshape(-1, 4)).reshape(cells.shape[:2]).T
        if self.bounded:  # no probability is below 0
            values[own[ordered <= 0].any(axis=0), -1] = np.nan
        best = self.direction.best(values)
        return np.where(best < 0, np.nan, values[np.arange(len(best)), best])

    def of_bag(self, scores: FloatArray, masses: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the cuts (K,) of a column that are worth a look in a bag, and their counts (K, 4).

        The highest first. masses (R N,): what each row counts in the bag.
        """
        rows = np.flatnonzero(masses > 0)
        order = rows[np.argsort(-scores[rows], kind="stable")]
        ordered, positive = scores[order], self.truth[order]
        places = _places(ordered, positive)
        cells = _cells(masses[order, None], positive, places)[:, 0]
        upper, lower = ordered[places[1:-1] - 1], ordered[places[1:-1]]
        between = upper / 2 + lower / 2
        lowest = ordered[-1] / 2 if self.bounded else ordered[-1] - 1
        cuts = np.r_[ordered[0], np.where(between < upper, between, lower), lowest]
        n_possible = len(cuts) - (self.bounded and ordered[-1] <= 0)
        return cuts[:n_possible], cells[:n_possible]


def _places(ordered: FloatArray, positive: BoolArray) -> IntArray:
    """Numbers of samples above each cut to look at, ascending: none, between groups, and all."""
    edges = np.flatnonzero(np.diff(ordered)) + 1
    starts, ends = np.r_[0, edges], np.r_[edges, len(ordered)]
    n_positive = np.r_[0, np.cumsum(positive)]
    of_groups = n_positive[ends] - n_positive[starts]
    useful = (of_groups[:-1] > 0) & (of_groups[1:] < (ends - starts)[1:])
    return np.concatenate([[0], edges[useful], [len(ordered)]]).astype(np.int64)


def _cells(masses: FloatArray, positive: BoolArray, places: IntArray) -> FloatArray:
    """Counts (K, B, 4) of rows (M, B), by descending scores, with cuts after the first ones."""

    def upto(counted: FloatArray) -> FloatArray:
        between = np.add.reduceat(counted, places[:-1], axis=0)
        return np.concatenate([np.zeros_like(between[:1]), np.cumsum(between, axis=0)])

    called, hits = upto(masses), upto(np.where(positive[:, None], masses, 0.0))
    missed = hits[-1] - hits
    return np.stack([hits, called - hits, missed, called[-1] - called - missed], axis=2)
