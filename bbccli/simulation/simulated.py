"""What a simulation gives: a prediction matrix and its truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.random import Generator

from bbccli.matrix import PredictionMatrix
from bbccli.outcome import Outcome
from bbccli.types import FloatArray, IntArray, PredictionKind

Draw = Callable[[Generator], FloatArray]
"""Draws predictions (N, C) or (N, C, K) of the same configurations on the same samples."""


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """A prediction matrix with its truth.

    Attributes
    ----------
    matrix
        Out-of-sample predictions in one repeat, with folds.
    performances : (C,)
        True performance of each configuration, in the unit of `metric`.
    metric
        Name of the metric that `performances` are values of.
    draw
        Draws other predictions by the same law.
    """

    matrix: PredictionMatrix
    performances: FloatArray
    metric: str
    draw: Draw

    def truth(self, configuration: str) -> float:
        """Return the true performance of a configuration."""
        return float(self.performances[self.matrix.configurations.index(configuration)])


def simulated_from(
    outcome: Outcome,
    performances: FloatArray,
    metric: str,
    kind: PredictionKind,
    folds: IntArray,
    draw: Draw,
    rng: Generator,
) -> Simulated:
    """Draw the predictions, and put the matrix together; `folds` (N,) are those of one repeat."""
    matrix = PredictionMatrix(
        outcome,
        draw(rng)[None],
        tuple(f"c{c}" for c in range(len(performances))),
        kind,
        folds=folds[None],
        fold_names=tuple(str(fold) for fold in range(int(folds.max()) + 1)),
    )
    return Simulated(matrix, performances, metric, draw)
