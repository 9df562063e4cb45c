"""Comparison of families over several data sets: ranks, their tests, and groups of equals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bbccli.comparisons.across import ranks
from bbccli.comparisons.across.ranks import AcrossTest, PerformanceTable
from bbccli.comparisons.adjustment import adjusted_p, with_adjusted
from bbccli.comparisons.records import Comparison, Contest, Ranks, Standing
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, UndefinedError, parameter
from bbccli.metrics import Metric, metric_named
from bbccli.metrics.capped import measuring, with_plan
from bbccli.notes.comparisons import incomplete_data_sets
from bbccli.platform.arguments import as_list, choice, entry, with_all
from bbccli.stats.bootstrap.bbc_samples import corrected
from bbccli.stats.case import Case
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Adjustment, BoolArray, FloatArray

__all__ = ["TESTS", "compare_across", "performances_of"]

TESTS: dict[str, AcrossTest] = {test.name: test for test in ranks.TESTS}

DEFAULTS = ("friedman", "iman-davenport", "wilcoxon")


def compare_across(
    performances: FloatArray,
    families: Sequence[str],
    data_sets: Sequence[str],
    metric: Metric | str,
    *,
    level: float = 0.95,
    tests: str | AcrossTest | Sequence[str | AcrossTest] | None = None,
    adjust: Adjustment | str = Adjustment.HOLM,
) -> Ranks:
    """Compare K families over D data sets.

    Parameters
    ----------
    performances : (D, K)
        In the metric's unit; NaN where a family has none. To be compared honestly, each should be
        corrected for the selection within the family.
    families, data_sets
        K and D names, all different.
    tests
        Names of tests, or `all`; those of `DEFAULTS` by default. The groups are those of the first
        test of pairs.
    adjust
        For the number of pairs; not of Nemenyi's p-values, which allow for it. Not `max-t`.

    Raises
    ------
    OptionError
        An unknown test, `max-t`, or fewer than two families.
    UndefinedError
        No data set has a performance of every family.
    """
    metric, level = metric_named(metric), Plan(level=level).level
    adjust, names = choice(Adjustment, adjust, "adjust"), as_list(tests) or list(DEFAULTS)
    if adjust is Adjustment.MAX_T:
        raise OptionError(
            "max-t does not adjust tests over data sets", hint=parameter("adjust", Adjustment.HOLM)
        )
    if len(families) < 2 or len(set(families)) < len(families):
        raise OptionError(
            "ranking needs two configurations, or families of them, with different names",
            hint=parameter("by", "family"),
        )
    kind, names = "test over data sets", with_all(names, TESTS)
    chosen = list(dict.fromkeys(entry(TESTS, name, kind, AcrossTest) for name in names))
    complete = _complete(performances)
    values = np.asarray(performances[complete], np.float64)
    table = PerformanceTable(values, tuple(families), metric.name, metric.direction, level)
    used, left_out = (
        tuple(name for name, here in zip(data_sets, complete, strict=True) if here == whole)
        for whole in (True, False)
    )
    pairs = [pair for test in chosen if not test.overall for pair in _of_pairs(test, table, adjust)]
    return Ranks(
        metric=metric.name,
        level=level,
        data_sets=used,
        left_out=left_out,
        standings=standings(table),
        overall=tuple(answer for test in chosen if test.overall for answer in test.answer(table)),
        pairs=tuple(pairs),
        contests=contests(table),
        groups=groups(table, pairs),
        critical_difference=ranks.critical_difference(table)
        if TESTS["nemenyi"] in chosen
        else None,
        notes=(incomplete_data_sets(left_out, len(complete)),) if left_out else (),
    )


def standings(table: PerformanceTable) -> tuple[Standing, ...]:
    """Return all families, the best mean rank first; those tied in their order."""
    mean_ranks, gains = table.ranks.mean(axis=0), table.gains
    wins = (gains == gains.max(axis=1, keepdims=True)).sum(axis=0)
    return tuple(
        Standing(table.families[k], float(mean_ranks[k]), float(table.means[k]), int(wins[k]))
        for k in np.argsort(mean_ranks, kind="stable")
    )


def contests(table: PerformanceTable) -> tuple[Contest, ...]:
    """Return the wins, ties and losses of each pair of families."""
    names, counts = table.families, []
    for i, j in table.pairs:
        signs = np.sign(table.differences(i, j))
        counts.append(Contest(names[i], names[j], *(int((signs == s).sum()) for s in (1, 0, -1))))
    return tuple(counts)


def groups(table: PerformanceTable, pairs: Sequence[Comparison]) -> tuple[tuple[str, ...], ...]:
    """Return the longest runs of families, by mean rank, in which no two differ.

    The first test of pairs decides, at the level of the table; a run of one is not a group.
    """
    alpha, names = 1 - table.level, [standing.family for standing in standings(table)]
    apart = set()
    for pair in pairs:
        p = pair.p if pair.p_adjusted is None else pair.p_adjusted
        if pair.test == pairs[0].test and p is not None and p <= alpha:
            apart.add(frozenset((pair.first, pair.second)))
    runs: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(names) if pairs else 0):
        stop = start + 1
        while stop < len(names) and not any(
            frozenset((names[i], names[stop])) in apart for i in range(start, stop)
        ):
            stop += 1
        if stop > end and stop - start > 1:
            runs.append(tuple(names[start:stop]))
        end = max(end, stop)
    return tuple(runs)


def _complete(performances: FloatArray) -> BoolArray:
    complete = np.asarray(np.isfinite(performances).all(axis=1))
    if not complete.any():
        raise UndefinedError(
            "no data set has a performance of every configuration, or family of them",
            hint=(
                f"use the same names in all files; {parameter('by')} puts configurations into "
                f"families, {parameter('exclude')} leaves out what only some files hold"
            ),
        )
    return complete


def _of_pairs(test: AcrossTest, table: PerformanceTable, adjust: Adjustment) -> list[Comparison]:
    """Run a test of pairs, and adjust its p-values and verdicts for their number."""
    pairs = test.answer(table)
    if test.adjusts or adjust is Adjustment.NONE or len(pairs) < 2:
        return pairs
    values = adjusted_p([pair.p for pair in pairs], adjust)
    return [
        with_adjusted(pair, p, adjust, table.level, pair.effect.value if pair.effect else None)
        for pair, p in zip(pairs, values, strict=True)
    ]


def performances_of(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    families: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, float]:
    """Return the performance of each family on one data set, by name; NaN where undefined.

    A family of several configurations gets its BBC estimate, the expected performance of its
    winner, because the largest of its figures would favour the family with the most configurations.
    A single configuration selects nothing, and keeps its performance as measured.

    families: columns of the configurations of each; without them every configuration is one.
    Raises UnsupportedError: a metric that does not fit.
    Source: Tsamardinos, Greasidou & Borboudakis 2018, algorithm 5.
    """
    metric = with_plan(metric, plan)
    if families is None:
        values = candidates(matrix, metric, measuring(metric, plan)).performances()
        return dict(zip(matrix.configurations, values.tolist(), strict=True))
    return {name: _of(matrix, metric, plan, columns) for name, columns in families.items()}


def _of(matrix: PredictionMatrix, metric: Metric, plan: Plan, columns: Sequence[int]) -> float:
    family = matrix.of_configurations(np.asarray(columns))
    try:
        if len(columns) == 1:
            return float(candidates(family, metric, measuring(metric, plan)).performances()[0])
        return corrected(Case(family, metric, metric, plan, "bbc")).value
    except UndefinedError:
        return float("nan")
