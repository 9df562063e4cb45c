"""Folds in runs: the same performances, and no work in folds times samples."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, of, of_labels, survival
from numpy.testing import assert_allclose, assert_array_equal

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import METHODS, estimate
from bbccli.platform import resources
from bbccli.stats.resampling import every_resample
from bbccli.stats.selection.candidates import candidates, fold_performances
from bbccli.types import Pooling, PredictionKind, Task


@pytest.mark.parametrize(
    ("matrix", "name"),
    [
        (binary(60, n_folds=10), "auc"),
        (binary(300, n_folds=100), "accuracy"),  # more than each look through all samples
        swept(binary(300, n_folds=100, n_repeats=2), "brier"),
        swept(survival(80, n_folds=8), "concordance"),
    ],
)
def test_runs_of_folds_change_nothing(matrix, name):
    metric, found = METRICS[name], fold_performances(matrix, METRICS[name])
    predictions = matrix.as_kind(metric.wants)
    for of_repeat, folds, by_fold in zip(predictions, matrix.folds, found, strict=True):
        for fold, performances in enumerate(by_fold):
            rows = np.flatnonzero(folds == fold)
            alone = metric.bind(matrix.outcome.take(rows), of_repeat[rows])
            expected = alone(np.ones((1, len(rows)), np.uint8))[0]
            assert_allclose(performances, expected, rtol=1e-12)


def test_restricting_a_mean_over_folds():
    matrix, rows = binary(60, n_folds=10), np.arange(60) % 3 > 0
    whole = candidates(matrix, METRICS["brier"], Pooling.FOLD_MEAN).bind(np.arange(7))
    weights = np.random.default_rng(0).integers(0, 3, (5, 60)) * rows
    assert_allclose(whole.restrict(rows)(weights[:, rows]), whole(weights), rtol=1e-12)


def leave_one_out(n):
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    predictions = (rng.random((1, n, 3)) + truth[:, None]) / 2
    return of(outcome, predictions, PredictionKind.PROBABILITY, n_folds=n)


class Counting:
    """A scorer that counts the samples from which others are restricted."""

    def __init__(self, scorer, looked_at):
        self.scorer, self.looked_at = scorer, looked_at
        self.n_configurations, self.paired = scorer.n_configurations, scorer.paired

    def __call__(self, weights, configurations=None):
        return self.scorer(weights, configurations)

    def restrict(self, rows):
        self.looked_at.append(len(rows))
        return Counting(self.scorer.restrict(rows), self.looked_at)


def test_leave_one_out_of_many_samples():
    """Samples that all runs of folds look at: N sqrt(F), not N F."""
    looked_at, accuracy = [], METRICS["accuracy"]

    def bind(outcome, predictions):
        return Counting(accuracy.bind(outcome, predictions), looked_at)

    fold_performances(leave_one_out(2000), replace(accuracy, name="counting", bind=bind))
    assert 0 < sum(looked_at) < 4 * 2000**1.5


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["bbcd", swept("all")])
def test_a_walk_of_very_many_folds_is_refused_at_once(name):
    """All samples seen are drawn anew after each fold, so time grows with N F."""
    matrix, metrics, plan = leave_one_out(4500), [METRICS["accuracy"]], Plan(n_resamples=500)
    if name == "bbcd":
        with pytest.raises(UnsupportedError, match="each of 4500 folds") as refused:
            estimate(matrix, metrics, plan, [name])
        assert "at most 1000 folds" in refused.value.hint
        return
    found, notes = estimate(matrix, metrics, plan, [name])
    assert {"bbc", "bbc-f", "nested-selection", "t-folds"} <= {one.method for one in found}
    assert any("bbcd is left out" in note.text for note in notes)


class BegunError(Exception):
    """The walk was begun."""


def begin(*_):
    raise BegunError


@pytest.mark.parametrize(
    ("n_folds", "n_samples", "n_resamples", "outcome"),
    [
        (1000, 10**5, 10**6, BegunError),
        (2000, 2000, 1000, BegunError),
        (12_500, 12_500, 64, BegunError),
        (12_500, 12_500, 65, UnsupportedError),
        (20_000, 20_000, 1, UnsupportedError),
        (1001, 10**5, 1000, UnsupportedError),
    ],
)
def test_a_walk_of_many_folds_is_refused_for_its_work_alone(
    n_folds, n_samples, n_resamples, outcome
):
    samples = np.arange(n_samples)
    right = np.ones((n_samples, 1), bool)
    names = tuple(map(str, range(n_folds)))
    matrix = of_labels(right, folds=samples[None] % n_folds, fold_names=names)
    with pytest.raises(outcome):
        METHODS["bbcd"].run(matrix, METRICS["accuracy"], Plan(n_resamples), progress=begin)


def test_nested_selection_in_parts_selects_the_same():
    """The weights of some folds at a time: they fit the memory, whatever the folds."""
    matrix, metric, plan = binary(400, n_folds=400), METRICS["brier"], Plan()
    whole = METHODS["nested-selection"].run(matrix, metric, plan)
    least = resources.Resources(jobs=1, memory=16 * 10**6)
    object.__setattr__(least, "memory", 4 * 400 * 7)  # seven folds at a time
    with resources.use(least):
        assert METHODS["nested-selection"].run(matrix, metric, plan).value == whole.value


def labelled(**columns):
    """Eight folds of four samples, and labels of some configurations."""
    truth, folds = np.tile([0, 1, 0, 1], 8), np.repeat(np.arange(8), 4)[None]
    return PredictionMatrix(
        Outcome(Task.BINARY, truth, ("no", "yes")),
        np.stack(list(columns.values()), axis=1)[None].astype(float),
        tuple(columns),
        PredictionKind.LABEL,
        folds=folds,
        fold_names=tuple("abcdefgh"),
    )


def good_but_in(fold):
    """Labels that are right, but none is positive in one fold: no precision there."""
    labels = np.tile([0, 1, 0, 1], 8)
    labels[4 * fold : 4 * fold + 4] = 0
    return labels


def test_nothing_can_win_in_any_bag():
    """It was an error of numpy: a count of winners that are none."""
    with pytest.raises(UndefinedError, match="precision is undefined"):
        METHODS["bbc-f"].run(
            labelled(a=good_but_in(0), b=good_but_in(7)), METRICS["precision"], Plan()
        )


def test_bags_without_a_figure_are_left_out():
    """Where `a` wins it can't be scored; the ends are quantiles among the other bags."""
    always = np.tile([1, 1, 0, 1, 0, 1, 1, 1], 4)
    always[4:8] = [1, 1, 1, 0]
    matrix = labelled(a=good_but_in(0), b=always)
    found = METHODS["bbc-f"].run(matrix, METRICS["precision"], Plan())
    values, probabilities = found.distribution.values, found.distribution.probabilities
    assert np.isfinite(values).all()
    assert_allclose(probabilities.sum(), 1)
    assert "undefined-resamples" in {note.code for note in found.notes}
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(probabilities[order]) >= 0.975 - 1e-12
    assert found.distribution.quantile(0.975) == values[order[np.argmax(reached)]]
    assert found.distribution.quantile(0.975) > found.distribution.quantile(0.025)


