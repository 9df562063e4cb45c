"""`best`, `one-se`, `one-se-simplest`: the configuration that a rule of selection takes in the bag.

As a rule of making it is `bbc` itself, to the last bit; calibrations and cuts build on it.
"""

from __future__ import annotations

import numpy as np

from bbccli.stats.making.interface import Combine, Given
from bbccli.types import FloatArray, IntArray


def combine(given: Given) -> Combine:
    """Return a share of 1 for the selected configuration."""
    judged = given.judged

    def shares(weights: IntArray) -> FloatArray:
        values = judged.score(weights)
        return of_winners(given.rule.select(values, weights, judged.errors), values.shape[1])

    return shares


def of_winners(winners: IntArray, n: int) -> FloatArray:
    """Return shares (B, n) of 1 for the winner (B,) of each bag; NaN where it is -1, for none."""
    shares = np.zeros((len(winners), n))
    shares[np.arange(len(winners)), winners] = 1.0
    shares[winners < 0] = np.nan
    return shares
