"""BCa ends beside scipy's, on scipy's own resamples."""

import numpy as np
import pytest
from scipy import stats

from bbccli.intervals import Basis, interval_of
from bbccli.intervals.bca import acceleration, adjusted, bias_correction
from bbccli.metrics import METRICS
from bbccli.plan import Plan
from bbccli.results import Distribution
from bbccli.types import IntervalKind, Side

B = 9999


@pytest.fixture(scope="module")
def sample():
    return np.random.default_rng(5).exponential(size=25)


@pytest.fixture(scope="module")
def theirs(sample):
    return stats.bootstrap(
        (sample,), np.mean, n_resamples=B, method="BCa", rng=np.random.default_rng(0)
    )


def ours(theirs, sample, **plan):
    distribution = Distribution(np.asarray(theirs.bootstrap_distribution), np.zeros(B, int))
    basis = Basis(sample.mean(), 25, 25, lambda: sample - sample.mean())
    metric = METRICS["mse"]
    return interval_of(distribution, metric, Plan(interval=IntervalKind.BCA, **plan), basis)


def test_scipy_agrees(theirs, sample):
    """scipy interpolates between order statistics, hence the width of one of them."""
    interval, _, notes = ours(theirs, sample)
    assert notes == ()
    gap = 0.002
    assert interval.lower == pytest.approx(theirs.confidence_interval.low, abs=gap)
    assert interval.upper == pytest.approx(theirs.confidence_interval.high, abs=gap)


def test_it_is_not_the_percentile_interval(theirs, sample):
    plain = np.quantile(theirs.bootstrap_distribution, [0.025, 0.975])
    interval, _, _ = ours(theirs, sample)
    assert interval.lower > plain[0] + 0.005
    assert interval.upper > plain[1] + 0.005


def test_one_sided(theirs, sample):
    interval, error, _ = ours(theirs, sample, side=Side.UPPER)
    assert interval.lower == 0
    assert error.lower is None
    assert error.upper > 0


def test_by_hand():
    """z0 = 0.1, a = 0.02 at 2.5 %: z = -1.86, Phi(0.1 - 1.86 / 1.0372)."""
    assert adjusted(0.025, 0.1, 0.02) == pytest.approx(stats.norm.cdf(0.1 - 1.859964 / 1.03719928))
    assert acceleration(np.array([2.0, -1.0, -1.0])) == pytest.approx(6 / (6 * 6**1.5))
    assert acceleration(np.zeros(4)) == 0.0


def test_ties_count_one_half():
    values = Distribution(np.array([1.0, 2.0, 2.0, 3.0]), np.zeros(4, int))
    assert bias_correction(values, 2.0) == pytest.approx(0.0)


def test_one_sided_resamples_fall_back_and_say_so():
    distribution = Distribution(np.ones(100), np.zeros(100, int))
    basis = Basis(0.9, 10, 10, lambda: np.ones(10))
    interval, _, notes = interval_of(
        distribution, METRICS["auc"], Plan(interval=IntervalKind.BCA), basis
    )
    assert [note.code for note in notes] == ["bca-undefined"]
    assert (interval.lower, interval.upper) == (1.0, 1.0)
