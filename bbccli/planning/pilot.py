"""The basis that a pilot gives: a two-way table of what each row does to each configuration.

1. L_ij is the influence of unit i on configuration j: of a mean of losses the loss less the mean,
   of an AUC the placement less the AUC. Rows, or groups of rows, are units; those of a metric of
   pairs are in strata by class.
2. r_ij = L_ij less its mean over the configurations. The noise of the performances relative to each
   other is s^2 = sum over j of var(r_.j) / (C - 1), where var() is that of a mean over the units.
   Of a mean of losses that is MSAB / N, the residual mean square of rows x configurations over N.
3. The true spread is tau^2 = max(var(m) - s^2, 0), with the performances m.
4. The best quarter of the configurations, at least three, gives its own s, and so does the best
   tenth, for the lower figure of the optimism. The spread of the best quarter is told by the slope
   of its sorted performances on normal scores, less its noise: where the performances have a long
   tail of failures, it is less than that of all.
5. sigma^2 is the mean over the best quarter of the variances of single performances. Its ratio to
   s^2 of the same gives the correlation.
6. The winner's true performance is anchored at the corrected figures of the pilot: what the best of
   c configurations is worth by BBC (the cost of the search), up to C; beyond C the last of them.

Source: steps 1 to 3 are a two-way analysis of variance, one observation per cell and random effects
(Searle, Casella & McCulloch 1992, chapter 4), of influence values (Efron & Tibshirani 1993, chapter
11). Steps 4 to 6 are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, replace
from math import ceil, sqrt

import numpy as np

from bbccli.comparisons.evidence import Influences, evidence_of
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.plan import Plan
from bbccli.core.results import SearchCost
from bbccli.errors import UndefinedError
from bbccli.metrics.base import Metric
from bbccli.metrics.planned import attainable, planned
from bbccli.planning.basis import Chance, PlanBasis, reached, width_of
from bbccli.stats.bootstrap.search_cost import search_cost
from bbccli.stats.case import Case
from bbccli.types import FloatArray, IntArray, Task

NEAR = 2.0
"""Standard errors from the best value within which a performance is nearly perfect."""

LEAST_BEST = 3
"""Configurations that are the best quarter or tenth, at least."""

BLOM = 0.375


def of_pilot(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> PlanBasis:
    """Return the basis that a matrix gives, under a metric.

    Raises
    ------
    UnsupportedError
        A metric that jumps: it has no influence values.
    UndefinedError
        A single configuration, or one that alone is defined; what BBC or the influence lack.
    """
    found = evidence_of(matrix, metric, plan)
    known = np.flatnonzero(found.defined)
    if len(known) < 2:
        raise UndefinedError(
            f"a pilot of {len(known)} configuration whose {metric.label} varies tells nothing of "
            "the others",
            hint="a pilot of at least two configurations; or --expected without a file",
        )
    selector = planned(metric, plan)
    cost = search_cost(Case(matrix, selector, selector, plan))
    basis = basis_of(found.take(known), matrix.n_samples, cost, plan.level)
    basis = replace(basis, bounds=attainable(selector, matrix.outcome))
    if metric.of_pairs and matrix.task is Task.BINARY:
        return replace(basis, prevalence=float(np.mean(matrix.outcome.values)))
    return basis


def basis_of(found: Influences, n_samples: int, cost: SearchCost, level: float) -> PlanBasis:
    """Return the basis of performances and influences, and of the corrected figures."""
    order = np.argsort(-found.gains, kind="stable")
    best, top = (order[: max(ceil(len(order) / n), LEAST_BEST)] for n in (4, 10))
    noise, of_best, at_top = (noise_among(found, columns) for columns in (order, best, top))
    error = sqrt(float(found.variances[best].mean())) or sqrt(float(found.variances.mean()))
    spread = sqrt(max(float(found.gains.var(ddof=1)) - noise**2, 0.0))
    spread_of_best = sqrt(max(_slope(found.gains[order], len(best)) ** 2 - of_best**2, 0.0))
    width = width_of(error, level)
    metric, sign = found.metric, found.metric.direction.sign
    gains = found.gains[order]
    perfect = max(sign * bound for bound in metric.bounds)
    near = bool(perfect - gains[: len(best)].mean() < NEAR * error)
    return PlanBasis(
        metric=metric.name,
        direction=metric.direction,
        bounds=metric.bounds,
        n_samples=n_samples,
        n_configurations=len(order),
        chance=_by_root(Chance(noise, of_best, at_top, error, width), n_samples),
        spread=spread,
        spread_of_best=spread_of_best,
        level=_anchored(cost, sign, spread_of_best, of_best),
        expected=sign * cost.corrected[-1],
        correlation=max(1 - of_best**2 / error**2, 0.0) if error else 0.0,
        near_perfect=near,
        most_optimism=float(gains[0] - np.median(gains)) if near else np.inf,
        least_samples=max(ceil(2 * n_samples / (int(found.df.min()) + 1)), 10),
    )


def noise_among(found: Influences, columns: IntArray) -> float:
    """Return s of some configurations (C',): chance in a performance relative to the others.

    Examples
    --------
    >>> from bbccli import METRICS, Plan, read
    >>> matrix = read("sample_data/digits.parquet")
    >>> found = evidence_of(matrix, METRICS["accuracy"], Plan())
    >>> round(noise_among(found, np.arange(found.n_configurations)), 4)
    0.0126
    """
    mean = found.influence[:, columns].mean(axis=1) * found.scale
    # the squares about the mean are those of all less those of the mean
    total = float(found.variances[columns].sum()) - len(columns) * float(mean @ mean)
    return sqrt(max(total, 0.0) / (len(columns) - 1))


def _by_root(chance: Chance, n_samples: int) -> Callable[[float], Chance]:
    """Chance in N rows, scaled from that in the rows of the pilot."""

    def of_rows(n: float) -> Chance:
        share = sqrt(n_samples / n)
        return Chance(*(share * value for value in astuple(chance)))

    return of_rows


def _slope(gains: FloatArray, n_best: int) -> float:
    """Slope of the best of sorted gains (C,), highest first, on normal scores."""
    from scipy.special import ndtri

    count = len(gains)
    scores = -ndtri((np.arange(1, n_best + 1) - BLOM) / (count + 1 - 2 * BLOM))
    centred = scores - scores.mean()
    return float(centred @ gains[:n_best] / (centred @ centred))


def _anchored(cost: SearchCost, sign: int, spread: float, noise: float) -> Callable[[float], float]:
    """Level of C configurations, by the corrected figures of a search of the pilot's size."""
    counts, figures = np.array(cost.counts), sign * np.array(cost.corrected)

    def level(n_configurations: float) -> float:
        known = min(n_configurations, float(counts[-1]))
        return float(np.interp(known, counts, figures)) - reached(spread, noise, known)

    return level
