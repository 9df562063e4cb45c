"""Scores of normal classes with known areas under the ROC curve."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bbccli.errors import OptionError
from bbccli.outcome import Outcome
from bbccli.simulation.drawing import checked, classes_of, dealt, distance, normals
from bbccli.simulation.simulated import Simulated, simulated_from
from bbccli.types import FloatArray, PredictionKind, Task


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
    `aucs` (C,), in (0, 1): see `bbccli.simulation`.

    Raises
    ------
    OptionError
        An area, balance, correlation or number of folds that is out of range.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> simulated = binormal(rng.beta(24, 6, 100), 50, rng, balance=0.1)
    >>> simulated.matrix.outcome.class_counts, simulated.matrix.n_folds
    (array([ 5, 45]), 5)
    """
    aucs = checked(aucs, correlation)
    truth = classes_of(n_samples, balance)
    shift = distance(aucs)

    def draw(rng: Generator) -> FloatArray:
        noise = normals(rng, n_samples, len(aucs), correlation)
        return noise + truth[:, None] * shift

    outcome = Outcome(Task.BINARY, truth, ("0", "1"))
    folds = dealt(truth, n_folds)
    return simulated_from(outcome, aucs, "auc", PredictionKind.SCORE, folds, draw, rng)


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
    of all classes, one against the rest and in pairs, equal AUC. Other parameters: see
    `bbccli.simulation`.

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
    aucs = checked(aucs, correlation)
    if not 2 < n_classes <= n_samples // 2:
        raise OptionError(
            f"{n_classes} classes for {n_samples} samples",
            hint="at least 3 classes, and 2 samples of each",
        )
    truth, names = np.sort(np.arange(n_samples) % n_classes), tuple(map(str, range(n_classes)))
    shift = distance(aucs)[:, None] * np.eye(n_classes)[truth][:, None, :]

    def draw(rng: Generator) -> FloatArray:
        return normals(rng, n_samples, len(aucs), correlation, n_classes) + shift

    outcome, folds = Outcome(Task.MULTICLASS, truth, names), dealt(truth, n_folds)
    return simulated_from(outcome, aucs, "auc-ovr", PredictionKind.SCORE, folds, draw, rng)
