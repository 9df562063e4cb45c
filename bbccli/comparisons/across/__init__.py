"""Families compared over several data sets: ranks, and tests of them."""

from bbccli.comparisons.across.run import TESTS, compare_across, performances_of

__all__ = ["TESTS", "compare_across", "performances_of"]
