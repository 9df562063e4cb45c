"""Model behind a plan: how performances vary by chance, how in truth, and about which value.

Performances are gains here: their sign is such that more is better.

1. A performance of N rows is off by chance, with standard error sigma(N); relative to the other
   configurations, which share much of it, by s(N). Both fall with the root of N.
2. The true performances are spread with standard deviation tau.
3. Of C configurations the winner's true performance is expected at level(C) + g(N, C), where
   g(N, C) = tau^2 / sqrt(s^2 + tau^2) e(C), and its naive figure higher by the optimism.

A pilot tells s for all configurations and for the best of them, where a winner comes from; so it
does of tau. Stated values tell one of each.

## Stated values

1. The winner of C configurations is expected to be truly as good as `expected` where there are rows
   enough to find the best of them: the true performances lie about expected - tau e(C).
2. sigma is the standard error of a single performance: of an AUC that of Hanley and McNeil as
   Newcombe balances it, of a share sqrt(p (1 - p) / N).
3. Chance does alike to any two configurations with correlation r: s^2 = (1 - r) sigma^2.
4. The interval of a single configuration is A -+ z sigma for an AUC and Wilson's for a share.

Source: Hanley & McNeil 1982; Newcombe 2006, method 4; Wilson 1927. The model of step 3 is that of a
two-way table without interaction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, hypot, inf, sqrt

import numpy as np

from bbccli.core.areas import newcombe_variance
from bbccli.core.arguments import settle
from bbccli.errors import OptionError, UnsupportedError, parameter
from bbccli.metrics.base import Metric
from bbccli.stats.intervals.ends import wilson
from bbccli.types import Direction, FloatArray


@dataclass(frozen=True, slots=True)
class Chance:
    """How far chance carries performances of so many rows.

    Attributes
    ----------
    noise
        s: standard deviation of a performance relative to the others, over all configurations.
    noise_of_best
        The same over the best quarter of them.
    noise_at_top
        The same over the best tenth.
    error
        sigma: standard error of a single performance, of the best.
    width
        Of the interval of a single configuration at the level of the plan.
    """

    noise: float
    noise_of_best: float
    noise_at_top: float
    error: float
    width: float


@dataclass(frozen=True, slots=True)
class PlanBasis:
    """Model behind a plan; performances are gains.

    Attributes
    ----------
    metric, direction, bounds
        Name of the metric, which way it is better, its smallest and largest value in its own sign.
    n_samples
        Rows of the pilot; None without one.
    n_configurations
        Configurations of the pilot, or those that the expected value is stated for.
    chance
        Effect of chance with N rows.
    spread, spread_of_best
        tau: standard deviation of the true performances, of all and as their best ones tell it.
    level
        level(C): gain about which the true performances of C configurations lie.
    expected
        True gain that is expected of the winner, by the pilot or as stated.
    correlation
        Of what chance does to two configurations.
    near_perfect
        True if the best configurations are within two standard errors of the best value.
    most_optimism
        Cap of the optimism; infinite unless near the best value.
    least_samples
        Fewest rows that a plan can have.
    prevalence
        Share of the positive class that was stated, if one was.
    """

    metric: str
    direction: Direction
    bounds: tuple[float, float]
    n_samples: int | None
    n_configurations: int
    chance: Callable[[float], Chance]
    spread: float
    spread_of_best: float
    level: Callable[[float], float]
    expected: float
    correlation: float
    near_perfect: bool = False
    most_optimism: float = inf
    least_samples: int = 10
    prevalence: float | None = None

    @property
    def best(self) -> float:
        """Largest gain that the metric allows; may be infinite."""
        sign = self.direction.sign
        return max(sign * bound for bound in self.bounds)

    def honest(self, n_samples: float, n_configurations: float) -> float:
        """Return the true gain that is expected of the winner."""
        found = self.level(n_configurations) + reached(
            self.spread_of_best, self.chance(n_samples).noise_of_best, n_configurations
        )
        return min(found, self.best)


def reached(spread: float, noise: float, n_configurations: float) -> float:
    """Return g, how far the winner's true gain is expected above the level of all.

    Examples
    --------
    >>> round(reached(0.03, 0.0, 100), 4), round(reached(0.03, 0.04, 100), 4)
    (0.0752, 0.0451)
    """
    if spread == 0:
        return 0.0
    share = spread / hypot(spread, noise)
    return spread * share * expected_maximum(n_configurations)


def width_of(error: float, level: float) -> float:
    """Return the width of a normal interval with this standard error.

    Examples
    --------
    >>> round(width_of(0.04, 0.95), 4)
    0.1568
    """
    from scipy.special import ndtri

    return float(-2 * ndtri((1 - level) / 2)) * error


FURTHEST = 12.0
"""Standard deviations beyond which no maximum of up to 1e30 numbers lies."""

N_POINTS = 4801
"""Of the integral, whose step is then 0.005."""


@lru_cache(maxsize=4096)
def expected_maximum(count: float) -> float:
    """Return e(C), the expected maximum of C independent standard normal numbers; C >= 1.

    e(C) = integral of x d Phi(x)^C. The power is taken of logarithms, so that ten thousand
    configurations lose no digits.

    Source: David & Nagaraja 2003, section 3.1.

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


