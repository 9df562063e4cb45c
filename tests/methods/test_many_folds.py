"""Folds in runs: the same performances, and no work in folds times samples."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, of, survival
from numpy.testing import assert_allclose, assert_array_equal

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.dropping import walk as walking
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import METHODS, estimate
from bbccli.platform import resources
from bbccli.stats.bootstrap import bbc_folds
from bbccli.stats.resampling import every_resample
from bbccli.stats.selection import SelectionRule, pooling
from bbccli.stats.selection.candidates import by_repeat
from bbccli.types import Direction, PredictionKind, Task


@pytest.mark.parametrize("few", [1, swept(64)])
@pytest.mark.parametrize(
    ("matrix", "metric"),
    [
        (binary(60, n_folds=10), "auc"),
        swept(binary(60, n_folds=15, n_repeats=2), "brier"),
        swept(survival(80, n_folds=8), "concordance"),
    ],
)
def test_runs_of_folds_change_nothing(monkeypatch, few, matrix, metric):
    monkeypatch.setattr(pooling, "FEW_FOLDS", few)
    (scorer, *_), folds = (
        by_repeat(matrix, METRICS[metric], np.arange(matrix.n_configurations)),
        matrix.folds[0],
    )
    masks = (folds == np.unique(folds)[:, None]).astype(np.uint8)
    expected = scorer(masks)
    assert_allclose(pooling.scored_in_folds(scorer, folds), expected, rtol=1e-12)
    members, scorers = pooling.by_fold(scorer, folds)
    for fold, (rows, own) in enumerate(zip(members, scorers, strict=True)):
        assert_array_equal(rows, np.flatnonzero(masks[fold]))
        assert_allclose(own(np.ones((1, len(rows)), np.uint8))[0], expected[fold], rtol=1e-12)


def test_restricting_a_mean_over_folds():
    matrix, rows = binary(60, n_folds=10), np.arange(60) % 3 > 0
    scorer = by_repeat(matrix, METRICS["brier"], np.arange(7))[0]
    whole = pooling.MeanOverFolds.of(scorer, matrix.folds[0])
    weights = np.random.default_rng(0).integers(0, 3, (5, 60)) * rows
    assert_allclose(whole.restrict(rows)(weights[:, rows]), whole(weights), rtol=1e-12)


def leave_one_out(n):
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    predictions = (rng.random((1, n, 3)) + truth[:, None]) / 2
    return of(outcome, predictions, PredictionKind.PROBABILITY, n_folds=n)


def test_leave_one_out_of_many_samples(monkeypatch):
    """Samples that all runs of folds look at: N sqrt(F), not N F."""
    looked_at = []
    scorer = METRICS["accuracy"].bind(
        Outcome(Task.BINARY, np.arange(2000) % 2, ("no", "yes")), np.zeros((2000, 1), int)
    )

    class Counting(type(scorer)):
        def restrict(self, rows):
            looked_at.append(len(rows))
            return super().restrict(rows)

    counting = Counting(scorer.parts, scorer.formula, scorer.n_configurations, scorer.share)
    pooling.by_fold(counting, np.arange(2000))
    assert sum(looked_at) < 4 * 2000**1.5


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


def test_a_walk_of_many_folds_is_refused_for_its_work_alone():
    walking.check_walk("bbcd", 1000, 10**6, 10**6)
    walking.check_walk("bbcd", 2000, 2000, 1000)
    walking.check_walk("bbcd", 12_500, 12_500, 64)
    for sizes in ((12_500, 12_500, 65), (20_000, 20_000, 1), (1001, 10**5, 1000)):
        with pytest.raises(UnsupportedError):
            walking.check_walk("bbcd", *sizes)


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


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("most_compared", [0, swept(2**11)])
def test_the_winner_is_the_first_of_the_best(monkeypatch, direction, most_compared):
    monkeypatch.setattr(bbc_folds, "MOST_COMPARED", most_compared)
    monkeypatch.setattr(bbc_folds, "WORTH_THREADS", 0)
    rng, rule = np.random.default_rng(3), SelectionRule(direction)
    in_bag, _ = every_resample(6)
    starts = np.arange(0, len(in_bag), bbc_folds.CHUNK)
    for _ in range(20):
        # few values, so that many tie, and some up to rounding alone
        judged = rng.integers(0, 4, (6, 30)) / 4 + rng.integers(-1, 2, (6, 30)) * 1e-14
        expected = bbc_folds._selected(in_bag, judged, rule, starts)
        assert_array_equal(bbc_folds._enumerate(judged, judged, rule).winners, expected)


@pytest.mark.parametrize("off", [0, 1e-9])
def test_the_first_of_the_best_by_shares_of_samples(off):
    """Shares of the samples in the folds are compared as whole numbers, which others are not."""
    rng, (in_bag, _) = np.random.default_rng(4), every_resample(6)
    starts = np.arange(0, len(in_bag), bbc_folds.CHUNK)
    for direction in 10 * [*Direction]:
        rule, sizes = SelectionRule(direction), rng.choice([6, 9, 10], (6, 1))
        judged = rng.integers(0, sizes + 1, (6, 30)) / sizes + off * rng.integers(0, 2, (6, 30))
        expected = bbc_folds._selected(in_bag, judged, rule, starts)
        assert_array_equal(bbc_folds._enumerate(judged, judged, rule, 90).winners, expected)


def test_resamples_of_one_value_are_sorted_together():
    rng = np.random.default_rng(5)
    judged = rng.integers(0, 9, (7, 20)) / 8
    drawn = bbc_folds._enumerate(judged, judged, SelectionRule(Direction.MAXIMIZE))
    for found in (drawn, replace(drawn, values=np.clip(2 * drawn.values - 1, 0.1, 0.9))):
        expected = replace(found, kinds=None).atoms
        assert_array_equal(found.atoms[0], expected[0])
        assert_allclose(found.atoms[1], expected[1], rtol=1e-12)
        assert len(expected[0]) < len(found.values) / 4


@pytest.mark.parametrize("winner", [0, 1])
def test_an_undefined_fold_counts_where_it_is_scored_alone(winner):
    judged = np.array([[1.0, 0.0]] * 4) if winner == 0 else np.array([[0.0, 1.0]] * 4)
    measured = np.array([[0.5, 0.25]] * 4)
    measured[2, winner] = np.nan
    found = bbc_folds._enumerate(judged, measured, SelectionRule(Direction.MAXIMIZE))
    in_bag, _ = every_resample(4)
    assert_array_equal(np.isnan(found.values), in_bag[:, 2] == 0)
    assert_array_equal(found.values[in_bag[:, 2] > 0], measured[0, winner])
