"""`--threshold sklearn[:METRIC]`, the cut of scikit-learn's `TunedThresholdClassifierCV`.

1. In each fold of each repeat, take 100 cuts, evenly from its lowest prediction to its highest,
   with the metric of each; where it is undefined it counts as 0. A fold of equal predictions, or of
   one class, does not count.
2. Of 100 cuts from the lowest to the highest of all, take the first at which the mean of the folds,
   interpolated between their cuts, is best.
"""

from __future__ import annotations

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.stats.making.cut import Sweep
from bbccli.stats.making.interface import Find, Given
from bbccli.types import BoolArray, FloatArray, IntArray

CUTS = 100
"""Cuts of a fold, and of all."""


def interpolated(given: Given) -> Find:
    """Return scikit-learn's cut of what is made in each bag."""
    sweep, splits = Sweep.of(given), _splits(given.matrix)

    def cells_of(below: IntArray, masses: FloatArray, positive: BoolArray) -> FloatArray:
        hits, all_ = (np.bincount(below, m, CUTS) for m in (masses * positive, masses))
        above = np.cumsum(np.array([hits, all_ - hits])[:, ::-1], axis=1)[:, ::-1].T
        return np.concatenate([above, above[0] - above], axis=1)

    def of_bag(masses: FloatArray, scores: FloatArray) -> float:
        cuts, cells = [], []
        for split in splits:
            rows = split[masses[split] > 0]
            inside = scores[rows]
            lowest, highest = (inside.min(), inside.max()) if len(inside) else (0.0, 0.0)
            if abs(highest - lowest) > 1e-8 + 1e-5 * abs(highest):  # numpy's isclose
                cuts.append(np.linspace(lowest, highest, CUTS))
                below = np.searchsorted(cuts[-1], inside, side="right") - 1
                cells.append(cells_of(below, masses[rows], sweep.truth[rows]))
        if not cuts:
            return np.nan
        values = sweep.judge(np.concatenate(cells)).reshape(-1, CUTS)
        known = np.flatnonzero(~np.isnan(values).all(axis=1))
        if not len(known):
            return np.nan
        tried = np.linspace(min(cuts[k][0] for k in known), max(cuts[k][-1] for k in known), CUTS)
        curves = [np.interp(tried, cuts[k], np.nan_to_num(values[k])) for k in known]
        best = tried[np.argmax(given.metric.direction.sign * np.mean(curves, axis=0))]
        return float(np.nextafter(best, -np.inf))  # at the cut it is positive too

    def find(weights: IntArray, made: FloatArray) -> FloatArray:
        columns = np.moveaxis(made, 2, 0).reshape(len(weights), -1)
        return np.array([*map(of_bag, sweep.masses(weights), columns)])

    return find


def _splits(matrix: PredictionMatrix) -> list[IntArray]:
    """Return the rows (of R N) of each fold of each repeat; of each repeat without folds."""
    folds = np.zeros((matrix.n_repeats, matrix.n_samples)) if matrix.folds is None else matrix.folds
    rows = np.arange(folds.size).reshape(folds.shape)
    return [
        places[of == fold] for places, of in zip(rows, folds, strict=True) for fold in np.unique(of)
    ]
