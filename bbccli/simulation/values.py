"""Predicted values with known mean squared errors."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bbccli.outcome import Outcome
from bbccli.simulation.drawing import checked, dealt, normals
from bbccli.simulation.simulated import Simulated, simulated_from
from bbccli.types import FloatArray, PredictionKind, Task


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
    `errors` (C,), in (0, 1): see `bbccli.simulation`.

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
    errors = checked(errors, correlation)
    values = rng.normal(size=n_samples)
    spread = np.sqrt(errors)

    def draw(rng: Generator) -> FloatArray:
        return values[:, None] + spread * normals(rng, n_samples, len(errors), correlation)

    outcome = Outcome(Task.REGRESSION, values)
    folds = dealt(np.zeros(n_samples, np.int64), n_folds)
    return simulated_from(outcome, errors, "mse", PredictionKind.VALUE, folds, draw, rng)
