"""The estimate plus and minus t times the spread of the resamples."""

from itertools import pairwise

import numpy as np
import pytest
from day import swept
from scipy import stats

from bbccli import METRICS, Plan
from bbccli.domain.estimate import Distribution
from bbccli.stats.intervals import Basis, interval_of
from bbccli.types import IntervalKind, Side

AUC = METRICS["auc"]


def of(values, **fields):
    return Distribution(np.asarray(values, float), np.zeros(len(values), int), **fields)


def found(distribution, basis, **plan):
    plan = Plan(interval=IntervalKind.T, **{"guard": False} | plan)
    return interval_of(distribution, AUC, plan, basis)


def resamples(size=1000, seed=0):
    return np.random.default_rng(seed).beta(15, 5, size)


@pytest.mark.parametrize("level", [0.9, swept(0.95)])
@pytest.mark.parametrize("n_drawn", [5, swept(100)])
def test_raschka_equation_31(level, n_drawn):
    values = resamples()
    interval, _, _ = found(of(values), Basis(values.mean(), 7, n_drawn), level=level)
    spread = np.sqrt(np.sum((values - values.mean()) ** 2) / (len(values) - 1))
    expected = stats.t(n_drawn - 1, values.mean(), spread).interval(level)
    expected = np.clip(expected, 0, 1)
    assert (interval.lower, interval.upper) == pytest.approx(expected, abs=1e-12)


def test_about_the_estimate_where_that_is_not_the_mean():
    values = resamples()
    interval, _, _ = found(of(values), Basis(0.6, 7, 50, drawn=False))
    assert (interval.lower + interval.upper) / 2 == pytest.approx(0.6, abs=1e-12)


def test_one_sided():
    values = resamples()
    interval, error, _ = found(of(values), Basis(values.mean(), 7, 50), side=Side.PESSIMISTIC)
    reach = stats.t(49).ppf(0.95) * values.std(ddof=1)
    assert (interval.lower, interval.upper) == (pytest.approx(values.mean() - reach), 1.0)
    assert error.upper is None


def test_enumerated_draws_count_by_their_probabilities():
    exact = of([0.6, 0.8, 0.9], probabilities=np.array([0.2, 0.5, 0.3]))
    interval, error, _ = found(exact, Basis(exact.mean(), 3, 3), level=0.5)
    mean = 0.12 + 0.4 + 0.27
    spread = np.sqrt(0.2 * (0.6 - mean) ** 2 + 0.5 * (0.8 - mean) ** 2 + 0.3 * (0.9 - mean) ** 2)
    assert interval.lower == pytest.approx(mean - stats.t(2).ppf(0.75) * spread, abs=1e-12)
    assert (error.lower, error.upper) == (0.0, 0.0)


@pytest.mark.sweep
@pytest.mark.parametrize("drawn", [True, False])
def test_the_monte_carlo_error_is_that_of_drawing_again(drawn):
    ends, errors = [], []
    for seed in range(600):
        values = resamples(400, seed)
        value = values.mean() if drawn else 0.75
        interval, error, _ = found(of(values), Basis(value, 7, 50, drawn=drawn))
        ends.append((interval.lower, interval.upper))
        errors.append((error.lower, error.upper))
    spread = np.std(ends, axis=0, ddof=1)
    assert np.mean(errors, axis=0) == pytest.approx(spread, rel=0.1)


def test_the_guard_leaves_the_error_of_its_ends_as_it_is():
    values = resamples()
    basis = Basis(values.mean(), 60, 100)
    plain, guarded = (found(of(values), basis, guard=guard)[1] for guard in (False, True))
    assert guarded == plain
    assert guarded.lower > 0


def test_an_end_without_a_worst_value_keeps_its_own_error_beside_a_guarded_one():
    mse, values = METRICS["mse"], 2 + resamples()
    plan = Plan(interval=IntervalKind.PERCENTILE)
    _, error, _ = interval_of(of(values), mse, plan, Basis(values.mean(), 60, 100))
    plain = of(values).quantile_error(1 - (1 - plan.level) / 2)
    assert error.upper == plain > 0
    assert error.lower > 0


@pytest.mark.parametrize("probability", [0.025, 0.05])
def test_guarded_as_by_exact_integration(probability):
    from scipy.integrate import quad
    from scipy.special import erfc

    values, n = resamples(200), 80
    law = stats.t(n - 1, values.mean(), values.std(ddof=1))

    def share(x):
        """P(G <= x): D below x, or the pseudo-unit takes enough of it."""

        def below(d):
            return law.pdf(d) * erfc(np.sqrt((n + 0.25) * np.log(min(d, 1) / x)))

        parts = [x, x + 1e-4, x + 0.02, 1, 10]  # smooth within each
        tails = (quad(below, *part, epsabs=1e-13, limit=200) for part in pairwise(parts))
        return law.cdf(x) + sum(tail for tail, _ in tails)

    plan = Plan(interval=IntervalKind.T, level=1 - 2 * probability)
    interval, _, _ = interval_of(of(values), AUC, plan, Basis(values.mean(), n, n))
    assert share(interval.lower) == pytest.approx(probability, abs=1e-6)
