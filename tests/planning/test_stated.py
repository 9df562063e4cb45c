"""Plans by stated values against integrals, enumerations, loops and published numbers."""

import math

import numpy as np
import pytest
from day import swept
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom, multivariate_normal, norm, rankdata

from bbccli import METRICS, Plan
from bbccli.planning import PlanRequest, Stated, Target, of_stated, planned_for


def of_auc(**stated):
    return of_stated(METRICS["auc"], Stated(**{"expected": 0.85, "n_configurations": 100} | stated))


def expected_maximum(count):
    """Of standard normal numbers: the optimism of equal configurations, over their noise."""
    basis = of_auc(n_configurations=count, spread=0.0, correlation=0.0)
    return basis.outlook(10**6, count, 0.01).middle / basis.error(10**6)


# David & Nagaraja 2003, the expected largest of C standard normal numbers
TABLE = {2: 0.56419, 3: 0.84628, 5: 1.16296, 10: 1.53875, 20: 1.86748, 50: 2.24907, 100: 2.50759}


@pytest.mark.parametrize(("count", "value"), TABLE.items())
def test_the_expected_maximum_is_that_of_the_tables(count, value):
    assert expected_maximum(count) == pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize(
    "count", [1, swept(2), swept(7), swept(300), swept(10_000), swept(1_000_000)]
)
def test_the_expected_maximum_is_the_integral_of_order_statistics(count):
    def part(x):
        return x * count * np.exp((count - 1) * norm.logcdf(x) + norm.logpdf(x))

    value, _ = quad(part, -9, 9, points=[0, 3, 4.5], limit=500)
    assert expected_maximum(count) == pytest.approx(value, abs=1e-7)


# most that the naive figure of equal configurations is beyond the exact one, by rows
BEYOND = {20: 0.024, 80: 0.018, 100: 0.015, 500: 0.003, 1000: 0.002}


@pytest.mark.parametrize(("n", "beyond"), BEYOND.items())
def test_equal_configurations_look_as_good_as_the_largest_of_binomial_shares(n, beyond):
    """The design of Table 1 of Tsamardinos, Rakhshani & Lagani 2015: all are right in 85%."""
    for count in (5, 10, 20, 50, 100, 1000):
        shares = np.arange(n + 1) / n
        below = binom.cdf(np.arange(n + 1), n, 0.85) ** count
        exact = shares @ np.diff(below, prepend=0.0)
        stated = Stated(expected=0.85, n_configurations=count, spread=0.0, correlation=0.0)
        found = of_stated(METRICS["accuracy"], stated).outlook(n, count, 0.01)
        assert found.honest == pytest.approx(0.85)
        assert -1e-9 < found.honest + found.middle - exact < beyond


def test_optimism_gain_and_nearness_are_those_of_a_normal_selection():
    rng = np.random.default_rng(0)
    tau, n, count = 0.03, 150, 40
    basis = of_auc(n_configurations=count, spread=tau, correlation=0.7)
    s = basis.error(n) * math.sqrt(0.3)
    true = tau * rng.standard_normal((20_000, count))
    seen = true + s * rng.standard_normal(true.shape)
    best = seen.argmax(axis=1)[:, None]
    off = np.take_along_axis(seen - true, best, 1)[:, 0]
    gain = np.take_along_axis(true, best, 1)[:, 0]
    near = gain >= true.max(axis=1) - 0.01
    found = basis.outlook(n, count, 0.01)
    assert found.lower == found.middle == found.upper
    assert found.middle == pytest.approx(off.mean(), abs=4 * off.std() / 141)
    level = 0.85 - tau * expected_maximum(count)
    assert found.honest == pytest.approx(level + gain.mean(), abs=4 * gain.std() / 141)
    assert found.near[0] == pytest.approx(near.mean(), abs=0.04)


@given(
    st.integers(20, 100_000),
    st.integers(1, 2_000),
    st.floats(0.0, 0.2),
    st.floats(0.0, 0.99),
    st.floats(0.3, 0.95),
)
def test_optimism_falls_with_rows(n, count, spread, shared, value):
    basis = of_auc(expected=value, n_configurations=count, spread=spread, correlation=shared)
    here, more = (basis.outlook(rows, count, 0.01) for rows in (n, 2 * n))
    assert 0 <= here.middle <= 1 - here.honest + 1e-12
    assert more.middle <= here.middle + 1e-12


def test_a_single_configuration_has_no_optimism():
    found = of_auc(n_configurations=1).outlook(300, 1, 0.01)
    assert (found.lower, found.middle, found.upper) == (0, 0, 0)
    assert found.honest == 0.85
    assert found.near == (1, 1)


