"""The spread of the estimate itself, not that of single resamples. Experimental.

A performance out of the bag rests on m units, about 0.37 of them, and so it spreads more than the
estimate on all U units does.

1. For a metric of the mean type with variance s² per unit, the variance of an out-of-bag
   performance L_b is s² (E[1/m] - 1/U), where U units are drawn from and E[1/m] is that of the
   draws.
2. The estimate on all U units has the variance s²/U.
3. D_b = estimate + f (L_b - mean L), with f = 1 / √(U E[1/m] - 1), has the variance of step 2. For
   many units f nears 1 / √(e - 1) = 0.763.
4. The interval is made of the D_b. Those that leave the metric's bounds are moved onto them.

A distribution whose winners are scored on all units, as that of the naive bootstraps, has the
estimate's spread already and is left as it is.

In [simulated settings](validation-tables.md#simulated-settings) such intervals of `bbc` keep their
level and are a fifth tighter. Those of `bbc-f` rest on a handful of folds. Models that are trained
again vary with their training set too, which no resampling of predictions shows; with real training
they covered the truth less often than percentile intervals (see [validation](validation.md)). They
are never a default.

Where samples are resampled and performances are means over folds (`--pooling fold-mean`), `matched`
is refused: out of the bag the folds are of unequal sizes and some are undefined, and f, which is
that of one mean over all units, leaves such intervals far too wide. Percentile intervals are wider
than they need be there too. Where a fold holds fewer than 10 of the samples that the metric [rests
on](#guard), the note [wide-fold-mean](notes.md#wide-fold-mean) says so. Means of a loss per sample,
such as the accuracy, are exempt: few samples in a fold barely widen them. `--pooling within-folds`
compares pairs within folds without such means.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.core.notes import matched_interval
from bbccli.core.plan import Plan
from bbccli.core.results import Distribution
from bbccli.errors import UnsupportedError
from bbccli.stats.intervals.resampled import Basis, Construction
from bbccli.types import Pooling


def matched(
    drawn: Distribution, basis: Basis, bounds: tuple[float, float], stretch: float = 1.0
) -> Distribution:
    """Return the distribution D of the estimate, within the bounds.

    Parameters
    ----------
    drawn
        Performances out of the bag, with the sizes of the bags' complements.
    basis
        The estimate, and the units drawn from.
    bounds
        Of the metric.
    stretch
        Spread wanted, as a multiple of that of the estimate.

    Examples
    --------
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
    """Refuse to match the spread of means over folds, of which samples are resampled.

    Raises
    ------
    UnsupportedError
        Out of the bag the folds are of unequal sizes and some are undefined: how the spread of such
        means compares to that of the estimate is not known.
    """
    if plan.pooling is Pooling.FOLD_MEAN:
        raise UnsupportedError(
            f"{plan.interval} intervals don't go with means over folds: out of the bag the folds "
            "are unequal and some undefined, so the spread of the estimate is unknown",
            hint="--pooling within-folds or pooled; or percentile intervals, the default",
        )


INTERVAL = Construction(matched, check=check, notes=(matched_interval(),))
