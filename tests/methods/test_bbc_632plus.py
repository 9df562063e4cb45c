"""BBC-632+ between BBC-632 and BBC, and the performance without information."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, for_metric, multiclass, regression, weighing
from methods import reference

from bbccli import METHODS, METRICS, Plan
from bbccli.platform.resources import Engine, Resources, use
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Direction, Pooling

PLAN = Plan(n_resamples=60, seed=5)


def run(matrix, name, plan=PLAN, method="bbc-632plus", **options):
    return METHODS[method].run(matrix, METRICS[name], plan, **options)


def figures(matrix, name, plan=PLAN, select_by=None):
    """Winners (B,), and their figures in the bag, out of it and on all samples."""
    judge, measure = (
        candidates(matrix, METRICS[n], Pooling.POOLED) for n in (select_by or name, name)
    )
    bags = draws_of(matrix.n_samples, None, plan.seed).batch(0, 4).in_bag
    winners = METRICS[select_by or name].direction.best(judge.score(bags))
    out = (bags == 0).astype(np.uint8)
    usable = ~np.isnan(judge.paired(out, winners))
    bags, out, winners = (of[usable][: plan.n_resamples] for of in (bags, out, winners))
    everywhere = measure.performances()[winners]
    return winners, measure.paired(bags, winners), measure.paired(out, winners), everywhere


def rate_of(inside, outside, chance, direction):
    """R of equation 28, of the resamples that have all; 1 where there is nothing to lose."""
    gains = direction.gain(inside, outside), direction.gain(inside, chance)
    known = ~np.isnan(gains[0] + gains[1])
    lost, gained = (np.mean(one[known]) for one in gains)
    return 0.0 if lost <= 0 else 1.0 if gained <= lost else lost / gained


def mixed(inside, outside, everywhere, chance, direction):
    """The estimate from figures (B,), and its R."""
    rate = rate_of(inside, outside, chance, direction)
    weight = 0.632 / (1 - 0.368 * rate)
    return np.nanmean((1 - weight) * everywhere + weight * outside), rate


def expected_of(matrix, name, gammas, plan=PLAN, **options):
    """The estimate and its R, from the no-information performances (C,)."""
    winners, inside, outside, everywhere = figures(matrix, name, plan, **options)
    direction = METRICS[name].direction
    return mixed(inside, outside, everywhere, np.asarray(gammas)[winners], direction)


def gammas_by_loop(matrix, name):
    """Means over all N^2 pairs of a truth and a prediction, and over repeats."""
    truth, found = matrix.outcome.values, []
    i, j = (index.ravel() for index in np.indices((len(truth), len(truth))))
    for c in range(matrix.n_configurations):
        of_repeats = [reference.FIGURES[name](truth[i], p[j, c]) for p in matrix.predictions]
        found.append(np.mean(of_repeats))
    return found


@pytest.mark.parametrize(
    ("name", "matrix"),
    [
        ("accuracy", binary(n_samples=24, seed=2)),
        ("accuracy", binary(n_samples=24, n_repeats=2, seed=4)),
        ("accuracy", multiclass(n_samples=24, n_repeats=2)),
        ("auc", binary(n_samples=20, seed=1)),
    ],
)
def test_all_pairs_by_a_slow_loop(name, matrix):
    found = run(matrix, name)
    value, rate = expected_of(matrix, name, gammas_by_loop(matrix, name))
    assert found.value == pytest.approx(value, rel=1e-12)
    assert 0 < rate < 1


@pytest.mark.parametrize(
    ("name", "chance"),
    [
        *(("auc-ovr", 0.5), ("concordance", 0.5), ("spearman", 0), ("pearson", 0)),
        *(
            swept("auc", 0.5),
            swept("gini", 0.0),
            swept("mcc", 0.0),
            swept("balanced-accuracy", 0.5),
        ),
    ],
)
def test_what_is_known_without_information(name, chance):
    for n_samples in (40, 200):
        matrix = for_metric(name, n_samples=n_samples, n_repeats=2, n_configurations=20, seed=3)
        value, rate = expected_of(matrix, name, np.full(20, chance))
        assert run(matrix, name).value == pytest.approx(value, rel=1e-10)
        assert 0 < rate < 1


def test_some_pairs_stand_for_all():
    """Of many samples, each prediction meets some other truths of a seeded order."""
    matrix = regression(n_samples=3000, n_configurations=2, seed=1)
    truth, off = matrix.outcome.values, []
    gammas = np.array([np.abs(truth - p[:, None]).mean() for p in matrix.predictions[0].T])
    for seed in range(30):
        plan = replace(PLAN, seed=seed)
        winners, *by_bag = figures(matrix, "mae", plan)
        inside, outside, everywhere = (np.mean(of) for of in by_bag)
        if outside > inside:  # R is not 0, and tells what the no-information performance was
            weight = (run(matrix, "mae", plan).value - everywhere) / (outside - everywhere)
            rate = (1 - 0.632 / weight) / 0.368
            off.append(inside + (outside - inside) / rate - gammas[winners].mean())
    assert len(off) > 9 and np.std(off) > 0
    assert abs(np.mean(off)) < 4 * np.std(off, ddof=1) / np.sqrt(len(off))


def test_weights_of_truth_and_prediction_multiply():
    matrix = binary(n_samples=30, seed=1)
    matrix = replace(matrix, outcome=weighing(matrix.outcome))
    truth, weights = matrix.outcome.values, matrix.outcome.weights / matrix.outcome.weights.sum()
    right = (matrix.predictions[0] > 0.5) == truth[:, None, None]  # (truth, prediction, C)
    gammas = np.einsum("i,j,ijc->c", weights, weights, right)
    value, rate = expected_of(matrix, "accuracy", gammas)
    assert run(matrix, "accuracy").value == pytest.approx(value, rel=1e-12)
    assert 0 < rate < 1


def test_missing_predictions_meet_no_truth():
    matrix = binary(n_samples=31)
    available, predictions = np.ones(matrix.predictions.shape, bool), matrix.predictions.copy()
    available[0, :9, 2:], predictions[0, :9, 2:] = False, 1.0
    gappy = replace(matrix, available=available, predictions=predictions)
    share, gammas = matrix.outcome.values.mean(), []
    for c in range(7):
        positive = (matrix.predictions[0, 9 * (c > 1) :, c] > 0.5).mean()
        gammas.append(share * positive + (1 - share) * (1 - positive))
    value, rate = expected_of(gappy, "accuracy", gammas)
    assert run(gappy, "accuracy").value == pytest.approx(value, rel=1e-12)
    assert 0 < rate < 1


def test_blocks_of_configurations_do_not_matter():
    matrix, least = binary(n_configurations=12, seed=2), Resources(engine=Engine.NUMPY)
    expected = run(matrix, "log-loss")
    assert len(set(expected.distribution.winners)) > 4
    object.__setattr__(least, "memory", 25_000)  # a few configurations at a time
    with use(least):
        assert run(replace(matrix), "log-loss").value == pytest.approx(expected.value, rel=1e-14)


@pytest.mark.parametrize("name", ["accuracy", "error"])
def test_the_ends_of_the_rate(name):
    """At 0, where nothing is lost, it is BBC-632; at 1, where all is or none was there, BBC."""
    rates = set()
    for seed in range(12):
        matrix = binary(n_samples=24, n_configurations=1 + seed % 2 * 9, seed=seed)
        if seed % 3:  # worse than chance, or none
            turned = 1 - matrix.predictions if seed % 3 == 1 else np.roll(matrix.predictions, 5, 1)
            matrix = replace(matrix, predictions=turned)
        value, rate = expected_of(matrix, name, gammas_by_loop(matrix, "accuracy"))
        if name == "error":
            gammas = 1 - np.array(gammas_by_loop(matrix, "accuracy"))
            value, rate = expected_of(matrix, name, gammas)
        found = run(matrix, name).value
        assert found == pytest.approx(value, rel=1e-12)
        if rate in (0, 1):
            other = run(matrix, name, method="bbc" if rate else "bbc-632").value
            assert found == pytest.approx(other, rel=1e-12)
        rates.add(rate)
    assert {0, 1} < rates


def test_resamples_that_are_undefined_tell_nothing():
    matrix = binary(n_samples=24, n_configurations=9, seed=3)
    rare = replace(
        matrix, predictions=np.where(np.arange(24)[:, None] % 6 < 5, 0.1, matrix.predictions)
    )
    winners, inside, outside, everywhere = figures(rare, "precision", select_by="accuracy")
    assert np.isnan(inside).any() or np.isnan(outside).any()
    positive = rare.predictions[0] > 0.5
    gammas = np.full(9, rare.outcome.values.mean())
    value, _ = mixed(inside, outside, everywhere, gammas[winners], Direction.MAXIMIZE)
    assert positive.any()
    found = run(rare, "precision", select_by=METRICS["accuracy"])
    assert found.value == pytest.approx(value, rel=1e-12)


def test_its_error_is_that_of_the_jackknife():
    """The weights are drawn too: leaving out each resample in turn moves R."""
    matrix = binary(n_samples=30, n_configurations=20, seed=6)
    winners, *by_bag = figures(matrix, "accuracy")
    by_bag.append(np.array(gammas_by_loop(matrix, "accuracy"))[winners])
    without = [
        mixed(*(np.delete(of, b) for of in by_bag), Direction.MAXIMIZE)[0] for b in range(60)
    ]
    error = np.sqrt(59 * np.var(without))
    found = run(matrix, "accuracy")
    assert found.value == pytest.approx(mixed(*by_bag, Direction.MAXIMIZE)[0], rel=1e-12)
    assert found.error.value == pytest.approx(error, rel=0.005)


# BBC-632


PLAN_632 = Plan(n_resamples=300, seed=2)


@pytest.mark.parametrize("name", ["auc", "accuracy", "log-loss"])
def test_the_formula(name):
    matrix, metric = binary(), METRICS[name]
    bbc = METHODS["bbc"].run(matrix, metric, PLAN_632)
    found = METHODS["bbc-632"].run(matrix, metric, PLAN_632)
    everything = np.ones((1, matrix.n_samples), np.uint8)
    naive = candidates(matrix, metric, Pooling.POOLED).score(everything)[0]
    of_winners = [naive[w] for w in bbc.distribution.winners]
    assert found.value == pytest.approx(0.368 * np.mean(of_winners) + 0.632 * bbc.value, rel=1e-12)
    shift = found.value - bbc.value
    np.testing.assert_allclose(found.distribution.values, bbc.distribution.values + shift)
    assert found.experimental
    assert not bbc.experimental


def test_marked_in_all_outputs(run, samples):
    path = samples / "breast_cancer.parquet"
    options = ("--method", "bbc-632", "--n-resamples", "50")
    assert "experimental" in run("correct", path, *options)[1]
    assert '"experimental": true' in run("correct", path, *options, "--format", "json")[1]
