"""ZF against a slow loop from its text, and where it is refused."""

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary, bound, regression

from bbccli import METHODS, METRICS, Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.stats.influence import largest, multipliers
from bbccli.stats.resampling import BLOCK
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Models, Pooling, Select, Side

PLAN = Plan(n_resamples=320, seed=4, models=Models.FIXED, guard=False, level=0.9)
ZF = METHODS["zf"]


def words_of(found):
    return next(note.text for note in found.notes if note.code == "locally-simultaneous")


def numbers_of(n_units, seed, n_draws):
    blocks = [
        np.hstack([part for _, part in multipliers(n_units, seed, position)])
        for position in range(-(-n_draws // BLOCK))
    ]
    return np.concatenate(blocks)[:n_draws]


def losses_of(matrix, name):
    """Losses or successes (N, C), averaged over repeats."""
    truth = matrix.outcome.values[:, None]
    if name == "accuracy":
        return ((matrix.predictions > 0.5) == truth).mean(axis=0)
    return ((matrix.predictions - truth) ** 2).mean(axis=0)


def order_statistic(values, p):
    return sorted(values)[int(np.ceil(round(p * len(values), 9))) - 1]


def slow(losses, sign, plan, sides):
    """Ends by the text: one draw, one configuration at a time. `sides` -1, 1, or 0 for both."""
    n, n_configurations = losses.shape
    means, errors = losses.mean(axis=0), losses.std(axis=0, ddof=1) / np.sqrt(n)
    winner = int(np.argmax(sign * means))
    drawn = []
    for g in numbers_of(n, plan.seed, plan.n_resamples):
        total = [(g * (losses[:, c] - means[c])).sum() for c in range(n_configurations)]
        scale = np.sqrt(n / (n - 1)) / n
        drawn.append([scale * total[c] / errors[c] for c in range(n_configurations)])
    outside, spent = 1 - plan.level, (1 - plan.level) / 10
    reach = order_statistic([max(abs(d) for d in row) for row in drawn], 1 - spent)
    top = max(sign * means[c] - reach * errors[c] for c in range(n_configurations))
    kept = [c for c in range(n_configurations) if sign * means[c] + reach * errors[c] >= top]
    assert winner in kept
    folded = {0: abs, 1: lambda d: d, -1: lambda d: -d}[sides]
    largest_sums = [max(folded(row[c]) for c in kept) for row in drawn]
    q = order_statistic(largest_sums, 1 - (outside - spent))
    return kept, means[winner] - q * errors[winner], means[winner] + q * errors[winner]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("n_repeats", [1, 2])
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("name", ["accuracy", "mse"])
def test_the_slow_loop(name, side, n_repeats):
    make = binary if name == "accuracy" else regression
    matrix, metric = (
        make(200 if n_repeats == 1 else 80, 9, n_repeats=n_repeats, seed=1),
        METRICS[name],
    )
    plan = replace(PLAN, side=side)
    found = ZF.run(matrix, metric, plan)
    sign, end = metric.direction.sign, found.interval.side
    sides = {Side.TWO: 0, Side.LOWER: 1, Side.UPPER: -1}[end]
    kept, lower, upper = slow(losses_of(matrix, name), sign, plan, sides)
    assert found.value == found.naive
    assert 1 < len(kept) < 9
    tolerance = {"abs": 1e-6} if name == "accuracy" else {"rel": 1e-9}
    # ranks from below and from above differ by one draw
    if end is not Side.UPPER:
        assert found.interval.lower == pytest.approx(max(lower, 0), abs=0.02 * abs(lower))
    if end is not Side.LOWER:
        assert found.interval.upper == pytest.approx(min(upper, metric.bounds[1]), **tolerance)
    assert f"{len(kept)} of 9 configurations" in words_of(found)


def test_configurations_that_cannot_be_the_best_cost_nothing():
    """A hundred useless ones beside three good ones: kept are the good."""
    rng = np.random.default_rng(0)
    matrix = binary(n_samples=1000, n_configurations=103)
    right = rng.random((1, 1000, 103)) < np.r_[0.8, 0.8, 0.8, np.full(100, 0.5)]
    truth = matrix.outcome.values[:, None]
    matrix = replace(matrix, predictions=np.where(right, truth, 1 - truth).astype(float))
    alone = replace(
        matrix, predictions=matrix.predictions[:, :, :3], configurations=("a", "b", "c")
    )
    of_all, of_few = (ZF.run(m, METRICS["accuracy"], PLAN) for m in (matrix, alone))
    assert of_all.interval.lower == pytest.approx(of_few.interval.lower, abs=1e-9)
    assert words_of(of_all).startswith("3 of 103 configurations")


@pytest.mark.sweep
def test_one_configuration_has_a_normal_interval():
    matrix = binary(n_samples=100, n_configurations=1)
    plan = replace(PLAN, n_resamples=20_000, side=Side.LOWER)
    found = ZF.run(matrix, METRICS["accuracy"], plan)
    p = found.naive
    # 1 - a + v = 0.91
    assert found.interval.lower == pytest.approx(p - 1.3408 * np.sqrt(p * (1 - p) / 99), abs=2e-3)


def test_the_error_of_an_auc_is_that_of_delong():
    matrix, plan = binary(n_samples=80, n_configurations=1), replace(PLAN, n_resamples=20_000)
    found = ZF.run(matrix, METRICS["auc"], plan)
    rows = METHODS["delong"].run(matrix, METRICS["auc"], replace(plan, evaluation_share=0.0))
    ratio = (found.naive - found.interval.lower) / (rows.naive - rows.interval.lower)
    assert ratio == pytest.approx(1.6954 / 1.6449, rel=0.02)


def test_the_guard():
    matrix, metric = binary(n_samples=60), METRICS["auc"]
    bare, guarded = (ZF.run(matrix, metric, replace(PLAN, guard=g)) for g in (False, True))
    assert guarded.interval.lower < bare.interval.lower
    predictions = np.array(matrix.predictions)
    predictions[0, :, 0] = matrix.outcome.values
    perfect = replace(matrix, predictions=predictions)
    plan = replace(PLAN, guard=True, side=Side.LOWER, level=0.95)
    found = ZF.run(perfect, metric, plan)
    assert found.naive == 1
    # Jeffreys' bound of 30 without a failure, at the level that is left
    from scipy.stats import beta

    assert found.interval.lower == pytest.approx(beta(30.5, 0.5).ppf(0.045), abs=2e-3)


def test_the_auc_of_groups_is_as_sure_as_the_jackknife_without_each_says():
    matrix, auc = binary(n_samples=80).of_configurations(np.array([3])), METRICS["auc"]
    grouped = replace(matrix, groups=np.arange(80) // 2)
    scorer = bound(auc, matrix)
    without = scorer((grouped.groups != np.arange(40)[:, None]).astype(np.uint8))[:, 0]
    error = np.sqrt(39 / 40 * ((without - without.mean()) ** 2).sum())
    interval = ZF.run(grouped, auc, replace(PLAN, n_resamples=5000)).interval
    assert (interval.upper - interval.lower) / (2 * error) == pytest.approx(1.7, abs=0.1)


def test_another_metric_selects():
    matrix = binary(n_configurations=9, seed=3)
    found = ZF.run(matrix, METRICS["accuracy"], PLAN, select_by=METRICS["auc"])
    alone = ZF.run(matrix, METRICS["auc"], PLAN)
    assert found.winner == alone.winner
    assert words_of(found) == words_of(alone)
    every = candidates(matrix, METRICS["accuracy"], Pooling.POOLED).performances()
    assert found.value == every[matrix.configurations.index(found.winner)]


@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_largest_sums(sign):
    parts = np.random.default_rng(1).normal(size=(10, 4))
    sums = numbers_of(10, 3, 100) @ parts
    folded = np.abs(sums) if sign == 0 else sign * sums
    np.testing.assert_allclose(largest(parts, 3, 100, sign), folded.max(axis=1))


@pytest.mark.parametrize("models", [None, Models.TRAINED])
def test_trained_models_are_refused(models):
    with pytest.raises(UnsupportedError, match="zf is for models that are fixed") as caught:
        ZF.run(binary(), METRICS["auc"], replace(PLAN, models=models))
    assert "--models fixed" in caught.value.hint


@pytest.mark.sweep
def test_without_folds_models_are_fixed():
    found = ZF.run(replace(binary(), folds=None, fold_names=()), METRICS["auc"], Plan())
    assert found.plan.models is Models.FIXED
    assert METHODS["bbc"].run(binary(), METRICS["auc"], Plan(50)).plan.models is Models.TRAINED


def test_other_rules_of_selection_are_refused():
    with pytest.raises(UnsupportedError, match="selection of the best"):
        ZF.run(binary(), METRICS["auc"], replace(PLAN, select=Select.ONE_SE))


def test_undefined_without_a_sample():
    matrix = binary(n_samples=20)
    values = np.zeros(20, int)
    values[0] = 1
    rare = replace(matrix, outcome=replace(matrix.outcome, values=values))
    with pytest.raises(UndefinedError, match="undefined without one of the samples"):
        ZF.run(rare, METRICS["auc"], PLAN)
