"""Predict a study from a basis: a pilot, or stated values.

Performances are gains here: their sign is such that more is better.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import hypot

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.platform.dataclass import dataclass
from bbccli.types import FloatArray


@dataclass(frozen=True, slots=True)
class Outlook:
    """Expected optimism and performance of the winner of C configurations on N rows, as gains.

    lower, middle, upper: optimism of its naive figure.
    honest: its true performance.
    near: lower and upper probability that it is truly near the best.
    """

    lower: float
    middle: float
    upper: float
    honest: float
    near: tuple[float, float]

    def capped(self, best: float) -> Outlook:
        """Return the same with no figure beyond the best value of the metric."""
        honest = min(self.honest, best)
        lower, middle, upper = (
            min(max(value, 0.0), best - honest) for value in (self.lower, self.middle, self.upper)
        )
        return Outlook(lower, middle, upper, honest, self.near)


@dataclass(frozen=True, slots=True)
class DrawnStudy:
    """One simulated study.

    matrix: its predictions.
    gains (C,): true performances.
    shift (C,): shift of the performances on the matrix that makes these the true ones.
    """

    matrix: PredictionMatrix
    gains: FloatArray
    shift: FloatArray


def best_of(metric: Metric) -> float:
    """Return the largest gain that a metric allows; may be infinite."""
    return max(metric.direction.sign * bound for bound in metric.bounds)


def expected_lead(spread: float, noise: float, n_configurations: float) -> float:
    """Return the expected lead of the winner's true gain over the mean of all.

    With normal true gains of standard deviation tau and independent normal noise of standard
    deviation s, it is tau^2 / sqrt(s^2 + tau^2) e(C).

    >>> [round(expected_lead(0.03, noise, 100), 4) for noise in (0.0, 0.04)]
    [0.0752, 0.0451]
    """
    if spread == 0:
        return 0.0
    return spread**2 / hypot(spread, noise) * expected_maximum(n_configurations)


FURTHEST = 12.0
"""Standard deviations beyond any maximum of up to 1e30 numbers."""

N_POINTS = 4801
"""Of the integral, whose step is then 0.005."""


@lru_cache(maxsize=4096)
def expected_maximum(count: float) -> float:
    """Return e(C), the expected maximum of C independent standard normal numbers; C >= 1.

    e(C) = integral of x d Phi(x)^C, with the power taken by logarithms, so that ten thousand
    configurations lose no digits.

    Source: David & Nagaraja 2003, section 3.1.

    >>> [round(expected_maximum(count), 4) for count in (1, 2, 100, 500)]
    [0.0, 0.5642, 2.5076, 3.0367]
    """
    if count == 1:
        return 0.0
    from scipy.special import log_ndtr

    points = np.linspace(-FURTHEST, FURTHEST, N_POINTS)
    below = np.exp(count * log_ndtr(points))
    # by parts: x F(x) at both ends, less the integral of F, by the trapezoidal rule
    return FURTHEST - float((np.diff(points) * (below[1:] + below[:-1]) / 2).sum())


def first(holds: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest whole number from `least` to `most` at which a monotone condition holds.

    >>> first(lambda n: n >= 137, 10, 1000), first(lambda n: n >= 137, 10, 100)
    (137, None)
    """
    if not holds(most):
        return None
    if holds(least):
        return least
    low, high = least, most
    while high - low > 1:
        middle = max(int((low * high) ** 0.5), low + 1)
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
