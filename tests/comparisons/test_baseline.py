"""The winner against a baseline: worked out resample by resample, laws, the sample file."""

from dataclasses import replace

import numpy as np
import pytest
import slow_comparisons as slow
from day import swept
from documents import codes
from matrices import binary, changed_source, regression

from bbccli import METRICS, Plan
from bbccli.comparisons import Alternative, Verdict, against_baseline
from bbccli.errors import UndefinedError
from bbccli.planning.simulation import right_or_wrong
from bbccli.types import IntervalKind, Select, Side

PLAN = Plan(n_resamples=130, level=0.9, seed=4)
AUC = METRICS["auc"]


@pytest.mark.parametrize("name", ["auc", swept("accuracy"), swept("mse"), swept("brier")])
def test_the_corrected_difference_is_that_of_loops(name):
    """And its interval that of max-T, whatever interval other methods are to have."""
    matrix = (regression if name == "mse" else binary)()
    everyone = range(matrix.n_configurations)
    values = slow.corrected_differences(matrix, METRICS[name], PLAN, everyone, [4])
    found = against_baseline(matrix, METRICS[name], PLAN, "c4").winner
    assert found.corrected == pytest.approx(values.mean(), abs=1e-12)
    assert (found.interval.lower, found.interval.upper) == (found.bound, found.bound_above)
    assert (found.interval.level, found.interval.side) == (0.9, Side.TWO)
    matched = replace(PLAN, interval=IntervalKind.MATCHED)
    assert against_baseline(matrix, METRICS[name], matched, "c4").winner == found


def test_the_verdict_is_that_of_the_interval_which_holds_the_estimate():
    """Also where the best of many by luck is far ahead, so that the estimate lies outside."""
    outside = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        one = right_or_wrong(np.full(40, 0.8), 40, rng, correlation=0.9).matrix
        plan = Plan(n_resamples=60, level=0.5, seed=seed)
        found = against_baseline(one, METRICS["accuracy"], plan, "c0", margin=0.01).winner
        if found.interval is None:
            continue
        lower, upper = found.interval.lower, found.interval.upper
        assert lower <= found.corrected <= upper
        assert found.verdict is (
            Verdict.BETTER
            if lower > 0.01
            else Verdict.WORSE
            if upper < -0.01
            else Verdict.NOT_WORSE
            if lower >= -0.01
            else Verdict.NOT_SHOWN
        )
        outside += found.corrected in (lower, upper)
    assert outside


def test_ends_that_are_not_asked_for_are_the_bounds_of_a_difference():
    found = against_baseline(binary(), AUC, replace(PLAN, side=Side.PESSIMISTIC), "c2").winner
    assert found.interval.upper == 1
    assert found.interval.side is Side.LOWER
    minimised = against_baseline(
        regression(), METRICS["mae"], replace(PLAN, side=Side.PESSIMISTIC), "c2"
    ).winner
    assert minimised.interval.lower > -np.inf
    assert minimised.interval.upper == np.inf


def test_the_winner_s_row_is_that_of_all():
    matrix = binary(n_samples=60)
    found = against_baseline(matrix, AUC, PLAN, "c1")
    assert [row.first for row in found.every] == ["c0", "c2", "c3", "c4", "c5", "c6"]
    (own,) = (row for row in found.every if row.first == found.winner.first)
    assert replace(own, corrected=None) == replace(
        found.winner, corrected=None, interval=None, notes=()
    )
    for row in found.every:
        assert row.difference == pytest.approx(row.first_value - row.second_value)
        assert row.alternative is Alternative.TWO_SIDED
        assert (row.second, row.metric, row.test) == ("c1", "auc", "max-t")
        assert row.n_units == 60
        assert row.error == pytest.approx(np.sqrt(row.p * (1 - row.p) / 130))


def test_a_bound_at_the_margin_decides_as_said():
    """Better is beyond it, worse too, and not worse is up to it: bounds know no margin."""
    matrix, kinds = binary(n_samples=200), set()
    for row in against_baseline(matrix, AUC, PLAN, "c2").every:
        expected = Verdict.NOT_WORSE, Verdict.BETTER if row.bound > 0 else Verdict.NOT_SHOWN
        if row.bound_above < 0:
            expected = Verdict.NOT_SHOWN, Verdict.WORSE
        end = abs(row.bound_above if row.bound_above < 0 else row.bound)
        for margin, verdict in zip((end, end * (1 - 1e-9)), expected, strict=True):
            found = against_baseline(matrix, AUC, PLAN, "c2", margin).every
            assert next(one for one in found if one.first == row.first).verdict is verdict
        kinds.add(expected)
    assert len(kinds) == 3


def test_the_baseline_may_be_the_winner():
    matrix = regression(n_samples=200)
    told = against_baseline(matrix, METRICS["mae"], PLAN, "c5").winner
    assert (told.first, told.second, told.difference) == ("c5", "c5", 0)
    assert (told.bound, told.p, told.corrected, told.interval) == (0, 1, None, None)
    assert told.verdict is Verdict.NOT_WORSE
    assert codes(told) == ["winner-is-baseline", "unbounded-loss"]


def test_one_configuration_is_its_own_baseline():
    found = against_baseline(binary(n_configurations=1), AUC, PLAN, "c0")
    assert found.every == ()
    assert codes(found.winner) == ["winner-is-baseline", "single-configuration"]


def test_the_rule_of_selection_is_that_of_the_plan():
    matrix = binary(n_samples=100)
    names = [{"id": f"c{c}", "complexity": c} for c in range(7)]
    matrix = changed_source(matrix, {"configs": names})
    plan = replace(PLAN, select=Select.ONE_SE_SIMPLEST)
    simple = against_baseline(matrix, AUC, plan, "c0").winner
    best = against_baseline(matrix, AUC, PLAN, "c0").winner
    assert simple.first != best.first
    assert simple.first_value < best.first_value
    assert simple.corrected != best.corrected
    assert "one-se-winner" in codes(simple)


def test_a_constant_difference_is_undefined_with_the_reason():
    matrix = regression()
    predictions = matrix.predictions.copy()
    predictions[0, :, 0] = matrix.outcome.values + 2
    predictions[0, :, 1] = matrix.outcome.values + 1
    found = against_baseline(replace(matrix, predictions=predictions), METRICS["mae"], PLAN, "c0")
    (constant,) = (row for row in found.every if row.first == "c1")
    assert constant.difference == pytest.approx(1)
    assert (constant.p, constant.bound, constant.statistic) == (None, None, None)
    assert constant.verdict is Verdict.UNDEFINED
    assert codes(constant) == ["no-variance"]
    others = [row for row in found.every if row.first != "c1"]
    assert all(0 < row.p <= 1 for row in others)


@pytest.mark.parametrize("n_positive", [0, 1])
def test_an_undefined_configuration_is_said_to_be_so(n_positive):
    """Also one that is undefined once a sample is left out."""
    matrix = binary(kind="label")
    predictions = matrix.predictions.copy()
    predictions[0, :, 2] = np.arange(40) < n_positive
    one = replace(matrix, predictions=predictions)
    found = against_baseline(one, METRICS["precision"], PLAN, "c1")
    (undefined,) = (row for row in found.every if row.first == "c2")
    assert undefined.verdict is Verdict.UNDEFINED
    assert codes(undefined) == ["no-influence"]
    assert undefined.p is None
    assert (undefined.first_value is None) == (n_positive == 0)
    with pytest.raises(UndefinedError, match="of the baseline, c2, is undefined"):
        against_baseline(one, METRICS["precision"], PLAN, "c2")
