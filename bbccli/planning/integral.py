"""The trapezoidal rule, which numpy calls by another name before version 2."""

from __future__ import annotations

import numpy as np

from bbccli.types import FloatArray


def integral(values: FloatArray, points: FloatArray) -> float:
    """Return the integral over points (n,) in increasing order of a function with values (n,).

    Examples
    --------
    >>> integral(np.array([0.0, 1.0, 4.0]), np.array([0.0, 1.0, 3.0]))
    5.5
    """
    return float((np.diff(points) * (values[1:] + values[:-1]) / 2).sum())
