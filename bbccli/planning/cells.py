"""A cell of a plan: optimism, width, and nearness to the best, of N rows and C configurations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import e, hypot, sqrt

import numpy as np

from bbccli.planning.basis import Chance, PlanBasis, expected_maximum, integral
from bbccli.planning.records import Cell
from bbccli.types import FloatArray


def cell(
    basis: PlanBasis,
    n_samples: int,
    n_configurations: int,
    *,
    level: float,
    within: float,
    seed: int = 0,
) -> Cell:
    """Return a cell; performances have the metric's own sign.

    Parameters
    ----------
    level
        Of the interval, in (0, 1).
    within
        How far from the best still counts as near it, in the metric's unit, >= 0.
    seed
        Of the random numbers behind the width.
    """
    sign = basis.direction.sign
    honest = basis.honest(n_samples, n_configurations)
    found = bracket(basis, n_samples, n_configurations)
    noise = basis.chance(n_samples).noise_of_best
    return Cell(
        n_samples=n_samples,
        n_configurations=n_configurations,
        naive=sign * min(honest + found.middle, basis.best),
        honest=sign * honest,
        optimism=found.middle,
        optimism_lower=found.lower,
        optimism_upper=found.upper,
        width=width(basis, n_samples, n_configurations, level, seed),
        near_best=near_best(basis.spread_of_best, noise, n_configurations, within),
    )


@dataclass(frozen=True, slots=True)
class Bracket:
    """Lower and upper figure of an optimism, in gains; 0 or more."""

    lower: float
    upper: float

    @property
    def middle(self) -> float:
        """Return what to expect."""
        return (self.lower + self.upper) / 2


def bracket(basis: PlanBasis, n_samples: float, n_configurations: float) -> Bracket:
    """Return the optimism of the best of C configurations on N rows; 0 of a single one.

    Neither figure takes the naive one beyond the best value of the metric. Where the pilot is
    nearly perfect what is honest is itself known too roughly for that, and the limit is how far the
    best of its configurations is from the median one.

    With normal true performances of standard deviation tau, and normal noise of standard deviation
    s that is independent of them, the winner's naive figure is too good by

    O(N, C) = s^2 / sqrt(s^2 + tau^2) e(C)

    on average. Noise is smaller near the top, where the winner comes from: the upper figure has the
    noise of all configurations, the lower one has that of the best tenth in the numerator.

    Source: the regression of a true value on an observed one, for the selected extreme (Cochran
    1951); that the two figures bracket the truth is measured, not proved.
    """
    chance = basis.chance(n_samples)
    most = basis.most_optimism * _further(basis, n_configurations)
    if not basis.near_perfect:
        most = basis.best - basis.honest(n_samples, n_configurations)
    of_all = optimism(chance.noise, chance.noise, basis.spread, n_configurations)
    of_best = optimism(chance.noise_at_top, chance.noise, basis.spread, n_configurations)
    lower, upper = sorted((of_best, of_all))
    return Bracket(min(lower, most), min(upper, most))


def _further(basis: PlanBasis, n_configurations: float) -> float:
    """Return how much further the best of more configurations than the pilot's stands out."""
    if n_configurations <= basis.n_configurations:
        return 1.0
    return expected_maximum(n_configurations) / expected_maximum(basis.n_configurations)


def optimism(of_winner: float, noise: float, spread: float, n_configurations: float) -> float:
    """Return O for the noise of the winner, the noise of all, and the spread tau.

    Examples
    --------
    >>> round(optimism(0.04, 0.04, 0.03, 100), 4), optimism(0.04, 0.04, 0.03, 1)
    (0.0802, 0.0)
    """
    total = hypot(noise, spread)
    return of_winner**2 / total * expected_maximum(n_configurations) if total else 0.0


WIDEST = 6.5
"""Standard deviations on either side that are looked at."""

N_STEPS = 400
"""Steps of the true gains, about, and points of the observed ones."""

MOST_STEPS = 1200
"""Steps where so few are wider than the window."""


