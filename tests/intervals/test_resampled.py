"""From a distribution to the interval that the plan asks for."""

import numpy as np
import pytest
from day import swept
from scipy.stats import beta

from bbccli import METRICS, Plan
from bbccli.domain.estimate import Distribution
from bbccli.stats.intervals import Basis, interval_of
from bbccli.stats.intervals.guard import Guarded
from bbccli.stats.intervals.matched import shrinkage
from bbccli.types import IntervalKind, Side

AUC, RMSE, R2 = (METRICS[name] for name in ("auc", "rmse", "r2"))


def distribution(size=1000, seed=0, **fields):
    values = np.random.default_rng(seed).beta(20, 2, size)
    return Distribution(values, np.zeros(size, int), **fields)


def perfect(size=1000):
    return Distribution(np.ones(size), np.zeros(size, int))


def codes_of_interval(*arguments):
    return [note.code for note in interval_of(*arguments)[2]]


@pytest.mark.parametrize("kind", IntervalKind)
def test_the_guard_counts_units_and_not_what_is_drawn(kind):
    """Of 500 samples drawn, ten tell of the recall."""
    plan = Plan(interval=kind, side=Side.LOWER)
    found = interval_of(perfect(), METRICS["recall"], plan, Basis(1.0, 10, 500))[0]
    assert found.lower == pytest.approx(beta(10.5, 0.5).ppf(0.05), abs=2e-3)
    assert found.lower == pytest.approx(0.829, abs=2e-3)


def test_the_guard_is_that_of_both_bounds():
    found = interval_of(distribution(), AUC, Plan(), Basis(0.9, 12, 400))[0]
    ends = [Guarded(distribution(), 12, b).quantile(p) for b, p in ((0.0, 0.025), (1.0, 0.975))]
    assert (found.lower, found.upper) == pytest.approx(ends, abs=1e-12)


def test_matched_shrinks_by_what_is_drawn():
    drawn = distribution(sizes=np.full(1000, 40))
    plan = Plan(interval=IntervalKind.MATCHED, guard=False)
    found = interval_of(drawn, AUC, plan, Basis(0.9, 10, 100))[0]
    wanted = 0.9 + shrinkage(drawn, 100) * (drawn.quantile(0.025) - drawn.mean())
    assert found.lower == pytest.approx(wanted, abs=1e-12)


class TestFewResamples:
    @pytest.mark.parametrize(
        ("side", "level", "least"),
        [
            (Side.TWO, 0.95, 40),
            swept(Side.TWO, 0.99, 200),
            swept(Side.TWO, 0.9, 20),
            swept(Side.LOWER, 0.95, 20),
            swept(Side.UPPER, 0.99, 100),
            swept(Side.PESSIMISTIC, 0.9, 10),
        ],
    )
    def test_to_the_last_one(self, side, level, least):
        """With `least` resamples L(1) is the order statistic meant, with one less it is not."""
        plan = Plan(side=side, level=level, guard=False)
        basis = Basis(0.9, 100, 100)
        assert codes_of_interval(distribution(least), AUC, plan, basis) == []
        assert codes_of_interval(distribution(least - 1), AUC, plan, basis) == ["few-resamples"]

    def test_ten_at_99_percent(self):
        plan = Plan(n_resamples=10, level=0.99, guard=False)
        found, _, (note,) = interval_of(distribution(10), AUC, plan, Basis(0.9, 100, 100))
        ends = distribution(10).values
        assert (found.lower, found.upper) == (ends.min(), ends.max())
        assert note.code == "few-resamples"
        assert "10 resamples" in note.text
        assert "--n-resamples 200" in note.remedy

    def test_enumerated_draws_are_all_there_are(self):
        exact = distribution(10, probabilities=np.full(10, 0.1))
        assert codes_of_interval(exact, AUC, Plan(level=0.99), Basis(0.9, 9, 9)) == []

    def test_t_takes_no_order_statistic(self):
        plan = Plan(level=0.99, interval=IntervalKind.T)
        assert codes_of_interval(distribution(10), AUC, plan, Basis(0.9, 9, 9)) == []


@pytest.mark.parametrize(
    ("values", "metric", "guard", "expected"),
    [
        (np.ones(1000), R2, True, ["guard-without-bound"]),
        (np.ones(1000), R2, False, []),
        (np.ones(1000), AUC, True, []),  # the bound keeps it open
        (np.random.default_rng(0).gamma(9.0, size=1000), RMSE, True, []),
    ],
)
def test_a_guard_that_misses_a_bound_is_said(values, metric, guard, expected):
    drawn = Distribution(values, np.zeros(1000, int))
    basis = Basis(values.mean(), 80, 80)
    assert codes_of_interval(drawn, metric, Plan(guard=guard), basis) == expected
