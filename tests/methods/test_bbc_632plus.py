"""BBC-632+ between BBC-632 and BBC, and the performance without information."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, for_metric, multiclass, regression, survival, weighing
from methods import reference

from bbccli import METHODS, METRICS, Plan
from bbccli.methods.literature import bbc_632plus as module
from bbccli.methods.literature.bbc_632plus import no_information, overfitting, weight_of
from bbccli.platform.resources import Resources, use
from bbccli.stats.bootstrap.bbc_samples import in_bag
from bbccli.stats.case import Case
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Direction, Pooling

PLAN = Plan(n_resamples=60, seed=5)


def estimate(matrix, name, plan=PLAN, method="bbc-632plus", **options):
    return METHODS[method].run(matrix, METRICS[name], plan, **options)


def gamma_by_loop(matrix, name, c):
    """Mean over all N^2 pairs of a truth and a prediction, and over repeats."""
    truth, figures = matrix.outcome.values, []
    for predictions in matrix.predictions:
        i, j = (index.ravel() for index in np.indices((len(truth), len(truth))))
        figures.append(reference.FIGURES[name](truth[i], predictions[j, c]))
    return np.mean(figures)


# The slow loop

CASES = [
    ("accuracy", binary(n_samples=24, seed=2)),
    ("accuracy", binary(n_samples=24, n_repeats=2, seed=4)),
    ("accuracy", multiclass(n_samples=24, n_repeats=2)),
    ("auc", binary(n_samples=20, seed=1)),
]


def usable(bags, matrix, name):
    """The bags that the metric can be scored in and out of: the AUC needs both classes."""
    if name != "auc":
        return bags
    drawn = [bags[:, matrix.outcome.values == k] > 0 for k in (0, 1)]
    both = [side.any(axis=1) & ~side.all(axis=1) for side in drawn]
    return bags[np.all(both, axis=0)]


@pytest.mark.parametrize(("name", "matrix"), CASES)
def test_the_slow_loop_estimates_the_same(name, matrix):
    bags = usable(draws_of(matrix.n_samples, None, PLAN.seed).batch(0, 2).in_bag, matrix, name)[:60]
    figure = reference.figure_on(matrix, name)
    winners, outside = reference.bbc(figure, matrix.n_configurations, bags)
    inside = [
        figure(np.repeat(np.arange(len(bag)), bag), w) for bag, w in zip(bags, winners, strict=True)
    ]
    naive = [figure(np.arange(matrix.n_samples), w) for w in winners]
    gammas = {w: gamma_by_loop(matrix, name, w) for w in set(winners)}
    gamma = np.mean([gammas[w] for w in winners])
    rate = (np.mean(inside) - np.mean(outside)) / (np.mean(inside) - gamma)
    weight = 0.632 / (1 - 0.368 * min(max(rate, 0), 1))
    found = estimate(matrix, name)
    assert found.distribution.winners.tolist() == winners
    expected = (1 - weight) * np.mean(naive) + weight * np.mean(outside)
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert 0 < rate < 1


# Without information


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("auc", 0.5), ("auc-ovr", 0.5), ("concordance", 0.5), ("spearman", 0), ("pearson", 0)),
        *(swept("gini", 0.0), swept("mcc", 0.0), swept("balanced-accuracy", 0.5)),
    ],
)
def test_what_is_known_without_information(name, expected):
    for n_samples in (40, 200):
        matrix = for_metric(name, n_samples=n_samples, n_repeats=2)
        found = no_information(matrix, METRICS[name], np.arange(3), 0)
        assert found == pytest.approx(np.full(3, expected), abs=1e-12)


@pytest.mark.parametrize("maker", [binary, swept(multiclass), swept(regression), swept(survival)])
def test_some_pairs_stand_for_all(maker, monkeypatch):
    name = {"binary": "log-loss", "multiclass": "log-loss", "regression": "mae"}
    metric = METRICS[name.get(maker.__name__, "concordance")]
    matrix = maker(n_samples=300)
    whole = no_information(matrix, metric, np.arange(4), 0)
    monkeypatch.setattr(module, "MOST_PAIRS", 0)
    monkeypatch.setattr(module, "LEAST_EACH", 1)
    few = [no_information(matrix, metric, np.arange(4), seed) for seed in range(40)]
    assert (few[0] == no_information(matrix, metric, np.arange(4), 0)).all()
    error = np.std(few, axis=0, ddof=1) / np.sqrt(40)
    assert (error > 0).all()
    assert (np.abs(np.mean(few, axis=0) - whole) < 4 * error).all()


def test_weights_of_truth_and_prediction_multiply():
    matrix = binary(n_samples=30)
    matrix = replace(matrix, outcome=weighing(matrix.outcome))
    truth, weights = matrix.outcome.values, matrix.outcome.weights / matrix.outcome.weights.sum()
    right = (matrix.predictions[0] > 0.5) == truth[:, None, None]  # (truth, prediction, C)
    expected = np.einsum("i,j,ijc->c", weights, weights, right)
    found = no_information(matrix, METRICS["accuracy"], np.arange(7), 0)
    assert found == pytest.approx(expected, rel=1e-12)


def test_missing_predictions_meet_no_truth():
    matrix = binary(n_samples=31)
    available, predictions = np.ones(matrix.predictions.shape, bool), matrix.predictions.copy()
    available[0, :9, 2], predictions[0, :9, 2] = False, 1.0
    known = replace(matrix, available=available, predictions=predictions)
    found = no_information(known, METRICS["accuracy"], np.arange(7), 0)
    share = matrix.outcome.values.mean()
    positive = (matrix.predictions[0, 9:, 2] > 0.5).mean()
    assert found[2] == pytest.approx(share * positive + (1 - share) * (1 - positive), rel=1e-12)


def test_blocks_of_configurations_do_not_matter():
    matrix, metric = binary(n_samples=20_000, n_configurations=5), METRICS["log-loss"]
    expected = no_information(matrix, metric, np.arange(5), 0)
    n_bound = []
    counting = replace(metric, bind=lambda *data: n_bound.append(1) or metric.bind(*data))
    with use(Resources(memory=16_000_000)):
        found = no_information(matrix, counting, np.arange(5), 0)
    assert len(n_bound) > 1
    assert found == pytest.approx(expected, rel=1e-14)


# The rate, and the weight


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(
    ("inside", "outside", "chance", "rate"),
    [
        (0.9, 0.8, 0.5, 0.25),
        swept(0.9, 0.9, 0.5, 0.0),
        swept(0.9, 0.95, 0.5, 0.0),  # better out of the bag
        swept(0.6, 0.4, 0.5, 1.0),  # worse than chance out of the bag
        (0.5, 0.5, 0.5, 0.0),  # nothing to lose, nothing lost
        swept(0.5, 0.4, 0.5, 1.0),  # the denominator is 0
        swept(0.4, 0.3, 0.5, 1.0),  # worse than chance in the bag
    ],
)
def test_the_rate_and_its_ends(inside, outside, chance, rate, direction):
    figures = (np.full(4, direction.sign * x) for x in (inside, outside, chance))
    assert overfitting(*figures, direction).rate == pytest.approx(rate)


def test_resamples_that_are_undefined_tell_nothing():
    inside, outside = np.array([0.9, np.nan, 0.9]), np.array([0.8, 0.1, np.nan])
    found = overfitting(inside, outside, np.full(3, 0.5), Direction.MAXIMIZE)
    assert found.rate == pytest.approx(0.25)
    assert found.influence[1:].tolist() == [0.0, 0.0]
    nothing = overfitting(inside * np.nan, outside, outside, Direction.MAXIMIZE)
    assert np.isnan(nothing.rate)


# The estimate


def test_its_error_is_that_of_the_jackknife():
    """The weights are drawn too: leaving out each resample in turn moves R."""
    matrix, metric = binary(n_samples=30, n_configurations=20, seed=6), METRICS["accuracy"]
    found, bbc = (estimate(matrix, "accuracy", PLAN, m) for m in ("bbc-632plus", "bbc"))
    outside, winners = bbc.distribution.values, bbc.distribution.winners
    inside = in_bag(Case(matrix, metric, metric, PLAN), 60)
    chance = no_information(matrix, metric, winners, 0)
    everywhere = candidates(matrix, metric, Pooling.POOLED).performances()[winners]

    def of(rows):
        rate = overfitting(inside[rows], outside[rows], chance[rows], Direction.MAXIMIZE).rate
        weight = weight_of(rate)[0]
        return (1 - weight) * everywhere[rows].mean() + weight * outside[rows].mean()

    assert found.value == pytest.approx(of(np.arange(60)), rel=1e-12)
    without = np.array([of(np.delete(np.arange(60), b)) for b in range(60)])
    error = np.sqrt(59 / 60 * ((without - without.mean()) ** 2).sum())
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
