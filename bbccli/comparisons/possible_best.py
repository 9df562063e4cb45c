"""The confidence set for the best configuration: cross-validation with confidence.

1. The rivals j of a configuration m are all others, except those whose score differs from its own
   by the same on every unit.
2. T_m = max over j of (m_j - m_m) / se_mj: how far the best rival is ahead, in standard errors of
   the difference.
3. Draw the same maximum by multipliers, of (D_j - D_m) / se_mj (`simultaneous`): p_m = (1 + the
   number of draws that reach T_m) / (B + 1).
4. m is in the set if p_m is over 1 - level. The set contains the truly best configuration with the
   probability of the level.
5. With more than 1,000 configurations, those behind the best by more than 2 c standard errors, with
   the critical value c of max-T, are rivals to none.

1,000 configurations take a second, 5,000 without a clear leader three; more than 10⁸ pairs of a
configuration and a rival are refused beforehand.

Simultaneous intervals of all scores: take each score to a scale without bounds (log((m - a) / (b -
m)) between a and b, log(m - a) above a, -log(b - m) below b), go c standard errors up and down,
with c that of the largest |D_j| / se_j, and back.

Source: Lei 2020, section 3; Chernozhukov, Chetverikov & Kato 2013 (multipliers) and 2019 (step 5);
Agresti 2013, section 3.1 (logit intervals).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import isqrt

import numpy as np

from bbccli.comparisons.influences import Influences, evidence_of, same
from bbccli.comparisons.records import BestSet, Member
from bbccli.comparisons.simultaneous import against, checked_draws, critical, over_draws, scores
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, UndefinedError, UnsupportedError
from bbccli.metrics import Metric, choose_metric
from bbccli.metrics.capped import with_plan
from bbccli.notes.comparisons import screened_rivals
from bbccli.platform import resources
from bbccli.platform.resources import ordered_map
from bbccli.stats.selection import choose, complexities, ranked
from bbccli.stats.selection.candidates import candidates
from bbccli.stats.selection.units import on_few_groups, on_losses
from bbccli.types import BoolArray, FloatArray, IntArray, Side

SCREENED_ABOVE = 1000
"""Configurations up to which each is the rival of every other."""

MOST_PAIRS = 10**8
"""Pairs of a configuration and a rival that are compared: a quarter of a minute."""

BYTES = 40
"""Memory for each pair of a configuration and a rival."""

DRAW_BYTES = 48
"""Memory per draw of a configuration where draws are kept for all: six times what they take."""

LEAST_ALIKE = 16
"""Rivals that are not worth a group of their own."""

TOGETHER = 8
"""Groups of rivals that are asked together whether any could reach."""

AT_ONCE = 2**17
"""Draws of rivals that are compared at once: a megabyte, which stays in the cache."""


def best_set(matrix: PredictionMatrix, metric: Metric | str, plan: Plan) -> BestSet:
    """Return which configurations may be the best, and intervals of all of them.

    Raises
    ------
    OptionError
        Too few resamples for the level.
    UndefinedError
        A metric that is undefined for every configuration, on all samples or once one is left out.
    UnsupportedError
        A metric without influence values; or more than `MOST_PAIRS` to compare.

    Notes
    -----
    Time O(B C (U + C)), or O(B C (U + J)) with J rivals; memory O(U C) beside blocks of bounded
    size.
    """
    metric = with_plan(choose_metric(metric, matrix), plan)
    evidence = evidence_of(matrix, metric, plan)
    if not evidence.defined.any():
        raise UndefinedError(
            f"{metric.label} is undefined for every configuration once a sample is left out",
            hint="another --metric, or more samples"
            + " of each class" * matrix.task.is_classification,
        )
    rivals = rivals_of(evidence, plan)
    n_defined = int(evidence.defined.sum())
    if len(rivals) * n_defined > MOST_PAIRS:
        raise UnsupportedError(
            f"{len(rivals)} of {evidence.n_configurations} configurations can't be ruled out as "
            f"the best, too many to compare each of {n_defined} with them: over {MOST_PAIRS:,} "
            "pairs",
            hint="give fewer configurations, or --pair A B for two that were named in advance",
        )
    p = p_values(evidence, rivals, plan)
    lower, upper = band(evidence, plan)
    gains, sign = evidence.gains, evidence.metric.direction.sign
    winner = choose(matrix, metric, metric, plan).winner
    order, _ = ranked(metric.direction, candidates(matrix, metric, plan.pooling).performances())
    lead = gains[winner]
    members = tuple(
        Member(
            configuration=evidence.names[c],
            performance=float(sign * gains[c]),
            difference=0.0 if same(gains[c] - lead, lead) else float(gains[c] - lead),
            lower=float(lower[c]),
            upper=float(upper[c]),
            p=None if np.isnan(p[c]) else float(p[c]),
            inside=bool(p[c] > 1 - plan.level),
        )
        for c in order
    )
    n_screened = len(rivals) if len(rivals) < n_defined else None
    screened = () if n_screened is None else (screened_rivals(n_screened, len(members)),)
    return BestSet(
        level=plan.level,
        n_inside=sum(member.inside for member in members),
        members=members,
        n_screened=n_screened,
        notes=evidence.undefined
        + screened
        + on_few_groups(matrix)
        + on_losses(matrix, evidence.metric, winner),
        simplest=_simplest(matrix, [member.configuration for member in members if member.inside]),
        winner=evidence.names[winner],
    )


def _simplest(matrix: PredictionMatrix, names: list[str]) -> str | None:
    """The least complex configuration, the first of equal ones; None if unknown."""
    try:
        complexity = dict(zip(matrix.configurations, complexities(matrix), strict=True))
    except OptionError:
        return None
    return min(names, key=lambda name: complexity[name], default=None)


def rivals_of(evidence: Influences, plan: Plan) -> IntArray:
    """Return the configurations that the others are tested against: all, or those not screened."""
    defined = np.flatnonzero(evidence.defined)
    if len(defined) <= SCREENED_ABOVE:
        return defined
    best = defined[np.argmax(evidence.gains[defined])]
    of_all = against(evidence, int(best), replace(plan, side=Side.LOWER))
    reach = of_all.upper - of_all.differences
    worse = of_all.tested & (of_all.differences + 2 * reach < 0)
    return defined[~worse[defined]]


def p_values(evidence: Influences, rivals: IntArray, plan: Plan) -> FloatArray:
    """Return p (C,) of the tests that no rival is better; NaN where undefined.

    1 for a configuration that has no rival.
    """
    p = np.where(evidence.defined, 1.0, np.nan)
    defined = np.flatnonzero(evidence.defined)
    memory, n = resources.current().memory, checked_draws(plan)
    width = max(memory // (BYTES * max(len(rivals), 1)), 1)
    alike = _alike(evidence.influence[:, rivals] * evidence.scale[:, None], isqrt(len(rivals)))
    rivals, starts = rivals[np.concatenate(alike)], np.cumsum([0, *map(len, alike)])
    weights = evidence.weights(lambda values: values - values.mean(axis=1, keepdims=True))
    draws = partial(over_draws, evidence, plan, weights, np.asarray)
    kept = list(draws()) if n * len(p) * DRAW_BYTES <= memory else []
    for columns in np.array_split(defined, -(-len(defined) // width)):
        p[columns] = _p_of(evidence, columns, rivals, starts, kept or draws(), n)
    return p


def _alike(influence: FloatArray, size: int) -> list[IntArray]:
    """Positions of columns (U, J) in groups of about `size` that differ little.

    Halves, and halves of halves, along the line between two columns that differ much.
    """
    groups: list[IntArray] = [np.arange(influence.shape[1])]
    while len(groups[0]) > max(size, LEAST_ALIKE):
        halves = []
        for group in groups:
            inside = influence[:, group]
            end = inside[:, [0]]
            for _ in range(2):
                line = inside - end
                end = inside[:, [np.einsum("uj,uj->j", line, line).argmax()]]
            along = np.argsort(line.T @ end[:, 0], kind="stable")
            halves += np.array_split(group[along], 2)
        groups = halves
    return groups


def _p_of(
    evidence: Influences,
    columns: IntArray,
    rivals: IntArray,
    starts: IntArray,
    draws: Iterable[FloatArray],
    n: int,
) -> FloatArray:
    variances = evidence.variances_between(columns, rivals)
    variances[(columns[:, None] == rivals) | (variances == 0)] = np.nan
    inverse = np.divide(1, np.sqrt(variances, out=variances), out=variances)
    ahead = evidence.gains[rivals] - evidence.gains[columns, None]
    ahead *= inverse
    statistics = np.fmax.reduce(ahead, axis=1, initial=-np.inf)
    tested = np.flatnonzero(np.isfinite(statistics))
    p = np.ones(len(columns))
    if len(tested):
        candidates, reached = columns[tested], scores(evidence, statistics[tested])
        inverse = inverse if len(tested) == len(columns) else inverse[tested]
        most = np.fmax.reduceat(inverse, starts[:-1], axis=1)

        def reduce(drawn: FloatArray) -> IntArray:
            return _n_reached(
                drawn[:, candidates], drawn[:, rivals], inverse, most, starts, reached
            )

        n_reached = sum(ordered_map(reduce, draws, resources.current().jobs))
        p[tested] = (1 + n_reached) / (n + 1)
    return p


def _n_reached(
    of_candidates: FloatArray,
    of_rivals: FloatArray,
    inverse: FloatArray,
    most: FloatArray,
    starts: IntArray,
    statistics: FloatArray,
) -> IntArray:
    """Count the draws (b, C') and (b, J) that reach the statistic (C') of each configuration.

    inverse (C', J): of the standard errors; NaN for no rival. most (C', G): largest of each group.

    What no group could reach, with its largest draw and its smallest standard error, is not looked
    at, nor what an earlier group has reached. Several groups together are asked first.
    """
    n_draws, bounds = len(of_rivals), list(pairwise(starts.tolist()))
    largest = np.maximum.reduceat(of_rivals, starts[:-1], axis=1)
    short = np.ones((len(statistics), n_draws), bool)
    ours, open_ = np.ascontiguousarray(of_candidates.T), short.ravel()
    # a gap below 0 is least where it is divided by the largest error
    behind = statistics < 0

    def reach(m: IntArray, draw: IntArray, start: int, stop: int) -> BoolArray:
        gaps = of_rivals[draw, start:stop] - ours[m, draw, None]
        np.multiply(gaps, inverse[m, start:stop], out=gaps)
        return np.asarray((gaps >= statistics[m, None]).any(axis=1))

    for first in range(0, len(bounds), TOGETHER):
        groups = range(first, min(first + TOGETHER, len(bounds)))
        top, steepest = largest[:, groups].max(axis=1), np.fmax.reduce(most[:, groups], axis=1)
        close = (top - ours) * steepest[:, None] >= statistics[:, None]
        close[behind] = True
        pairs = np.flatnonzero(close & short)
        for group in groups:
            m, draw = np.divmod(pairs, n_draws)
            gaps = (largest[draw, group] - ours[m, draw]) * most[m, group]
            near = pairs[(gaps >= statistics[m]) | behind[m]]
            start, stop = bounds[group]
            for at in np.array_split(near, -(-len(near) * (stop - start) // AT_ONCE) or 1):
                open_[at] = ~reach(*np.divmod(at, n_draws), start, stop)
            pairs = pairs[open_[pairs]]
    return np.asarray(np.count_nonzero(~short, axis=1))


def band(evidence: Influences, plan: Plan) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends (C,) of all performances, in the metric's sign and unit.

    NaN where the performance is undefined or at a bound, or its variance is 0, so that its
    uncertainty is unknown.
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

    # on this scale shares too have their measured variances
    measured = replace(evidence, shares=False)
    weights = evidence.weights(lambda values: values)
    draws = over_draws(measured, plan, weights, reduce)
    reach = critical(np.concatenate(list(draws)), plan.level)
    lower[tested], upper[tested] = _ends(values[tested], reach * errors[tested], bounds)
    return lower, upper


def _ends(
    values: FloatArray, reach: FloatArray, bounds: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Ends of intervals whose half-widths are `reach` to first order.

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
