"""What all laws share: classes, folds, correlated normal variables, and the simulated matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from bbccli.core.matrix import PredictionMatrix
from bbccli.core.outcome import Outcome
from bbccli.errors import OptionError
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind


def checked(performances: FloatArray, correlation: float) -> FloatArray:
    """(C,) true performances that are all between 0 and 1; the correlation is checked with them."""
    performances = np.atleast_1d(np.asarray(performances, np.float64))
    if not ((performances > 0) & (performances < 1)).all():
        raise OptionError("a true performance is not between 0 and 1", hint="for example 0.7")
    if not 0 <= correlation < 1:
        raise OptionError(f"the correlation is {correlation:g}", hint="from 0 to below 1")
    return performances


def classes_of(n_samples: int, balance: float) -> IntArray:
    """(N,) round(balance N) samples of class 0, then those of class 1."""
    if not 0 <= balance <= 1:
        raise OptionError(f"the balance is {balance:g}", hint="from 0 to 1, such as 0.5")
    n_zeros = round(balance * n_samples)
    if min(n_zeros, n_samples - n_zeros) < 2:
        raise OptionError(
            f"{n_zeros} of {n_samples} samples are of class 0",
            hint="each class needs at least 2: more samples, or a balance nearer to 0.5",
        )
    return np.repeat([0, 1], [n_zeros, n_samples - n_zeros])


def distance(aucs: FloatArray) -> FloatArray:
    """Distance of two normal variables of variance 1 of which one is larger with chance `aucs`."""
    from scipy.special import ndtri

    return np.asarray(np.sqrt(2) * ndtri(aucs))


def normals(
    rng: Generator, n_samples: int, n_configurations: int, correlation: float, *rest: int
) -> FloatArray:
    """(N, C, ...) standard normal variables; those of a sample are correlated across C."""
    own = rng.normal(size=(n_samples, n_configurations, *rest))
    if not correlation:
        return own
    shared = rng.normal(size=(n_samples, 1, *rest))
    return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)


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
    n_folds: int,
    draw: Draw,
    rng: Generator,
) -> Simulated:
    """Draw the predictions, and put the matrix together.

    Folds are dealt in turn to samples in the order of their classes: samples of a class are
    exchangeable, so that shuffling them would change nothing.
    """
    if not 2 <= n_folds <= len(outcome):
        raise OptionError(f"{n_folds} folds for {len(outcome)} samples", hint="for example 10")
    classes = outcome.class_counts if outcome.task.is_classification else [len(outcome)]
    n_folds = min(n_folds, *map(int, classes))
    matrix = PredictionMatrix(
        outcome,
        draw(rng)[None],
        tuple(f"c{c}" for c in range(len(performances))),
        kind,
        folds=np.arange(len(outcome))[None] % n_folds,
        fold_names=tuple(map(str, range(n_folds))),
    )
    return Simulated(matrix, performances, metric, draw)


def nested(simulated: Simulated, rng: Generator) -> Iterator[tuple[PredictionMatrix, BoolArray]]:
    """Yield what nested cross-validation sees in each outer fold.

    An outer fold is left out, and an inner cross-validation of the other samples makes other
    predictions for them, from other models. So the predictions of the samples outside the fold are
    drawn anew; those of the samples in it are the ones of the matrix, made by models that were
    trained on all others. Without training the new draws follow the same law as the old ones: to
    select on the old ones (`nested-selection`) gives the same mean, and in this simulation that is
    the only difference that nesting can make.

    Yields
    ------
    matrix, test : (N,) bool
        The predictions, and the samples of the outer fold.
    """
    matrix = simulated.matrix
    if matrix.folds is None:
        raise OptionError("nested cross-validation needs folds", hint="simulate with folds")
    for fold in range(len(matrix.fold_names)):
        test = matrix.folds[0] == fold
        predictions = simulated.draw(rng)
        predictions[test] = matrix.predictions[0, test]
        yield replace(matrix, predictions=predictions[None]), test
