"""Rows that the search never saw: which are sealed, the figure of a model opened on them, what each
opening showed, and at which level it counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.choices import IntervalKind
from bbccli.domain.matrix import PredictionMatrix, Vault
from bbccli.domain.plan import MOST_RESAMPLES, Plan
from bbccli.errors import OptionError, UndefinedError, parameter
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
from bbccli.types import BoolArray, Direction, IntArray, Interval, Pooling, Side, distinct

FEWEST = 20
"""Sealed rows below which no figure is given: 80% right of 20 means .56 to .94."""

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


def outside_of(
    number: int, shown: Sequence[bool], planned: int, n_samples: int, outside: float
) -> float:
    """Return the probability of a miss that is left for an opening.

    While only "not yet" was said before, the search has one history, and each of the planned
    openings gets an equal part. Once a figure was shown, the search may follow it: the j-th
    opening has one model for each outcome of the earlier ones, (n + 1)^(j - 1) of them, and these
    share 2^-j of what is left.

    number: the opening, from 1.
    shown: of each opening so far, whether a figure was shown.
    planned, n_samples: as in `Vault`.
    outside: probability of a miss of all openings together.
    """
    if not any(shown[:-1]) and len(shown) <= planned:
        return outside / planned
    return float(outside * 0.5**number / (n_samples + 1.0) ** (number - 1))


LEAST = 50
"""Rows sealed at least, unless that is more than half: 60 rows that are 80% right mean .68 to .89.
"""

STRATA = 5
"""Strata of values, by their ranks."""


def sealed_rows(
    truth: NDArray[Any] | None,
    n_samples: int,
    share: float,
    groups: IntArray | None = None,
    *,
    seed: int = 0,
    option: str = "vault",
) -> BoolArray:
    """Return which of N rows (N,) are sealed: whole groups, of each class the same share.

    The same rows, share and seed always give the same ones, so that what is sealed once is sealed
    in every folder.

    truth (N,), optional: classes, or numbers, which are stratified by their ranks.
    option: what the share is called where it is given.
    Raises OptionError: fewer than 20 rows to seal.
    """
    if not 0 < share <= 0.5:
        problem = f"{parameter(option)} is {share:g}, not above 0 and at most 0.5"
        raise OptionError(problem, hint="such as 0.2")
    n_wanted = min(max(round(share * n_samples), LEAST), n_samples // 2)
    if n_wanted < FEWEST:
        raise OptionError(
            f"a vault needs {FEWEST} rows or more, at most half of all; there are {n_samples}",
            hint="with so few, repeat the search in outer folds (ncv) instead",
        )
    strata = _strata(truth, n_samples)
    units = np.arange(n_samples) if groups is None else np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(units)
    of_unit = np.zeros((len(sizes), int(strata.max()) + 1), np.int64)
    np.add.at(of_unit, (units, strata), 1)
    main, chosen = of_unit.argmax(axis=1), np.zeros(len(sizes), bool)
    order = np.random.default_rng(seed).permutation(len(sizes))
    for stratum in range(of_unit.shape[1]):
        ours = order[main[order] == stratum]
        ends = np.cumsum(sizes[ours])
        wanted = n_wanted / n_samples * sizes[ours].sum()
        chosen[ours[: np.searchsorted(ends, wanted + 0.5)]] = True
    lacking, staying = n_wanted - sizes[chosen].sum(), of_unit[~chosen].sum(axis=0)
    for unit in order[~chosen[order]]:  # what rounding and large groups left open
        if lacking <= 0:
            break
        inside = of_unit[unit]
        if sizes[unit] <= lacking and (staying > inside)[inside > 0].all():
            chosen[unit] = True
            lacking, staying = lacking - sizes[unit], staying - inside
    sealed = chosen[units]
    if sealed.sum() < FEWEST:
        raise OptionError(
            f"whole groups leave {int(sealed.sum())} rows for the vault, fewer than {FEWEST}",
            hint="a larger share, or smaller groups",
        )
    return np.asarray(sealed)


def _strata(truth: NDArray[Any] | None, n_samples: int) -> IntArray:
    """Return the stratum of each row (N,)."""
    if truth is None:
        return np.zeros(n_samples, np.int64)
    if truth.dtype.kind != "f":
        return np.asarray(np.unique(truth, return_inverse=True)[1])
    ranks = np.argsort(np.argsort(truth, kind="stable"), kind="stable")
    return np.asarray(ranks * STRATA // n_samples)
