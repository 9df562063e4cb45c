"""Several tests of several pairs on one matrix, adjusted for their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bbccli.arguments import as_list, choice, real
from bbccli.comparisons.adjustment import adjusted
from bbccli.comparisons.pairs.base import PairTest, verdict_of
from bbccli.comparisons.pairs.case import PairCase
from bbccli.comparisons.pairs.registry import (
    TESTS,
    WHERE_WALD_IS_UNDEFINED,
    choose_tests,
    default_test,
)
from bbccli.comparisons.records import Comparison
from bbccli.errors import OptionError, UndefinedError, UnsupportedError, nearest
from bbccli.matrix import PredictionMatrix
from bbccli.metrics import Metric, choose_metric
from bbccli.notes import Note, selected_pair, test_left_out
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.selection.candidates import candidates
from bbccli.types import Adjustment, Pooling

ALL = "all"
"""In place of names: every test that fits."""

MaxT = Callable[[Sequence[tuple[int, int]]], Sequence[float | None]]
"""Pairs of columns -> the p-values of their differences, adjusted for all of them together."""


def compare_pairs(
    matrix: PredictionMatrix,
    metric: Metric | str,
    plan: Plan,
    pairs: Sequence[Sequence[str]],
    tests: str | PairTest | Sequence[str | PairTest] | None = None,
    *,
    rope: float = 0.0,
    adjust: Adjustment | str = Adjustment.HOLM,
    max_t: MaxT | None = None,
    progress: Progress = silent,
) -> tuple[list[Comparison], list[Note]]:
    """Compare configurations that were named beforehand, pair by pair and test by test.

    Without tests the default is run (`default_test`; `bootstrap` where `wald` is undefined), and
    `all` runs every test: those that don't fit are left out, with a note that says why. Tests of
    several configurations compare all that the pairs name at once. p-values of one test are
    adjusted for the number of pairs.

    Parameters
    ----------
    pairs
        Names of configurations, two or more each; of more than two each pair of them is compared.
    rope
        For Bayesian tests: differences up to this count as none, >= 0.
    max_t
        What `Adjustment.MAX_T` adjusts by.

    Returns
    -------
    comparisons, notes
        Pair by pair, those of several last; and what to know of them all.

    Raises
    ------
    OptionError
        An unknown test or configuration, or pairs that are none.
    UndefinedError, UnsupportedError
        A test that was asked for by name does not fit, or none of all does.
    """
    metric, adjust = choose_metric(metric, matrix), choice(Adjustment, adjust, "adjust")
    asked, rope = as_list(tests), real(rope, "rope")
    by_name = bool(asked) and asked != [ALL]
    chosen = choose_tests(list(TESTS) if asked and not by_name else asked)
    named = [_columns(matrix, names) for names in pairs]
    couples = list(dict.fromkeys(pair for columns in named for pair in _couples(columns)))
    everyone = tuple(dict.fromkeys(c for columns in named for c in columns))
    if not couples:
        raise OptionError("no pair of configurations to compare", hint="name two configurations")
    _check_max_t(chosen, adjust, max_t, by_name=by_name)

    def case(columns: tuple[int, ...]) -> PairCase:
        return PairCase(matrix, metric, plan, columns, rope, progress=progress)

    found: list[Comparison] = []
    left_out: dict[str, Note] = {}
    for columns in couples:
        two = [test for test in chosen if not test.several]
        found += (
            _run(two, case(columns), left_out, raising=by_name)
            if chosen
            else _default(case(columns))
        )
    several = [test for test in chosen if test.several]
    found += _run(several, case(everyone), left_out, raising=by_name)
    if not found:
        note = left_out["wald"]  # which takes every metric
        raise UndefinedError(f"no test can be run: {note.text}", hint=note.remedy)
    found = _adjusted(found, couples, plan, adjust, max_t)
    return found, [*_on_selection(matrix, metric, plan, everyone), *left_out.values()]


def _run(
    tests: Sequence[PairTest], case: PairCase, left_out: dict[str, Note], *, raising: bool
) -> list[Comparison]:
    """Run some tests; those that do not fit raise, or are noted."""
    found = []
    for test in tests:
        try:
            found.append(test.run(case))
        except (UndefinedError, UnsupportedError) as error:
            if raising:
                raise
            left_out[test.name] = test_left_out(test.name, *error.told())
    return found


def _default(case: PairCase) -> list[Comparison]:
    """Run the default test, and the bootstrap where Wald's has no p-value."""
    test = default_test(case)
    found = test.run(case)
    if found.p is None and test.name == "wald":
        found = TESTS[WHERE_WALD_IS_UNDEFINED].run(case)
    return [found]


