"""Simultaneous statements about many differences: max-T by multipliers.

1. Draw standard normal g_i for each unit, and D_j = sum over strata of √(n_h / (n_h - 1)) Σ_i g_i
   L_ij / n_h for each configuration: given the data, the D_j have the covariances of the scores.
2. Variances are estimated too: divide all D_j of a draw by the root of the sum over strata of w_h
   chi2_h / (n_h - 1), where w_h is the share of stratum h in the variances of all differences.
3. Compare |T_j| = |d_j| / se_j with the largest of the |D_j - D_0| / se_j. The critical value c at
   a level is the order statistic of rank level (B + 1) of the B maxima; p_j = (1 + the number of
   maxima that reach |T_j|) / (B + 1).
4. Step-down: order the |T_j|, and compare each with the maxima over itself and the smaller ones; a
   p-value is never below that of a larger |T_j|.

All true differences are within d_j ∓ c se_j simultaneously with the probability of the level, and
so is that of a configuration chosen afterwards, such as the winner.

For shares of samples, such as accuracies, step 2 is left out, and the variance is taken about the
difference that is tested: z = T √(n / (n - 1 + T²)), which for no difference is McNemar's (b - c) /
√(b + c). Standard errors as measured shrink as a configuration looks better, so bounds made of them
fall short with few samples. If c² ≥ n, the samples are too few to show anything.

Source: Chernozhukov, Chetverikov & Kato 2013 (multipliers) and 2019 (self-normalised statistics);
Westfall & Young 1993, algorithm 2.8 (step-down); Dunnett 1955 and Krishnamoorthy, Lu & Mathew 2007
(step 2); McNemar 1947.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil, inf, sqrt
from typing import TypeVar

import numpy as np

from bbccli.comparisons.influences import Influences, evidence_of, same
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan, n_draws
from bbccli.errors import OptionError, parameter
from bbccli.metrics.base import Metric
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import ordered_map
from bbccli.stats.influence import divisors, multipliers
from bbccli.stats.resampling import BLOCK
from bbccli.types import BoolArray, FloatArray, IntArray, Side

Reduced = TypeVar("Reduced")

Pairwise = Callable[[Sequence[tuple[int, int]]], list[float | None]]
"""Pairs of columns -> their p-values, adjusted for all of them together."""

ERROR = 1e-9
"""Rounding of level (B + 1) that does not change a rank."""


def checked_draws(plan: Plan) -> int:
    """Return the plan's B.

    Raises OptionError: too few for a critical value at the level.
    """
    n, least = n_draws(plan), ceil(1 / (1 - plan.level) - ERROR) - 1
    if n < least:
        raise OptionError(
            f"{parameter('n_resamples')} is {n}: a bound at level {plan.level:g} needs {least} "
            "draws or more",
            hint=f"{parameter('n_resamples', least)} or more",
        )
    return n


def over_draws(
    evidence: Influences, plan: Plan, weights: FloatArray, reduce: Callable[[FloatArray], Reduced]
) -> Iterator[Reduced]:
    """Reduce each block of draws D (b, C), b up to 64, in order.

    `weights` (H,) are the shares of the strata in the variances of the reduced statistics. Blocks
    run in threads. Memory O(C) for each.
    """
    n = checked_draws(plan)

    def of_block(position: int) -> Reduced:
        drawn = np.zeros((BLOCK, evidence.n_configurations))
        for units, normal in multipliers(evidence.n_units, plan.seed, position):
            drawn += (normal * evidence.scale[units]) @ evidence.influence[units]
        if not evidence.shares:
            drawn /= divisors(evidence.df, weights, plan.seed, position)[:, None]
        # a whole block is drawn, then cut: sums of other shapes differ in the last bit
        return reduce(drawn[: n - position * BLOCK])

    return ordered_map(of_block, range(-(-n // BLOCK)), resources.current().jobs)


def scores(evidence: Influences, statistics: FloatArray) -> FloatArray:
    """Return the statistics that draws are compared with: McNemar's z of shares, else T itself."""
    return normalised(statistics, evidence.n_units) if evidence.shares else statistics


def reach(evidence: Influences, z: float) -> float:
    """Return how many standard errors a critical value is."""
    return normal_to_t(z, evidence.n_units) if evidence.shares else z


def normalised(statistics: FloatArray, n: int) -> FloatArray:
    """Return z of statistics T of n units, whose variance is taken about what is tested."""
    return np.asarray(statistics * np.sqrt(n / (n - 1 + statistics**2)))


def normal_to_t(z: float, n: int) -> float:
    """Return the T that has this z; infinite where none has.

    >>> round(float(normalised(np.array(normal_to_t(3.0, 40)), 40)), 12), normal_to_t(3.0, 9)
    (3.0, inf)
    """
    return z * sqrt((n - 1) / (n - z**2)) if z**2 < n else inf


def critical(maxima: FloatArray, level: float) -> float:
    """Return the order statistic of rank level (B + 1) of maxima (B,).

    >>> critical(np.arange(1.0, 100), 0.95)
    95.0
    """
    rank = ceil(level * (len(maxima) + 1) - ERROR)
    return float(np.sort(maxima)[rank - 1])


def share_reaching(maxima: FloatArray, statistics: FloatArray) -> FloatArray:
    """Return p (C,) = (1 + the number of maxima (B,) that reach each statistic) / (B + 1)."""
    n_below = np.searchsorted(np.sort(maxima), statistics, side="left")
    return np.asarray((1 + len(maxima) - n_below) / (len(maxima) + 1))


