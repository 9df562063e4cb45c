"""Max-T: loops from the formulas agree, and so do multivariate t laws; nothing else matters."""

from dataclasses import replace

import numpy as np
import pytest
import slow_comparisons as slow
from matrices import binary, regression
from scipy import stats

from bbccli import METRICS, Plan
from bbccli.comparisons.influences import evidence_of
from bbccli.comparisons.simultaneous import against, checked_draws, over_draws
from bbccli.errors import OptionError
from bbccli.planning.simulation import binormal
from bbccli.stats import influence as module
from bbccli.stats.influence import divisors, multipliers
from bbccli.types import Side

PLAN = Plan(n_resamples=130, level=0.9, seed=4)
MAKERS = {"auc": binary, "accuracy": binary, "mse": regression}


def slow_evidence(name, matrix):
    """Gains, influences, strata and df, worked out from the predictions."""
    predictions, truth = matrix.predictions[0], matrix.outcome.values
    if name == "auc":
        aucs, values = slow.placements_less_auc(predictions, truth)
        return aucs, values, truth, np.bincount(truth) - 1
    gains = -((predictions - truth[:, None]) ** 2)
    if name == "accuracy":
        gains = ((predictions > 0.5) == truth[:, None]).astype(float)
    strata = np.zeros(len(truth), int)
    return gains.mean(axis=0), slow.losses_less_mean(gains), strata, [len(truth) - 1]


@pytest.mark.parametrize("name", list(MAKERS))
@pytest.mark.parametrize("other", [0, 3])
@pytest.mark.parametrize("side", [Side.TWO, Side.LOWER])
def test_loops_agree(name, other, side):
    matrix = MAKERS[name]()
    gains, values, strata, df = slow_evidence(name, matrix)
    draws = slow.drawn(values, strata, PLAN.seed, 130)
    apart = (values - values[:, [other]]).T
    law = slow.Law(strata, df, apart, PLAN.seed, 130, shares=name == "accuracy")
    plan, two = replace(PLAN, side=side), side is Side.TWO
    found = against(evidence_of(matrix, METRICS[name], plan), other, plan)
    expected = slow.against(gains, values, draws, other, law, 0.9, two=two)
    d, lower, upper, p, stepdown = expected
    for c, difference in d.items():
        assert found.differences[c] == pytest.approx(difference, abs=1e-10)
        assert found.lower[c] == pytest.approx(lower[c], abs=1e-9)
        assert found.upper[c] == pytest.approx(upper[c], abs=1e-9)
        assert found.p[c] == pytest.approx(p[c], abs=1e-12)
        assert found.p_stepdown[c] == pytest.approx(stepdown[c], abs=1e-12)
    assert found.lower[other] == found.upper[other] == found.differences[other] == 0
    assert found.p[other] == found.p_stepdown[other] == 1


@pytest.mark.sweep
def test_one_comparison_is_student_s_t():
    matrix = regression(n_samples=12, n_configurations=2)
    plan = Plan(n_resamples=40_000)
    evidence = evidence_of(matrix, METRICS["mse"], plan)
    found = against(evidence, 1, plan)
    reach = (found.differences[0] - found.lower[0]) / found.errors[0]
    assert reach == pytest.approx(stats.t.ppf(0.975, 11), abs=0.04)
    both = 2 * stats.t.sf(abs(found.statistics[0]), 11)
    assert found.p[0] == pytest.approx(both, abs=0.01)


def test_independent_comparisons_are_dunnett_s_many_one_t():
    rng = np.random.default_rng(0)
    matrix = regression(n_samples=30, n_configurations=5)
    noise = rng.normal(size=(1, 30, 5))
    centred = noise - noise.mean(axis=1, keepdims=True)
    values, _ = np.linalg.qr(centred[0])  # no correlation, one variance
    errors = np.sqrt(values + 1)
    one = replace(matrix, predictions=(matrix.outcome.values[:, None] + errors)[None])
    plan = Plan(n_resamples=40_000, side="lower")
    found = against(evidence_of(one, METRICS["mse"], plan), 0, plan)
    correlation = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    reach = (found.differences[1] - found.lower[1]) / found.errors[1]
    law = stats.multivariate_t(shape=correlation, df=29, seed=1)
    assert law.cdf(np.full(4, reach)) == pytest.approx(0.95, abs=0.004)


@pytest.mark.sweep
def test_two_strata_have_variances_of_their_own():
    few = binormal(np.full(3, 0.8), 34, np.random.default_rng(0), balance=30 / 34).matrix
    plan = Plan(n_resamples=40_000)
    evidence = evidence_of(few, METRICS["auc"], plan)
    assert evidence.df.tolist() == [29, 3]
    apart = evidence.influence[:, 0] - evidence.influence[:, 1]
    parts = [np.var(apart[few.outcome.values == h], ddof=1) / n for h, n in ((0, 30), (1, 4))]
    share = parts[1] / sum(parts)
    found = against(evidence.take(np.array([0, 1])), 1, plan)
    welch = 1 / (share**2 / 3 + (1 - share) ** 2 / 29)
    assert found.df == pytest.approx(welch)
    rng = np.random.default_rng(1)
    variances = (1 - share) * rng.chisquare(29, 400_000) / 29 + share * rng.chisquare(
        3, 400_000
    ) / 3
    law = rng.standard_normal(400_000) / np.sqrt(variances)
    reach = (found.differences[0] - found.lower[0]) / found.errors[0]
    assert reach == pytest.approx(np.quantile(law, 0.975), rel=0.03)
    assert reach > stats.t.ppf(0.975, 32) + 0.1


