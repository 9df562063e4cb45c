"""Max-T against a baseline: loops from the formulas agree, and so do multivariate t laws."""

from dataclasses import replace

import numpy as np
import pytest
import slow_comparisons as slow
from day import swept
from matrices import binary, regression
from scipy import stats

from bbccli import METRICS, Plan
from bbccli.comparisons import against_baseline
from bbccli.errors import OptionError
from bbccli.planning.simulation import binormal
from bbccli.types import Side

PLAN = Plan(n_resamples=130, level=0.9, seed=4)
MANY = Plan(n_resamples=40_000)
MAKERS = {"auc": binary, "accuracy": binary, "mse": regression}


def rows_of(matrix, name, plan=PLAN, other=0):
    """What is said of each other configuration."""
    baseline = matrix.configurations[other]
    found = against_baseline(matrix, METRICS[name], plan, baseline).every
    return {matrix.configurations.index(row.first): row for row in found}


def reach_of(row):
    """How many of its standard errors a difference is above its bound."""
    return (row.difference - row.bound) * row.statistic / row.difference


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("other", [0, 3])
@pytest.mark.parametrize(("side", "at_once"), [(Side.TWO, None), (Side.LOWER, None), (Side.TWO, 7)])
def test_loops_agree(name, other, side, at_once, monkeypatch):
    """Whatever comes before or after a block of draws, and if its units are drawn in parts."""
    if at_once:
        monkeypatch.setattr("bbccli.stats.influence.MOST_MULTIPLIED", at_once)
    matrix = MAKERS[name]()
    gains, values, strata, df = slow.evidence(name, matrix)
    draws = slow.drawn(values, strata, PLAN.seed, 130)
    apart = (values - values[:, [other]]).T
    law = slow.Law(strata, df, apart, PLAN.seed, 130, shares=name == "accuracy")
    rows = rows_of(matrix, name, replace(PLAN, side=side), other)
    expected = slow.against(gains, values, draws, other, law, 0.9, two=side is Side.TWO)
    d, lower, upper, p, stepdown = expected
    assert rows.keys() == d.keys()
    for c, row in rows.items():
        assert row.difference == pytest.approx(d[c], abs=1e-10)
        assert row.bound == pytest.approx(lower[c], abs=1e-9)
        if side is Side.TWO:
            assert row.bound_above == pytest.approx(upper[c], abs=1e-9)
        assert row.p == pytest.approx(p[c], abs=1e-12)
        assert row.p_adjusted == pytest.approx(stepdown[c], abs=1e-12)
        assert (row.df == ()) == (name == "accuracy")


@pytest.mark.sweep
def test_one_comparison_is_student_s_t():
    row = rows_of(regression(n_samples=12, n_configurations=2), "mse", MANY, 1)[0]
    assert reach_of(row) == pytest.approx(stats.t.ppf(0.975, 11), abs=0.04)
    assert row.p == pytest.approx(2 * stats.t.sf(abs(row.statistic), 11), abs=0.01)


def test_independent_comparisons_are_dunnett_s_many_one_t():
    matrix = regression(n_samples=30, n_configurations=5)
    noise = np.random.default_rng(0).normal(size=(30, 5))
    values, _ = np.linalg.qr(noise - noise.mean(axis=0))  # no correlation, one variance
    errors = matrix.outcome.values[:, None] + np.sqrt(values + 1)
    one = replace(matrix, predictions=errors[None])
    law = stats.multivariate_t(shape=np.full((4, 4), 0.5) + 0.5 * np.eye(4), df=29, seed=1)
    row = rows_of(one, "mse", replace(MANY, side="lower"))[1]
    assert law.cdf(np.full(4, reach_of(row))) == pytest.approx(0.95, abs=0.004)


@pytest.mark.sweep
def test_two_strata_have_variances_of_their_own():
    few = binormal(np.full(3, 0.8), 34, np.random.default_rng(0), balance=30 / 34).matrix
    few = few.of_configurations(np.array([0, 1]))
    _, values = slow.placements_less_auc(few.predictions[0], few.outcome.values)
    apart = values[:, 0] - values[:, 1]
    parts = [np.var(apart[few.outcome.values == h], ddof=1) / n for h, n in ((0, 30), (1, 4))]
    share = parts[1] / sum(parts)
    row = rows_of(few, "auc", MANY, 1)[0]
    assert row.df == (pytest.approx(1 / (share**2 / 3 + (1 - share) ** 2 / 29)),)  # Welch
    rng = np.random.default_rng(1)
    of_strata = rng.chisquare([29, 3], (400_000, 2)) / [29, 3] @ [1 - share, share]
    law = rng.standard_normal(400_000) / np.sqrt(of_strata)
    assert reach_of(row) == pytest.approx(np.quantile(law, 0.975), rel=0.03)
    assert reach_of(row) > stats.t.ppf(0.975, 32) + 0.1


@pytest.mark.sweep
def test_shares_are_compared_by_mcnemar_s_statistic():
    matrix = binary(n_samples=60, n_configurations=2)
    right = (matrix.predictions[0] > 0.5) == matrix.outcome.values[:, None]
    b, c = (right[:, 0] & ~right[:, 1]).sum(), (~right[:, 0] & right[:, 1]).sum()
    z, row = (b - c) / np.sqrt(b + c), rows_of(matrix, "accuracy", MANY, 1)[0]
    assert row.statistic == pytest.approx(z)
    assert row.p == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.01)


def test_too_few_samples_for_so_many_shares_show_nothing():
    matrix = binary(n_samples=6, n_configurations=30)
    rows = rows_of(matrix, "error", Plan(n_resamples=500, level=0.998)).values()
    tested = [row for row in rows if row.statistic is not None]
    assert tested
    assert {(row.bound, row.bound_above) for row in tested} <= {(-1, 1), (0, 0)}
    assert all(row.p > 0.002 for row in tested)


@pytest.mark.parametrize(
    ("groups", "name"),
    [(np.repeat(np.arange(30), 2), "accuracy"), (None, "balanced-accuracy"), (None, "brier")],
)
def test_what_is_no_share_of_samples_is_compared_by_t(groups, name):
    rows = rows_of(replace(binary(n_samples=60), groups=groups), name)
    assert all(row.df[0] > 0 for row in rows.values())


@pytest.mark.parametrize("name", ["auc", swept("accuracy")])
def test_a_critical_value_and_a_p_value_never_disagree(name):
    matrix = binary(n_samples=60, n_configurations=20)
    for level in (0.8, 0.95):
        for other in range(0, 20, 4):
            for row in rows_of(matrix, name, replace(PLAN, level=level), other).values():
                shown = row.bound > 0 or row.bound_above < 0
                assert shown == (row.p <= 1 - level + 1e-9)


def test_too_few_draws_for_the_level_are_refused():
    for level, least in ((0.95, 19), (0.99, 99)):
        assert rows_of(binary(), "auc", Plan(n_resamples=least, level=level))
        with pytest.raises(OptionError, match=f"needs {least} draws"):
            rows_of(binary(), "auc", Plan(n_resamples=least - 1, level=level))
    row = rows_of(binary(), "auc", Plan(n_resamples=100_000, tolerance=0.001))[3]
    assert row.error == pytest.approx(np.sqrt(row.p * (1 - row.p) / 10_000))


def test_identical_columns():
    matrix = regression()
    same = matrix.predictions[:, :, [0, 0, 2, 3, 4, 5]]
    row = rows_of(replace(matrix, predictions=same), "mae")[1]
    assert (row.difference, row.bound, row.bound_above, row.p) == (0, 0, 0, 1)
