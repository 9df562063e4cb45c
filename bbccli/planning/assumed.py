"""The basis of stated values, where there is no pilot.

1. The winner of C configurations is expected to be truly as good as `expected` where there are rows
   enough to find the best of them: the true performances are normal with standard deviation tau,
   about expected - tau e(C).
2. sigma is the standard error of a single performance: of an AUC that of Hanley and McNeil as
   Newcombe balances it, of a share sqrt(p (1 - p) / N).
3. Chance does alike to any two configurations with correlation r: noise relative to the others is
   s = sigma sqrt(1 - r).
4. The winner's naive figure is too good by s^2 / sqrt(s^2 + tau^2) e(C) on average: the regression
   of a true value on an observed one, for the selected extreme.
5. Of a single configuration nothing is selected, and the width is that of its plain interval.
   Studies of more are drawn by a law of simulation. The errors of two configurations have the
   correlation stated: that of the normal numbers behind them follows by bivariate normal
   probabilities.

Source: Hanley & McNeil 1982; Newcombe 2006, method 4; Wilson 1927; Cochran 1951 for step 4. The
model of step 3 is that of a two-way table without interaction.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import ceil, hypot, sqrt

import numpy as np
from numpy.random import Generator

from bbccli.errors import OptionError, UnsupportedError, parameter
from bbccli.metrics.base import Metric
from bbccli.planning.basis import DrawnStudy, Outlook, best_of, expected_lead, expected_maximum
from bbccli.planning.simulation import binormal, right_or_wrong
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.stats.intervals.ends import wilson

AREAS = ("auc",)
"""Metrics whose standard error is Newcombe's."""

SHARES = ("accuracy", "error")
"""Metrics that are a share of the rows."""

MOST_SPREAD = 0.5
"""Largest standard deviation of values between 0 and 1."""

EDGE = 1e-3
"""Simulated performances keep this distance from 0 and 1."""

MOST_DRAWN = 4 * 10**6
"""True gains that are drawn to see which ones are near the best."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Assumptions about a future study.

    Raises OptionError: `expected` at or beyond a bound, `prevalence`, `spread` or `correlation` out
        of range, or less than one configuration.
    """

    expected: float
    n_configurations: int
    prevalence: float = 0.5
    spread: float = 0.03
    correlation: float = 0.7

    def __post_init__(self) -> None:
        coerce_fields(self)
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


def check_statable(metric: Metric) -> None:
    """Refuse metrics whose chance variation only a pilot shows."""
    if metric.name not in (*AREAS, *SHARES):
        raise UnsupportedError(
            f"a plan for {metric.label} needs a pilot: its sampling error can't be derived from "
            "stated values",
            hint=f"bbc plan FILE {parameter('metric', metric.name)}; or {parameter('metric')} "
            f"{', '.join((*AREAS, *SHARES))}",
        )


def of_stated(metric: Metric, stated: Stated, seed: int = 0) -> StatedBasis:
    """Return the basis from stated values.

    Raises UnsupportedError: another metric than the AUC and shares of rows.
    """
    check_statable(metric)
    return StatedBasis(metric, stated, seed)


