"""What all simulations draw from: classes, folds, correlated normal variables."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from bbccli.errors import OptionError
from bbccli.types import FloatArray, IntArray


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


def dealt(truth: IntArray, n_folds: int) -> IntArray:
    """(N,) folds dealt in turn to samples in the order of their classes.

    Samples of a class are exchangeable, so that shuffling them would change nothing.
    """
    n_rarest = int(np.unique(truth, return_counts=True)[1].min())
    if not 2 <= n_folds <= len(truth):
        raise OptionError(f"{n_folds} folds for {len(truth)} samples", hint="for example 10")
    return np.arange(len(truth)) % min(n_folds, n_rarest)


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
