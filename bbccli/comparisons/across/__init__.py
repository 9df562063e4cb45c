"""Families compared over several data sets: ranks, and tests of them."""

from bbccli.comparisons.across.base import AcrossTest
from bbccli.comparisons.across.registry import DEFAULTS, TESTS, choose_tests
from bbccli.comparisons.across.run import ALL, compare_across
from bbccli.comparisons.across.table import Table

__all__ = ["ALL", "DEFAULTS", "TESTS", "AcrossTest", "Table", "choose_tests", "compare_across"]
