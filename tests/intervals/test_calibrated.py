"""Calibrated and sharp intervals: the matched spread, stretched, and guarded losses."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, regression

from bbccli import METRICS, Plan
from bbccli.domain.estimate import Distribution
from bbccli.errors import UnsupportedError
from bbccli.methods import METHODS, bbc
from bbccli.stats.bootstrap.bbc_samples import moved
from bbccli.stats.intervals import Basis, interval_of
from bbccli.stats.intervals.guard import Guarded
from bbccli.stats.intervals.matched import matched, shrinkage
from bbccli.stats.resampling import Draws, Unit, every_resample
from bbccli.stats.selection.tails import of_samples, worst_sample
from bbccli.types import IntervalKind, Models, Pooling

AUC, MSE = METRICS["auc"], METRICS["mse"]
FACTORS = {
    ("calibrated", False): 1.25,
    ("sharp", False): 1.12,
    ("calibrated", True): 1.25 / 1.12,
    ("sharp", True): 1.0,
}


def drawn(seed=0):
    values = np.random.default_rng(seed).beta(20, 20, 800)
    return Distribution(values, np.zeros(800, int), sizes=np.full(800, 22))


@pytest.mark.parametrize(("kind", "fixed"), FACTORS)
def test_the_spread_is_a_multiple_of_the_matched(kind, fixed):
    distribution = drawn()
    plan, basis = Plan(interval=kind, guard=False), Basis(0.6, 60, 60, fixed=fixed)
    found = interval_of(distribution, AUC, plan, basis)[0]
    alone = matched(distribution, Basis(0.6, 60, 60), (0.0, 1.0))
    ends = [0.6 + FACTORS[kind, fixed] * (alone.quantile(p) - 0.6) for p in (0.025, 0.975)]
    assert (found.lower, found.upper) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("kind", ["calibrated", swept("sharp")])
@pytest.mark.parametrize("method", ["bbc", swept("bbc-632"), swept("bbc-eb")])
def test_methods_centre_it_at_their_estimate(kind, method, monkeypatch):
    # clipped, the interval of bbc-eb is a union of two
    monkeypatch.setattr(bbc, "_between", moved)
    matrix, plan = binary(n_samples=60), Plan(n_resamples=200, interval=kind, guard=False)
    found = METHODS[method].run(matrix, AUC, plan)
    fixed = METHODS[method].run(matrix, AUC, replace(plan, models=Models.FIXED))
    wide, narrow = (1.25, 1.25 / 1.12) if kind == "calibrated" else (1.12, 1.0)
    below = METHODS["bbc"].run(matrix, AUC, replace(plan, interval=IntervalKind.MATCHED))
    reach = below.value - below.interval.lower
    assert found.value - found.interval.lower == pytest.approx(wide * reach, rel=1e-9)
    assert fixed.value - fixed.interval.lower == pytest.approx(narrow * reach, rel=1e-9)
    assert "not-calibrated" not in [note.code for note in found.notes]


@pytest.mark.parametrize("method", ["bbc-f", "naive", "bbc-632plus"])
def test_other_methods_say_that_they_were_not_measured(method):
    matrix = binary(n_samples=60)
    for kind, said in (("sharp", True), ("matched", False), ("percentile", False)):
        found = METHODS[method].run(matrix, AUC, Plan(n_resamples=50, interval=kind))
        assert ("not-calibrated" in [note.code for note in found.notes]) == said


@pytest.mark.parametrize("kind", ["calibrated", "sharp"])
def test_means_over_folds_are_refused(kind):
    plan = Plan(n_resamples=50, interval=kind, pooling=Pooling.FOLD_MEAN)
    with pytest.raises(UnsupportedError, match=f"{kind} intervals don't go with means over folds"):
        METHODS["bbc"].run(binary(), AUC, plan)


def losses_of(matrix, winner):
    predicted = matrix.predictions[:, :, matrix.configurations.index(winner)]
    return ((matrix.outcome.values - predicted) ** 2).mean(axis=0)


@pytest.mark.parametrize("n_repeats", [1, 2])
def test_losses_are_guarded_with_the_worst_sample(n_repeats):
    matrix = regression(n_repeats=n_repeats)
    plan = Plan(n_resamples=200, interval=IntervalKind.SHARP)
    found = METHODS["bbc-eb"].run(matrix, MSE, plan)
    worst = losses_of(matrix, found.winner).max()
    stretched = matched(found.distribution, Basis(found.value, 41, 41), (0.0, np.inf), 1.12)
    assert worst > stretched.values.max()
    expected = Guarded(stretched, 41, worst).quantile(0.975)
    assert found.interval.upper == pytest.approx(expected, rel=1e-12)
    bare = METHODS["bbc-eb"].run(matrix, MSE, replace(plan, guard=False))
    assert bare.interval.upper < found.interval.upper
    assert bare.interval.upper == pytest.approx(stretched.quantile(0.975), rel=1e-12)


def test_a_resample_beyond_the_worst_sample_is_the_limit():
    distribution = Distribution(np.linspace(1, 2, 100), np.zeros(100, int))
    plan = Plan(interval=IntervalKind.SHARP)
    found = interval_of(distribution, MSE, plan, Basis(1.5, 40, 40, worst=1.7))[0]
    top = 1.5 + 1.12 * 0.5
    law = matched(distribution, Basis(1.5, 40, 40), (0.0, np.inf), 1.12)
    assert found.upper == pytest.approx(Guarded(law, 40, top).quantile(0.975), rel=1e-12)
    assert law.quantile(0.975) < found.upper < top


def test_no_other_interval_guards_losses():
    matrix = regression()
    for kind in ("percentile", "matched", "t"):
        plan = Plan(n_resamples=100, interval=kind)
        on, off = (
            METHODS["bbc"].run(matrix, MSE, replace(plan, guard=guard)).interval.upper
            for guard in (True, False)
        )
        assert on == off


@pytest.mark.parametrize(("name", "power"), [("mse", 1), ("rmse", 0.5)])
def test_single_samples(name, power):
    matrix = regression(n_samples=150)
    expected = losses_of(matrix, "c2") ** power
    np.testing.assert_allclose(of_samples(matrix, METRICS[name], 2), expected, rtol=1e-12)
    assert worst_sample(matrix, METRICS[name], 2) == pytest.approx(expected.max())


def test_a_sample_alone_may_say_nothing():
    assert worst_sample(binary(), AUC, 0) is None
    assert worst_sample(binary(), METRICS["accuracy"], 0) == 0


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
