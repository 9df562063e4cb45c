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
    """Return class labels that are right with the probabilities `accuracies` (C,), in (0, 1).

    Other parameters: see `bbccli.simulation`.

    Raises
    ------
    OptionError
        An accuracy, balance, correlation or number of folds that is out of range.

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
        size = n_samples, len(accuracies)
        drawn = normals(rng, *size, correlation) if correlation else rng.random(size)
        right = drawn < (cut if correlation else accuracies)
        return np.where(right, truth[:, None], 1 - truth[:, None]).astype(np.float32)

    outcome = Outcome(Task.BINARY, truth, ("0", "1"))
    folds = dealt(truth, n_folds)
    return simulated_from(outcome, accuracies, "accuracy", PredictionKind.LABEL, folds, draw, rng)
