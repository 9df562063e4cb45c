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

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bbccli.intervals.tail import END, tail
from bbccli.results import Distribution
from bbccli.types import FloatArray

ROUNDING = 1e-12
"""Of a sum of probabilities: a rank that it stands for is reached all the same."""


@dataclass(frozen=True, eq=False)
class Guarded:
    """The distribution of G.

    Attributes
    ----------
    distribution
        D.
    n_units
        N, samples or groups that the metric rests on; of weighted ones their effective number.
    bound
        w: the smallest or the largest possible performance.
    """

    distribution: Distribution
    n_units: float
    bound: float
    _known: dict[float, float] = field(default_factory=dict, repr=False)

    def quantile(self, probability: float) -> float:
        """Return the value at which the distribution function of G reaches a probability."""
        if probability not in self._known:
            self._known[probability] = float(self._quantiles(np.array([probability]))[0])
        return self._known[probability]

    def quantile_error(self, probability: float) -> float:
        """Return the Monte-Carlo standard error of a quantile, as `Distribution` does."""
        if self.distribution.exact:
            return 0.0
        # the distribution function of G is a mean over resamples: known as well as they agree
        size, spread = len(self.distribution.values), 1.0
        if size > 1:
            logs, chances, at_bound = self._atoms
            lift = abs(self.quantile(probability) - self.bound)
            beyond = np.maximum(logs - np.log(lift), 0) if lift else np.full(len(logs), np.inf)
            shares, _ = tail(self._rate * beyond)
            mean = at_bound + shares @ chances
            square = at_bound * (1 - mean) ** 2 + (shares - mean) ** 2 @ chances
            spread = float(np.sqrt(square / (size - 1)))
        ends = np.clip([probability - spread, probability + spread], 0, 1)
        ends = self._quantiles(ends, self.quantile(probability))
        return float(ends[1] - ends[0]) / 2

    @property
    def _rate(self) -> float:
        return self.n_units + 0.25

    @cached_property
    def _atoms(self) -> tuple[FloatArray, FloatArray, float]:
        """Logarithms of |D - w| > 0, each once and in order; their probabilities; and that of w."""
        given = self.distribution.probabilities
        lifts = np.abs(self.distribution.values - self.bound)
        if given is None:
            lifts, counts = np.unique(lifts, return_counts=True)
            chances = counts / counts.sum()
        else:
            lifts, places = np.unique(lifts, return_inverse=True)
            chances = np.bincount(places, given / given.sum())
        at_bound = int(lifts[0] == 0)
        return np.log(lifts[at_bound:]), chances[at_bound:], float(chances[:at_bound].sum())

    def _quantiles(self, probabilities: FloatArray, near: float | None = None) -> FloatArray:
        """Quantiles (K,) in lockstep, by Newton's method within limits that close in.

        `near` is where to begin, if something is known.
        """
        logs, chances, at_bound = self._atoms
        # towards an upper bound everything is mirrored
        below = bool(self.distribution.values.max() > self.bound)
        wanted = probabilities if below else 1 - probabilities
        if not len(logs):
            return np.full(len(wanted), self.bound)
        reached = at_bound + np.cumsum(chances)
        place = np.minimum(np.searchsorted(reached, wanted - ROUNDING), len(logs) - 1)
        high, after = logs[place], np.append(logs, np.inf)[place + 1]
        beyond = self._rate * (logs - high[:, None])
        # nothing to search for: at the bound, or at an atom whose probability is just enough
        far = (reached[place] <= wanted + ROUNDING) & (self._rate * (after - high) > END**2)
        settled = (wanted <= at_bound) | far
        # the logarithm of |G - w| is high - v^2 / (N + 1/4): smooth in v also where an atom begins
        v = np.full(len(wanted), 0.5)
        if near is not None and near != self.bound:
            v = np.sqrt(np.maximum(self._rate * (high - np.log(abs(near - self.bound))), 0.01))
        v, least, most = np.where(settled, 0, v), np.zeros(len(v)), np.full(len(v), np.inf)
        while not settled.all():
            shares, densities = tail(np.maximum(beyond + (v * v)[:, None], 0))
            excess = at_bound + shares @ chances - wanted
            least, most = np.where(excess > 0, v, least), np.where(excess > 0, most, v)
            settled |= (np.abs(excess) <= ROUNDING) | (most - least <= ROUNDING)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                newton = v + excess / (2 * v * (densities @ chances))
            middle = np.where(np.isinf(most), 2 * v, (least + most) / 2)
            inside = (least < newton) & (newton < most)
            v = np.where(settled, v, np.where(inside, newton, middle))
        lifts = np.exp(high - v * v / self._rate) * (wanted > at_bound)
        return np.asarray(self.bound + (lifts if below else -lifts))
