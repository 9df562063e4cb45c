"""The guard: percentiles that don't collapse where the winner looks perfect.

Among N units that all do well, the next one may still do badly; a bootstrap of what was seen can't
know. The guard adds one pseudo-unit of the metric's worst performance, of Jeffreys weight:

1. G_b = w + (D_b - w) exp(-u / (N + 1/4)), where D_b is a resampled performance, N the number of
   units (samples or groups) that the metric rests on, w the metric's bound on that side, and
   u ~ Gamma(1/2, 1). The share 1 - exp(-u / (N + 1/4)) that the pseudo-unit takes is, to within
   0.002 for N >= 3, Beta(1/2, N + 1/2): what Jeffreys' interval of a share gives to failures of
   which none was seen.
2. Where samples have weights, N is Kish's effective size (sum w)^2 / sum w^2 of those units, as in
   Jeffreys' interval of a weighted share.
3. The lower end is a percentile of G with the lower bound as w, the upper end of G with the upper
   bound. An end whose bound is infinite is not guarded.

u need not be drawn: P(G <= x) = mean_b P(u >= (N + 1/4) log((D_b - w) / (x - w))), and for
Gamma(1/2, 1) that is erfc of the square root. So the guard adds no Monte-Carlo error.

Source: Brown, Cai & DasGupta 2001, section 3.1.3, for Jeffreys' interval; the use is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from math import erfc, inf

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.platform.dataclass import dataclass
from bbccli.types import FloatArray, starts_of

ROUNDING_TOLERANCE = 1e-12
"""Of a sum of probabilities: a rank that it stands for is reached all the same."""

STEP = 1 / 512
"""Distance of the nodes between which erfc is a cubic: its error is below 1e-12."""

ANYWHERE = np.array([[np.nan]])
"""Start of a search without a hint."""

END = 6.0
"""Beyond it erfc is below 1e-16."""


@dataclass(frozen=True, eq=False)
class Guarded:
    """The distribution of G.

    distribution: D.
    n_units: N, samples or groups that the metric rests on; of weighted ones their effective number.
    bound: w: the smallest or the largest possible performance.
    """

    distribution: Distribution
    n_units: float
    bound: float

    def quantile(self, probability: float) -> float:
        """Return the value at which the distribution function of G reaches a probability."""
        return float(_finder([self])(np.array([[probability]]), ANYWHERE)[0, 0])

    def quantile_error(self, probability: float) -> float:
        """Return the Monte-Carlo standard error of a quantile, as `Distribution` does."""
        return float(ends_of([self], [probability])[1][0])

    @property
    def rate(self) -> float:
        """Units and the pseudo-unit: what log |D - w| is multiplied by."""
        return self.n_units + 0.25

    @cached_property
    def atoms(self) -> tuple[FloatArray, FloatArray, float]:
        """Logarithms of |D - w| > 0, each once and in order; their probabilities; and that of w."""
        values, weights = self.distribution.atoms
        lifts = np.abs(values - self.bound)
        if lifts[0] > lifts[-1]:
            lifts, weights = lifts[::-1], weights[::-1]
        # rounded, some differences from the bound are equal
        starts = starts_of(lifts)
        lifts, chances = lifts[starts], np.add.reduceat(weights, starts) / weights.sum()
        at_bound = int(lifts[0] == 0)
        if len(lifts) == at_bound:
            return np.zeros(1), np.zeros(1), 1.0
        return np.log(lifts[at_bound:]), chances[at_bound:], float(chances[:at_bound].sum())

    def share_error(self, quantile: float) -> float:
        """Return the standard error of G's distribution function at one of its quantiles."""
        # it is a mean over resamples: known as well as they agree
        size = len(self.distribution.values)
        if size < 2:
            return 1.0
        logs, chances, at_bound = self.atoms
        lift = abs(quantile - self.bound)
        beyond = np.maximum(logs - np.log(lift), 0) if lift else np.full(len(logs), np.inf)
        shares, _ = tail(self.rate * beyond)
        mean = at_bound + shares @ chances
        square = at_bound * (1 - mean) ** 2 + (shares - mean) ** 2 @ chances
        return float(np.sqrt(square / (size - 1)))


