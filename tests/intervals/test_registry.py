"""Every kind of interval is declared, and keeps the laws of all."""

from inspect import getmodule

import numpy as np
import pytest
from day import swept

from bbccli import METRICS, Plan
from bbccli.domain.estimate import Distribution
from bbccli.stats.intervals import INTERVALS, Basis, interval_of
from bbccli.types import IntervalKind, Side

AUC = METRICS["auc"]


def drawn(seed=0):
    values = np.random.default_rng(seed).beta(20, 4, 800)
    return Distribution(values, np.zeros(800, int), sizes=np.full(800, 22))


def found(kind, **plan):
    distribution = drawn()
    basis = Basis(distribution.mean(), 60, 60)
    return interval_of(distribution, AUC, Plan(interval=kind, **plan), basis)[0]


def test_each_kind_has_a_construction():
    assert list(INTERVALS) == list(IntervalKind)
    laws = [construction.law for construction in INTERVALS.values()]
    assert len(set(laws)) == len(laws)


@pytest.mark.parametrize("kind", INTERVALS)
def test_each_law_is_of_the_module_that_tells_of_it(kind):
    """`bbc explain` and docs/methods.md are made of that module's docstring."""
    assert getmodule(INTERVALS[kind].law).__name__ == f"bbccli.stats.intervals.{kind}"


@pytest.mark.parametrize("kind", INTERVALS)
@pytest.mark.parametrize("guard", [True, swept(False)])
class TestLaws:
    def test_it_holds_the_estimate_within_the_bounds(self, kind, guard):
        interval = found(kind, guard=guard)
        assert 0 <= interval.lower < drawn().mean() < interval.upper <= 1

    def test_a_higher_level_is_wider(self, kind, guard):
        narrow, wide = (found(kind, guard=guard, level=level) for level in (0.8, 0.95))
        assert wide.lower < narrow.lower
        assert narrow.upper < wide.upper

    def test_one_sided_intervals_end_at_the_bound(self, kind, guard):
        two = found(kind, guard=guard, level=0.9)
        below, above = (found(kind, guard=guard, side=side) for side in (Side.LOWER, Side.UPPER))
        assert (below.lower, below.upper) == (pytest.approx(two.lower), 1)
        assert (above.lower, above.upper) == (0, pytest.approx(two.upper))
