"""Which resamples count: those in which the metric is defined, in the bag and out of it."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from documents import codes
from matrices import binary, for_metric, multiclass, of
from methods import reference

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.errors import UndefinedError
from bbccli.methods import METHODS, estimate
from bbccli.stats.resampling import draws_of
from bbccli.types import PredictionKind, Task


def rare(n_rare, n_samples=50, n_configurations=3, kind=PredictionKind.PROBABILITY, seed=0):
    """Two classes, of which the second has a few samples only."""
    truth = (np.arange(n_samples) >= n_samples - n_rare).astype(int)
    rng = np.random.default_rng(seed)
    chances = rng.random((1, n_samples, n_configurations))
    predictions = np.round(0.7 * chances + 0.3 * truth[:, None], 2)
    if kind is PredictionKind.LABEL:
        predictions = (predictions > 0.5).astype(float)
    return of(Outcome(Task.BINARY, truth, ("no", "yes")), predictions, kind, 5, seed)


@pytest.mark.parametrize("name", ["accuracy", swept("auc")])
@pytest.mark.parametrize("n_rare", [2, swept(3)])
def test_algorithm_5_by_a_slow_loop(name, n_rare):
    """Draw, and draw again only what can't be scored: nothing else decides."""
    matrix, n = rare(n_rare), 60
    found = METHODS["bbc"].run(matrix, METRICS[name], Plan(n_resamples=n, seed=7))
    winners, values, n_drawn = [], [], 0
    truth = matrix.outcome.values
    for weights in draws_of(50, None, 7).batch(0, 12).in_bag:
        n_drawn += 1
        if name == "auc" and len(set(truth[weights > 0])) < 2:
            continue
        one = reference.bbc(reference.figure_on(matrix, name), 3, weights[None])
        if np.isnan(one[1][0]):
            continue
        winners += one[0]
        values += one[1]
        if len(values) == n:
            break
    assert found.distribution.winners.tolist() == winners
    np.testing.assert_allclose(found.distribution.values, values, rtol=1e-12)
    assert found.distribution.n_redrawn == n_drawn - n
    assert ("redrawn-resamples" in codes(found)) == (name == "auc")


def test_the_note_counts_the_redrawn_resamples_by_metric():
    found = METHODS["bbc"].run(rare(2), METRICS["auc"], Plan(n_resamples=100))
    (note,) = [note for note in found.notes if note.code == "redrawn-resamples"]
    n_redrawn = found.distribution.n_redrawn
    assert n_redrawn > 0
    assert note.text == (
        f"AUC is undefined in {n_redrawn} resamples, which were drawn again (100 were used)"
    )
    assert "the rare class" in note.remedy


def test_a_metric_that_did_not_select_leaves_its_undefined_resamples_out():
    matrix, plan = rare(2), Plan(n_resamples=200, seed=1)
    both, _ = estimate(matrix, [METRICS["accuracy"], METRICS["auc"]], plan, ["bbc"])
    accuracy, auc = both
    assert not {"redrawn-resamples", "undefined-resamples"} & set(codes(accuracy))
    (note,) = [note for note in auc.notes if note.code == "undefined-resamples"]
    drawn = draws_of(50, None, 1).batch(0, 4).in_bag[:200]
    held = [len(set(matrix.outcome.values[weights == 0])) == 2 for weights in drawn]
    n_undefined = 200 - sum(held)
    assert 0 < n_undefined < 200
    assert note.text == f"AUC is undefined in {n_undefined} of 200 resamples, which are left out"
    assert auc.n_resamples == sum(held)
    figure = reference.figure_on(matrix, "auc")
    expected = [
        figure(np.flatnonzero(weights == 0), winner)
        for weights, winner, known in zip(drawn, accuracy.distribution.winners, held, strict=True)
        if known
    ]
    np.testing.assert_allclose(auc.distribution.values, expected, rtol=1e-12)
    assert auc.value == pytest.approx(np.mean(expected))


SINGLE = ["accuracy", "error", "log-loss", "brier"]


