"""Student's t times the spread of the resamples, about the estimate.

An end is estimate ± t s, clipped to the metric's bounds, with s the standard deviation of the B
scores and t with U - 1 degrees of freedom, where U units (samples, groups; of `bbc-f` folds) are
drawn from. It needs only a few hundred resamples, but is symmetric even near a bound. Out of the
bag s is 1.31 times the standard error of a mean over all units, so it is as wide as the percentile
interval.

Source: Raschka 2018, equation 31; the guard is ours.
"""

from __future__ import annotations

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.platform.dataclass import dataclass
from bbccli.stats.intervals import Basis, Construction
from bbccli.types import FloatArray

CELLS = 2**16
"""Parts of equal probability for Student's law where it is guarded: an end is right to 1e-6."""


@dataclass(frozen=True, slots=True, eq=False)
class Student:
    """Student's law about an estimate.

    distribution: the resampled performances.
    value: the estimate, in their unit.
    n_drawn: U, units drawn from.
    drawn: True if the estimate is the mean of the resamples, with a Monte-Carlo error.
    bounds: of the metric.
    """

    distribution: Distribution
    value: float
    n_drawn: int
    drawn: bool
    bounds: tuple[float, float]

    def quantile(self, probability: float) -> float:
        """Return value + t s, within the bounds."""
        return float(self._at(np.array(probability)))

    def quantile_error(self, probability: float) -> float:
        """Return the Monte-Carlo standard error of value + t s.

        What a resample contributes to the mean m is L - m, and to the standard deviation s it is
        ((L - m)^2 - s^2) / (2 s). The error is the spread of their sum over the root of B.
        """
        size = len(self.distribution.values)
        if self.distribution.exact or size < 2:
            return 0.0 if self.distribution.exact else float("nan")
        s, centred = self.spread(), self.distribution.values - self.distribution.mean()
        change = centred if self.drawn else np.zeros(size)
        if s > 0:
            change = change + self._t(np.array(probability)) * (centred**2 - s**2) / (2 * s)
        return float(np.std(change, ddof=1) / np.sqrt(size))

    def spread(self) -> float:
        """Return s: 0 for a single resample."""
        values, weights = self.distribution.values, self.distribution.probabilities
        if weights is None:
            return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        return float(np.sqrt(np.average((values - self.distribution.mean()) ** 2, weights=weights)))

    def cells(self) -> Distribution:
        """Return the law in parts of equal probability, to be guarded."""
        values = self._at((np.arange(CELLS) + 0.5) / CELLS)
        return Distribution(values, np.zeros(CELLS, np.int64), np.full(CELLS, 1 / CELLS))

    def _at(self, probabilities: FloatArray) -> FloatArray:
        ends = self.value + self._t(probabilities) * self.spread()
        return np.asarray(np.clip(ends, *self.bounds))

    def _t(self, probabilities: FloatArray) -> FloatArray:
        from scipy.special import stdtrit

        return np.asarray(stdtrit(max(self.n_drawn - 1, 1), probabilities))


def law(drawn: Distribution, basis: Basis, bounds: tuple[float, float]) -> Student:
    """Return Student's law about the estimate."""
    return Student(drawn, basis.value, basis.n_drawn, basis.drawn, bounds)


INTERVAL = Construction(law, cells=Student.cells)
