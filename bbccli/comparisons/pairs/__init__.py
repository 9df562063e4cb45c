"""Tests of configurations that were named beforehand: several tests on several pairs.

There is a file per kind of data; p-values are adjusted for the number of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from bbccli.comparisons.adjustment import adjusted_p, with_adjusted
from bbccli.comparisons.baseline import position_of
from bbccli.comparisons.pairs import (
    bayes,
    delong_wald,
    over_folds,
    permutation_and_bootstrap,
    right_or_wrong,
)
from bbccli.comparisons.pairs.base import PairCase, PairTest
from bbccli.comparisons.records import Comparison
from bbccli.comparisons.simultaneous import Pairwise
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import OptionError, UndefinedError, UnsupportedError, parameter
from bbccli.metrics import Metric, choose_metric
from bbccli.notes import Note
from bbccli.notes.comparisons import selected_pair, test_left_out
from bbccli.platform.arguments import ALL, as_list, choice, entry, real, with_all
from bbccli.platform.resources import Progress, silent
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Adjustment, Pooling

__all__ = ["ALL", "TESTS", "compare_pairs"]

MODULES = (right_or_wrong, delong_wald, permutation_and_bootstrap, over_folds, bayes)
"""In this order the tests are listed, and documented by the docstrings of their modules."""

TESTS: dict[str, PairTest] = {test.name: test for module in MODULES for test in module.TESTS}

DEFAULTS = ("mcnemar", "delong", "wald")
"""The first of these that fits is the default: `mcnemar` for shares of samples, `delong` for the
AUC, `wald` for the rest, and where these do not take groups, weights or repeats."""


def default_test(case: PairCase) -> PairTest:
    """Return the test that is run by default.

    Raises OptionError: not two different configurations.
    """
    *others, whatever = (TESTS[name] for name in DEFAULTS)
    for test in others:
        try:
            test.check(test.prepared(case))
        except (UnsupportedError, UndefinedError):
            continue
        return test
    return whatever


def compare_pairs(
    matrix: PredictionMatrix,
    metric: Metric | str,
    plan: Plan,
    pairs: Sequence[Sequence[str]],
    tests: str | PairTest | Sequence[str | PairTest] | None = None,
    *,
    rope: float = 0.0,
    adjust: Adjustment | str = Adjustment.HOLM,
    max_t: Pairwise | None = None,
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
    requested, rope = as_list(tests), real(rope, "rope")
    by_name = bool(requested) and ALL not in requested
    names = with_all(requested, TESTS)
    chosen = list(dict.fromkeys(entry(TESTS, name, "test", PairTest) for name in names))
    named = [_columns(matrix, names) for names in pairs]
    couples = list(dict.fromkeys(pair for columns in named for pair in combinations(columns, 2)))
    everyone = tuple(dict.fromkeys(c for columns in named for c in columns))
    if not couples:
        raise OptionError("no pair of configurations to compare", hint="name two configurations")
    _check_max_t(chosen, adjust, max_t, by_name=by_name)
    two, several = ([t for t in chosen if t.several is of_several] for of_several in (False, True))
    comparisons: list[Comparison] = []
    left_out: dict[str, Note] = {}
    for columns, fitting in [*((couple, two) for couple in couples), (everyone, several)]:
        case = PairCase(matrix, metric, plan, columns, rope, progress=progress)
        if not chosen and fitting is two:
            comparisons.append(_default(case))
        for test in fitting:
            try:
                comparisons.append(test.run(case))
            except (UndefinedError, UnsupportedError) as error:
                if by_name:
                    raise
                left_out[test.name] = test_left_out(test.name, *error.told())
    if not comparisons:
        note = left_out["wald"]  # which takes every metric
        raise UndefinedError(f"no test can be run: {note.text}", hint=note.remedy)
    if adjust is not Adjustment.NONE and len(couples) > 1:
        comparisons = _adjusted(comparisons, couples, plan, adjust, max_t)
    return comparisons, [*_on_selection(matrix, metric, plan, everyone), *left_out.values()]


def _default(case: PairCase) -> Comparison:
    """Run the default test, and the bootstrap where Wald's test has no p-value."""
    test = default_test(case)
    result = test.run(case)
    undefined = result.p is None and test.name == "wald"
    return TESTS["bootstrap"].run(case) if undefined else result


def _columns(matrix: PredictionMatrix, names: Sequence[str]) -> tuple[int, ...]:
    columns = tuple(position_of(matrix, name) for name in names)
    if len(columns) < 2 or len(set(columns)) < len(columns):
        raise OptionError(
            f"a comparison takes two different configurations, not {' and '.join(names) or 'none'}",
            hint="name two configurations",
        )
    return columns


def _check_max_t(
    tests: Sequence[PairTest], adjust: Adjustment, max_t: Pairwise | None, *, by_name: bool
) -> None:
    if adjust is not Adjustment.MAX_T:
        return
    others = [test.name for test in tests if not test.of_influence]
    if max_t is None or (by_name and others):
        raise UnsupportedError(
            "max-t adjusts statistics of influence values"
            + (f", and {others[0]} is none" if others else ""),
            hint=f"{parameter('test', 'wald')}, or {parameter('adjust', 'holm')}",
        )


def _adjusted(
    comparisons: list[Comparison],
    couples: Sequence[tuple[int, ...]],
    plan: Plan,
    adjust: Adjustment,
    max_t: Pairwise | None,
) -> list[Comparison]:
    """Adjust the p-values and verdicts of each test for the number of pairs."""
    done = list(comparisons)
    for name in dict.fromkeys(comparison.test for comparison in comparisons):
        places = [i for i, comparison in enumerate(comparisons) if comparison.test == name]
        if TESTS[name].several:
            continue
        if adjust is not Adjustment.MAX_T:
            places = [i for i in places if comparisons[i].p is not None]
            values: Sequence[float | None] = adjusted_p([comparisons[i].p for i in places], adjust)
        elif max_t is not None and TESTS[name].of_influence:
            values = max_t([(a, b) for a, b in couples])
        else:
            continue
        for i, p in zip(places, values, strict=True):
            sign = comparisons[i].difference
            done[i] = with_adjusted(comparisons[i], p, adjust, plan.level, sign)
    return done


def _on_selection(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, named: tuple[int, ...]
) -> list[Note]:
    """Return a note where the best of the other configurations is compared too."""
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
