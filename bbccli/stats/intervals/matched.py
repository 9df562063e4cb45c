"""The spread of the estimate itself, not that of single resamples. Experimental.

A score out of the bag comes from about 0.37 of the U units, so it spreads more than the estimate,
which comes from all. D_b = estimate + f (L_b - mean L) has the spread of the estimate, with f = 1 /
√(U E[1/m] - 1) for m units out of the bag: about 1 / √(e - 1) = 0.763. The percentiles of the D_b,
clipped to the metric's bounds, make the interval. Winners that are scored on all units, as in the
naive bootstraps, are left as they are.

Such intervals of `bbc` keep their level and are a fifth tighter [if true scores are
fixed](../benchmarks/validation-tables.md#simulated-settings); with [real training](validation.md)
they cover less often than percentiles. They are refused with `--pooling fold-mean`, where folds out
of the bag are unequal.

Source: ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.domain.plan import Plan
from bbccli.errors import UnsupportedError
from bbccli.notes.methods import matched_interval
from bbccli.stats.intervals import Basis, Construction
from bbccli.types import Pooling


def matched(
    drawn: Distribution, basis: Basis, bounds: tuple[float, float], stretch: float = 1.0
) -> Distribution:
    """Return the distribution D of the estimate, within the bounds.

    drawn: performances out of the bag, with the sizes of the bags' complements.
    basis: the estimate, and the units drawn from.
    bounds: of the metric.
    stretch: spread wanted, as a multiple of that of the estimate.

    >>> four_of_ten = Distribution(np.zeros(2), np.zeros(2, int), sizes=np.array([4, 4]))
    >>> round(float(shrinkage(four_of_ten, 10)), 4)
    0.8165
    """
    factor = stretch * shrinkage(drawn, basis.n_drawn)
    values = basis.value + factor * (drawn.values - drawn.mean())
    return replace(drawn, values=np.clip(values, *bounds))


def shrinkage(distribution: Distribution, n_drawn: int) -> float:
    """Return f: the spread of the estimate over that of single resamples."""
    if distribution.sizes is None:
        return 1.0
    inverse = np.average(1 / distribution.sizes, weights=distribution.probabilities)
    return float(1 / np.sqrt(n_drawn * inverse - 1))


def check(plan: Plan) -> None:
    """Refuse to match the spread of means over folds when samples are resampled.

    Raises UnsupportedError: out of the bag, folds differ in size and some are undefined, so the
        ratio of their spread to that of the estimate is unknown.
    """
    if plan.pooling is Pooling.FOLD_MEAN:
        raise UnsupportedError(
            f"{plan.interval} intervals don't go with means over folds: out of the bag the folds "
            "are unequal and some undefined, so the spread of the estimate is unknown",
            hint="use --pooling within-folds or pooled; or leave out --interval or --tight",
        )


INTERVAL = Construction(matched, check=check, notes=(matched_interval(),))
