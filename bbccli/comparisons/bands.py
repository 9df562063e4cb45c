"""Simultaneous intervals of all performances, within the bounds of the metric.

1. Take each performance m to a scale without bounds: log((m - a) / (b - m)) between two bounds a
   and b, log(m - a) above one, -log(b - m) below one, and m itself without any. Its standard error
   there is se times the slope.
2. The critical value c is that of the largest |D_j| / se_j (`simultaneous`, with its step 2 also
   for shares of samples).
3. Go c standard errors up and down, and back.

On the scale of the metric itself such intervals are too short near a bound, where performances are
skewed: of 20 to 100 equal configurations, 0.8 of 1, all were held in 41 to 90 of 100 studies of 40
to 300 samples, and with step 1 in 98 to 100.

Source: Agresti 2013, section 3.1 (logit intervals).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.comparisons.evidence import Evidence
from bbccli.comparisons.simultaneous import critical, over_draws
from bbccli.plan import Plan
from bbccli.types import FloatArray


def band(evidence: Evidence, plan: Plan) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends (C,) of all performances, in the metric's sign and unit.

    NaN where the performance is undefined or on a bound, or its variance is 0: nothing is known
    of its uncertainty.
    """
    errors, bounds = evidence.errors(), evidence.metric.bounds
    values = evidence.metric.direction.sign * evidence.gains
    errors[(errors == 0) | (values <= bounds[0]) | (values >= bounds[1])] = np.nan
    tested = np.flatnonzero(errors > 0)
    lower, upper = np.full((2, len(values)), np.nan)
    if not len(tested):
        return lower, upper

    def reduce(drawn: FloatArray) -> FloatArray:
        return np.asarray((np.abs(drawn[:, tested]) / errors[tested]).max(axis=1))

    # variances on this scale are those that were measured, of shares too
    measured = replace(evidence, shares=False)
    weights = evidence.weights_of_all()
    draws = over_draws(measured, plan, weights, reduce)
    reach = critical(np.concatenate(list(draws)), plan.level)
    lower[tested], upper[tested] = _ends(values[tested], reach * errors[tested], bounds)
    return lower, upper


def _ends(
    values: FloatArray, reach: FloatArray, bounds: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Ends of intervals whose half-widths are `reach` to first order.

    Examples
    --------
    >>> low, high = _ends(np.array([0.9]), np.array([0.09]), (0.0, 1.0))
    >>> low.round(3), high.round(3)
    (array([0.768]), array([0.961]))
    """
    below, above = values - bounds[0], bounds[1] - values
    if np.isinf(below).all() and np.isinf(above).all():
        return values - reach, values + reach
    if np.isinf(above).all():
        factor = np.exp(reach / below)
        return bounds[0] + below / factor, bounds[0] + below * factor
    if np.isinf(below).all():
        factor = np.exp(reach / above)
        return bounds[1] - above * factor, bounds[1] - above / factor
    factor = np.exp(reach * (1 / below + 1 / above))
    width = bounds[1] - bounds[0]
    return (
        bounds[0] + width * below / (below + above * factor),
        bounds[0] + width * below / (below + above / factor),
    )
