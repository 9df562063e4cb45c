"""Intervals of resample distributions: their kinds, and the interval that a plan asks for.

## The guard

Percentiles don't collapse where the winner looks perfect. Among N units that all do well, the next
one may still do badly; a bootstrap of what was seen can't know. The guard adds one pseudo-unit of
the metric's worst performance, of Jeffreys weight:

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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib import import_module
from math import erfc, inf
from typing import Any

import numpy as np

from bbccli.domain.estimate import Distribution, MonteCarloError
from bbccli.domain.plan import Plan
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.notes.methods import few_resamples, guard_without_bound
from bbccli.platform.arguments import ByName
from bbccli.platform.dataclass import dataclass
from bbccli.types import FloatArray, Interval, IntervalKind, starts_of

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
    atoms = [guard.atoms for guard in guards]
    n_guards, size = len(guards), max(len(part) for part, _, _ in atoms)
    logs, chances = np.full((n_guards, size + 1), np.inf), np.zeros((n_guards, size, 1))
    for row, (part, shares, _) in enumerate(atoms):
        logs[row, : len(part)], chances[row, : len(part), 0] = part, shares
    rate, bound = np.array([(guard.rate, guard.bound) for guard in guards]).T[..., None]
    at_bound = np.array([[chance] for _, _, chance in atoms])
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
    node = np.floor(place)
    t, left = place - node, node.astype(np.intp)
    start, first, second, third = (cubic.take(left) for cubic in cubics)
    cubed = t * third
    rest = second + cubed
    slope = first + t * (rest + second + 2 * cubed)
    x *= -2 * STEP
    x[x == 0] = -inf
    return start + t * (first + t * rest), slope / x


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


@dataclass(frozen=True, slots=True)
class Basis:
    """Input of an interval besides the distribution.

    value: the estimate that the interval belongs to.
    n_units: samples, or groups, that the metric rests on, as the guard counts them; their effective
        number if weighted.
    n_drawn: units drawn from: samples, groups or folds.
    drawn: True if the estimate is the mean of the distribution.
    worst, optional: the winner's worst loss on a single sample, for losses without a worst value
        that an interval guards.
    fixed: True if models are used as they are, without training again.
    """

    value: float
    n_units: float
    n_drawn: int
    drawn: bool = True
    worst: float | None = None
    fixed: bool = False


def within_bounds(drawn: Distribution, bounds: tuple[float, float]) -> Distribution:
    """Return the distribution with performances beyond the bounds moved onto them."""
    return replace(drawn, values=np.clip(drawn.values, *bounds))


@dataclass(frozen=True, slots=True)
class Construction:
    """A way to make an interval from a resample distribution.

    law: resampled performances, the basis and the metric's bounds -> the law with the ends as
        quantiles: `quantile(p)`, and its Monte-Carlo error `quantile_error(p)`.
    cells: the law as a distribution, to be guarded. Without it the law is a distribution itself,
        with the Monte-Carlo error of the guarded quantiles and order statistics as ends, so few
        resamples have no extreme ends.
    check: raises UnsupportedError where the plan's resamples don't allow it.
    guards_losses: True if an end without a bound is guarded with the winner's worst sample.
    notes: notes on every interval of this kind.
    """

    law: Callable[[Distribution, Basis, tuple[float, float]], Any]
    cells: Callable[[Any], Distribution] | None = None
    check: Callable[[Plan], None] = lambda _: None
    guards_losses: bool = False
    notes: tuple[Note, ...] = ()


def _declared(kind: IntervalKind) -> Construction:
    construction: Construction = import_module(f"bbccli.stats.intervals.{kind}").INTERVAL
    return construction


INTERVALS: Mapping[IntervalKind, Construction] = ByName(IntervalKind, _declared)
"""Kinds of intervals; the kind `matched` is what the module `matched` declares as `INTERVAL`."""


def guards_losses(kind: IntervalKind) -> bool:
    """Return True if a kind guards losses without a worst value, and knows of fixed models."""
    known = INTERVALS.get(kind)  # None of a later version
    return known is not None and known.guards_losses


def interval_of(
    distribution: Distribution, metric: Metric, plan: Plan, basis: Basis
) -> tuple[Interval, MonteCarloError, tuple[Note, ...]]:
    """Return the interval of a resample distribution, its errors and notes on it.

    `plan.interval` chooses one of `INTERVALS`, `plan.guard` adds the guard, and `plan.side` says
    which ends are estimated; other ends are the metric's bounds.

    Source: Tsamardinos, Greasidou & Borboudakis 2018, section 3.1; Paraschakis et al. 2024, section
        2.3.

    >>> from bbccli.metrics import METRICS
    >>> values = Distribution(np.arange(1, 1001) / 1000, np.zeros(1000, int))
    >>> plan, basis = Plan(level=0.95, guard=False), Basis(0.5, 1000, 1000)
    >>> interval, _, _ = interval_of(values, METRICS["auc"], plan, basis)
    >>> interval.lower, interval.upper
    (0.025, 0.975)
    """
    construction = INTERVALS[plan.interval]
    law = construction.law(distribution, basis, metric.bounds)
    sought = {end: p for end, p in enumerate(plan.probabilities(metric.direction)) if p is not None}
    limits = {end: _limit(basis, metric.bounds[end], law) for end in sought}
    guarded = {end: limit for end, limit in limits.items() if plan.guard and limit is not None}
    ends: dict[int, float] = dict(enumerate(metric.bounds))
    errors: dict[int, float] = {}
    for end, probability in sought.items():
        if end not in guarded:
            ends[end] = law.quantile(probability)
        if end not in guarded or construction.cells is not None:
            errors[end] = law.quantile_error(probability)
    if guarded:
        cells = law if construction.cells is None else construction.cells(law)
        guards = [Guarded(cells, basis.n_units, limit) for limit in guarded.values()]
        quantiles, spreads = ends_of(guards, [sought[end] for end in guarded])
        ends.update(zip(guarded, quantiles.tolist(), strict=True))
        errors = dict(zip(guarded, spreads.tolist(), strict=True)) | errors
    interval = Interval(ends[0], ends[1], plan.level, plan.side_of(metric.direction))
    error = MonteCarloError(distribution.mean_error(), errors.get(0), errors.get(1))
    return interval, error, _notes(construction, distribution, metric, plan, interval)


def _limit(basis: Basis, bound: float, law: Any) -> float | None:
    """The worst value on a side, which the guard counts; None where there is none."""
    if np.isfinite(bound):
        return bound
    # a loss without a worst value: that of the winner's worst sample, or of a resample beyond it
    if bound < 0 or basis.worst is None:
        return None
    return max(basis.worst, float(law.values.max()))


def smallest_size(plan: Plan, metric: Metric) -> int:
    """Return the least B at which every end is one of the performances drawn.

    The order statistic of rank p B exists, and is not merely the sample extreme, where p B >= 1;
    likewise at the other end where (1 - p) B >= 1.

    >>> from bbccli.metrics import METRICS
    >>> smallest_size(Plan(level=0.95), METRICS["auc"])
    40
    """
    below, above = plan.probabilities(metric.direction)
    outside = min(p for p in (below, None if above is None else 1 - above) if p is not None)
    # 1 / 0.025 is a hair above 40 in binary
    return int(np.ceil(round(1 / outside, 6)))


def _notes(
    construction: Construction,
    distribution: Distribution,
    metric: Metric,
    plan: Plan,
    interval: Interval,
) -> tuple[Note, ...]:
    notes = list(construction.notes)
    size, least = len(distribution.values), smallest_size(plan, metric)
    too_few = size < (least if construction.cells is None else 2)
    if too_few and not distribution.exact:
        notes.append(few_resamples(size, plan.level, least))
    worst = metric.bounds[metric.direction.sign < 0]
    if plan.guard and not np.isfinite(worst) and interval.lower == interval.upper:
        notes.append(guard_without_bound(metric.label))
    return tuple(notes)
