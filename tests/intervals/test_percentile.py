""""""

from dataclasses import replace

import numpy as np
import pytest
from day import swept

from bbccli import METRICS, Plan
from bbccli.domain.estimate import Distribution
from bbccli.stats.intervals import Basis, interval_of
from bbccli.stats.intervals.ends import normal
from bbccli.types import Direction, Side

AUC = METRICS["auc"]
LOSS = replace(AUC, name="loss", direction=Direction.MINIMIZE, bounds=(0.0, np.inf))


def thousand(seed=0):
    values = np.random.default_rng(seed).permutation(np.arange(1, 1001)) / 1000
    return Distribution(values, np.zeros(1000, int))


@pytest.mark.parametrize(
    ("metric", "plan", "ends", "side"),
    [
        (AUC, {}, (0.025, 0.975), Side.TWO),
        (AUC, {"level": 0.9}, (0.05, 0.95), Side.TWO),
        (AUC, {"side": Side.LOWER}, (0.05, 1.0), Side.LOWER),
        (AUC, {"side": Side.UPPER}, (0.0, 0.95), Side.UPPER),
        (LOSS, {"side": Side.LOWER}, (0.05, np.inf), Side.LOWER),
        (AUC, {"side": Side.PESSIMISTIC}, (0.05, 1.0), Side.LOWER),
        (LOSS, {"side": Side.PESSIMISTIC}, (0.0, 0.95), Side.UPPER),
    ],
)
def test_ends_are_order_statistics_or_the_bound_of_the_metric(metric, plan, ends, side):
    plan, basis = Plan(guard=False, **plan), Basis(0.5, 500, 500)
    found = interval_of(thousand(), metric, plan, basis)[0]
    assert (found.lower, found.upper, found.side) == (*ends, side)


@pytest.mark.parametrize("n_resamples", [1, 7, 100, 999, 1000])
@pytest.mark.parametrize(
    "probability", [0.0, swept(0.025), swept(0.05), swept(0.1), swept(0.5), swept(0.95), swept(1.0)]
)
def test_quantiles_are_those_of_the_inverted_distribution_function(n_resamples, probability):
    values = np.random.default_rng(n_resamples).normal(size=n_resamples)
    ours = Distribution(values, np.zeros(n_resamples, int)).quantile(probability)
    assert ours == np.quantile(values, probability, method="inverted_cdf")


@pytest.mark.parametrize(
    ("side", "lower", "upper"),
    [
        (Side.TWO, 0.9 - 0.01 * 1.959963984540054, 0.9 + 0.01 * 1.959963984540054),
        swept(Side.LOWER, 0.9 - 0.01 * 1.6448536269514722, 1.0),
        swept(Side.UPPER, 0.0, 0.9 + 0.01 * 1.6448536269514722),
        swept(Side.PESSIMISTIC, 0.9 - 0.01 * 1.6448536269514722, 1.0),
    ],
)
def test_a_normal_interval(side, lower, upper):
    found = normal(0.9, 0.01, AUC, Plan(side=side))
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=1e-14)
    assert (found.side, found.level) == (Side.LOWER if side is Side.PESSIMISTIC else side, 0.95)


def test_a_normal_interval_stays_within_the_bounds():
    found = normal(0.9, 10.0, AUC, Plan())
    assert (found.lower, found.upper) == (0, 1)
    found = normal(2.0, 1.0, METRICS["rmse"], Plan(level=0.99))
    assert (found.lower, found.upper) == (0, pytest.approx(2 + 2.5758293035489))


def test_one_of_many_intervals_has_a_level_of_its_own():
    found = normal(0.9, 0.001, AUC, Plan(), level=0.999)
    assert found.lower == pytest.approx(0.9 - 0.0032905267314919)
    assert found.level == 0.95
    # the level of one of very many rounds to 1: still a finite reach
    assert 0.89 < normal(0.9, 0.001, AUC, Plan(), level=1.0).lower < 0.893


def values_of(values, **fields):
    return Distribution(np.asarray(values, float), np.zeros(len(values), int), **fields)


def test_the_error_of_the_mean_is_s_over_the_root_of_b():
    assert values_of([1.0, 2.0, 4.0]).mean_error() == pytest.approx(np.sqrt((7 / 3) / 3), abs=1e-15)
    assert np.isnan(values_of([1.0]).mean_error())
    assert values_of([1.0, 2.0], probabilities=np.array([0.5, 0.5])).mean_error() == 0.0


def test_the_error_of_a_quantile_is_half_the_way_between_its_neighbours():
    """100 values at one half: one standard deviation is 5 ranks, from the 45th to the 55th."""
    assert values_of(np.arange(1, 101) ** 2.0).quantile_error(0.5) == (55**2 - 45**2) / 2


def test_the_error_of_a_quantile_is_that_of_drawing_again():
    rng = np.random.default_rng(0)
    drawn = [values_of(rng.normal(size=400)) for _ in range(500)]
    spread = np.std([one.quantile(0.1) for one in drawn], ddof=1)
    assert np.mean([one.quantile_error(0.1) for one in drawn]) == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        (0.0, 1),
        swept(0.2, 1),
        swept(0.2000001, 2),
        swept(0.5, 2),
        swept(0.500001, 3),
        swept(1.0, 3),
    ],
)
def test_an_exact_quantile_is_the_first_value_that_reaches_the_probability(probability, expected):
    exact = values_of([3.0, 1.0, 2.0], probabilities=np.array([0.5, 0.2, 0.3]))
    assert exact.quantile(probability) == expected
    assert exact.quantile_error(probability) == 0.0
