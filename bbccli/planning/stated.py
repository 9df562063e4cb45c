"""The basis of stated values: what a study without a pilot can be planned by.

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
from math import ceil, sqrt

from bbccli.core.areas import newcombe_variance
from bbccli.core.arguments import settle
from bbccli.errors import OptionError, UnsupportedError, parameter
from bbccli.metrics.base import Metric
from bbccli.planning.basis import Basis, Chance, reached, width_of
from bbccli.stats.intervals.binomial import wilson

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
    """What is stated of a study that is yet to come.

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


def of_stated(metric: Metric, stated: Stated, level: float) -> Basis:
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
    return Basis(
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