@pytest.mark.sweep
def test_shares_are_compared_by_mcnemar_s_statistic():
    matrix = binary(n_samples=60, n_configurations=2)
    plan = Plan(n_resamples=40_000)
    evidence = evidence_of(matrix, METRICS["accuracy"], plan)
    assert evidence.shares
    found = against(evidence, 1, plan)
    right = (matrix.predictions[0] > 0.5) == matrix.outcome.values[:, None]
    b, c = (right[:, 0] & ~right[:, 1]).sum(), (~right[:, 0] & right[:, 1]).sum()
    z = (b - c) / np.sqrt(b + c)
    assert found.statistics[0] == pytest.approx(z)
    assert found.df is None
    assert found.p[0] == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.01)


def test_too_few_samples_for_so_many_shares_show_nothing():
    matrix = binary(n_samples=6, n_configurations=30)
    plan = Plan(n_resamples=500, level=0.998)
    found = against(evidence_of(matrix, METRICS["error"], plan), 0, plan)
    tested = found.tested
    assert tested.any()
    assert (found.lower[tested] == -1).all()
    assert (found.upper[tested] == 1).all()
    assert (found.p[tested] > 0.002).all()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda one: replace(one, groups=np.repeat(np.arange(30), 2)), "accuracy"),
        (lambda one: one, "balanced-accuracy"),
        (lambda one: one, "brier"),
    ],
)
def test_what_is_no_share_of_samples_is_compared_by_t(change, name):
    matrix = change(binary(n_samples=60))
    assert not evidence_of(matrix, METRICS[name], PLAN).shares


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["auc", "accuracy"])
def test_a_critical_value_and_a_p_value_never_disagree(name):
    matrix = binary(n_samples=60, n_configurations=20)
    evidence = evidence_of(matrix, METRICS[name], PLAN)
    for level in (0.8, 0.9, 0.95):
        for other in range(20):
            found = against(evidence, other, replace(PLAN, level=level))
            rows = found.tested
            shown = (found.lower[rows] > 0) | (found.upper[rows] < 0)
            np.testing.assert_array_equal(shown, found.p[rows] <= 1 - level + 1e-9)


def test_the_first_draws_are_the_same_whatever_comes_after():
    evidence = evidence_of(binary(), METRICS["auc"], PLAN)
    few, many = (
        np.concatenate(
            list(over_draws(evidence, replace(PLAN, n_resamples=n), np.full(2, 0.5), np.copy))
        )
        for n in (70, 300)
    )
    assert len(few) == 70
    np.testing.assert_array_equal(few, many[:70])
    assert not np.array_equal(many[:64], many[64:128])


def test_parts_of_many_units_make_one_block(monkeypatch):
    monkeypatch.setattr(module, "MOST_MULTIPLIED", 7)
    parts = list(multipliers(17, 3, 0))
    assert [part for part, _ in parts] == [slice(0, 7), slice(7, 14), slice(14, 17)]
    assert np.hstack([normal for _, normal in parts]).shape == (64, 17)
    matrix = binary()
    whole = np.hstack([normal for _, normal in multipliers(40, 4, 0)])
    evidence = replace(evidence_of(matrix, METRICS["accuracy"], PLAN), shares=False)
    one = np.ones(1)
    drawn = next(iter(over_draws(evidence, PLAN, one, np.copy)))
    found = divisors(np.array([39]), one, 4, 0)
    expected = (whole * evidence.scale) @ evidence.influence / found[:, None]
    np.testing.assert_allclose(drawn, expected, atol=1e-14)


def test_too_few_draws_for_the_level_are_refused():
    assert checked_draws(Plan(n_resamples=19)) == 19
    with pytest.raises(OptionError, match="needs 19 draws"):
        checked_draws(Plan(n_resamples=18))
    assert checked_draws(Plan(n_resamples=99, level=0.99)) == 99
    with pytest.raises(OptionError, match="needs 99 draws"):
        checked_draws(Plan(n_resamples=98, level=0.99))
    assert checked_draws(Plan(n_resamples=100_000, tolerance=0.001)) == 10_000


def test_identical_and_constant_columns():
    matrix = regression()
    predictions = matrix.predictions.copy()
    truth = matrix.outcome.values
    predictions[0, :, 1] = predictions[0, :, 0]
    predictions[0, :, 4] = truth + 1
    predictions[0, :, 5] = truth - 2.5
    one = replace(matrix, predictions=predictions)
    evidence = evidence_of(one, METRICS["mae"], PLAN)
    found = against(evidence, 0, PLAN)
    assert (found.differences[1], found.lower[1], found.upper[1], found.p[1]) == (0, 0, 0, 1)
    constant = against(evidence, 4, PLAN)
    assert constant.differences[5] == pytest.approx(-1.5)
    assert np.isnan([constant.lower[5], constant.upper[5], constant.p[5]]).all()
    assert constant.errors[5] == 0
    assert constant.tested.tolist() == [True, True, True, True, False, False]
