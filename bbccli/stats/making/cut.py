"""`--threshold tuned`, the cut above which the positive class is predicted, tuned in every bag.

1. Sort the scores of the bag, the largest first. Cuts lie between two different scores.
2. A metric of two classes is a function of true and false positives, which are running sums of the
   weights; so all cuts of a column under all bags are two cumulated sums.
3. Take the best cut, the highest on ties, midway between the scores of the bag on either side.

The best cut has a positive sample right above it and a negative one right below, or no sample on
one side, so only such cuts are looked at. Below all samples it is half the lowest probability.
With repeats it is one cut for all, by the predictions of all repeats together.

Where the best configuration is selected by the same metric, and not calibrated, configuration and
cut are chosen together: the configuration whose best cut is best. A tool's cut follows the
selection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import Scorer
from bbccli.metrics.kernels import cuts, loop_forms
from bbccli.metrics.kernels.pairs import PresortedPairs, presort
from bbccli.metrics.kernels.running import Numbers, side_by_side
from bbccli.platform.dataclass import dataclass
from bbccli.stats.making.best import of_winners
from bbccli.stats.making.interface import Combine, Find, Given
from bbccli.stats.selection.candidates import holdout_parts
from bbccli.types import (
    TIE_TOLERANCE,
    BoolArray,
    Direction,
    FloatArray,
    IntArray,
    PredictionKind,
    Task,
)

CELLS = 2**22
"""Weights of bags that are swept at once."""

Terms = Callable[[FloatArray, FloatArray], tuple[Any, ...]]


def _of_precision(of_recall: float) -> Terms:
    """Return the terms of TP / (TP + FP + r P), times (1 + r); r = 1 for F1."""
    return lambda p, n: (1 + of_recall, 0, 0, 1, 1, of_recall * p)


FRACTIONS: dict[str, Terms] = {
    "accuracy": lambda p, n: (1, -1, n, 0, 0, p + n),
    "error": lambda p, n: (-1, 1, p, 0, 0, p + n),
    "balanced-accuracy": lambda p, n: (n, -p, p * n, 0, 0, 2 * p * n),
    "youden": lambda p, n: (n, -p, 0, 0, 0, p * n),
    "recall": lambda p, n: (1, 0, 0, 0, 0, p),
    "specificity": lambda p, n: (0, -1, n, 0, 0, n),
    "precision": _of_precision(0),
    "npv": lambda p, n: (0, -1, n, -1, -1, p + n),
    "f0.5": _of_precision(0.25),
    "f1": _of_precision(1),
    "f2": _of_precision(4),
    "jaccard": lambda p, n: (1, 0, 0, 0, 1, p),
    "kappa": lambda p, n: (2 * n, -2 * p, 0, n - p, n - p, p * (p + n)),
    "mcc": lambda p, n: (np.sqrt(n / p), -np.sqrt(p / n), 0, 1, 1, 0, -1, -1, p + n),
}
"""Metrics that are a fraction of linear functions of true and false positives, given the positives
p and negatives n of a bag: what each of the two and 1 count in the numerator, and in the
denominator; of MCC in a second one, for it is divided by the root of their product."""


def find(given: Given) -> Find:
    """Return the best cut of what is made in each bag."""
    sweep = Sweep.of(given)

    def best(weights: IntArray, made: FloatArray) -> FloatArray:
        scores = np.ascontiguousarray(np.moveaxis(made, 2, 0)).reshape(len(weights), -1)
        cells, starts, places = loop_forms("cuts").of_bags(
            scores, sweep.truth, sweep.masses(weights).astype(float), bounded=sweep.bounded
        )
        sizes = np.diff(np.r_[starts, len(places)])
        inside = np.arange(sizes.max()) < sizes[:, None]
        values = np.full(inside.shape, np.nan)
        values[inside] = sweep.judge(cells)
        first = given.metric.direction.best(values)
        return np.where(first < 0, np.nan, places[starts + np.maximum(first, 0)])

    return best


def combine(given: Given) -> Combine:
    """Return a share of 1 for the configuration whose best cut is best."""
    sweep, direction = Sweep.of(given), given.metric.direction
    columns = given.matrix.predictions.reshape(len(sweep.truth), -1)
    pairs = presort(columns, sweep.truth, ~sweep.truth)
    nothing = (columns <= 0) & sweep.bounded

    def shares(weights: IntArray) -> FloatArray:
        step = max(CELLS // sweep.truth.size, 1)
        parts = [weights[start : start + step] for start in range(0, len(weights), step)]
        values = np.concatenate([sweep.best(pairs, nothing, sweep.masses(part)) for part in parts])
        return of_winners(direction.best(values), values.shape[1])

    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """All cuts of columns of scores.

    direction, rates: of the metric by which cuts are judged; it is bound to one sample of each
        cell of the confusion matrix, so that weights are the counts of the cells.
    truth (R N,): True where a sample is positive.
    weights (R N,): of samples, and 0 where one has no prediction.
    bounded: True for probabilities, which no cut below 0 divides.
    fraction, optional: the metric as a fraction.
    """

    direction: Direction
    rates: Scorer
    truth: BoolArray
    weights: Numbers
    bounded: bool
    fraction: Terms | None

    @classmethod
    def of(cls, given: Given) -> Sweep:
        """Bind the cuts of the samples of a matrix."""
        matrix, metric, parts = given.matrix, given.metric, holdout_parts(given.matrix)
        weights = matrix.outcome.weights
        counted: Numbers = np.ones(matrix.n_samples, np.uint8) if weights is None else weights
        counted = np.tile(counted, (matrix.n_repeats, 1)) * (True if parts is None else parts)
        cells = Outcome(Task.BINARY, np.array([1, 0, 1, 0]), matrix.outcome.classes)
        return cls(
            direction=metric.direction,
            rates=metric.bind(cells, np.array([[1], [1], [0], [0]])),
            truth=np.tile(matrix.outcome.values == 1, matrix.n_repeats),
            weights=counted.ravel(),
            bounded=matrix.kind is PredictionKind.PROBABILITY,
            fraction=FRACTIONS.get(metric.name),
        )

    def masses(self, weights: IntArray) -> Numbers:
        """Return what each row (R N,) counts in each bag (B, N)."""
        n_repeats = len(self.truth) // weights.shape[1]
        return np.tile(weights, n_repeats) * self.weights

    def judge(self, cells: FloatArray) -> FloatArray:
        """Return the figures (K,) of counts (K, 4): true and false positives, and negatives."""
        return self.rates(np.maximum(cells, 0.0))[:, 0]

    def best(self, pairs: PresortedPairs, nothing: BoolArray, masses: Numbers) -> FloatArray:
        """Return the figure (B, C) of the best cut of each column in each bag.

        nothing (R N, C): True for a probability of 0, below which there is no cut.
        masses (B, R N): what each row counts in each bag.
        """
        sign, values = self.direction.sign, np.empty((len(masses), nothing.shape[1]))
        of_kinds = [masses[:, kind].astype(np.float64) for kind in (self.truth, ~self.truth)]
        totals, some = np.stack([of.sum(axis=1) for of in of_kinds]), nothing.any(axis=0)
        lowest = np.repeat(totals[:, None], values.shape[1], axis=1)  # above the lowest cut
        for above, of, kind in zip(lowest, of_kinds, (self.truth, ~self.truth), strict=True):
            above[some] -= (of @ nothing[kind][:, some]).T
        todo = np.arange(len(masses))
        if self.fraction is not None:
            with np.errstate(divide="ignore", invalid="ignore"):  # bags of one class are done again
                given = self.fraction(*totals)
                root, rounding = len(given) > 6, TIE_TOLERANCE * totals.sum(axis=0)
                given = *given, *[0] * (9 - len(given)), rounding
                terms = np.array(np.broadcast_arrays(*given), np.float64)
                terms[:3] *= sign
                best = loop_forms("cuts").best_fractions(pairs, masses, terms, root=root)
                values[:] = sign * np.fmax(best, cuts.fraction(terms, *lowest, root=root).T)
            todo = np.flatnonzero((totals == 0).any(axis=0))
        lanes = side_by_side(masses[todo], np.float64)
        for c in range(values.shape[1]) if len(todo) else ():
            counts = np.hstack([cuts.of_column(pairs, c, lanes), lowest[:, None, c, todo]])
            cells = np.concatenate([counts, totals[:, None, todo] - counts]).T
            judged = self.judge(cells.reshape(-1, 4)).reshape(cells.shape[:2])
            values[todo, c] = self.direction.extreme.reduce(judged, axis=1)
        return values
