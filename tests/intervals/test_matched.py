"""Matched intervals: the spread of the estimate."""

import numpy as np
import pytest

from bbccli.core.results import Distribution
from bbccli.stats.intervals import Basis
from bbccli.stats.intervals.matched import matched, shrinkage
from bbccli.stats.resampling import Draws, Unit, every_resample


def drawn_from(losses, n_resamples=4096, seed=0):
    """Out-of-bag means of losses (N,), with the sizes that they rest on."""
    drawn = Draws(len(losses), seed, (Unit.SAMPLES,)).batch(0, n_resamples // 64)
    out = drawn.in_bag == 0
    return Distribution(
        (out @ losses) / out.sum(axis=1), np.zeros(len(out), int), sizes=drawn.sizes
    )


def test_the_variance_is_that_of_a_mean():
    """s2 (E[1 / m] - 1 / N) of the resamples becomes s2 / N."""
    losses = np.random.default_rng(3).exponential(size=200)
    distribution = drawn_from(losses, 64 * 400)
    found = matched(distribution, Basis(losses.mean(), 200, 200), (-np.inf, np.inf))
    assert found.values.std() == pytest.approx(losses.std() / np.sqrt(200), rel=0.02)
    assert found.values.mean() == pytest.approx(losses.mean(), abs=1e-12)


def test_exact_folds():
    """Of two folds one is out whenever a draw can be used: f = 1 / sqrt(2 - 1)."""
    in_bag, probabilities = every_resample(2)
    sizes = (in_bag == 0).sum(axis=1)
    distribution = Distribution(np.array([0.8, 0.9]), np.zeros(2, int), probabilities, sizes=sizes)
    assert shrinkage(distribution, 2) == 1.0


def test_ends_stay_within_the_bounds():
    distribution = drawn_from(np.random.default_rng(0).random(30) < 0.95)
    found = matched(distribution, Basis(0.99, 30, 30), (0.0, 1.0))
    assert found.values.max() == 1.0


def test_scored_on_all_units_is_only_moved():
    distribution = Distribution(np.array([0.2, 0.4]), np.zeros(2, int))
    assert matched(distribution, Basis(0.5, 10, 10), (0.0, 1.0)).values == pytest.approx([0.4, 0.6])
