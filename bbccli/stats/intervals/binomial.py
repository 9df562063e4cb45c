"""Intervals of a proportion of n independent samples.

Each formula takes the proportion p, the samples n (not always whole) and the probability outside
of each end, and returns the lower and the upper end.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

Formula = Callable[[float, float, float], tuple[float, float]]


def wald(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return p -+ z sqrt(p (1 - p) / n). It has no width where p is 0 or 1.

    Examples
    --------
    >>> [round(end, 4) for end in wald(0.8, 100, 0.025)]
    [0.7216, 0.8784]
    """
    margin = _z(outside) * sqrt(p * (1 - p) / n)
    return p - margin, p + margin


def wilson(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return the proportions that a score test at p does not reject.

    References
    ----------
    Wilson 1927; Brown, Cai & DasGupta 2001, section 3.1.1.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(0.8, 100, 0.025)]
    [0.7112, 0.8666]
    """
    z = _z(outside)
    return wilson_end(p, n, -z), wilson_end(p, n, z)


def wilson_end(p: float, n: float, z: float) -> float:
    """Return an end of Wilson's interval: z standard errors up, down where z < 0."""
    centre = p + z**2 / (2 * n)
    margin = z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return (centre + margin) / (1 + z**2 / n)


def clopper_pearson(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return the proportions that an exact binomial test does not reject, by beta quantiles.

    References
    ----------
    Clopper & Pearson 1934.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(0.8, 100, 0.025)]
    [0.7082, 0.8733]
    """
    from scipy.stats import beta

    k = p * n
    lower = beta.ppf(outside, k, n - k + 1) if p > 0 else 0.0
    upper = beta.ppf(1 - outside, k + 1, n - k) if p < 1 else 1.0
    return float(lower), float(upper)


def jeffreys(p: float, n: float, outside: float) -> tuple[float, float]:
    """Return quantiles of the posterior beta (k + 1/2, n - k + 1/2); 0 and 1 belong to p = 0 and 1.

    References
    ----------
    Brown, Cai & DasGupta 2001, section 3.1.3.

    Examples
    --------
    >>> [round(end, 4) for end in jeffreys(0.8, 100, 0.025)]
    [0.7137, 0.8692]
    """
    from scipy.stats import beta

    k = p * n
    lower, upper = beta.ppf([outside, 1 - outside], k + 0.5, n - k + 0.5)
    return (float(lower) if p > 0 else 0.0), (float(upper) if p < 1 else 1.0)


def _z(outside: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(outside))