def ends_of(
    guards: Sequence[Guarded], probabilities: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return a quantile of each of S distributions, and their Monte-Carlo standard errors."""
    targets = np.array(probabilities)[:, None]
    find = _finder(guards)
    quantiles = find(targets, ANYWHERE)[:, 0]
    if guards[0].distribution.exact:
        return quantiles, np.zeros(len(guards))
    spread = [guard.share_error(value) for guard, value in zip(guards, quantiles, strict=True)]
    around = np.clip(targets + np.array(spread)[:, None] * [-1, 1], 0, 1)
    return quantiles, np.diff(find(around, quantiles[:, None]))[:, 0] / 2


Find = Callable[[FloatArray, FloatArray], FloatArray]
"""Probabilities (S, K) and where to begin (S, 1), or NaN -> quantiles (S, K)."""


def _finder(guards: Sequence[Guarded]) -> Find:
    """Return a function that finds all quantiles in lockstep, by safeguarded Newton steps."""
    n_guards, size = len(guards), max(len(guard.atoms[0]) for guard in guards)
    logs, chances = np.full((n_guards, size + 1), np.inf), np.zeros((n_guards, size, 1))
    for row, (part, shares, _) in enumerate(guard.atoms for guard in guards):
        logs[row, : len(part)], chances[row, : len(part), 0] = part, shares
    scalars = [(guard.rate, guard.bound, guard.atoms[2]) for guard in guards]
    rate, bound, at_bound = np.array(scalars).T[..., None]
    tops = np.array([guard.distribution.values.max() for guard in guards])[:, None]
    rises = tops > bound  # towards an upper bound everything is mirrored
    reached = at_bound + chances[..., 0].cumsum(axis=1)
    rows = np.arange(n_guards)[:, None]

    def find(probabilities: FloatArray, near: FloatArray) -> FloatArray:
        targets = np.where(rises, probabilities, 1 - probabilities)
        place = np.minimum(
            (reached[:, None] < targets[..., None] - ROUNDING_TOLERANCE).sum(axis=2), size - 1
        )
        high = logs[rows, place]
        beyond = rate[..., None] * (logs[:, None, :-1] - high[..., None])
        # nothing to search for: at the bound, or at an atom whose probability is just enough
        far = rate * (logs[rows, place + 1] - high) > END**2
        settled = (targets <= at_bound) | (
            far & (reached[rows, place] <= targets + ROUNDING_TOLERANCE)
        )
        # the logarithm of |G - w| is high - v^2 / (N + 1/4): smooth in v also where an atom begins
        with np.errstate(divide="ignore"):
            v = np.sqrt(np.clip(rate * (high - np.log(np.abs(near - bound))), 0.01, END))
        v[np.isnan(v)], v[settled] = 0.5, 0
        limits = {at: (0.0, inf) for at in np.ndindex(v.shape) if not settled[at]}
        while limits:
            shares, densities = tail(np.maximum(beyond + (v * v)[..., None], 0))
            excess = at_bound + (shares @ chances)[..., 0] - targets
            slopes = (densities @ chances)[..., 0]
            for at, before in list(limits.items()):
                here, off = float(v[at]), float(excess[at])
                least, most = (here, before[1]) if off > 0 else (before[0], here)
                if abs(off) <= ROUNDING_TOLERANCE or most - least <= ROUNDING_TOLERANCE:
                    del limits[at]
                    continue
                fall = 2 * here * float(slopes[at])
                newton = here + off / fall if fall else inf
                middle = 2 * here if most == inf else (least + most) / 2
                v[at] = newton if least < newton < most else middle
                limits[at] = least, most
        lifts = np.exp(high - v * v / rate) * (targets > at_bound)
        return np.asarray(bound + np.where(rises, lifts, -lifts))

    return find


def tail(u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(U >= u) = erfc(sqrt(u)) of U ~ Gamma(1/2, 1), and the density at u, for u >= 0.

    The density at 0, where it is infinite, is given as 0. scipy has both, but takes longer to
    import than a small run takes altogether.

    >>> probabilities, densities = tail(np.array([0.0, 1.9207294103, 100.0]))
    >>> probabilities.round(6)
    array([1.  , 0.05, 0.  ])
    >>> float(densities[1].round(6))
    0.059639
    """
    cubics = _table()
    x = np.sqrt(u)
    place = np.minimum(x, END) / STEP
    left = place.astype(np.intp)
    t = place - left
    start, first, second, third = (cubic.take(left) for cubic in cubics)
    rest = second + t * third
    slope = first + t * (rest + second + 2 * t * third)
    return start + t * (first + t * rest), slope / np.where(x > 0, (-2 * STEP) * x, -inf)


@cache
def _table() -> tuple[FloatArray, ...]:
    """Coefficients of the cubic beyond each node, by values and slopes of erfc at both ends."""
    x = np.arange(0, END + STEP / 2, STEP)
    values = np.array([*map(erfc, x[:-1].tolist()), 0])
    slopes = -2 / np.sqrt(np.pi) * np.exp(-(x**2)) * STEP
    chord, after = np.diff(values), slopes[1:]
    second, third = 3 * chord - 2 * slopes[:-1] - after, slopes[:-1] + after - 2 * chord
    # from the last node on it is 0
    return values, *(np.append(part, 0) for part in (slopes[:-1], second, third))