# All resamples of the folds


def fold_scores(by_fold):
    """A matrix whose configurations have these performances (F, C) in folds of one sample."""
    n_folds, n_configurations = by_fold.shape
    return PredictionMatrix(
        Outcome(Task.SCORE, np.zeros(n_folds), bounds=(-10.0, 10.0)),
        by_fold[None],
        tuple(f"c{c}" for c in range(n_configurations)),
        PredictionKind.VALUE,
        folds=np.arange(n_folds)[None],
        fold_names=tuple(map(str, range(n_folds))),
    )


def assert_every_resample(matrix, metric):
    """Of every draw of the folds the first of the best, and what it scores on the others."""
    metric = METRICS[metric]
    (by_fold,) = fold_performances(matrix, metric)
    in_bag, _ = every_resample(len(by_fold))
    winners = metric.direction.best(in_bag @ by_fold / len(by_fold))
    out = in_bag == 0
    values = (out * by_fold.T[winners]).sum(axis=1) / out.sum(axis=1)
    found = METHODS["bbc-f"].run(matrix, metric, Plan()).distribution
    assert_array_equal(found.winners, winners)
    assert_allclose(found.values, values, rtol=1e-12)


@pytest.mark.parametrize("n_configurations", [30, swept(2100)])
@pytest.mark.parametrize("metric", ["mean-score", "mean-loss"])
def test_the_winner_is_the_first_of_the_best(metric, n_configurations):
    """Few values, so that many tie, and some up to rounding alone."""
    rng, shape = np.random.default_rng(3), (6, n_configurations)
    for rounding in 5 * [0, 1e-14]:
        scores = rng.integers(0, 4, shape) / 4 + rng.integers(-1, 2, shape) * rounding
        assert_every_resample(fold_scores(scores), metric)


