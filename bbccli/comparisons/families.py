"""Compare families of configurations that each select their winner, or make a model of them.

1. Select the winner of each family on all samples. The observed difference favours the family that
   had more configurations to choose from.
2. The corrected difference is BBC of the difference: in each bag both families select, and both
   winners are scored on the same samples out of the bag.
3. Its interval comes from the resampled differences: percentiles, or `matched`, which is tighter
   and does not always keep its level. It gives the verdict on the two best families, as against a
   baseline.
4. With more than two families, verdicts on all pairs hold simultaneously, by max-T. With d_b the
   difference in resample b less its mean and s its standard deviation, s / √(e - 1) is the standard
   error of the pair, raised to the median over all pairs, because families whose leader was lucky
   look both better and steadier than they are; c is the quantile of the largest |d_b| / √(e - 1) in
   these standard errors. The interval is the corrected difference ∓ 1.05 c √((n - 1) / (n - c²))
   standard errors, of n units.

How tight an interval may be depends on how many configurations of a family are as good as its best
one, which the samples hardly show ([tables](../benchmarks/validation-tables.md#comparisons)).

Source: Tsamardinos et al. 2018, algorithm 5, of a difference; Efron 2014 (the infinitesimal
jackknife); Westfall & Young 1993 (max-T).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import e, sqrt

import numpy as np

from bbccli.comparisons.baseline import check_margin, position_of, verdict_of
from bbccli.comparisons.records import Comparison
from bbccli.comparisons.simultaneous import normal_to_t, normalised, share_reaching
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, parameter
from bbccli.methods import METHODS
from bbccli.methods.several import on_making
from bbccli.metrics import Metric, choose_metric
from bbccli.metrics.capped import with_plan
from bbccli.notes import Note, listing
from bbccli.notes.comparisons import further_families, unequal_budgets
from bbccli.platform.arguments import choice
from bbccli.stats.bootstrap.differences import (
    as_difference,
    corrected_difference,
    difference_at_size,
    jointly,
)
from bbccli.stats.case import Case
from bbccli.stats.selection.units import n_units_of, on_few_groups
from bbccli.types import Adjustment, Interval, Side

TEST = "bbc"

MOST_FAMILIES = 10
"""Families that are compared in pairs: the best of them."""

REGEX = "regex:"

CAUTION = 1.05
"""Factor of standard errors: in steps of 0.05 the least that holds in all settings of the study."""

OUTSIDE = sqrt(e - 1)
"""How much more means out of the bag spread than means over all rows."""


def between_families(
    matrix: PredictionMatrix,
    metric: Metric | str,
    plan: Plan,
    families: Mapping[str, Sequence[int]],
    margin: float = 0.0,
    adjust: Adjustment | str = Adjustment.MAX_T,
) -> tuple[Comparison, ...]:
    """Compare families of configurations in pairs: first the two best ones, as measured.

    Parameters
    ----------
    families
        Columns of the configurations of each, by its name; at least two, that share none.
    margin
        As of `against_baseline`.
    adjust
        `max-t`, or `none`: of more than two families, whether verdicts on all pairs hold at once.

    Returns
    -------
    tuple of Comparison
        Of at most the 10 best families all pairs, the better one first. A last note says if there
        are more.

    Raises
    ------
    OptionError
        Fewer than two families, an empty one, a configuration in two of them, or a margin as
        `against_baseline` refuses it.
    UndefinedError, UnsupportedError
        As BBC of each family.

    Notes
    -----
    Time O(B N C) in all for the families, as the selections of each are kept.
    """
    _check(matrix, families)
    metric = with_plan(choose_metric(metric, matrix), plan)
    check_margin(margin, metric, matrix.outcome)
    cases = {
        name: _case(matrix.of_configurations(np.asarray(columns)), metric, plan)
        for name, columns in families.items()
    }
    sign = metric.direction.sign
    best = sorted(cases, key=lambda name: -sign * cases[name].choice.naive)
    few = best[:MOST_FAMILIES]
    on_all = on_few_groups(matrix)
    if len(few) < len(best):
        on_all = (*on_all, further_families(len(few), len(best)))
    adjust = choice(Adjustment, adjust, "adjust")
    if adjust not in (Adjustment.MAX_T, Adjustment.NONE):
        raise OptionError(
            f"{parameter('adjust', str(adjust))} adjusts p-values, which families don't have",
            hint=f"give {parameter('adjust', 'max-t')} or none",
        )
    first, *others = (
        _compare(pair, (cases[pair[0]], cases[pair[1]]), margin, on_all)
        for pair in combinations(few, 2)
    )
    if adjust is Adjustment.NONE or not others:
        return first, *others
    return first, *_simultaneous(others, [cases[name] for name in few], margin)


def made_against(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, baseline: str | None, margin: float
) -> Comparison:
    """Compare what a plan makes of the configurations with a baseline, or the best single one.

    Both are chosen again in every resample, and scored on the same samples out of it; a baseline
    is used as it is.

    Raises OptionError: as `against_baseline`.
    Raises UndefinedError, UnsupportedError: as BBC of either, or nothing can be made.
    """
    check_margin(margin, metric, matrix.outcome)
    single = matrix
    if baseline is not None:
        single = matrix.of_configurations(np.array([position_of(matrix, baseline)]))
    first, second = _case(matrix, metric, plan), _case(single, metric, plan.single)
    maker = first.maker
    if maker is None or not maker.of_several:
        name, other = "the winner", "the winner as it is"
    else:
        of_tool = f"the {maker.called} that {maker.tool} deploys"
        name, other = f"the {plan.rule} ensemble", "the best single configuration"
        name = of_tool if maker.tool else name
    steps = [plan.calibrate and f"{plan.calibrate} calibration", plan.cut and "a tuned cut"]
    name += " with " * any(steps) + " and ".join(filter(None, steps))
    made = _compare((name, other if baseline is None else baseline), (first, second), margin, ())
    gain = difference_at_size(first, second)
    lower, upper = gain.interval.lower, gain.interval.upper
    return replace(
        made,
        second_selected=made.second_selected if baseline is None else None,
        corrected=gain.value,
        interval=gain.interval,
        verdict=verdict_of(lower, upper, margin),
        notes=(
            *(note for note in made.notes if note.code != unequal_budgets.code),
            *(on_making(matrix, maker) if maker else ()),
            *on_few_groups(matrix),
        ),
    )


def _case(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Case:
    return METHODS[TEST].case(matrix, metric, plan)


def _simultaneous(
    pairs: Sequence[Comparison], cases: Sequence[Case], margin: float
) -> Iterator[Comparison]:
    """Yield comparisons of pairs whose bounds, p-values and verdicts hold simultaneously."""
    gains, (first, second) = jointly(cases), np.triu_indices(len(cases), 1)
    drawn = gains[first] - gains[second]
    means, spreads = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    errors = np.where(spreads > 0, np.maximum(spreads, np.median(spreads)), 0.0) / OUTSIDE
    statistics = np.where(means, np.inf, 0.0)
    scaled, varies = np.zeros_like(drawn), errors > 0
    scaled[varies] = (drawn - means[:, None])[varies] / (OUTSIDE * errors[varies, None])
    errors *= CAUTION
    n, width = n_units_of(cases[0].matrix), as_difference(cases[0].metric).bounds[1]
    statistics[varies] = normalised(np.abs(means[varies]) / errors[varies], n)
    largest = np.abs(scaled).max(axis=0)
    c, p = float(np.quantile(largest, cases[0].plan.level)), share_reaching(largest, statistics)
    reaches = np.where(varies, normal_to_t(c, n), 0.0) * errors
    # the first pair keeps its own interval
    for k, pair in enumerate(pairs, start=1):
        ends = np.clip([means[k] - reaches[k], means[k] + reaches[k]], -width, width)
        lower, upper = ends.tolist()
        yield replace(
            pair,
            corrected=float(means[k]),
            interval=Interval(lower, upper, cases[0].plan.level, Side.TWO),
            bound=lower,
            bound_above=upper,
            p_adjusted=float(p[k]),
            adjustment=str(Adjustment.MAX_T),
            verdict=verdict_of(lower, upper, margin),
        )


def _compare(
    names: tuple[str, str], cases: tuple[Case, Case], margin: float, on_all: tuple[Note, ...]
) -> Comparison:
    """Compare two families, the better one as measured first."""
    first, second = cases
    corrected = corrected_difference(first, second)
    sizes = [(case.maker or case).matrix.n_configurations for case in cases]
    budgets = (unequal_budgets(*names, *sizes),) if sizes[0] != sizes[1] else ()
    lower, upper = corrected.interval.lower, corrected.interval.upper
    return Comparison(
        first=names[0],
        second=names[1],
        metric=first.metric.name,
        test=TEST,
        first_selected=_winner(first),
        second_selected=_winner(second),
        first_value=first.choice.naive,
        second_value=second.choice.naive,
        difference=float(first.metric.direction.gain(first.choice.naive, second.choice.naive)),
        corrected=corrected.value,
        interval=corrected.interval,
        n_units=n_units_of(first.matrix),
        verdict=verdict_of(lower, upper, margin),
        notes=budgets + corrected.notes + on_all,
    )


def _winner(case: Case) -> str:
    return case.matrix.configurations[case.choice.winner]


def families_by(matrix: PredictionMatrix, by: str) -> dict[str, tuple[int, ...]]:
    """Return the columns of each family, by its name.

    Parameters
    ----------
    by
        A key of the metadata's configurations, such as `family`; or ``regex:`` and an expression
        whose first group (or the whole, without groups) is the family in a configuration's name.

    Raises
    ------
    OptionError
        Not an expression, a configuration without a family, or fewer than two families.

    Examples
    --------
    >>> from bbccli import read
    >>> matrix = read("sample_data/progression.parquet")
    >>> list(families_by(matrix, "regex:^([a-z]+)"))[:3]
    ['logistic', 'svm', 'lda']
    """
    of_each = _by_expression(matrix, by) if by.startswith(REGEX) else _by_metadata(matrix, by)
    without = [n for n, family in zip(matrix.configurations, of_each, strict=True) if not family]
    if without:
        raise OptionError(
            f"{parameter('by', by)} gives no family of {listing(without)}",
            hint="a family for each configuration, or leave out those without",
        )
    families: dict[str, tuple[int, ...]] = {}
    for column, family in enumerate(of_each):
        families[family] = (*families.get(family, ()), column)
    if len(families) < 2:
        raise OptionError(
            f"{parameter('by', by)} puts all configurations into one family, {of_each[0]}",
            hint="another key of the metadata, or regex: with an expression",
        )
    return families


def _by_expression(matrix: PredictionMatrix, by: str) -> list[str]:
    try:
        expression = re.compile(by.removeprefix(REGEX))
    except (re.error, RecursionError, OverflowError) as error:
        raise OptionError(
            f"{parameter('by', by)} is not a regular expression: {error}",
            hint=r"for example regex:^(\S+)",
        ) from None
    matches = [expression.search(name) for name in matrix.configurations]
    group = min(expression.groups, 1)
    return ["" if match is None else match[group] or "" for match in matches]


def _by_metadata(matrix: PredictionMatrix, key: str) -> list[str]:
    entries = matrix.source.configurations
    by_name = {name: entry.get(key) for name, entry in entries.items()}
    if not any(value is not None for value in by_name.values()):
        keys = sorted({k for entry in entries.values() for k in entry} - {"id", "flags", "params"})
        there = f"there are {listing(keys)}; or " if keys else ""
        raise OptionError(
            f"{parameter('by', key)}: the metadata give no {key!r} of any configuration",
            hint=rf"{there}regex: with an expression, for example regex:^(\S+)",
        )
    families = [by_name.get(name) for name in matrix.configurations]
    return [str(value) if isinstance(value, str | int | float) else "" for value in families]


def _check(matrix: PredictionMatrix, families: Mapping[str, Sequence[int]]) -> None:
    if len(families) < 2 or not all(len(columns) for columns in families.values()):
        raise OptionError(
            "two families or more are compared, with a configuration each",
            hint="see the confidence set of the best with bbc compare FILE",
        )
    columns = [column for of_one in families.values() for column in of_one]
    twice = [column for column in dict.fromkeys(columns) if columns.count(column) > 1]
    if twice:
        names = [matrix.configurations[column] for column in twice]
        raise OptionError(
            f"in more than one family: {listing(names)}", hint="one family for each configuration"
        )


def with_families(
    matrix: PredictionMatrix, families: Mapping[str, Sequence[int]]
) -> PredictionMatrix:
    """Return the matrix whose metadata name the family of each configuration."""
    of_column = {column: name for name, columns in families.items() for column in columns}
    entries = matrix.source.configurations
    configs = [
        {**entries.get(name, {}), "id": name, "family": of_column[column]}
        for column, name in enumerate(matrix.configurations)
    ]
    metadata = {**matrix.source.metadata, "configs": configs}
    return replace(matrix, source=replace(matrix.source, metadata=metadata))
