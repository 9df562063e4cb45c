"""Exponential tilting: the distribution on the samples that makes the observed figure too good.

1. Give sample i the weight w_i(t) = exp(t L_i) / sum_j exp(t L_j), where L_i is its influence
   value. A negative t makes the performance worse.
2. A resample b that holds sample i f_bi times would come up, under these weights, more or less
   often by the factor W_b(t) = prod_i (n w_i(t))^f_bi. So the resamples that were drawn once, under
   equal weights, tell what would happen under any t, and none is drawn again.
3. From them compute p(t), the probability under t of a figure at least as good as the observed one.
4. t* is where p crosses the allowed error, going from 0 down. The bound is the performance under
   the weights w_i(t*).

Since log W_b = t sum_i f_bi L_i + n log(n / sum_j exp(t L_j)), a resample counts only by its sum of
influence values.

Source: Efron 1981; Davison & Hinkley 1997, section 9.4; Rink & Brannath 2025.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bbccli.types import TIE_TOLERANCE, BoolArray, FloatArray

STEP = 0.25
"""Step of the search for t, in standard deviations of the resamples' sums of influence values."""

MOST_STEPS = 400
"""Where the search ends: at a tilt of 100 standard deviations."""

PRECISION = 1e-12
"""Of t*, in steps; and of p, which is a share of at most some hundred thousand resamples."""

Tail = Callable[[float], float]
"""Tilt -> probability, under it, of a figure at least as good as the observed one."""


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """What the resamples say of m configurations, one of which is to be bounded from below.

    Attributes
    ----------
    values : (B, m)
        Performances in the resamples.
    observed
        Performance of the configuration to be bounded on the samples themselves.
    column
        Which of the m it is.
    influence : (U,)
        Influence value on it of each of the units that are resampled.
    totals : (B,)
        Sum of the influence values in each resample.
    """

    values: FloatArray
    observed: float
    column: int
    influence: FloatArray
    totals: FloatArray

    @property
    def step(self) -> float:
        """Step of the search for the tilt; 0 where no resample tells anything."""
        spread = float(np.std(self.totals)) if len(self.totals) else 0.0
        varies = spread > PRECISION * np.abs(self.totals).max(initial=0.0)
        return STEP / spread if varies else 0.0

    def mirrored(self) -> Replicates:
        """Return the same with all signs changed: its lower bound is the upper one of this."""
        return replace(
            self,
            values=-self.values,
            observed=-self.observed,
            influence=-self.influence,
            totals=-self.totals,
        )

    def only(self, chosen: BoolArray) -> Replicates:
        """Keep some of the resamples (B,)."""
        return replace(self, values=self.values[chosen], totals=self.totals[chosen])


def rounding(values: FloatArray) -> float:
    """Return the difference up to which performances are equal: that of sums in another order."""
    return float(TIE_TOLERANCE * np.abs(values).max(initial=0.0))


def tilted_weights(influence: FloatArray, tilt: float) -> FloatArray:
    """Return the weights (U,) of units with these influence values; they add up to 1."""
    exponents = tilt * influence
    weights = np.exp(exponents - exponents.max())
    return np.asarray(weights / weights.sum())


def importance(influence: FloatArray, totals: FloatArray, tilt: float) -> FloatArray:
    """Return log W_b (B,) of resamples with these sums of influence values."""
    exponents = tilt * influence
    top = exponents.max()
    mean = top + np.log(np.exp(exponents - top).sum() / len(exponents))
    return np.asarray(tilt * totals - len(exponents) * mean)


def calibrate(tail: Tail, error: float, step: float, precision: float = PRECISION) -> float | None:
    """Return the tilt t* at which p(t) falls below the allowed error, on the side where it is.

    The search goes down from 0 in steps until p < error / 2, and halves the first step in which p
    came to be below the error, to `PRECISION`. A p equal to the error does not count.

    Parameters
    ----------
    tail
        p(t); may have jumps.
    error
        1 - level of the bound, in (0, 1).
    step
        Length of a step, > 0.

    Returns
    -------
    float or None
        None where p starts at 2 error or less, or never falls below error / 2: the resamples
        can't tell. These are the conditions of the authors' code.

    Examples
    --------
    >>> round(calibrate(lambda t: 0.5 * np.exp(t), 0.05, 0.1), 10) == round(np.log(0.1), 10)
    True
    """
    if not step > 0 or not tail(0.0) > 2 * error:
        return None
    bracket = None
    for position in range(1, MOST_STEPS + 1):
        p = tail(-position * step)
        if bracket is None and p < error - PRECISION:
            bracket = (-position * step, (1 - position) * step)
        if p < error / 2:
            break
    else:
        return None
    return None if bracket is None else _bisect(tail, error, *bracket, width=PRECISION * step)


def _bisect(tail: Tail, error: float, low: float, high: float, *, width: float) -> float:
    """The end with p below the error of an interval that holds the crossing."""
    while high - low > width:
        middle = (low + high) / 2
        if tail(middle) < error - PRECISION:
            low = middle
        else:
            high = middle
    return low
