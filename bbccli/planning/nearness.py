"""How probable it is that the winner is truly as good as the best, or nearly so.

True gains t are N(0, tau^2), cut into steps with weights w_k; each is observed with noise s. All C
gains are at most t_k, the winner's is t_j, and it was observed at x, with density

C w_j phi((x - t_j) / s) / s (sum over i <= k of w_i Phi((x - t_i) / s))^(C - 1).

Summed over the j of a window below t_k, integrated over x, and differenced over k, it is the
probability that the best is t_k and the winner in the window. Equal steps count as equally good.

Source: elementary; no draws.
"""

from __future__ import annotations

import numpy as np

from bbccli.planning.integral import integral
from bbccli.types import FloatArray

WIDEST = 6.5
"""Standard deviations on either side that are looked at."""

N_STEPS = 400
"""Steps of the true gains, about, and points of the observed ones."""

MOST_STEPS = 1200
"""Steps where so few are wider than the window."""


def near_best(spread: float, noise: float, n_configurations: int, within: float) -> float:
    """Return the probability that the winner's true gain is at most `within` below the best one.

    Examples
    --------
    >>> near_best(0.0, 0.1, 100, 0.01), near_best(0.1, 0.0, 100, 0.01)
    (1.0, 1.0)
    >>> round(near_best(0.03, 0.03, 2, 0.0), 2)  # of two: 1/2 + atan(tau / s) / pi
    0.75
    """
    if spread == 0 or noise == 0 or n_configurations == 1:
        return 1.0
    from scipy.special import ndtr

    points = _points(spread, noise, n_configurations)
    # what lies lower never wins, and is one step with all that is below it
    lowest = max(-WIDEST * spread, points[0] - WIDEST * noise)
    gains = np.arange(lowest, WIDEST * spread, _step(WIDEST * spread - lowest, within))
    edges = np.concatenate([[-np.inf], (gains[1:] + gains[:-1]) / 2, [np.inf]])
    weights = np.diff(ndtr(edges / spread))
    noise = max(noise, points[1] - points[0])  # less is not told apart, and is near enough
    z = (points - gains[:, None]) / noise
    below = np.cumsum(weights[:, None] * ndtr(z), axis=0)
    density = weights[:, None] * np.exp(-(z**2) / 2) / (noise * np.sqrt(2 * np.pi))
    return float(np.clip(_summed(gains, below, density, points, n_configurations, within), 0, 1))


def _step(length: float, within: float) -> float:
    """Length of a step, such that the window ends in the middle between two."""
    usual = length / N_STEPS
    whole = round(within / usual - 0.5)
    return max(within / (max(whole, 0) + 0.5), length / MOST_STEPS)


def _points(spread: float, noise: float, n_configurations: int) -> FloatArray:
    """(X,) observed gains at which a winner may stand."""
    from scipy.special import ndtri

    total = np.hypot(spread, noise)
    # the C-th root of what is hardly ever below
    lowest = ndtri(np.exp(np.log(1e-12) / n_configurations))
    return np.linspace(max(lowest, -WIDEST) * total, WIDEST * total, N_STEPS)


def _summed(
    gains: FloatArray,
    below: FloatArray,
    density: FloatArray,
    points: FloatArray,
    n_configurations: int,
    within: float,
) -> float:
    """Sum over the best gain, integral over the observed one."""
    slack = 1e-9 * (gains[1] - gains[0])
    first = np.searchsorted(gains, gains - within - slack)
    sums = np.concatenate([np.zeros((1, density.shape[1])), np.cumsum(density, axis=0)])
    steps = np.arange(len(gains))
    with np.errstate(divide="ignore"):
        logs = np.log(below)
    powers = np.exp((n_configurations - 1) * logs)
    before = np.concatenate([np.zeros((1, powers.shape[1])), powers[:-1]])
    window, shorter = sums[steps + 1] - sums[first], sums[steps] - sums[np.minimum(first, steps)]
    mass = n_configurations * (window * powers - shorter * before)
    return integral(mass.sum(axis=0), points)
