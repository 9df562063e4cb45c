"""Tests of configurations that were named beforehand, a file per kind of data that they look at."""

from bbccli.comparisons.pairs.base import Need, PairCase, PairTest
from bbccli.comparisons.pairs.run import (
    ALL,
    DEFAULTS,
    TESTS,
    choose_tests,
    compare_pairs,
    default_test,
)

__all__ = [
    "ALL",
    "DEFAULTS",
    "TESTS",
    "Need",
    "PairCase",
    "PairTest",
    "choose_tests",
    "compare_pairs",
    "default_test",
]