def integral(values: FloatArray, points: FloatArray) -> float:
    """Return the integral over points (n,) in increasing order of a function with values (n,).

    The trapezoidal rule, which numpy calls by another name before version 2.

    Examples
    --------
    >>> integral(np.array([0.0, 1.0, 4.0]), np.array([0.0, 1.0, 3.0]))
    5.5
    """
    return float((np.diff(points) * (values[1:] + values[:-1]) / 2).sum())


AREAS = ("auc",)
"""Metrics whose standard error is Newcombe's."""

SHARES = ("accuracy", "error")
"""Metrics that are a share of the rows."""

NEAR = 2.0

MOST_SPREAD = 0.5
"""Standard deviation of what lies between 0 and 1, at most."""

Single = Callable[[float], tuple[float, float]]
"""Rows -> standard error of a performance, and width of its interval."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Assumptions about a study that is yet to come.

    Raises
    ------
    OptionError
        `expected` at or beyond a bound, `prevalence`, `spread` or `correlation` out of range, or
        less than one configuration.
    """

    expected: float
    n_configurations: int
    prevalence: float = 0.5
    spread: float = 0.03
    correlation: float = 0.7

    def __post_init__(self) -> None:
        settle(self)
        if not 0 < self.expected < 1:
            raise OptionError(
                f"{parameter('expected')} is {self.expected:g}, not between 0 and 1",
                hint="the corrected value of a pilot or of a similar study, such as 0.85",
            )
        if not 0 < self.prevalence < 1:
            raise OptionError(
                f"{parameter('prevalence')} is {self.prevalence:g}, not between 0 and 1",
                hint="such as 0.3",
            )
        if not 0 <= self.spread <= MOST_SPREAD:
            raise OptionError(
                f"{parameter('spread')} is {self.spread:g}, not from 0 to {MOST_SPREAD:g}",
                hint="standard deviation of the true performances, such as 0.03",
            )
        if not 0 <= self.correlation < 1:
            raise OptionError(
                f"{parameter('correlation')} is {self.correlation:g}, not in [0, 1)",
                hint="such as 0.7",
            )


def of_stated(metric: Metric, stated: Stated, level: float) -> PlanBasis:
    """Return the basis of stated values.

    Raises
    ------
    UnsupportedError
        Another metric than the AUC and shares of rows.
    """
    single, least = _single(metric, stated, level)
    spread, sign = stated.spread, metric.direction.sign

    def chance(n: float) -> Chance:
        error, width = single(n)
        noise = error * sqrt(1 - stated.correlation)
        return Chance(noise, noise, noise, error, width)

    expected = sign * stated.expected
    centre = expected - reached(spread, 0.0, stated.n_configurations)
    return PlanBasis(
        metric=metric.name,
        direction=metric.direction,
        bounds=metric.bounds,
        n_samples=None,
        n_configurations=stated.n_configurations,
        chance=chance,
        spread=spread,
        spread_of_best=spread,
        level=lambda _: centre,
        expected=expected,
        correlation=stated.correlation,
        least_samples=least,
        prevalence=stated.prevalence if metric.name in AREAS else None,
    )


def _single(metric: Metric, stated: Stated, level: float) -> tuple[Single, int]:
    """Formulas of a single configuration, and the fewest rows that they are for."""
    p, share = stated.expected, stated.prevalence

    def of_area(n: float) -> tuple[float, float]:
        error = sqrt(newcombe_variance(p, share * n, (1 - share) * n))
        return error, width_of(error, level)

    def of_share(n: float) -> tuple[float, float]:
        lower, upper = wilson(p, n, (1 - level) / 2)
        return sqrt(p * (1 - p) / n), upper - lower

    if metric.name in AREAS:
        return of_area, max(ceil(2 / min(share, 1 - share)), 10)
    if metric.name in SHARES:
        return of_share, 10
    raise UnsupportedError(
        f"how far chance carries {metric.label} does not follow from stated values",
        hint=f"--metric {', '.join((*AREAS, *SHARES))}; or a pilot: bbc plan FILE",
    )
