"""Families compared over several data sets: ranks, and tests of them."""

from bbccli.comparisons.across.ranks import AcrossTest, Table
from bbccli.comparisons.across.run import (
    ALL,
    DEFAULTS,
    TESTS,
    choose_tests,
    compare_across,
    performances_of,
)

__all__ = [
    "ALL",
    "DEFAULTS",
    "TESTS",
    "AcrossTest",
    "Table",
    "choose_tests",
    "compare_across",
    "performances_of",
]