@dataclass(frozen=True)
class StatedBasis:
    """Stated values as a `PlanBasis`."""

    metric: Metric
    stated: Stated
    seed: int

    n_samples = None
    n_epochs = 1
    contenders = None
    near_perfect = False
    doubt = 0.0
    wider = 1.0

    @property
    def law(self) -> str:
        """Name of the law of simulation."""
        return "binormal" if self.metric.name in AREAS else "right-or-wrong"

    @property
    def n_configurations(self) -> int:
        """C, that the expected value is stated for."""
        return self.stated.n_configurations

    @property
    def expected(self) -> float:
        """Gain that was stated."""
        return self.metric.direction.sign * self.stated.expected

    @property
    def correlation(self) -> float:
        """Of the errors of two configurations."""
        return self.stated.correlation

    @property
    def prevalence(self) -> float | None:
        """Share of the positive class, of an AUC."""
        return self.stated.prevalence if self.metric.name in AREAS else None

    @property
    def least_samples(self) -> int:
        """Rows with two samples of each class."""
        share = self.stated.prevalence
        return max(ceil(2 / min(share, 1 - share)), 10) if self.metric.name in AREAS else 10

    def error(self, n_samples: int) -> float:
        """Return sigma."""
        p, share = self.stated.expected, self.stated.prevalence
        if self.metric.name in AREAS:
            return sqrt(newcombe_variance(p, share * n_samples, (1 - share) * n_samples))
        return sqrt(p * (1 - p) / n_samples)

    def chance_and_truth(self, n_samples: int, _share: int) -> tuple[float, float]:
        """Return s and tau, those of the best alike."""
        return self.error(n_samples) * sqrt(1 - self.correlation), self.stated.spread

    def epoch_noise(self, _share: int) -> None:
        """Nothing is stated of epochs."""

    def plain_width(self, n_samples: int, level: float) -> float:
        """Return the width of the interval of a single configuration: +- z sigma, or Wilson's.

        Source: Newcombe 2006; Wilson 1927.
        """
        from scipy.special import ndtri

        outside = (1 - level) / 2
        if self.metric.name in AREAS:
            return float(-2 * ndtri(outside)) * self.error(n_samples)
        lower, upper = wilson(self.stated.expected, n_samples, outside)
        return upper - lower

    def _level(self) -> float:
        return self.expected - expected_lead(self.stated.spread, 0.0, self.n_configurations)

    def outlook(self, n_samples: int, n_configurations: int, within: float) -> Outlook:
        """Return the expected optimism and performance of the winner, by the module's formulas."""
        noise, spread = self.chance_and_truth(n_samples, 1)
        honest = self._level() + expected_lead(spread, noise, n_configurations)
        total = hypot(spread, noise)
        optimism = noise**2 / total * expected_maximum(n_configurations) if total else 0.0
        near = self._near(noise, n_configurations, within)
        result = Outlook(optimism, optimism, optimism, honest, (near, near))
        return result.capped(best_of(self.metric))

    def _near(self, noise: float, n_configurations: int, within: float) -> float:
        if self.stated.spread == 0 or n_configurations == 1:
            return 1.0
        rng = np.random.default_rng(self.seed)
        size = int(np.clip(MOST_DRAWN // n_configurations, 40, 2000)), n_configurations
        true = self.stated.spread * rng.standard_normal(size)
        winners = np.argmax(true + noise * rng.standard_normal(size), axis=1)
        chosen = true[np.arange(len(true)), winners]
        return float(np.mean(chosen >= true.max(axis=1) - within))

    def study(
        self, n_samples: int, n_configurations: int, rng: Generator, most: int | None = None
    ) -> DrawnStudy:
        """Draw a study by the law; of more configurations than `most` the truly best."""
        sign = self.metric.direction.sign
        gains = self._level() + self.stated.spread * rng.standard_normal(n_configurations)
        gains = np.sort(gains)[::-1][:most]
        # the law draws accuracies, also for an error
        true = np.clip(gains if sign > 0 else 1 + gains, EDGE, 1 - EDGE)
        draw = binormal if self.metric.name in AREAS else right_or_wrong
        balance = 1 - self.stated.prevalence if self.metric.name in AREAS else 0.5
        simulated = draw(
            true, n_samples, rng, balance=balance, correlation=self._latent_correlation
        )
        return DrawnStudy(simulated.matrix, true if sign > 0 else true - 1, np.zeros(len(true)))

    @cached_property
    def _latent_correlation(self) -> float:
        """Correlation of the normal numbers whose errors are correlated as stated.

        The placement of a score is Phi of it, moved: the probability that an independent normal
        number is below. So the covariance of placements is that of cuts with half the correlation.
        """
        share = float(np.clip(self.stated.expected, EDGE, 1 - EDGE))
        halves = 2.0 if self.metric.name in AREAS else 1.0
        return latent_correlation(share, self.correlation, lambda r: r / halves)


HIGHEST = 0.999
"""Correlation of normal numbers, at most."""


def latent_correlation(share: float, correlation: float, seen: Callable[[float], float]) -> float:
    """Return the correlation, up to 0.999, at which two cuts at a share have a correlation.

    `correlation` is that of the cuts, relative to the largest possible; `seen` maps one to the
    other.

    >>> round(latent_correlation(0.5, 0.5, lambda r: r), 4)  # sin(pi / 4)
    0.7071
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    if correlation <= 0:
        return 0.0
    cut = float(ndtri(share))
    whole = both_below(cut, seen(1.0)) - share**2

    def too_high(r: float) -> float:
        return (both_below(cut, seen(r)) - share**2) / whole - correlation

    return HIGHEST if too_high(HIGHEST) < 0 else float(brentq(too_high, 0.0, HIGHEST))


def both_below(cut: float, correlation: float) -> float:
    """Return the probability that two correlated standard normal numbers are both below a cut.

    Source: Owen 1956: Phi(h) - 2 T(h, sqrt((1 - r) / (1 + r))).

    >>> round(both_below(0.0, 0.5), 4), round(both_below(0.0, 1.0), 4)
    (0.3333, 0.5)
    """
    from scipy.special import ndtr, owens_t

    slope = sqrt((1 - correlation) / (1 + correlation))
    return float(ndtr(cut) - 2 * owens_t(cut, slope))


def newcombe_variance(auc: float, n_positive: float, n_negative: float) -> float:
    """Return Hanley and McNeil's variance with half of all samples in the place of each class.

    Their model of the scores treats the classes unlike; this one does not. It is theirs where the
    classes are of one size, and nearer to that of normal scores where they are not.

    References
    ----------
    Newcombe 2006, method 4.

    Examples
    --------
    >>> round(newcombe_variance(0.85, 83.1, 193.9) ** 0.5, 5)
    0.02549
    """
    half = (n_positive + n_negative) / 2
    parts = 1 + (half - 1) * ((1 - auc) / (2 - auc) + auc / (1 + auc))
    return max(auc * (1 - auc) * parts / (n_positive * n_negative), 0.0)
