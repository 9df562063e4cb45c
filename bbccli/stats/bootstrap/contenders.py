"""The winner among its contenders: configurations that could as well have won, and the shrinkage.

Only moments of the performances in the bags are kept, never a C x C matrix, so any number of
configurations is feasible.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from statistics import NormalDist

import numpy as np

from bbccli.platform.dataclass import dataclass
from bbccli.stats.bootstrap.bbc_samples import inside
from bbccli.stats.case import Case
from bbccli.types import FloatArray, IntArray

REACH = 2.0
"""Standard errors behind the winner up to which a configuration is a contender."""

LEAST_SIGNAL = 1 / 20
"""Share of the noise that the signal is taken to have, at least."""

LIKELY = 3.0
"""Standard errors from the limit within which other resamples may decide otherwise."""

ALIKE = 1e-10
"""Share of a performance by which identical configurations may differ: sums in another order."""


@dataclass(frozen=True, slots=True, eq=False)
class Contenders:
    """The configurations that the sample can't tell from the winner, identical ones once.

    columns (T,) int: columns, ascending, with the winner or one identical to it.
    shares (T,): weights that add up to 1, proportional to the root of the number of copies.
    n_distinct: distinct configurations with a defined performance, contenders or not.
    chances: of configurations near the limit, to be contenders if the resamples were drawn anew.
    """

    columns: IntArray
    shares: FloatArray
    n_distinct: int
    chances: Mapping[int, float]


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """The part of the contenders' errors that they do not share.

    variance: mean variance less mean covariance of the contenders; 0 for a single one.
    by_resample (B,): contribution of each resample; their mean is the variance.
    """

    variance: float
    by_resample: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Shrunken:
    """The winner's performance, shrunk towards the mean of its contenders.

    value: in the metric's unit.
    influence (B,): derivative by the weight of each resample, through the noise; 0 on average.
    """

    value: float
    influence: FloatArray


def contenders(case: Case, n_resamples: int) -> Contenders:
    """Return the contenders by the metric that selects; the one that measures is defined for them.

    Configuration j is one if P_w - P_j <= 2 sd(P_w - P_j), with the performances P on all samples
    and the standard deviation over the bags of the first B resamples (signs reversed for a metric
    that is minimised). Errors that both share cancel in the difference.
    """
    everywhere, winner = case.judged.performances(), case.choice.winner
    defined = np.flatnonzero(~np.isnan(everywhere))
    _, of_winner = next(inside(case, case.judged, np.array([winner]), n_resamples))
    roots = np.sqrt(np.arange(1.0, len(of_winner) + 1))
    errors, keys = np.full((2, len(everywhere)), np.nan)
    for columns, values in inside(case, case.judged, defined, n_resamples):
        errors[columns] = _deviations(of_winner - values)
        # no two configurations have the same sum by accident: the weights are irrational
        keys[columns] = roots @ np.nan_to_num(values)
    behind = case.selector.direction.gain(everywhere[winner], everywhere)
    # copies of the winner are behind by rounding, with errors of rounding
    reach = REACH * np.nan_to_num(errors) + ALIKE * abs(everywhere[winner])
    with np.errstate(invalid="ignore", divide="ignore"):  # in errors of reach / sqrt(2 B)
        within = (reach - behind) / reach * np.sqrt(2 * n_resamples)
    chances = {int(c): NormalDist().cdf(within[c]) for c in np.flatnonzero(abs(within) < LIKELY)}
    near = (behind <= reach) & ~np.isnan(case.measured.performances())
    n_distinct = len(_distinct(everywhere, keys, defined)[0])
    columns, copies = _distinct(everywhere, keys, np.flatnonzero(near))
    roots = np.sqrt(copies)
    return Contenders(columns, roots / roots.sum(), n_distinct, chances)


def noise_of(case: Case, of: Contenders, n_resamples: int) -> Noise:
    """Return the noise of some contenders in the metric that measures.

    Within a resample it is the variance over contenders of the performances, each less its mean
    over resamples; NaNs don't count. The mean over resamples, divided by B - 1, is the weighted
    mean variance less the mean covariance of two different contenders.
    """
    sums, squares, totals, shared = np.zeros((4, n_resamples))
    for columns, values in inside(case, case.measured, of.columns, n_resamples):
        defined = ~np.isnan(values)
        means = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
        centred = np.where(defined, values - means, 0.0)
        shares = of.shares[np.searchsorted(of.columns, columns)]
        sums += centred @ shares
        squares += centred**2 @ shares
        totals += defined @ shares
        shared += defined @ shares**2
    several = totals**2 - shared > ALIKE
    within = np.zeros(n_resamples)
    with np.errstate(invalid="ignore"):
        np.divide(squares * totals - sums**2, totals**2 - shared, out=within, where=several)
    n_used = int(several.sum())
    if n_used < 2 or not np.isfinite(within).all():  # figures whose squares overflow
        return Noise(0.0, np.zeros(n_resamples))
    by_resample = np.maximum(within, 0.0) * n_used / (n_used - 1)
    variance = float(by_resample[several].mean())
    return Noise(variance, np.where(several, by_resample, variance))


def shrunken(figure: float, others: FloatArray, shares: FloatArray, noise: Noise) -> Shrunken:
    """Return the winner's figure, shrunk towards the mean of the contenders' figures (T,).

    figure: of the winner, on all samples.
    others (T,): of all contenders, the winner's among them.
    shares (T,): their weights, adding up to 1.
    noise: of the contenders.

    >>> figures, third = np.array([0.78, 0.8, 0.82]), np.full(3, 1 / 3)
    >>> found = shrunken(0.82, figures, third, Noise(1e-4, np.array([0.5e-4, 1.5e-4])))
    >>> round(found.value, 4), found.influence.round(4)
    (0.815, array([ 0.0025, -0.0025]))
    >>> shrunken(0.82, figures, third, Noise(1e-3, np.array([0.5e-3, 1.5e-3]))).influence + 0
    array([0., 0.])
    >>> shrunken(0.82, np.full(3, 0.82), third, Noise(0.0, np.zeros(2))).value
    0.82
    """
    none = np.zeros(len(noise.by_resample))
    if len(others) < 2 or noise.variance == 0:
        return Shrunken(figure, none)
    centre = float(others @ shares)
    spread = float((others - centre) ** 2 @ shares / (1 - shares @ shares))
    signal = max(spread - noise.variance, LEAST_SIGNAL * noise.variance)
    weight = signal / (signal + noise.variance)
    slope = -1 / spread if spread - noise.variance == signal else 0.0
    influence = (figure - centre) * slope * (noise.by_resample - noise.variance)
    return Shrunken(centre + weight * (figure - centre), influence)


def limit_error(figure: float, everywhere: FloatArray, of: Contenders, noise: Noise) -> float:
    """Return the Monte-Carlo standard error of the shrunken figure through who is a contender.

    Each configuration near the limit is in with its chance, independently; copies count as others.

    everywhere (C,): figures of all configurations on all samples.

    >>> figures, noise = np.array([0.82, 0.8, 0.76]), Noise(1e-4, np.full(4, 1e-4))
    >>> of = Contenders(np.arange(3), np.full(3, 1 / 3), 3, {2: 0.9})  # the last in 9 of 10 times
    >>> three, two = (shrunken(0.82, figures[:k], np.full(k, 1 / k), noise).value for k in (3, 2))
    >>> bool(np.isclose(limit_error(0.82, figures, of, noise), np.std([*[three] * 9, two])))
    True
    """

    def at(columns: IntArray) -> float:
        shares = np.full(len(columns), 1 / len(columns))
        return shrunken(figure, everywhere[columns], shares, noise).value

    here = at(of.columns)
    moved = {c: at(np.setxor1d(of.columns, [c])) - here for c in of.chances}
    return sqrt(sum(p * (1 - p) * np.nan_to_num(moved[c]) ** 2 for c, p in of.chances.items()))


def _deviations(values: FloatArray) -> FloatArray:
    """Standard deviations (C',) of values (B, C') over the resamples that are defined."""
    finite = np.isfinite(values)
    n_finite = finite.sum(axis=0)
    counts = np.where(n_finite > 1, n_finite, np.nan)  # one has no deviation
    filled = np.where(finite, values, 0.0)
    scale = np.maximum(np.abs(filled).max(axis=0), np.finfo(float).tiny)  # squares may overflow
    filled /= scale
    squares = np.where(finite, filled - filled.sum(axis=0) / counts, 0.0) ** 2
    return np.asarray(scale * np.sqrt(squares.sum(axis=0) / (counts - 1)))


def _distinct(
    everywhere: FloatArray, keys: FloatArray, columns: IntArray
) -> tuple[IntArray, IntArray]:
    """The first of each set of identical columns, and the size of the set."""
    order = columns[np.lexsort((columns, keys[columns]))]
    same = np.ones(max(len(order) - 1, 0), bool)
    for values in (keys, everywhere):
        ordered = values[order]
        same &= np.abs(np.diff(ordered)) <= ALIKE * np.abs(ordered[1:])
    starts = np.flatnonzero(np.r_[True, ~same])
    copies, firsts = np.diff(np.r_[starts, len(order)]), order[starts]
    ascending = np.argsort(firsts)
    return firsts[ascending], copies[ascending]
