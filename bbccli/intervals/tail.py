"""The tail and the density of Gamma(1/2, 1), so that the guard needs no scipy.

scipy has them, but takes longer to import than a small run takes altogether.
"""

from __future__ import annotations

from functools import cache
from math import erfc

import numpy as np

from bbccli.types import FloatArray

STEP = 1 / 512
"""Distance of the nodes between which erfc is a cubic: its error is below 1e-12."""

END = 6.0
"""Where erfc is below 1e-16."""


def tail(u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(U >= u) = erfc(sqrt(u)) of U ~ Gamma(1/2, 1), and the density at u, for u >= 0.

    The density at 0, where it is infinite, is given as 0.

    Examples
    --------
    >>> probabilities, densities = tail(np.array([0.0, 1.9207294103, 100.0]))
    >>> probabilities.round(6)
    array([1.  , 0.05, 0.  ])
    >>> float(densities[1].round(6))
    0.059639
    """
    cubics = _table()
    x = np.sqrt(u)
    place = np.minimum(x, END) / STEP
    left = place.astype(np.intp)
    t = place - left
    start, first, second, third = (cubic[left] for cubic in cubics)
    rest = second + t * third
    slope = first + t * (rest + second + 2 * t * third)
    density = np.divide(slope, (-2 * STEP) * x, out=np.zeros_like(x), where=x > 0)
    return start + t * (first + t * rest), density


@cache
def _table() -> tuple[FloatArray, ...]:
    """Coefficients of the cubic beyond each node, by values and slopes of erfc at both ends."""
    x = np.arange(0, END + STEP / 2, STEP)
    values = np.array([*(erfc(one) for one in x[:-1]), 0])
    slopes = -2 / np.sqrt(np.pi) * np.exp(-(x**2)) * STEP
    chord, after = np.diff(values), slopes[1:]
    second, third = 3 * chord - 2 * slopes[:-1] - after, slopes[:-1] + after - 2 * chord
    # from the last node on it is 0
    return values, *(np.append(part, 0) for part in (slopes[:-1], second, third))
