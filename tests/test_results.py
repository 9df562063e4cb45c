"""Quantiles of a distribution and the errors that come from drawing it."""

import numpy as np
import pytest

from bbccli.core.results import Distribution


def of(values, **fields):
    return Distribution(np.asarray(values, float), np.zeros(len(values), int), **fields)


def test_the_error_of_the_mean_is_s_over_the_root_of_b():
    assert of([1.0, 2.0, 4.0]).mean_error() == pytest.approx(np.sqrt((7 / 3) / 3), abs=1e-15)
    assert np.isnan(of([1.0]).mean_error())
    assert of([1.0, 2.0], probabilities=np.array([0.5, 0.5])).mean_error() == 0.0


def test_the_error_of_a_quantile_is_half_the_way_between_its_neighbours():
    """100 values at one half: one standard deviation is 5 ranks, from the 45th to the 55th."""
    assert of(np.arange(1, 101) ** 2.0).quantile_error(0.5) == (55**2 - 45**2) / 2


def test_the_error_of_a_quantile_is_that_of_drawing_again():
    rng = np.random.default_rng(0)
    drawn = [of(rng.normal(size=400)) for _ in range(500)]
    spread = np.std([one.quantile(0.1) for one in drawn], ddof=1)
    assert np.mean([one.quantile_error(0.1) for one in drawn]) == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize(
    ("probability", "expected"),
    [(0.0, 1), (0.2, 1), (0.2000001, 2), (0.5, 2), (0.500001, 3), (1.0, 3)],
)
def test_an_exact_quantile_is_the_first_value_that_reaches_the_probability(probability, expected):
    exact = of([3.0, 1.0, 2.0], probabilities=np.array([0.5, 0.2, 0.3]))
    assert exact.quantile(probability) == expected
    assert exact.quantile_error(probability) == 0.0
