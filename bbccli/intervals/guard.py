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

from dataclasses import dataclass

import numpy as np

from bbccli.intervals.tail import root, tail
from bbccli.results import Distribution
from bbccli.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
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

    def quantile(self, probability: float) -> float:
        """Return the value at which the distribution function of G reaches a probability."""
        lifts, chances = self._distinct()

        def reached(lift: float) -> float:
            return float(self._shares(lift, lifts) @ chances)

        # towards an upper bound everything is mirrored
        below = bool(self.distribution.values.max() > self.bound)
        wanted = probability if below else 1 - probability
        largest = float(lifts[-1])
        if largest == 0 or reached(0.0) >= wanted:
            return self.bound
        lift = largest
        if reached(largest) > wanted:
            lift = root(lambda x: reached(x) - wanted, 0.0, largest)
        return self.bound + lift if below else self.bound - lift

    def quantile_error(self, probability: float) -> float:
        """Return the Monte-Carlo standard error of a quantile, as `Distribution` does."""
        if self.distribution.exact:
            return 0.0
        # the distribution function of G is a mean over resamples: known as well as they agree
        lifts = np.abs(self.distribution.values - self.bound)
        share = self._shares(abs(self.quantile(probability) - self.bound), lifts)
        size = len(share)
        spread = float(np.std(share, ddof=1) / np.sqrt(size)) if size > 1 else 1.0
        ends = [self.quantile(float(np.clip(probability + s, 0, 1))) for s in (-spread, spread)]
        return (ends[1] - ends[0]) / 2

    def _distinct(self) -> tuple[FloatArray, FloatArray]:
        """|D - w| in increasing order, each once, and their probabilities: folds give few."""
        lifts = np.abs(self.distribution.values - self.bound)
        order, given = np.argsort(lifts), self.distribution.probabilities
        chances = np.full(len(lifts), 1 / len(lifts)) if given is None else given / given.sum()
        lifts = lifts[order]
        first = np.flatnonzero(np.r_[True, lifts[1:] > lifts[:-1]])
        return lifts[first], np.add.reduceat(chances[order], first)

    def _shares(self, lift: float, lifts: FloatArray) -> FloatArray:
        """P(|G - w| <= lift) for each |D - w| of `lifts`."""
        if lift <= 0:
            return np.asarray(lifts == 0, float)
        return tail((self.n_units + 0.25) * np.log(np.maximum(lifts / lift, 1.0)))