def p_error(p: float, n: int) -> float:
    """Return the Monte-Carlo standard error of a p-value from B = `n` draws."""
    return float(np.sqrt(p * (1 - p) / n))


@dataclass(frozen=True, slots=True, eq=False)
class Simultaneous:
    """Differences of all configurations to one of them, with simultaneous bounds and p-values.

    differences, errors (C,): positive where better; standard errors. NaN where undefined, 0 for the
        same on every unit.
    tested (C,) bool: True for a configuration that took part: defined, not constant, not the other
        one.
    lower, upper (C,): simultaneous bounds of the differences. Where nothing was tested they are the
        difference 0, or NaN.
    statistics (C,): T, or McNemar's z of shares; NaN where not tested.
    df: degrees of freedom of all; None for shares.
    p, p_stepdown (C,): against differences of 0; of a one-sided plan against 0 or less. 1 for no
        difference at all; NaN where undefined.
    n: B.
    """

    differences: FloatArray
    errors: FloatArray
    tested: BoolArray
    lower: FloatArray
    upper: FloatArray
    statistics: FloatArray
    df: float | None
    p: FloatArray
    p_stepdown: FloatArray
    n: int


def against(evidence: Influences, other: int, plan: Plan) -> Simultaneous:
    """Compare all configurations with one of them by max-T.

    The bounds of a one-sided plan are two statements, each at its level.

    Time O(B U C); memory O(U C).
    """
    differences = evidence.gains - evidence.gains[other]
    errors = evidence.errors_against(other)
    none = (errors == 0) & same(differences, evidence.gains)
    tested = errors > 0
    columns = np.flatnonzero(tested)
    weights = evidence.weights(lambda values: values - evidence.influence[:, [other]])
    statistics, lower, upper, p, p_stepdown = np.full((5, len(errors)), np.nan)
    statistics[columns] = scores(evidence, differences[columns] / errors[columns])
    lower[none], upper[none], p[none], p_stepdown[none] = 0.0, 0.0, 1.0, 1.0
    if len(columns):
        tested_by = np.abs(statistics) if plan.side is Side.TWO else statistics
        order = columns[np.argsort(-tested_by[columns], kind="stable")]
        above, below, counts = _maxima(evidence, other, plan, order, errors, weights, tested_by)
        down, up = (reach(evidence, critical(side, plan.level)) for side in (above, below))
        lower[columns] = differences[columns] - down * errors[columns]
        upper[columns] = differences[columns] + up * errors[columns]
        p[columns] = share_reaching(above, tested_by[columns])
        p_stepdown[order] = np.maximum.accumulate((1 + counts) / (len(above) + 1))
    width = evidence.metric.bounds[1] - evidence.metric.bounds[0]
    return Simultaneous(
        np.where(none, 0.0, differences),
        errors,
        tested,
        np.maximum(lower, -width),
        np.minimum(upper, width),
        statistics,
        None if evidence.shares else evidence.df_of(weights),
        p,
        p_stepdown,
        checked_draws(plan),
    )


def _maxima(
    evidence: Influences,
    other: int,
    plan: Plan,
    order: IntArray,
    errors: FloatArray,
    weights: FloatArray,
    statistics: FloatArray,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Maxima (B,) of the draws and of their negatives, or of both; how often each is reached."""

    def reduce(drawn: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
        scaled = (drawn[:, order] - drawn[:, [other]]) / errors[order]
        below = -scaled.min(axis=1)
        if plan.side is Side.TWO:
            scaled = np.abs(scaled)
            below = scaled.max(axis=1)
        # the maximum over a step and all smaller ones
        running = np.maximum.accumulate(scaled[:, ::-1], axis=1)[:, ::-1]
        reached = (running >= statistics[order]).sum(axis=0)
        return running[:, 0], below, reached

    above, below, reached = zip(*over_draws(evidence, plan, weights, reduce), strict=True)
    return np.concatenate(above), np.concatenate(below), np.sum(reached, axis=0)


def max_t(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Pairwise:
    """Return a function that adjusts p-values for all pairs of columns together.

    The p-value of a pair is (1 + the number of draws whose largest |D_a - D_b| / se_ab over all
    pairs reaches |T_ab|) / (B + 1). Correlated pairs, such as those that share a configuration,
    cost less than with Holm. It is 1 for a difference of 0 on every sample, and None where
    undefined, or for the same difference other than 0 on every sample.

    Raises UnsupportedError, UndefinedError: when called: as `evidence_of`.
    Source: Westfall & Young 1993, single-step max-T.
    """

    def adjust(pairs: Sequence[tuple[int, int]]) -> list[float | None]:
        evidence = evidence_of(matrix, metric, plan)
        first, second = np.array(pairs).T
        errors = np.array([evidence.errors_against(b)[a] for a, b in pairs])
        differences = evidence.gains[first] - evidence.gains[second]
        none = (errors == 0) & same(differences, evidence.gains[first])
        tested = errors > 0
        p = np.where(none, 1.0, np.nan)
        if tested.any():
            ours, theirs, scale = first[tested], second[tested], errors[tested]
            apart = evidence.influence[:, ours] - evidence.influence[:, theirs]
            weights = evidence.weights(lambda _: apart)

            def largest(drawn: FloatArray) -> FloatArray:
                return np.asarray((np.abs(drawn[:, ours] - drawn[:, theirs]) / scale).max(axis=1))

            maxima = np.concatenate(list(over_draws(evidence, plan, weights, largest)))
            p[tested] = share_reaching(
                maxima, scores(evidence, np.abs(differences[tested]) / scale)
            )
        return [None if np.isnan(value) else float(value) for value in p]

    return adjust
