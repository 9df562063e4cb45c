"""The formulas of a plan against integrals, enumerations, loops and published numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom, norm

from bbccli.core.areas import hanley_mcneil_variance, newcombe_variance
from bbccli.metrics import METRICS
from bbccli.planning import Stated, of_stated
from bbccli.planning.basis import Chance, expected_maximum, reached
from bbccli.planning.cells import (
    N_DATA_SETS,
    REST,
    _numbers,
    bracket,
    cell,
    near_best,
    optimism,
    ratio,
)
from bbccli.planning.check import behind_areas, behind_shares, both_below
from bbccli.planning.planned import first, rows_for
from bbccli.planning.records import Target

# David & Nagaraja 2003, the expected largest of C standard normal numbers
TABLE = {2: 0.56419, 3: 0.84628, 5: 1.16296, 10: 1.53875, 20: 1.86748, 50: 2.24907, 100: 2.50759}


@pytest.mark.parametrize(("count", "value"), TABLE.items())
def test_the_expected_maximum_is_that_of_the_tables(count, value):
    assert expected_maximum(count) == pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize("count", [1, 2, 7, 300, 10_000, 1_000_000])
def test_the_expected_maximum_is_the_integral_of_order_statistics(count):
    def part(x):
        return x * count * np.exp((count - 1) * norm.logcdf(x) + norm.logpdf(x))

    value, _ = quad(part, -9, 9, points=[0, 3, 4.5], limit=500)
    assert expected_maximum(count) == pytest.approx(value, abs=1e-7)


# most that the naive figure of equal configurations is beyond the exact one, by rows
BEYOND = {20: 0.024, 80: 0.018, 100: 0.015, 500: 0.003, 1000: 0.002}


@pytest.mark.one_in(1)
@pytest.mark.parametrize(("n", "beyond"), BEYOND.items())
def test_equal_configurations_look_as_good_as_the_largest_of_binomial_shares(n, beyond):
    """The design of Table 1 of Tsamardinos, Rakhshani & Lagani 2015: all are right in 85 %."""
    for count in (5, 10, 20, 50, 100, 1000):
        shares = np.arange(n + 1) / n
        below = binom.cdf(np.arange(n + 1), n, 0.85) ** count
        exact = shares @ np.diff(below, prepend=0.0)
        stated = Stated(expected=0.85, n_configurations=count, spread=0.0, correlation=0.0)
        basis = of_stated(METRICS["accuracy"], stated, 0.95)
        assert basis.honest(n, count) == pytest.approx(0.85)
        naive = basis.honest(n, count) + bracket(basis, n, count).middle
        assert -1e-9 < naive - exact < beyond


def test_the_optimism_is_that_of_a_normal_selection():
    rng = np.random.default_rng(0)
    s, tau, n = 0.04, 0.03, 40
    true = tau * rng.standard_normal((20_000, n))
    seen = true + s * rng.standard_normal(true.shape)
    best = seen.argmax(axis=1)[:, None]
    found = np.take_along_axis(seen - true, best, 1)[:, 0]
    gain = np.take_along_axis(true, best, 1)[:, 0]
    error = found.std() / math.sqrt(len(found))
    assert optimism(s, s, tau, n) == pytest.approx(found.mean(), abs=4 * error)
    assert reached(tau, s, n) == pytest.approx(gain.mean(), abs=4 * gain.std() / 141)


@pytest.mark.parametrize(
    ("tau", "s", "count", "within"),
    [
        (0.03, 0.03, 2, 0.01),
        (0.07, 0.02, 100, 0.01),
        (0.01, 0.05, 1000, 0.01),
        (0.05, 0.005, 20, 0.002),
        (0.03, 0.04, 7, 0.05),
    ],
)
def test_the_winner_is_near_the_best_as_often_as_drawn_ones(tau, s, count, within):
    rng, n_draws = np.random.default_rng(1), 6000
    true = tau * rng.standard_normal((n_draws, count))
    best = (true + s * rng.standard_normal(true.shape)).argmax(axis=1)
    near = true.max(axis=1) - true[np.arange(n_draws), best] <= within
    error = math.sqrt(near.var() / n_draws)
    assert near_best(tau, s, count, within) == pytest.approx(near.mean(), abs=4 * error + 0.003)


def of_auc(**stated):
    return of_stated(
        METRICS["auc"], Stated(**{"expected": 0.85, "n_configurations": 100} | stated), 0.95
    )


@given(
    st.integers(20, 100_000),
    st.integers(1, 10_000),
    st.floats(0.0, 0.2),
    st.floats(0.0, 0.99),
    st.floats(0.3, 0.95),
)
def test_optimism_falls_with_rows_and_rises_with_configurations(n, count, spread, shared, value):
    basis = of_auc(expected=value, n_configurations=count, spread=spread, correlation=shared)
    here = bracket(basis, n, count)
    most = basis.best - basis.honest(n, count)
    assert 0 <= here.lower <= here.upper <= most + 1e-12
    more = bracket(basis, 2 * n, count)
    assert more.upper <= here.upper + 1e-12
    chance = basis.chance(n)
    raw = [optimism(chance.noise, chance.noise, spread, c) for c in (count, 2 * count)]
    assert raw[0] <= raw[1]


@pytest.mark.parametrize("lowest", [0.0, 0.25])
def test_no_interval_is_wider_than_the_metric_allows(lowest):
    basis = replace(of_auc(prevalence=0.01), bounds=(lowest, 1.0))
    assert cell(basis, 20, 100, level=0.95, within=0.01).width == 1 - lowest


@pytest.mark.sweep
def test_widths_fall_with_rows():
    for count in (1, 2, 30, 300):
        basis = of_auc()
        cells = [cell(basis, n, count, level=0.95, within=0.01) for n in (50, 100, 400, 5000)]
        widths = [one.width for one in cells]
        assert widths == sorted(widths, reverse=True)
        assert len(set(widths)) == 4


def test_a_single_configuration_has_no_optimism():
    found = cell(of_auc(n_configurations=1), 300, 1, level=0.95, within=0.01)
    assert (found.optimism_lower, found.optimism, found.optimism_upper) == (0, 0, 0)
    assert found.naive == found.honest == 0.85
    assert found.near_best == 1


# pmvalsampsize 0.2.1 (Riley et al. 2021), criterion 3: AUC, prevalence, width of the 95 % interval
PMVALSAMPSIZE = [
    ((0.85, 0.5, 0.1), 233),
    ((0.7, 0.5, 0.1), 416),
    ((0.9, 0.5, 0.05), 627),
    ((0.85, 0.3, 0.1), 277),
    ((0.75, 0.2, 0.15), 253),
    ((0.8, 0.1, 0.1), 836),
]


@pytest.mark.parametrize(("stated", "rows"), PMVALSAMPSIZE)
def test_rows_for_one_auc_are_those_of_pmvalsampsize(stated, rows):
    auc, prevalence, width = stated
    basis = of_auc(expected=auc, n_configurations=1, prevalence=prevalence)
    found = rows_for(basis, Target.WIDTH, width, 1, level=0.95)
    assert found == rows


def test_the_error_of_one_auc_is_that_of_hanley_and_mcneil_in_balanced_classes():
    for auc in (0.6, 0.85, 0.97):
        assert newcombe_variance(auc, 40, 40) == pytest.approx(hanley_mcneil_variance(auc, 40, 40))


@pytest.mark.parametrize("prevalence", [0.1, 0.3, 0.5])
def test_the_error_of_one_auc_is_that_of_normal_scores(prevalence):
    """DeLong's variance of two normal classes, whose placements have one variance."""
    auc = 0.85
    variance = both_below(norm.ppf(auc), 0.5) - auc**2
    n, m = 300 * prevalence, 300 * (1 - prevalence)
    assert newcombe_variance(auc, n, m) == pytest.approx(variance * (1 / n + 1 / m), rel=0.08)


