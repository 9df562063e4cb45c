"""The guard against collapse, beside draws of what it integrates out."""

import numpy as np
import pytest
from day import swept
from scipy.special import erfc, erfcinv

from bbccli.domain.estimate import Distribution
from bbccli.stats import intervals
from bbccli.stats.intervals import Guarded, tail


def of(values, **fields):
    values = np.asarray(values, float)
    return Distribution(values, np.zeros(len(values), int), **fields)


def near_the_ceiling(size=1000, seed=0):
    return of(np.minimum(np.random.default_rng(seed).normal(0.98, 0.02, size), 1))


@pytest.mark.parametrize("n_units", [5, swept(60), swept(500)])
@pytest.mark.parametrize("probability", [0.025, swept(0.05), 0.5, swept(0.975)])
def test_all_perfect_by_hand(n_units, probability):
    """G = exp(-u / (N + 1/4)), so G <= x where u >= -(N + 1/4) log x."""
    u = erfcinv(probability) ** 2  # P(Gamma(1/2, 1) >= u) = erfc(sqrt(u))
    found = Guarded(of(np.ones(100)), n_units, 0.0).quantile(probability)
    assert found == pytest.approx(np.exp(-u / (n_units + 0.25)), abs=1e-12)


@pytest.mark.parametrize("probability", [0.01, swept(0.05), swept(0.5), swept(0.99)])
def test_the_guard_only_widens(probability):
    distribution = near_the_ceiling()
    plain = distribution.quantile(probability)
    assert Guarded(distribution, 60, 0.0).quantile(probability) <= plain + 1e-12
    assert Guarded(distribution, 60, 1.0).quantile(probability) >= plain - 1e-12


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


def reached(distribution, n_units, bound, lift):
    """P(|G - w| <= lift), written straight from the formula, by scipy's erfc."""
    lifts, chances = np.abs(distribution.values - bound), distribution.probabilities
    with np.errstate(divide="ignore"):
        u = (n_units + 0.25) * np.maximum(np.log(lifts / lift), 0)
    return np.average(erfc(np.sqrt(u)), weights=chances)


LAWS = {
    "shares": lambda rng, size: rng.integers(40, 70, size) / 73,
    "ceiling": lambda rng, size: np.minimum(rng.normal(0.98, 0.02, size), 1),
    "constant": lambda rng, size: np.ones(size),
    "far apart": lambda rng, size: rng.beta(3, 1, size) ** 20,
    "both bounds": lambda rng, size: (rng.random(size) < 0.5).astype(float),
}


@pytest.mark.parametrize("weighted", [False, swept(True)])
@pytest.mark.parametrize("law", LAWS)
def test_the_distribution_function_reaches_the_probability_there_and_not_before(law, weighted):
    rng = np.random.default_rng(len(law))
    for _ in range(40):
        n_units, size = 10 ** rng.uniform(-0.3, 5), int(10 ** rng.uniform(0, 3))
        chances = rng.random(size)
        distribution = of(
            LAWS[law](rng, size), probabilities=chances / chances.sum() if weighted else None
        )
        bound, probability = float(rng.integers(2)), rng.choice([0.025, 0.5, 0.975, rng.random()])
        found = Guarded(distribution, n_units, bound).quantile(probability)
        wanted = probability if distribution.values.max() > bound else 1 - probability
        lift = abs(found - bound)
        if lift == 0:
            assert (distribution.values == bound).any()
            continue
        around = [reached(distribution, n_units, bound, lift * (1 + s)) for s in (-1e-9, 1e-9)]
        assert around[0] - 1e-10 <= wanted <= around[1] + 1e-10


@pytest.mark.parametrize("size", [1, 2, 200])
@pytest.mark.parametrize("bound", [0.0, swept(1.0)])
@pytest.mark.parametrize("law", LAWS)
def test_its_error_is_the_distance_of_quantiles_a_standard_error_of_the_share_apart(
    law, bound, size
):
    """Of one resample any share is possible."""
    distribution = of(LAWS[law](np.random.default_rng(3), size))
    guarded, probability = Guarded(distribution, 40, bound), 0.3
    lift = abs(guarded.quantile(probability) - bound)
    each = [reached(of([value]), 40, bound, lift) if lift else value == bound
            for value in distribution.values]  # fmt: skip
    spread = np.std(each, ddof=1) / np.sqrt(size) if size > 1 else 1
    assert guarded.share_error(guarded.quantile(probability)) == pytest.approx(spread, rel=1e-6)
    if size == 2:  # one of both lies a standard error from the end
        return
    around = np.clip([probability - spread, probability + spread], 0, 1)
    ends = [guarded.quantile(p) for p in around]
    assert guarded.quantile_error(probability) == pytest.approx((ends[1] - ends[0]) / 2, rel=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_few_steps_find_a_quantile_and_fewer_its_error(monkeypatch, law):
    """Halving its place, the search would take 40; errors begin where the quantile was found."""
    steps = []
    monkeypatch.setattr(intervals, "tail", lambda u: steps.append(u) or tail(u))
    guard = Guarded(of(LAWS[law](np.random.default_rng(3), 200)), 40, 0.0)
    guard.quantile(0.3)
    alone = len(steps)
    guard.quantile_error(0.3)
    assert alone <= 7
    assert len(steps) - 2 * alone - 1 <= 6


def test_the_tail_and_its_slope_are_those_of_scipy():
    u = np.r_[0.0, np.logspace(-14, 2, 20_000)]
    np.testing.assert_allclose(tail(u)[0], erfc(np.sqrt(u)), atol=1e-12)
    assert tail(np.array([36.0, 1e4, np.inf]))[0] == pytest.approx([0, 0, 0], abs=0)
    u = np.logspace(-14, np.log10(30), 20_000)
    np.testing.assert_allclose(tail(u)[1], np.exp(-u) / np.sqrt(np.pi * u), rtol=1e-6)
    assert tail(np.array([0.0, 40.0]))[1].tolist() == [0, 0]
