"""The cuts above which `predict` of tools gives the positive class.

By `--threshold tool`:

- `quantiles` (mljar): at most 100 cuts, .9 times the lowest prediction and midpoints of every
  hundredth pair of neighbours, copies in the bag included; the first of the highest accuracy.
- `grid` (AutoGluon): 51 cuts from 0 to 1, then 19 on either side of the best; of equal ones the
  nearest to 0.5, by the metric of the run.
"""

from __future__ import annotations

import numpy as np

from bbccli.stats.making.interface import Find, Given
from bbccli.stats.making.made import scored
from bbccli.types import TIE_TOLERANCE, BoolArray, FloatArray, IntArray

_CUTS = 100
_HALF = 25
_FINER = 19


def quantiles(given: Given) -> Find:
    """Return mljar's cut of what is made in each bag."""
    outcome = given.matrix.outcome
    positive = outcome.values == 1
    masses = np.ones(len(positive)) if outcome.weights is None else outcome.weights

    def of_bag(bag: IntArray, made: FloatArray) -> float:
        order = np.argsort(made, kind="stable")
        scores, counts = made[order], bag[order]
        copies, mass = np.repeat(scores, counts), counts * masses[order]
        step = max(len(copies) // _CUTS, 1)
        lower = np.arange(_CUTS) * step
        lower = lower[lower + 1 < len(copies)]
        cuts = (copies[lower] + copies[lower + 1]) / 2
        cuts[:1] = 0.9 * copies[0]
        cuts = cuts[np.logical_and.accumulate(cuts < copies[-1])]
        if not len(cuts):
            return 0.5
        # right below the cut: negatives; above it: positives
        signed = np.cumsum(np.where(positive[order], -mass, mass))
        right = np.append(0.0, signed)[np.searchsorted(scores, cuts, side="right")]
        return float(cuts[np.argmax(right >= right.max() - TIE_TOLERANCE * mass.sum())])

    def find(weights: IntArray, made: FloatArray) -> FloatArray:
        means = made.mean(axis=0)  # of repeats, in which mljar predicts once
        return np.array([of_bag(bag, means[:, b]) for b, bag in enumerate(weights)])

    return find


def grid(given: Given) -> Find:
    """Return AutoGluon's cut of what is made in each bag."""
    coarse = np.array(
        [0.5, *(0.5 + s * i / (2 * _HALF) for i in range(1, _HALF + 1) for s in (-1, 1))]
    )
    places = np.sort(coarse)

    def find(weights: IntArray, made: FloatArray) -> FloatArray:
        best, cuts = np.full(len(weights), np.nan), np.full(len(weights), 0.5)
        single = made.astype(np.float32)  # as AutoGluon compares

        def compare(tried: FloatArray, valid: BoolArray) -> None:
            labels = (single > tried.astype(np.float32)).astype(np.float64)
            values = scored(given.matrix, labels, given.metric, given.pooling, weights)
            gain = given.metric.direction.gain(values, best)
            nearer = (gain == 0) & (np.abs(tried - 0.5) < np.abs(cuts - 0.5))
            better = valid & ((gain > 0) | nearer | (np.isnan(best) & ~np.isnan(values)))
            best[better], cuts[better] = values[better], tried[better]

        for cut in coarse:
            compare(np.full(len(weights), cut), np.ones(len(weights), bool))
        chosen = cuts.copy()
        at = np.searchsorted(places, chosen)
        for beside in (at - 1, at + 1):
            valid = (beside >= 0) & (beside < len(places))
            apart = chosen - places[np.clip(beside, 0, len(places) - 1)]
            for i in range(_FINER):
                compare(chosen + apart * ((i + 1) / (_FINER + 1)), valid)
        return np.where(np.isnan(best), 0.5, cuts).astype(np.float32).astype(np.float64)

    return find


FINDERS = {"quantiles": quantiles, "grid": grid}
"""By the name that a reader gives."""