@pytest.mark.parametrize(
    ("p", "width", "rows"), [(0.9, 0.05, 557), (0.25, 0.1, 286), (0.5, 0.2, 93)]
)
def test_rows_for_one_share_are_those_of_wilson_s_formula(p, width, rows):
    basis = of_stated(METRICS["accuracy"], Stated(p, 1), 0.95)
    assert rows_for(basis, Target.WIDTH, width, 1, level=0.95) == rows


def test_the_first_row_is_found_as_by_trying_all():
    for edge in (3, 10, 11, 57, 999, 1000):
        assert first(lambda n, edge=edge: n >= edge, 10, 1000) == max(edge, 10)
    assert first(lambda n: False, 10, 1000) is None


@pytest.mark.sweep
def test_rows_are_the_fewest():
    basis = of_auc()
    for target, value in ((Target.WIDTH, 0.12), (Target.OPTIMISM, 0.01)):
        rows = rows_for(basis, target, value, 100, level=0.95)
        reach = [cell(basis, n, 100, level=0.95, within=0.01) for n in (rows - 1, rows)]
        found = [c.width if target is Target.WIDTH else c.optimism_upper for c in reach]
        assert found[1] <= value < found[0]


@pytest.mark.sweep
def test_the_ratio_is_that_of_a_loop():
    chance, spread, count = Chance(0.02, 0.02, 0.02, 0.04, 0.16), 0.03, 12
    true, off, bags, rest = _numbers(count, 0)
    widths = []
    for data in range(N_DATA_SETS):
        observed = [spread * true[data, j] + 0.02 * off[data, j] for j in range(count)]
        best = sorted(observed)
        values = []
        for b in range(len(bags)):
            gains = [best[j] + 0.02 * bags[b, 1 + j] for j in range(count)]
            j = int(np.argmax(gains))
            common = math.sqrt(0.04**2 - 0.02**2) * bags[b, 0]
            values.append(best[j] - 0.02 * bags[b, 1 + j] - common + 0.04 * REST * rest[data, b])
        widths.append(np.quantile(values, 0.975) - np.quantile(values, 0.025))
    expected = np.mean(widths) / (2 * norm.ppf(0.975) * 0.04)
    assert ratio(chance, spread, count, 0.95) == pytest.approx(expected, rel=1e-12)


