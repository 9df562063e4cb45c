"""Tests of configurations that were named beforehand, a file per test or family of them."""

from bbccli.comparisons.pairs.base import PairTest
from bbccli.comparisons.pairs.case import PairAnswer, PairCase
from bbccli.comparisons.pairs.needs import Need
from bbccli.comparisons.pairs.registry import DEFAULTS, TESTS, choose_tests, default_test
from bbccli.comparisons.pairs.run import ALL, compare_pairs

__all__ = [
    "ALL",
    "DEFAULTS",
    "TESTS",
    "Need",
    "PairAnswer",
    "PairCase",
    "PairTest",
    "choose_tests",
    "compare_pairs",
    "default_test",
]
