"""Compare the winner, and every other configuration, with a baseline.

1. Select the winner on all samples as `cvt` does. The observed difference is its score less that of
   the baseline, with the sign that makes more better.
2. The corrected difference is BBC of the difference: in each bag select the winner, and score it
   and the baseline on the same samples out of the bag.
3. Its interval and the p-value are those of max-T over all configurations (`simultaneous`), so they
   hold for whichever is selected. If the estimate is outside, it is the end next to it.
4. The verdict is better if the interval is over the margin, not worse if it is -margin or more, and
   worse if it is under -margin.

A paired test of the winner alone says "better" in more than half of all studies in which no
configuration is ([tables](../benchmarks/validation-tables.md#comparisons)).

Source: Tsamardinos et al. 2018 (step 2); Westfall & Young 1993 (step 3).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bbccli.comparisons.influences import Influences, evidence_of
from bbccli.comparisons.records import Alternative, Comparison, Verdict
from bbccli.comparisons.simultaneous import Simultaneous, against, p_error
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, UndefinedError, nearest, parameter
from bbccli.metrics import Metric, choose_metric
from bbccli.metrics.capped import attainable, check_below_range, with_plan
from bbccli.notes import Note
from bbccli.notes.comparisons import no_influence, winner_is_baseline
from bbccli.notes.intervals import constant_difference
from bbccli.platform.arguments import real
from bbccli.platform.dataclass import dataclass
from bbccli.stats.bootstrap.differences import as_difference, corrected_difference
from bbccli.stats.case import Case
from bbccli.stats.selection import on_single
from bbccli.stats.selection.units import on_few_groups, on_losses
from bbccli.types import Direction, Interval, IntervalKind, Side

TEST = "max-t"
STEP_DOWN = "max-t step-down"


@dataclass(frozen=True, slots=True)
class AgainstBaseline:
    """The winner against a baseline, and every configuration against it.

    Attributes
    ----------
    winner
        With the corrected difference, and its interval.
    every
        All configurations but the baseline, in the order of the matrix. Nothing in them is
        corrected; bounds and p-values hold for all at once.
    """

    winner: Comparison
    every: tuple[Comparison, ...]


def against_baseline(
    matrix: PredictionMatrix, metric: Metric | str, plan: Plan, baseline: str, margin: float = 0.0
) -> AgainstBaseline:
    """Compare the winner, and every configuration, with a baseline.

    Parameters
    ----------
    baseline
        Name of a configuration.
    margin
        What a difference has to be over, in the unit of the metric; 0 or more.

    Raises
    ------
    OptionError
        No such configuration, too few resamples, or a margin that is negative, no number, or
        larger than any difference.
    UndefinedError
        A performance of the baseline that is undefined, or what BBC can't resample.
    UnsupportedError
        A metric without influence values.

    Notes
    -----
    Time O(B N C), and O(B U C) for the bounds.
    """
    other = position_of(matrix, baseline)
    metric = with_plan(choose_metric(metric, matrix), plan)
    check_margin(margin, metric, matrix.outcome)
    case = Case(matrix, metric, metric, plan, TEST)
    evidence = evidence_of(matrix, metric, plan)
    if not evidence.defined[other]:
        raise UndefinedError(
            f"{metric.label} of the baseline, {baseline}, is undefined, or is once a sample is "
            "left out",
            hint=f"another {parameter('metric')} or {parameter('baseline')}",
        )
    side, winner = plan.side_of(Direction.MAXIMIZE), case.choice.winner
    of_all = against(evidence, other, replace(plan, side=side))
    rows = [_row(evidence, of_all, c, other, margin, side) for c in range(len(evidence.names))]
    every = tuple(row for c, row in enumerate(rows) if c != other)
    about = case.choice.notes + on_single(matrix) + evidence.undefined + on_few_groups(matrix)
    about += on_losses(matrix, metric, winner)
    if winner == other:
        notes = (winner_is_baseline(baseline), *about)
        return AgainstBaseline(replace(rows[other], notes=notes), every)
    plain = replace(case, plan=replace(plan, interval=IntervalKind.PERCENTILE))
    corrected = corrected_difference(plain, plain.on(matrix.of_configurations(np.array([other]))))
    row, value, interval = rows[winner], corrected.value, None
    if row.bound is not None and row.bound_above is not None:
        interval = Interval(row.bound, row.bound_above, plan.level, side)
        value = min(max(value, interval.lower), interval.upper)
    notes = row.notes + corrected.notes + about
    return AgainstBaseline(replace(row, corrected=value, interval=interval, notes=notes), every)


def position_of(matrix: PredictionMatrix, name: str) -> int:
    """Return the column of a configuration.

    Raises OptionError: no configuration has this name; the hint gives a similar one.
    """
    if name not in matrix.configurations:
        raise OptionError(
            f"there is no configuration {name!r}",
            hint=nearest(name, matrix.configurations, "bbc leaderboard FILE lists them"),
        )
    return matrix.configurations.index(name)


def check_margin(margin: float, metric: Metric, outcome: Outcome) -> None:
    """Refuse a margin that is negative, not finite, or larger than any difference.

    Raises OptionError: it is.
    """
    if not 0 <= real(margin, "margin") < np.inf:
        raise OptionError(
            f"{parameter('margin')} is {margin:g}", hint="0 or more, in the unit of the metric"
        )
    check_below_range("margin", margin, metric.label, attainable(metric, outcome))


def verdict_of(lower: float | None, upper: float | None, margin: float) -> Verdict:
    """Return the verdict that bounds of a difference give against a margin.

    >>> [str(verdict_of(lower, lower + 0.1, 0.02)) for lower in (0.03, 0.0, -0.09, -0.2)]
    ['better', 'not-worse', 'not-shown', 'worse']
    """
    if lower is None or upper is None:
        return Verdict.UNDEFINED
    if lower > margin:
        return Verdict.BETTER
    if lower >= -margin:
        return Verdict.NOT_WORSE
    return Verdict.WORSE if upper < -margin else Verdict.NOT_SHOWN


def _row(
    evidence: Influences,
    of_all: Simultaneous,
    column: int,
    other: int,
    margin: float,
    side: Side,
) -> Comparison:
    """Compare one configuration with the baseline, with the simultaneous bounds."""
    sign, names = evidence.metric.direction.sign, evidence.names
    p, lower, upper = (_or_none(a[column]) for a in (of_all.p, of_all.lower, of_all.upper))
    width = as_difference(evidence.metric).bounds[1]
    if lower is not None and upper is not None and side is not Side.TWO:
        lower, upper = (lower, width) if side is Side.LOWER else (-width, upper)
    notes: tuple[Note, ...] = ()
    if not evidence.defined[column]:
        notes = (no_influence([names[column]], evidence.metric.label),)
    elif p is None:
        notes = (constant_difference([names[column]], names[other]),)
    return Comparison(
        first=names[column],
        second=names[other],
        metric=evidence.metric.name,
        test=TEST,
        first_value=_or_none(sign * evidence.gains[column]),
        second_value=float(sign * evidence.gains[other]),
        difference=_or_none(of_all.differences[column]),
        bound=lower,
        bound_above=upper,
        statistic=_or_none(of_all.statistics[column]),
        df=() if of_all.df is None else (of_all.df,),
        p=p,
        alternative=Alternative.TWO_SIDED if side is Side.TWO else Alternative.BETTER,
        p_adjusted=_or_none(of_all.p_stepdown[column]),
        adjustment=STEP_DOWN,
        error=None if p is None else p_error(p, of_all.n),
        n_units=evidence.n_units,
        verdict=verdict_of(lower, upper, margin),
        notes=notes,
    )


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
