"""The figure of an opened model on sealed rows, and what each opening showed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, sqrt

import numpy as np

from bbccli.domain.choices import IntervalKind
from bbccli.domain.matrix import PredictionMatrix, Vault
from bbccli.domain.plan import MOST_RESAMPLES, Plan
from bbccli.domain.vault import outside_of
from bbccli.errors import UndefinedError
from bbccli.metrics import Metric, metric_named
from bbccli.metrics.capped import with_plan
from bbccli.metrics.ranking import AUC
from bbccli.notes.intervals import no_interval
from bbccli.stats.bootstrap.bbc_samples import of_winner
from bbccli.stats.case import Answer, Case
from bbccli.stats.influence import auc_influence_in, auc_variance
from bbccli.stats.intervals.ends import Ends, clopper_pearson
from bbccli.stats.selection.candidates import by_repeat
from bbccli.stats.selection.pooling import mean_behind
from bbccli.stats.selection.units import units_of
from bbccli.types import Direction, Interval, Pooling, Side, distinct

TAIL = 20
"""Resamples wanted beyond the ends of a percentile interval."""


def figure_of(matrix: PredictionMatrix, metric: Metric, plan: Plan, outside: float) -> Answer:
    """Return the figure of an opened model on sealed rows; its interval misses with a probability
    `outside`.

    Shares of samples: Clopper and Pearson's interval. The AUC: DeLong's on the logit scale. Other
    metrics, weights, repeats and shares of samples in groups: percentiles of drawn rows. The
    level of the interval is the plan's: that of all openings together.
    """
    asked = plan.level
    plan = replace(
        plan,
        level=1 - max(outside, 2.0**-53),
        interval=IntervalKind.PERCENTILE,
        n_resamples=max(plan.n_resamples, ceil(min(TAIL / outside, MOST_RESAMPLES))),
        tolerance=None,
        pooling=Pooling.POOLED,
        selection=None,
    )
    metric = with_plan(metric, plan)
    case = Case(matrix, metric, metric, plan, "vault")
    value, ends = case.choice.naive, _ends(case)
    if ends is None and outside * MOST_RESAMPLES < TAIL:
        few = no_interval("vault", f"too many openings leave a miss of {outside:.1g} for it")
        return Answer(value, notes=(few,))
    if ends is None:
        drawn = of_winner(case)
        interval = drawn.interval and replace(drawn.interval, level=asked)
        return replace(drawn, value=value, interval=interval)
    side = plan.side_of(metric.direction)
    lower, upper = ends(outside / 2 if side is Side.TWO else outside)
    low, high = case.bounded.bounds
    lower, upper = (low if side is Side.UPPER else lower), (high if side is Side.LOWER else upper)
    return Answer(value, Interval(lower, upper, asked, side))


def _ends(case: Case) -> Ends | None:
    """Return a formula for the ends of the interval, if there is one."""
    matrix, metric = case.matrix, case.metric
    if matrix.outcome.weights is not None or matrix.n_repeats > 1:
        return None
    (scorer,) = by_repeat(matrix, metric, np.array([0]))
    mean, value = mean_behind(scorer), case.choice.naive
    if metric.name == AUC.name:
        return _of_auc(case)
    if mean is None or not mean.share or matrix.groups is not None:
        return None
    n_rows = matrix.n_predicted(0) or matrix.n_samples
    return lambda outside: clopper_pearson(value, n_rows, outside)


def _of_auc(case: Case) -> Ends:
    """Return DeLong's ends on the logit scale; at 0 and 1 those of the pairs that share no unit."""
    from scipy.special import expit, logit, ndtri

    matrix, area = case.matrix, case.choice.naive
    positive, negative = (matrix.outcome.values == k for k in (1, 0))
    units = units_of(matrix)
    fewest = min(len(distinct(units[rows])) for rows in (positive, negative))
    rows = np.ones(matrix.n_samples, bool)
    variance = auc_variance(auc_influence_in(matrix, 0, rows), positive, negative, matrix.groups)
    if np.isnan(variance):
        raise UndefinedError(
            "the sealed rows hold a single sample of a class",
            hint="seal a larger share, or use a metric without classes",
        )
    if area in (0.0, 1.0):
        return lambda outside: clopper_pearson(area, fewest, outside)
    spread = sqrt(variance) / (area * (1 - area))

    def ends(outside: float) -> tuple[float, float]:
        reach = -float(ndtri(outside)) * spread
        return float(expit(logit(area) - reach)), float(expit(logit(area) + reach))

    return ends


def reaches(answer: Answer, reach: float, direction: Direction) -> bool:
    """True if the pessimistic end of an interval is at least as good as `reach`."""
    if answer.interval is None:
        return False
    lower = direction.pessimistic() is Side.LOWER
    end = answer.interval.lower if lower else answer.interval.upper
    return bool(direction.gain(end, reach) >= 0)


def shown_by(vault: Vault) -> list[bool]:
    """Return for each opening whether its figure was shown; else "not yet" was said."""
    shown: list[bool] = []
    for opening in vault.openings:
        passed = opening.passed
        if opening.reach is not None and opening.matrix is not None:
            metric = metric_named(opening.metric)
            answer = figure_of(
                opening.matrix, metric, Plan(), miss_of_next(vault, shown, 1 - opening.level)
            )
            passed = reaches(answer, opening.reach, metric.direction)
        shown.append(passed)
    return shown


def miss_of_next(vault: Vault, shown: Sequence[bool], outside: float) -> float:
    """Return the probability of a miss that is left for the opening that follows those `shown`."""
    more = [*shown, True]
    return outside_of(len(more), more, vault.planned, vault.n_samples, outside)
