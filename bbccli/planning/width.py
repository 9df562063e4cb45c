"""How wide the interval of the winner will be: that of one configuration, times a ratio.

The ratio is that of BBC's percentile interval to the interval of a single configuration of the
same quality, in the limit of many rows. There the bag and what is out of it need no rows:

1. Draw C true gains with spread tau, and what is observed of each: noise s relative to the others.
2. In a resample the gain in the bag differs from the observed one by d, normal with standard error
   sigma, of which a part is common to all configurations. That out of the bag differs by -d + r,
   with r independent of d and of variance (e - 2) sigma^2: out-of-bag rows are 1/e of all.
3. Select in the bag, take the winner's gain out of it. The width is the distance of the two
   quantiles over the resamples, its mean over the data sets of step 1.

The same random numbers serve every cell, so that widths can be compared. A single configuration
has the interval of one that was not selected: the ratio is 1.

Source: steps 2 and 3 are the joint normal limit of bootstrap means in and out of the bag
(covariances 1, -1 and e - 1 times sigma^2); the algorithm is that of Tsamardinos, Greasidou &
Borboudakis 2018. The use of it for planning is ours.
"""

from __future__ import annotations

from functools import lru_cache
from math import e, sqrt

import numpy as np

from bbccli.planning.basis import Basis, Chance
from bbccli.types import FloatArray

N_DATA_SETS = 24
N_RESAMPLES = 400
MOST_CONTENDERS = 256
"""Of the observed gains the best so many take part in the resamples: others never win."""

REST = sqrt(e - 2)


def width(basis: Basis, n_samples: float, n_configurations: int, level: float, seed: int) -> float:
    """Return the expected width of the winner's interval, in the metric's unit.

    It is at most the distance of the metric's bounds.
    """
    chance, (lowest, highest) = basis.chance(n_samples), basis.bounds
    found = chance.width * ratio(chance, basis.spread_of_best, n_configurations, level, seed)
    return min(found, highest - lowest)


def ratio(
    chance: Chance, spread: float, n_configurations: int, level: float, seed: int = 0
) -> float:
    """Return the width of BBC's interval over that of a single configuration.

    Examples
    --------
    >>> ratio(Chance(0.02, 0.02, 0.02, 0.04, 0.16), 0.03, 1, 0.95)
    1.0
    """
    if n_configurations == 1 or chance.error == 0:
        return 1.0
    from scipy.special import ndtri

    noise = min(chance.noise_of_best, chance.error)
    common = sqrt(chance.error**2 - noise**2)
    true, off, bags, rest = _numbers(n_configurations, seed)
    outside = (1 - level) / 2
    found = [
        _one_width(spread * t + noise * o, noise * bags[:, 1:], common * bags[:, 0], outside, out)
        for t, o, out in zip(true, off, chance.error * REST * rest, strict=True)
    ]
    return float(np.mean(found) / (-2 * ndtri(outside) * chance.error))


def _one_width(
    observed: FloatArray, own: FloatArray, common: FloatArray, outside: float, rest: FloatArray
) -> float:
    """Width of BBC's interval on one data set; observed (C,), resamples (B, K) and (B,)."""
    n_contenders = own.shape[1]
    best = np.partition(observed, len(observed) - n_contenders)[-n_contenders:]
    best.sort()  # by rank, so that the width changes little where the gains do
    chosen = np.argmax(best + own, axis=1)
    rows = np.arange(len(own))
    values = best[chosen] - own[rows, chosen] - common + rest
    lower, upper = np.quantile(values, [outside, 1 - outside])
    return float(upper - lower)


@lru_cache(maxsize=16)
def _numbers(
    n_configurations: int, seed: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Standard normal numbers: (D, C) twice, (B, 1 + K) of the resamples, and (D, B).

    More configurations have the numbers of fewer, and others beside them.
    """
    n_contenders = min(n_configurations, MOST_CONTENDERS)
    sizes = n_configurations, n_configurations, 1 + n_contenders, N_RESAMPLES
    across = N_DATA_SETS, N_DATA_SETS, N_RESAMPLES, N_DATA_SETS
    true, off, bags, rest = (
        np.random.default_rng((seed, position)).standard_normal((size, n)).T
        for position, (size, n) in enumerate(zip(sizes, across, strict=True))
    )
    return true, off, np.ascontiguousarray(bags), rest