def near_best(spread: float, noise: float, n_configurations: int, within: float) -> float:
    """Return the probability that the winner's true gain is at most `within` below the best one.

    True gains t are N(0, tau^2), cut into steps with weights w_k; each is observed with noise s.
    All C gains are at most t_k, the winner's is t_j, and it was observed at x, with density

    C w_j phi((x - t_j) / s) / s (sum over i <= k of w_i Phi((x - t_i) / s))^(C - 1).

    Summed over the j of a window below t_k, integrated over x, and differenced over k, it is the
    probability that the best is t_k and the winner in the window. Equal steps count as equally
    good.

    Source: elementary; no draws.

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


N_DATA_SETS = 24
N_RESAMPLES = 400
MOST_CONTENDERS = 256
"""Of the observed gains the best so many take part in the resamples: others never win."""

REST = sqrt(e - 2)


def width(
    basis: PlanBasis, n_samples: float, n_configurations: int, level: float, seed: int
) -> float:
    """Return the expected width of the winner's interval, in the metric's unit.

    It is at most the distance of the metric's bounds.
    """
    chance, (lowest, highest) = basis.chance(n_samples), basis.bounds
    found = chance.width * ratio(chance, basis.spread_of_best, n_configurations, level, seed)
    return min(found, highest - lowest)


def ratio(
    chance: Chance, spread: float, n_configurations: int, level: float, seed: int = 0
) -> float:
    """Return the width of BBC's interval over that of a single configuration.

    Of one of the same quality, in the limit of many rows: there the bag and what is out of it need
    no rows:

    1. Draw C true gains with spread tau, and what is observed of each: noise s relative to the
       others.
    2. In a resample the gain in the bag differs from the observed one by d, normal with standard
       error sigma, of which a part is common to all configurations. That out of the bag differs by
       -d + r, with r independent of d and of variance (e - 2) sigma^2: out-of-bag rows are 1/e of
       all.
    3. Select in the bag, take the winner's gain out of it. The width is the distance of the two
       quantiles over the resamples, its mean over the data sets of step 1.

    The same random numbers serve every cell, so that widths can be compared. A single configuration
    has the interval of one that was not selected: the ratio is 1.

    Source: steps 2 and 3 are the joint normal limit of bootstrap means in and out of the bag
    (covariances 1, -1 and e - 1 times sigma^2); the algorithm is that of Tsamardinos, Greasidou &
    Borboudakis 2018. The use of it for planning is ours.

    Examples
    --------
    >>> ratio(Chance(0.02, 0.02, 0.02, 0.04, 0.16), 0.03, 1, 0.95)
    1.0
    """
    if n_configurations == 1 or chance.error == 0:
        return 1.0
    from scipy.special import ndtri

    noise = min(chance.noise_of_best, chance.error)
    common = sqrt(chance.error**2 - noise**2)
    true, off, bags, rest = _numbers(n_configurations, seed)
    outside = (1 - level) / 2
    found = [
        _one_width(spread * t + noise * o, noise * bags[:, 1:], common * bags[:, 0], outside, out)
        for t, o, out in zip(true, off, chance.error * REST * rest, strict=True)
    ]
    return float(np.mean(found) / (-2 * ndtri(outside) * chance.error))


def _one_width(
    observed: FloatArray, own: FloatArray, common: FloatArray, outside: float, rest: FloatArray
) -> float:
    """Width of BBC's interval on one data set; observed (C,), resamples (B, K) and (B,)."""
    n_contenders = own.shape[1]
    best = np.partition(observed, len(observed) - n_contenders)[-n_contenders:]
    best.sort()  # by rank, so that the width changes little where the gains do
    chosen = np.argmax(best + own, axis=1)
    rows = np.arange(len(own))
    values = best[chosen] - own[rows, chosen] - common + rest
    lower, upper = np.quantile(values, [outside, 1 - outside])
    return float(upper - lower)


@lru_cache(maxsize=16)
def _numbers(
    n_configurations: int, seed: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Standard normal numbers: (D, C) twice, (B, 1 + K) of the resamples, and (D, B).

    More configurations have the numbers of fewer, and others beside them.
    """
    n_contenders = min(n_configurations, MOST_CONTENDERS)
    sizes = n_configurations, n_configurations, 1 + n_contenders, N_RESAMPLES
    across = N_DATA_SETS, N_DATA_SETS, N_RESAMPLES, N_DATA_SETS
    true, off, bags, rest = (
        np.random.default_rng((seed, position)).standard_normal((size, n)).T
        for position, (size, n) in enumerate(zip(sizes, across, strict=True))
    )
    return true, off, np.ascontiguousarray(bags), rest
