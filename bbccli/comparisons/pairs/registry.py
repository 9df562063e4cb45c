"""The registry of tests of fixed configurations, and which is the default."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.arguments import as_list, entry
from bbccli.comparisons.pairs import (
    bayes,
    bootstrap,
    delong,
    five_by_two,
    mcnemar,
    permutation,
    proportions,
    several,
    student,
    wald,
)
from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairCase
from bbccli.errors import UndefinedError, UnsupportedError

MODULES = (
    mcnemar,
    proportions,
    several,
    delong,
    wald,
    permutation,
    bootstrap,
    student,
    five_by_two,
    bayes,
)
"""In this order the tests are listed, and documented by the docstrings of their modules."""

TESTS: dict[str, PairTest] = {test.name: test for module in MODULES for test in module.TESTS}

DEFAULTS = ("mcnemar", "delong", "wald")
"""The first of these that fits is the default: `mcnemar` for shares of samples, `delong` for the
AUC, `wald` for the rest, and where these do not take groups, weights or repeats."""

WHERE_WALD_IS_UNDEFINED = "bootstrap"


def default_test(case: PairCase) -> PairTest:
    """Return the test that is run when none is named.

    Raises
    ------
    OptionError
        Not two different configurations.
    """
    *others, whatever = DEFAULTS
    for name in others:
        test = TESTS[name]
        try:
            test.check(test.prepared(case))
        except (UnsupportedError, UndefinedError):
            continue
        return test
    return TESTS[whatever]


def choose_tests(names: str | PairTest | Sequence[str | PairTest]) -> list[PairTest]:
    """Return the tests of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No test has that name.
    """
    return list(dict.fromkeys(entry(TESTS, name, "test", PairTest) for name in as_list(names)))
