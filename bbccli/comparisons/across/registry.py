"""The registry of tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.comparisons.across import friedman, nemenyi, wilcoxon
from bbccli.comparisons.across.base import AcrossTest
from bbccli.errors import OptionError, nearest

MODULES = (friedman, wilcoxon, nemenyi)
"""In this order the tests are listed, and documented by the docstrings of their modules."""

TESTS: dict[str, AcrossTest] = {test.name: test for module in MODULES for test in module.TESTS}

DEFAULTS = ("friedman", "iman-davenport", "wilcoxon")


def choose_tests(names: Sequence[str]) -> list[AcrossTest]:
    """Return the tests of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No test over data sets has that name.
    """
    for name in names:
        if name not in TESTS:
            raise OptionError(f"no test over data sets named {name!r}", hint=nearest(name, TESTS))
    return [TESTS[name] for name in dict.fromkeys(names)]