@pytest.mark.parametrize(
    "method", ["bbc", swept("bbc-632"), "naive", swept("tilting"), swept("mabt")]
)
@pytest.mark.parametrize("name", SINGLE)
def test_a_class_of_one_sample_is_no_error_where_the_metric_does_without(method, name):
    found = METHODS[method].run(rare(1), METRICS[name], Plan(n_resamples=80))
    assert np.isfinite(found.value)


@pytest.mark.parametrize(
    "name",
    ["auc", swept("f1"), swept("recall"), swept("balanced-accuracy"), swept("mcc"), swept("kappa")],
)
def test_a_class_of_one_sample_is_an_error_where_the_metric_needs_it(name):
    label = METRICS[name].label
    message = f"class 'yes' has a single sample: {label} needs one among the rows drawn, and one"
    with pytest.raises(UndefinedError, match=message) as caught:
        METHODS["bbc"].run(rare(1), METRICS[name], Plan())
    assert "another metric" in caught.value.hint or "a metric that does" in caught.value.hint


def test_a_class_in_one_group_is_an_error_where_the_metric_needs_it():
    groups = np.append(np.arange(40) // 2, np.full(10, 20))
    matrix = replace(rare(10), groups=groups)
    with pytest.raises(UndefinedError, match=r"class 'yes' has a single group: AUC needs"):
        METHODS["bbc"].run(matrix, METRICS["auc"], Plan())
    assert np.isfinite(METHODS["bbc"].run(matrix, METRICS["accuracy"], Plan()).value)


def test_a_class_of_one_among_several():
    matrix = multiclass()
    truth = np.where(matrix.outcome.values == 2, 0, matrix.outcome.values)
    truth[-1] = 2
    matrix = replace(matrix, outcome=replace(matrix.outcome, values=truth))
    assert np.isfinite(METHODS["bbc"].run(matrix, METRICS["accuracy"], Plan()).value)
    with pytest.raises(UndefinedError, match="class 'c' has a single sample: macro recall"):
        METHODS["bbc"].run(matrix, METRICS["recall-macro"], Plan())


def test_a_class_of_one_sample_stays_with_the_selection():
    matrix = rare(1)
    with pytest.raises(UndefinedError, match="AUC of the winner is undefined on the samples that"):
        METHODS["tilting"].run(matrix, METRICS["auc"], Plan(n_resamples=50))


def test_data_on_which_hardly_any_resample_can_be_used(monkeypatch):
    """A metric that is undefined wherever a sample is drawn twice: the patience ends."""
    monkeypatch.setattr("bbccli.stats.resampling.PATIENCE", 3)
    rmse, calls = METRICS["rmse"], []

    def bind(outcome, predictions):
        scorer = rmse.bind(outcome, predictions)

        def score(weights, configurations=None):
            calls.append(len(weights))
            assert len(calls) < 1000, "no end"
            return np.where(weights.max(axis=1) > 1, np.nan, scorer(weights, configurations).T).T

        score.n_configurations, score.paired = scorer.n_configurations, scorer.paired
        return score

    with pytest.raises(UndefinedError, match="almost no resample of the samples can be used"):
        METHODS["bbc"].run(
            for_metric("rmse", n_samples=30), replace(rmse, name="picky", bind=bind), Plan(10)
        )


def test_a_metric_that_one_configuration_has_without_the_class_is_no_error():
    # the second predicts positives elsewhere too: it has a precision whatever is drawn
    truth = np.zeros(50, int)
    truth[49] = 1
    labels = np.zeros((1, 50, 2))
    labels[0, 49] = 1
    labels[0, :20, 1] = 1
    matrix = PredictionMatrix(
        Outcome(Task.BINARY, truth, ("no", "yes")), labels, ("few", "many"), PredictionKind.LABEL
    )
    found = METHODS["bbc"].run(matrix, METRICS["precision"], Plan(n_resamples=50))
    assert 0 <= found.value <= 1


def test_the_naive_bootstrap_uses_every_draw_that_can_be_scored():
    # of two groups every other draw leaves none out of the bag, which only bbc needs
    matrix = replace(binary(), groups=np.arange(40) // 20)
    naive, bbc = (METHODS[m].run(matrix, METRICS["auc"], Plan()) for m in ("naive", "bbc"))
    assert naive.distribution.n_redrawn == 0
    assert 800 < bbc.distribution.n_redrawn < 1250