def test_the_first_of_the_best_by_shares_of_samples():
    """Shares of the samples in the folds are compared as whole numbers."""
    rng = np.random.default_rng(4)
    for metric in 5 * ["accuracy", "error"]:
        sizes = rng.choice([6, 9, 10], 6)
        folds = np.repeat(np.arange(6), sizes)
        right = rng.random((len(folds), 30)) < 0.6
        matrix = of_labels(right, folds=folds[None], fold_names=tuple("abcdef"))
        assert_every_resample(matrix, metric)


@pytest.mark.sweep
def test_many_configurations_are_compared_in_threads():
    scores, found = np.random.default_rng(6).integers(0, 9, (10, 300)) / 8, []
    for jobs in (1, 2):
        with resources.use(resources.Resources(jobs=jobs)):
            run = METHODS["bbc-f"].run(fold_scores(scores), METRICS["mean-score"], Plan())
        found.append(run.distribution.winners)
    assert_array_equal(*found)


def test_resamples_of_one_value_are_sorted_together():
    scores = np.random.default_rng(5).integers(0, 9, (7, 20)) / 8
    found = METHODS["bbc-f"].run(fold_scores(scores), METRICS["mean-score"], Plan()).distribution
    values, chances = found.atoms
    assert (np.diff(values) > 0).all() and len(values) < len(found.values) / 4
    assert_array_equal(values, np.unique(found.values))
    expected = [found.probabilities[found.values == value].sum() for value in values]
    assert_allclose(chances, expected, rtol=1e-12)


@pytest.mark.parametrize("winner", [0, 1])
def test_an_undefined_fold_counts_where_it_is_scored_alone(winner):
    """No positive is predicted in fold c: no precision there, where accuracy selects."""
    labels = [good_but_in(2), 1 - np.tile([0, 1, 0, 1], 8)][:: -1 if winner else 1]
    matrix = labelled(a=labels[0], b=labels[1])
    found = METHODS["bbc-f"].run(
        matrix, METRICS["precision"], Plan(), select_by=METRICS["accuracy"]
    )
    assert found.winner == "ab"[winner]
    in_bag, _ = every_resample(8)
    n_used = int((in_bag[:, 2] > 0).sum())
    assert found.value == 1.0 and len(found.distribution.values) == n_used < len(in_bag)
    assert_allclose(found.distribution.probabilities.sum(), 1)


def test_folds_too_many_for_every_resample_are_scored_by_the_metric_that_measures():
    matrix, plan, accuracy = binary(120, n_folds=12), Plan(n_resamples=64), METRICS["accuracy"]
    right = METHODS["bbc-f"].run(matrix, accuracy, plan)
    wrong = METHODS["bbc-f"].run(matrix, METRICS["error"], plan, select_by=accuracy)
    assert right.value > 0.5
    assert wrong.value == pytest.approx(1 - right.value, abs=1e-12)


def test_a_fold_of_one_class_says_which_pooling_has_a_figure():
    """Where each sample is a fold, no two can be compared within one."""
    matrix = binary(40, n_folds=4)
    one_class = np.where((matrix.folds == 0) & (matrix.outcome.values == 0), 1, matrix.folds)
    for found, pooling, said in (
        (replace(matrix, folds=one_class), "within-folds or pooled", "in fold 0, where a class"),
        (binary(40, n_folds=40), "pooled", r"in folds 0, .* \(leave-one-out\), where a class"),
    ):
        with pytest.raises(UndefinedError, match=said) as caught:
            METHODS["t-folds"].run(found, METRICS["auc"], Plan())
        assert f"with --pooling {pooling}, or" in caught.value.hint
