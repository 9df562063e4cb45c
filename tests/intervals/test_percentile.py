from dataclasses import replace

import numpy as np
import pytest

from bbccli.core.plan import Plan
from bbccli.core.results import Distribution
from bbccli.metrics import METRICS
from bbccli.stats.intervals import Basis, interval_of, normal
from bbccli.types import Direction, Side

AUC = METRICS["auc"]
LOSS = replace(AUC, name="loss", direction=Direction.MINIMIZE, bounds=(0.0, np.inf))


def thousand(seed=0):
    values = np.random.default_rng(seed).permutation(np.arange(1, 1001)) / 1000
    return Distribution(values, np.zeros(1000, int))


def interval(metric, **plan):
    return interval_of(thousand(), metric, Plan(guard=False, **plan), Basis(0.5, 500, 500))[0]


def ends(metric, **plan):
    found = interval(metric, **plan)
    return found.lower, found.upper


def test_two_sided_order_statistics():
    assert ends(AUC) == (0.025, 0.975)
    assert ends(AUC, level=0.9) == (0.05, 0.95)


def test_one_sided_ends_at_the_bound_of_the_metric():
    assert ends(AUC, side=Side.LOWER) == (0.05, 1.0)
    assert ends(AUC, side=Side.UPPER) == (0.0, 0.95)
    assert ends(LOSS, side=Side.LOWER) == (0.05, np.inf)


def test_the_pessimistic_side_follows_the_direction():
    assert ends(AUC, side=Side.PESSIMISTIC) == ends(AUC, side=Side.LOWER)
    assert ends(LOSS, side=Side.PESSIMISTIC) == ends(LOSS, side=Side.UPPER) == (0.0, 0.95)
    assert interval(AUC, side=Side.PESSIMISTIC).side is Side.LOWER


@pytest.mark.parametrize("n_resamples", [1, 7, 100, 999, 1000])
@pytest.mark.parametrize("probability", [0.0, 0.025, 0.05, 0.1, 0.5, 0.95, 1.0])
def test_quantiles_are_those_of_the_inverted_distribution_function(n_resamples, probability):
    values = np.random.default_rng(n_resamples).normal(size=n_resamples)
    ours = Distribution(values, np.zeros(n_resamples, int)).quantile(probability)
    assert ours == np.quantile(values, probability, method="inverted_cdf")


@pytest.mark.parametrize(
    ("side", "lower", "upper"),
    [
        (Side.TWO, 0.9 - 0.01 * 1.959963984540054, 0.9 + 0.01 * 1.959963984540054),
        (Side.LOWER, 0.9 - 0.01 * 1.6448536269514722, 1.0),
        (Side.UPPER, 0.0, 0.9 + 0.01 * 1.6448536269514722),
        (Side.PESSIMISTIC, 0.9 - 0.01 * 1.6448536269514722, 1.0),
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
