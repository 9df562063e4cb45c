"""The registry of tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.arguments import as_list, entry
from bbccli.comparisons.across import friedman, nemenyi, wilcoxon
from bbccli.comparisons.across.base import AcrossTest

MODULES = (friedman, wilcoxon, nemenyi)
"""In this order the tests are listed, and documented by the docstrings of their modules."""

TESTS: dict[str, AcrossTest] = {test.name: test for module in MODULES for test in module.TESTS}

DEFAULTS = ("friedman", "iman-davenport", "wilcoxon")


def choose_tests(names: str | AcrossTest | Sequence[str | AcrossTest]) -> list[AcrossTest]:
    """Return the tests of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No test over data sets has that name.
    """
    what = "test over data sets"
    return list(dict.fromkeys(entry(TESTS, name, what, AcrossTest) for name in as_list(names)))
