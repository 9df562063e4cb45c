"""Class labels that are right with known probabilities."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bbccli.outcome import Outcome
from bbccli.simulation.drawing import checked, classes_of, dealt, normals
from bbccli.simulation.simulated import Simulated, simulated_from
from bbccli.types import FloatArray, PredictionKind, Task


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

    accuracies = checked(accuracies, correlation)
    truth = classes_of(n_samples, balance)
    cut = ndtri(accuracies)

    def draw(rng: Generator) -> FloatArray:
        if correlation:
            right = normals(rng, n_samples, len(accuracies), correlation) < cut
        else:
            right = rng.random((n_samples, len(accuracies))) < accuracies
        return np.where(right, truth[:, None], 1 - truth[:, None]).astype(np.float32)

    outcome = Outcome(Task.BINARY, truth, ("0", "1"))
    folds = dealt(truth, n_folds)
    return simulated_from(outcome, accuracies, "accuracy", PredictionKind.LABEL, folds, draw, rng)