def test_the_ratio_of_two_equal_configurations_is_that_of_out_of_bag_means():
    """Where chance does the same to both, selection is void: sqrt(e - 1) by the normal limit."""
    alike = Chance(1e-9, 1e-9, 1e-9, 0.04, 0.16)
    assert ratio(alike, 0.0, 2, 0.95) == pytest.approx(math.sqrt(math.e - 1), rel=0.03)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.95])
@pytest.mark.parametrize("wanted", [0.0, 0.2, 0.7, 0.95])
def test_the_correlation_behind_errors_gives_them(share, wanted):
    rng, cut = np.random.default_rng(2), norm.ppf(share)
    for behind, seen in ((behind_shares, lambda x: x < cut), (behind_areas, norm.cdf)):
        r = behind(share, wanted)
        shared, own = rng.standard_normal(200_000), rng.standard_normal((2, 200_000))
        both = math.sqrt(r) * shared + math.sqrt(1 - r) * own
        d = math.sqrt(2) * cut if behind is behind_areas else 0.0
        assert np.corrcoef(seen(both + d))[0, 1] == pytest.approx(wanted, abs=0.02)


def test_both_below_is_the_bivariate_normal():
    from scipy.stats import multivariate_normal

    for cut, r in ((0.3, 0.4), (-1.0, 0.8), (2.0, 0.1)):
        exact = multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([cut, cut])
        assert both_below(cut, r) == pytest.approx(exact, abs=1e-6)