# pmvalsampsize 0.2.1 (Riley et al. 2021), criterion 3: AUC, prevalence, width of the 95% interval
PMVALSAMPSIZE = [
    ((0.85, 0.5, 0.1), 233),
    ((0.7, 0.5, 0.1), 416),
    ((0.9, 0.5, 0.05), 627),
    ((0.85, 0.3, 0.1), 277),
    ((0.75, 0.2, 0.15), 253),
    ((0.8, 0.1, 0.1), 836),
]
# presize and Wilson's formula
WILSON = [((0.9, 0.05), 557), ((0.25, 0.1), 286), ((0.5, 0.2), 93)]


def rows(basis, width):
    return planned_for(basis, PlanRequest(Target.WIDTH, width), Plan()).wanted.n_samples


@pytest.mark.parametrize(("stated", "expected"), PMVALSAMPSIZE)
def test_rows_for_one_auc_are_those_of_pmvalsampsize(stated, expected):
    auc, prevalence, width = stated
    assert rows(of_auc(expected=auc, n_configurations=1, prevalence=prevalence), width) == expected


@pytest.mark.parametrize(("stated", "expected"), WILSON)
def test_rows_for_one_share_are_those_of_wilson_s_formula(stated, expected):
    assert rows(of_stated(METRICS["accuracy"], Stated(stated[0], 1)), stated[1]) == expected


def test_rows_for_the_best_of_several_are_of_drawn_studies():
    """The interval of a best of twenty is wider than that of one named beforehand."""
    one, best = (of_stated(METRICS["accuracy"], Stated(0.8, count)) for count in (1, 20))
    assert rows(best, 0.2) > 1.1 * rows(one, 0.2)


def variance(auc, n, prevalence=0.5):
    return of_auc(expected=auc, n_configurations=1, prevalence=prevalence).error(n) ** 2


def test_the_error_of_one_auc_is_that_of_hanley_and_mcneil_in_balanced_classes():
    for a in (0.6, 0.85, 0.97):
        q1, q2 = a / (2 - a), 2 * a**2 / (1 + a)
        expected = (a * (1 - a) + 39 * (q1 + q2 - 2 * a**2)) / 40**2
        assert variance(a, 80) == pytest.approx(expected)


@pytest.mark.parametrize("prevalence", [0.1, 0.3, 0.5])
def test_the_error_of_one_auc_is_that_of_normal_scores(prevalence):
    """DeLong's variance of two normal classes, whose placements have one variance."""
    both = multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([norm.ppf(0.85)] * 2)
    n, m = 300 * prevalence, 300 * (1 - prevalence)
    expected = (both - 0.85**2) * (1 / n + 1 / m)
    assert variance(0.85, 300, prevalence) == pytest.approx(expected, rel=0.08)


@pytest.mark.parametrize(("width", "n"), [(0.9, 10), (1e-4, None)])
def test_rows_are_at_least_ten_and_at_most_a_million(width, n):
    assert rows(of_stated(METRICS["accuracy"], Stated(0.9, 1)), width) == n


def test_rows_for_an_optimism_are_the_fewest():
    basis = of_auc()
    asked = PlanRequest(target=Target.OPTIMISM, value=0.02)
    planned = planned_for(basis, asked, Plan())
    found = planned.wanted
    reach = [basis.outlook(n, 100, 0.01).upper for n in (found.n_samples - 1, found.n_samples)]
    assert reach[1] <= 0.02 < reach[0]
    assert found.n_samples_lower == found.n_samples_upper == found.n_samples
    around = [found.n_samples // 2, found.n_samples, 2 * found.n_samples]
    assert [cell.n_samples for cell in planned.cells] == around


@pytest.mark.parametrize(
    ("name", "share", "correlation"),
    [
        *(("auc", 0.8, 0.6), ("accuracy", 0.8, 0.6), ("error", 0.2, 0.6), ("accuracy", 0.5, 0.0)),
        *(swept(name, share, r) for name in ("auc", "accuracy")
          for share in (0.7, 0.95) for r in (0.0, 0.2, 0.95)),
    ],
)  # fmt: skip
def test_studies_are_as_stated(name, share, correlation):
    """Drawn studies have the performances, the correlation of errors, and the prevalence stated."""
    metric = METRICS[name]
    stated = Stated(share, 4, prevalence=0.3, spread=0.0, correlation=correlation)
    study = of_stated(metric, stated).study(20_000, 4, np.random.default_rng(0))
    matrix, sign = study.matrix, metric.direction.sign
    scorer = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])
    seen = sign * scorer(np.ones((1, matrix.n_samples), np.uint8))[0]
    assert study.gains == pytest.approx(np.full(4, sign * share))
    assert seen == pytest.approx(study.gains, abs=0.02)
    truth, said = matrix.outcome.values, matrix.predictions[0]
    errors = said == truth[:, None]
    if name == "auc":
        assert truth.mean() == pytest.approx(0.3, abs=0.01)
        within = rankdata(said[truth == 1], axis=0)
        errors = rankdata(said, axis=0)[truth == 1] - within  # placements
    assert np.corrcoef(errors.T)[0, 1] == pytest.approx(correlation, abs=0.03)
