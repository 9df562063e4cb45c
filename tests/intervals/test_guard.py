"""The guard against collapse, beside draws of what it integrates out."""

import numpy as np
import pytest
from scipy.special import erfcinv
from scipy.stats import beta

from bbccli.intervals.guard import Guarded
from bbccli.results import Distribution


def of(values, **fields):
    values = np.asarray(values, float)
    return Distribution(values, np.zeros(len(values), int), **fields)


def near_the_ceiling(size=1000, seed=0):
    return of(np.minimum(np.random.default_rng(seed).normal(0.98, 0.02, size), 1))


@pytest.mark.parametrize("n_units", [5, 60, 500])
@pytest.mark.parametrize("probability", [0.025, 0.05, 0.5, 0.975])
def test_all_perfect_by_hand(n_units, probability):
    """G = exp(-u / (N + 1/4)), so G <= x where u >= -(N + 1/4) log x."""
    u = erfcinv(probability) ** 2  # P(Gamma(1/2, 1) >= u) = erfc(sqrt(u))
    found = Guarded(of(np.ones(100)), n_units, 0.0).quantile(probability)
    assert found == pytest.approx(np.exp(-u / (n_units + 0.25)), abs=1e-12)


@pytest.mark.parametrize("n_units", [3, 10, 60, 500])
@pytest.mark.parametrize("probability", [0.025, 0.05, 0.5])
def test_all_perfect_is_jeffreys(n_units, probability):
    found = Guarded(of(np.ones(100)), n_units, 0.0).quantile(probability)
    assert found == pytest.approx(beta(n_units + 0.5, 0.5).ppf(probability), abs=0.003)


@pytest.mark.parametrize("bound", [0.0, 1.0])
@pytest.mark.parametrize("probability", [0.025, 0.05, 0.95])
def test_draws_of_the_pseudo_unit_agree(bound, probability):
    rng = np.random.default_rng(1)
    distribution, n_units = near_the_ceiling(), 40
    n_draws = 400
    u = rng.gamma(0.5, 1, (n_draws, 1000))
    g = bound + (distribution.values - bound) * np.exp(-u / (n_units + 0.25))
    drawn = np.quantile(g, probability)
    spread = np.std(np.quantile(g, probability, axis=1)) / np.sqrt(n_draws)
    found = Guarded(distribution, n_units, bound).quantile(probability)
    assert abs(found - drawn) < 5 * spread + 1e-5


@pytest.mark.parametrize("probability", [0.01, 0.05, 0.5, 0.99])
def test_the_guard_only_widens(probability):
    distribution = near_the_ceiling()
    plain = distribution.quantile(probability)
    assert Guarded(distribution, 60, 0.0).quantile(probability) <= plain + 1e-12
    assert Guarded(distribution, 60, 1.0).quantile(probability) >= plain - 1e-12


def test_the_guard_hardly_matters_away_from_the_bounds():
    distribution = of(np.random.default_rng(0).normal(0.7, 0.05, 1000))
    for probability, bound in ((0.025, 0.0), (0.975, 1.0)):
        plain = distribution.quantile(probability)
        assert abs(Guarded(distribution, 500, bound).quantile(probability) - plain) < 0.004


def test_a_distribution_at_the_bound_stays_there():
    assert Guarded(of(np.zeros(10)), 20, 0.0).quantile(0.05) == 0.0
    assert Guarded(of(np.ones(10)), 20, 1.0).quantile(0.95) == 1.0


def test_probabilities_count_as_that_many_resamples():
    weighted = of([0.8, 0.9, 1.0], probabilities=np.array([0.1, 0.3, 0.6]))
    repeated = of(np.repeat([0.8, 0.9, 1.0], [1, 3, 6]))
    for probability in (0.05, 0.5):
        assert Guarded(weighted, 30, 0.0).quantile(probability) == pytest.approx(
            Guarded(repeated, 30, 0.0).quantile(probability), abs=1e-12
        )
    assert Guarded(weighted, 30, 0.0).quantile_error(0.05) == 0.0
    assert Guarded(repeated, 30, 0.0).quantile_error(0.5) > 0
