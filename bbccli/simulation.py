"""Prediction matrices whose configurations have known true performances.

1. Given the true performance of each of C configurations (drawn from a Beta law in the papers),
   fix how many samples each class has, and deal the samples to folds, stratified by class.
2. Draw the predictions of each configuration so that its performance on new samples is exactly
   the given one.

No model is trained: the true performances do not depend on the samples, so that bias and
inclusion of an estimate are those of the selection alone.

With `correlation` r > 0 the configurations err on the same samples: the normal variable behind
each prediction is sqrt(r) times one of the sample plus sqrt(1 - r) times one of its own. What one
configuration does alone is not changed.

Source: section 5.1 of Tsamardinos, Greasidou & Borboudakis 2018 (accuracies); section 4 of
Paraschakis et al. 2024 (areas under the ROC curve).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from bbccli.errors import OptionError
from bbccli.matrix import PredictionMatrix
from bbccli.outcome import Outcome
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task

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


def right_or_wrong(
    accuracies: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    balance: float = 0.5,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return class labels that are right with the probabilities `accuracies`.

    Parameters
    ----------
    accuracies : (C,)
        True accuracies, in (0, 1).
    n_samples
        N.
    rng
        Source of all randomness.
    balance
        Share of class 0, of which there are round(balance N) samples.
    n_folds
        Folds; of a rare class with fewer samples, as many as it has.
    correlation
        Of the normal variables behind the errors of two configurations, in [0, 1).

    Raises
    ------
    OptionError
        An accuracy, balance, correlation or number of folds that is out of range.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 5.1: accuracies from Be(9, 6), Be(14, 6) and
    Be(24, 6), uncorrelated.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> simulated = right_or_wrong(rng.beta(9, 6, 100), 40, rng)
    >>> simulated.matrix.predictions.shape, simulated.matrix.outcome.class_counts
    ((1, 40, 100), array([20, 20]))
    """
    from scipy.special import ndtri

    accuracies = _checked(accuracies, correlation)
    truth = _classes(n_samples, balance)
    cut = ndtri(accuracies)

    def draw(rng: Generator) -> FloatArray:
        if correlation:
            right = _normals(rng, n_samples, len(accuracies), correlation) < cut
        else:
            right = rng.random((n_samples, len(accuracies))) < accuracies
        return np.where(right, truth[:, None], 1 - truth[:, None]).astype(np.float32)

    outcome = Outcome(Task.BINARY, truth, ("0", "1"))
    folds = _folds(truth, n_folds)
    return _simulated(outcome, accuracies, "accuracy", PredictionKind.LABEL, folds, draw, rng)


