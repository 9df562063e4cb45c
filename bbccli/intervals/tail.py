"""The tail of Gamma(1/2, 1), and roots of monotone functions: so that the guard needs no scipy.

scipy has both, but takes longer to import than a small run takes altogether.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import erfc

import numpy as np

from bbccli.types import FloatArray

STEP = 1 / 512
"""Distance of the nodes between which erfc is a cubic: its error is below 1e-12."""

END = 6.0
"""Where erfc is below 1e-16."""

NEAR = 1e-13
"""How near to each other two approximations of a root are at the end, as a share of the range."""


def tail(u: FloatArray) -> FloatArray:
    """Return P(U >= u) = erfc(sqrt(u)) of U ~ Gamma(1/2, 1), for u >= 0.

    Examples
    --------
    >>> tail(np.array([0.0, 1.9207294103, 100.0])).round(6)
    array([1.  , 0.05, 0.  ])
    """
    nodes, slopes = _table()
    place = np.minimum(np.sqrt(u), END) / STEP
    left = np.minimum(place.astype(np.intp), len(nodes) - 2)
    t = place - left
    # Hermite's cubic: values and slopes at both nodes
    chord = nodes[left + 1] - nodes[left]
    start, stop = slopes[left] - chord, chord - slopes[left + 1]
    return np.asarray(nodes[left] + t * (chord + (1 - t) * ((1 - t) * start + t * stop)))


@cache
def _table() -> tuple[FloatArray, FloatArray]:
    """Values of erfc and its slopes times the step, at the nodes."""
    x = np.arange(0, END + STEP / 2, STEP)
    values = np.array([erfc(one) for one in x])
    return values, np.asarray(-2 / np.sqrt(np.pi) * np.exp(-(x**2)) * STEP)


def root(increasing: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is < 0 at `low` and > 0 at `high` is 0, by Ridders' method.

    Source: Ridders 1979.

    Examples
    --------
    >>> round(root(lambda x: x**3 - 2, 0.0, 2.0), 12)
    1.259921049895
    """
    below, above = increasing(low), increasing(high)
    near, last = NEAR * (high - low), np.inf
    while True:
        middle = (low + high) / 2
        at_middle = increasing(middle)
        scale = np.sqrt(at_middle**2 - below * above)
        found = middle - (middle - low) * at_middle / scale if scale else middle
        if abs(found - last) <= near or high - low <= near:
            return float(found)
        last, value = found, increasing(found)
        for x, f in ((middle, at_middle), (found, value)):
            if f <= 0 and x >= low:
                low, below = x, f
            elif f > 0 and x <= high:
                high, above = x, f
