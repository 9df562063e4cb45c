"""Tests of configurations that were named beforehand, a file per kind of data that they look at."""

from bbccli.comparisons.pairs.run import ALL, TESTS, compare_pairs

__all__ = ["ALL", "TESTS", "compare_pairs"]
