"""What a plan is made from: how performances vary by chance, how in truth, and about which value.

Performances are gains here: their sign is such that more is better.

1. A performance of N rows is off by chance, with standard error sigma(N); relative to the other
   configurations, which share much of it, by s(N). Both fall with the root of N.
2. The true performances are spread with standard deviation tau.
3. Of C configurations the winner's true performance is expected at level(C) + g(N, C), where
   g(N, C) = tau^2 / sqrt(s^2 + tau^2) e(C), and its naive figure higher by the optimism.

A pilot tells s for all configurations and for the best of them, where a winner comes from; so it
does of tau. Stated values tell one of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot, inf

from bbccli.planning.maxima import expected_maximum
from bbccli.types import Direction


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
class Basis:
    """What a plan is made from; performances are gains.

    Attributes
    ----------
    metric, direction, bounds
        Name of the metric, which way it is better, its smallest and largest value in its own sign.
    n_samples
        Rows of the pilot; None without one.
    n_configurations
        Configurations of the pilot, or those that the expected value is stated for.
    chance
        What chance does with N rows.
    spread, spread_of_best
        tau: standard deviation of the true performances, of all and as their best ones tell it.
    level
        level(C): gain about which the true performances of C configurations lie.
    expected
        True gain that is expected of the winner, by the pilot or as stated.
    correlation
        Of what chance does to two configurations.
    near_perfect
        Whether the best configurations are within two standard errors of the best value.
    most_optimism
        What the optimism is capped at; infinite unless near the best value.
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