def _columns(matrix: PredictionMatrix, names: Sequence[str]) -> tuple[int, ...]:
    """Columns of some configurations."""
    for name in names:
        if name not in matrix.configurations:
            hint = nearest(name, matrix.configurations, "bbc leaderboard FILE lists them")
            raise OptionError(f"there is no configuration {name!r}", hint=hint)
    if len(names) < 2 or len(set(names)) < len(names):
        raise OptionError(
            f"a comparison takes two different configurations, not {' and '.join(names) or 'none'}",
            hint="name two configurations",
        )
    return tuple(matrix.configurations.index(name) for name in names)


def _couples(columns: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(first, second) for i, first in enumerate(columns) for second in columns[i + 1 :]]


def _check_max_t(
    tests: Sequence[PairTest], adjust: Adjustment, max_t: MaxT | None, *, by_name: bool
) -> None:
    if adjust is not Adjustment.MAX_T:
        return
    others = [test.name for test in tests if not test.of_influence]
    if max_t is None or (by_name and others):
        raise UnsupportedError(
            "max-t adjusts statistics of influence values"
            + (f", and {others[0]} is none" if others else ""),
            hint="--test wald, or --adjust holm",
        )


def _adjusted(
    found: list[Comparison],
    couples: Sequence[tuple[int, ...]],
    plan: Plan,
    adjust: Adjustment,
    max_t: MaxT | None,
) -> list[Comparison]:
    """Adjust the p-values of each test for the number of pairs; verdicts follow them."""
    if adjust is Adjustment.NONE or len(couples) < 2:
        return found
    done = list(found)
    for name in dict.fromkeys(one.test for one in found):
        places = [i for i, one in enumerate(found) if one.test == name and one.p is not None]
        if TESTS[name].several:
            continue
        if adjust is not Adjustment.MAX_T:
            values = adjusted([found[i].p for i in places], adjust)
        elif max_t is not None and TESTS[name].of_influence:
            of_pair = dict(zip(couples, max_t([(a, b) for a, b in couples]), strict=True))
            values = list(of_pair.values())
            places = [i for i, one in enumerate(found) if one.test == name]
        else:
            continue
        for i, p in zip(places, values, strict=True):
            done[i] = _with_adjusted(found[i], p, plan, adjust)
    return done


def _with_adjusted(one: Comparison, p: float | None, plan: Plan, adjust: Adjustment) -> Comparison:
    verdict = verdict_of(one.difference, p, 1 - plan.level)
    return replace(one, p_adjusted=p, adjustment=adjust.value, verdict=verdict)


def _on_selection(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, named: tuple[int, ...]
) -> list[Note]:
    """A note where the best of others too is among those that are compared."""
    if len(named) == matrix.n_configurations:
        return []
    try:
        values = candidates(matrix, metric, plan.pooling).performances()
    except (UndefinedError, UnsupportedError):
        values = candidates(matrix, metric, Pooling.POOLED).performances()
    best = int(metric.direction.best(values))
    if best not in named:
        return []
    return [selected_pair(matrix.configurations[best], matrix.n_configurations)]
