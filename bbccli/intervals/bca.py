"""Bias-corrected and accelerated percentiles.

1. z0 = Phi^-1 of the share of the distribution below the estimate (one half of what equals it).
2. a = sum_i L_i^3 / (6 (sum_i L_i^2)^(3/2)) of the influence values L of the winner.
3. The end at probability p is the percentile at Phi(z0 + (z0 + z_p) / (1 - a (z0 + z_p))).

Source: Efron 1987, equations 2.3 and 6.6; Efron & Tibshirani 1993, equations 14.9 to 14.15.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from bbccli.results import Distribution
from bbccli.types import FloatArray


def acceleration(influence: FloatArray) -> float:
    """Return a of influence values (U,): one sixth of their skewness over sqrt(U); 0 if constant.

    Examples
    --------
    >>> round(acceleration(np.array([1.0, 1.0, -2.0])), 4)
    -0.068
    """
    squares = float(np.sum(influence**2))
    return float(np.sum(influence**3)) / (6 * squares**1.5) if squares > 0 else 0.0


def bias_correction(distribution: Distribution, value: float) -> float | None:
    """Return z0; None where all of the distribution lies on one side of the estimate."""
    below = np.average(distribution.values < value, weights=distribution.probabilities)
    equal = np.average(distribution.values == value, weights=distribution.probabilities)
    share = float(below + equal / 2)
    return NormalDist().inv_cdf(share) if 0 < share < 1 else None


def adjusted(probability: float, z0: float, a: float) -> float:
    """Return the probability at which the percentile is taken instead.

    Examples
    --------
    >>> round(adjusted(0.025, 0.0, 0.0), 10)
    0.025
    """
    normal = NormalDist()
    z = z0 + normal.inv_cdf(probability)
    # beyond the pole of step 3 the end is that of the distribution
    if a * z >= 1:
        return 1.0 if a > 0 else 0.0
    return normal.cdf(z0 + z / (1 - a * z))