def binormal(
    aucs: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    balance: float = 0.5,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return scores of two normal classes whose areas under the ROC curve are `aucs`.

    Scores of class 0 are N(0, 1), of class 1 N(sqrt(2) Phi^-1(AUC), 1). Parameters other than
    `aucs` (C,), in (0, 1), are those of `right_or_wrong`.

    Raises
    ------
    OptionError
        An area, balance, correlation or number of folds that is out of range.

    References
    ----------
    Paraschakis, Castellani, Borboudakis & Tsamardinos 2024, section 4: areas from Be(9, 6) and
    Be(24, 6), balance 0.1 and 0.5, 10 folds or as many as the rare class has samples.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> simulated = binormal(rng.beta(24, 6, 100), 50, rng, balance=0.1)
    >>> simulated.matrix.outcome.class_counts, simulated.matrix.n_folds
    (array([ 5, 45]), 5)
    """
    aucs = _checked(aucs, correlation)
    truth = _classes(n_samples, balance)
    shift = _distance(aucs)

    def draw(rng: Generator) -> FloatArray:
        noise = _normals(rng, n_samples, len(aucs), correlation)
        return noise + truth[:, None] * shift

    outcome = Outcome(Task.BINARY, truth, ("0", "1"))
    folds = _folds(truth, n_folds)
    return _simulated(outcome, aucs, "auc", PredictionKind.SCORE, folds, draw, rng)


def multinormal(
    aucs: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    n_classes: int = 3,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return scores of K equal classes, each of which has the area `aucs` against the rest.

    The score of a sample's own class is N(sqrt(2) Phi^-1(AUC), 1), of the others N(0, 1): the areas
    of all classes, one against the rest and in pairs, equal AUC. Other parameters are those of
    `right_or_wrong`.

    Raises
    ------
    OptionError
        An area, correlation or number of classes or folds that is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> multinormal(rng.beta(9, 6, 20), 60, rng, n_classes=4).matrix.predictions.shape
    (1, 60, 20, 4)
    """
    aucs = _checked(aucs, correlation)
    if not 2 < n_classes <= n_samples // 2:
        raise OptionError(
            f"{n_classes} classes for {n_samples} samples",
            hint="at least 3 classes, and 2 samples of each",
        )
    truth = np.sort(np.arange(n_samples) % n_classes)
    shift = _distance(aucs)[:, None] * np.eye(n_classes)[truth][:, None, :]

    def draw(rng: Generator) -> FloatArray:
        return _normals(rng, n_samples, len(aucs), correlation, n_classes) + shift

    outcome = Outcome(Task.MULTICLASS, truth, tuple(str(k) for k in range(n_classes)))
    folds = _folds(truth, n_folds)
    return _simulated(outcome, aucs, "auc-ovr", PredictionKind.SCORE, folds, draw, rng)


def noisy(
    errors: FloatArray,
    n_samples: int,
    rng: Generator,
    *,
    n_folds: int = 10,
    correlation: float = 0.0,
) -> Simulated:
    """Return predicted values whose mean squared errors are `errors`.

    The outcome is N(0, 1), a prediction the outcome plus N(0, error). Parameters other than
    `errors` (C,), in (0, 1), are those of `right_or_wrong`.

    Raises
    ------
    OptionError
        An error, correlation or number of folds that is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noisy(1 - rng.beta(9, 6, 20), 60, rng).metric
    'mse'
    """
    errors = _checked(errors, correlation)
    values = rng.normal(size=n_samples)
    spread = np.sqrt(errors)

    def draw(rng: Generator) -> FloatArray:
        return values[:, None] + spread * _normals(rng, n_samples, len(errors), correlation)

    outcome = Outcome(Task.REGRESSION, values)
    folds = _folds(np.zeros(n_samples, np.int64), n_folds)
    return _simulated(outcome, errors, "mse", PredictionKind.VALUE, folds, draw, rng)


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


def _checked(performances: FloatArray, correlation: float) -> FloatArray:
    performances = np.atleast_1d(np.asarray(performances, np.float64))
    if not ((performances > 0) & (performances < 1)).all():
        raise OptionError("a true performance is not between 0 and 1", hint="for example 0.7")
    if not 0 <= correlation < 1:
        raise OptionError(f"the correlation is {correlation:g}", hint="from 0 to below 1")
    return performances


def _classes(n_samples: int, balance: float) -> IntArray:
    """(N,) round(balance N) samples of class 0, then those of class 1."""
    n_zeros = round(balance * n_samples)
    if min(n_zeros, n_samples - n_zeros) < 2:
        raise OptionError(
            f"{n_zeros} of {n_samples} samples are of class 0",
            hint="each class needs at least 2: more samples, or a balance nearer to 0.5",
        )
    return np.repeat([0, 1], [n_zeros, n_samples - n_zeros])


def _folds(truth: IntArray, n_folds: int) -> IntArray:
    """(N,) folds dealt in turn to samples in the order of their classes.

    Samples of a class are exchangeable, so that shuffling them would change nothing.
    """
    n_rarest = int(np.unique(truth, return_counts=True)[1].min())
    if not 2 <= n_folds <= len(truth):
        raise OptionError(f"{n_folds} folds for {len(truth)} samples", hint="for example 10")
    return np.arange(len(truth)) % min(n_folds, n_rarest)


def _distance(aucs: FloatArray) -> FloatArray:
    """Distance of two normal variables of variance 1 of which one is larger with chance `aucs`."""
    from scipy.special import ndtri

    return np.asarray(np.sqrt(2) * ndtri(aucs))


def _normals(
    rng: Generator, n_samples: int, n_configurations: int, correlation: float, *rest: int
) -> FloatArray:
    """(N, C, ...) standard normal variables; those of a sample are correlated across C."""
    own = rng.normal(size=(n_samples, n_configurations, *rest))
    if not correlation:
        return own
    shared = rng.normal(size=(n_samples, 1, *rest))
    return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)


def _simulated(
    outcome: Outcome,
    performances: FloatArray,
    metric: str,
    kind: PredictionKind,
    folds: IntArray,
    draw: Draw,
    rng: Generator,
) -> Simulated:
    matrix = PredictionMatrix(
        outcome,
        draw(rng)[None],
        tuple(f"c{c}" for c in range(len(performances))),
        kind,
        folds=folds[None],
        fold_names=tuple(str(fold) for fold in range(int(folds.max()) + 1)),
    )
    return Simulated(matrix, performances, metric, draw)
