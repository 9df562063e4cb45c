"""The optimism that a search of C configurations on N rows is expected to have: a bracket.

With normal true performances of standard deviation tau, and normal noise of standard deviation s
that is independent of them, the winner's naive figure is too good by

O(N, C) = s^2 / sqrt(s^2 + tau^2) e(C)

on average. Noise is smaller near the top, where the winner comes from: the upper figure has the
noise of all configurations, the lower one has that of the best tenth in the numerator.

Source: the regression of a true value on an observed one, for the selected extreme (Cochran 1951);
that the two figures bracket the truth is measured, not proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from bbccli.planning.basis import Basis
from bbccli.planning.maxima import expected_maximum


@dataclass(frozen=True, slots=True)
class Bracket:
    """Lower and upper figure of an optimism, in gains; 0 or more."""

    lower: float
    upper: float

    @property
    def middle(self) -> float:
        """What to expect."""
        return (self.lower + self.upper) / 2


def bracket(basis: Basis, n_samples: float, n_configurations: float) -> Bracket:
    """Return the optimism of the best of C configurations on N rows; 0 of a single one.

    Neither figure takes the naive one beyond the best value of the metric. Where the pilot is
    nearly perfect what is honest is itself known too roughly for that, and the limit is how far the
    best of its configurations is from the median one.
    """
    chance = basis.chance(n_samples)
    most = basis.most_optimism * _further(basis, n_configurations)
    if not basis.near_perfect:
        most = basis.best - basis.honest(n_samples, n_configurations)
    of_all = optimism(chance.noise, chance.noise, basis.spread, n_configurations)
    of_best = optimism(chance.noise_at_top, chance.noise, basis.spread, n_configurations)
    lower, upper = sorted((of_best, of_all))
    return Bracket(min(lower, most), min(upper, most))


def _further(basis: Basis, n_configurations: float) -> float:
    """How much further the best of more configurations than the pilot's stands out."""
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
