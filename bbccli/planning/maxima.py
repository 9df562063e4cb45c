"""Expected maximum of independent standard normal numbers: how far the best of C stands out.

e(C) = integral of x d Phi(x)^C. The power is taken of logarithms, so that ten thousand
configurations lose no digits.

Source: David & Nagaraja 2003, section 3.1.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bbccli.planning.integral import integral

FURTHEST = 12.0
"""Standard deviations beyond which no maximum of up to 1e30 numbers lies."""

N_POINTS = 4801
"""Of the integral, whose step is then 0.005."""


@lru_cache(maxsize=4096)
def expected_maximum(count: float) -> float:
    """Return e(C), the expected maximum of C independent standard normal numbers; C >= 1.

    Examples
    --------
    >>> [round(expected_maximum(count), 4) for count in (1, 2, 100, 500)]
    [0.0, 0.5642, 2.5076, 3.0367]
    """
    if count == 1:
        return 0.0
    from scipy.special import log_ndtr

    points = np.linspace(-FURTHEST, FURTHEST, N_POINTS)
    below = np.exp(count * log_ndtr(points))
    # by parts: x F(x) at both ends, less the integral of F
    return FURTHEST - integral(below, points)
