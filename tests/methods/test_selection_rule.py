"""Rules of selection, in the data and in every resample."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, changed_source, in_blocks, of_labels
from methods import reference

from bbccli import METRICS, Plan
from bbccli.errors import OptionError, UndefinedError
from bbccli.methods import METHODS, estimate
from bbccli.stats import resampling
from bbccli.stats.resampling import draws_of
from bbccli.stats.selection import rule_of, winners_of
from bbccli.stats.selection.candidates import Candidates, candidates, fold_performances
from bbccli.types import Pooling, Select

ONE_SE = Plan(n_resamples=60, seed=5, select=Select.ONE_SE)
SIMPLEST = replace(ONE_SE, select=Select.ONE_SE_SIMPLEST)
ORDER = [6, 2, 4, 0, 1, 3, 5]


@pytest.fixture
def matrix():
    """Configurations get better, and simpler as ORDER says."""
    configs = [{"id": f"c{c}", "complexity": ORDER.index(c)} for c in range(7)]
    return changed_source(binary(n_samples=60), {"configs": configs})


def by_loop(matrix, name, rows, order, pooling):
    """What the slow loop selects on some rows, which may repeat."""
    truth, predictions = matrix.outcome.values, matrix.predictions[0]
    folds = matrix.folds[0][rows]

    def of_rows(chosen, c):
        return reference.FIGURES[name](truth[chosen], predictions[chosen, c])

    def figure(fold, c):
        if fold is not None:
            return of_rows(rows[folds == fold], c)
        if pooling is Pooling.POOLED:
            return of_rows(rows, c)
        return np.nanmean([of_rows(rows[folds == f], c) for f in np.unique(folds)])

    return reference.one_se(figure, folds, order, matrix.n_configurations)


@pytest.mark.parametrize("pooling", [Pooling.POOLED, swept(Pooling.FOLD_MEAN)])
@pytest.mark.parametrize("name", ["accuracy", swept("auc")])
@pytest.mark.parametrize(("plan", "order"), [(ONE_SE, range(7)), (SIMPLEST, ORDER)])
def test_the_slow_loop_selects_the_same(matrix, plan, order, name, pooling):
    metric, plan = METRICS[name], replace(plan, pooling=pooling)
    in_bag = draws_of(matrix.n_samples, None, plan.seed).batch(0, 1).in_bag
    weights = np.vstack([np.ones(60, np.uint16), in_bag])
    found = winners_of(candidates(matrix, metric, pooling), rule_of(matrix, metric, plan), weights)
    rows = [np.repeat(np.arange(60), w) for w in weights]
    assert found.tolist() == [by_loop(matrix, name, r, order, pooling) for r in rows]


def test_bbc_selects_by_the_metric_that_selects(matrix):
    """Of a loss and a gain, in either order: the rule has the direction of the first."""
    in_bag = draws_of(matrix.n_samples, None, 5).batch(0, 1).in_bag[:60]
    for selector, metric in (("brier", "auc"), ("auc", "brier")):
        select_by = METRICS[selector]
        found = METHODS["bbc"].run(
            replace(matrix), METRICS[metric], replace(ONE_SE, select=Select.BEST),
            select_by=select_by,
        )  # fmt: skip
        figures = candidates(matrix, select_by, Pooling.POOLED).score(in_bag)
        expected = [reference.best((1 if selector == "auc" else -1) * row) for row in figures]
        assert found.distribution.winners.tolist() == expected


def test_another_rule_on_the_same_matrix_selects_anew(matrix):
    """What one rule selected is not kept for another."""
    metric = METRICS["accuracy"]
    plans = [replace(ONE_SE, select=Select.BEST), ONE_SE, SIMPLEST]
    shared = [METHODS["bbc"].run(matrix, metric, plan) for plan in plans]
    alone = [METHODS["bbc"].run(replace(matrix), metric, plan) for plan in plans]
    winners = [found.distribution.winners.tolist() for found in shared]
    assert winners == [found.distribution.winners.tolist() for found in alone]
    assert winners[0] != winners[1] != winners[2]


def test_bbc_f_by_a_slow_loop(matrix):
    (by_fold,) = fold_performances(matrix, METRICS["accuracy"])
    found = METHODS["bbc-f"].run(matrix, METRICS["accuracy"], ONE_SE)
    from bbccli.stats.resampling import every_resample

    in_bag, _ = every_resample(5)
    for weights, winner in zip(in_bag, found.distribution.winners, strict=True):
        drawn = np.repeat(np.arange(5), weights)
        means = by_fold[drawn].mean(axis=0)
        top = int(np.flatnonzero(means >= means.max() - 1e-12)[0])
        error = by_fold[drawn, top].std(ddof=1) / np.sqrt(5)
        assert winner == np.flatnonzero(means >= means[top] - error - 1e-12)[0]


@pytest.mark.parametrize("plan", [ONE_SE, swept(SIMPLEST)])
@pytest.mark.parametrize("method", ["cvt", swept("bbc")])
@pytest.mark.parametrize("width", [1, 3])
def test_blocks_of_columns_do_not_matter(matrix, plan, method, width, monkeypatch):
    expected = METHODS[method].run(matrix, METRICS["auc"], plan)

    monkeypatch.setattr(Candidates, "blocks", in_blocks(width))
    monkeypatch.setattr(resampling, "MOST_BLOCKS", 1)
    found = METHODS[method].run(replace(matrix), METRICS["auc"], plan)
    assert found.winner == expected.winner
    assert found.value == expected.value
    assert found.selection == expected.selection


def test_tt_is_for_the_best_only(matrix):
    estimates, notes = estimate(matrix, [METRICS["auc"]], ONE_SE)
    assert [e.method for e in estimates] == ["cvt", "bbc"]
    assert any("tt is left out" in note.text for note in notes)


def test_no_folds_no_standard_error(matrix):
    with pytest.raises(UndefinedError, match='select="one-se" needs two folds'):
        rule_of(replace(matrix, folds=None), METRICS["auc"], ONE_SE)


def test_no_complexity_no_simplest():
    with pytest.raises(OptionError, match="no complexity of c0, c1, c2, c3, c4 and 2 more"):
        rule_of(binary(), METRICS["auc"], SIMPLEST)


def test_complexities_are_asked_for(run, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("fold,truth,a\n0,x,0.1\n0,y,0.9\n1,x,0.2\n1,y,0.7\n")
    err = run.refused("correct", path, "--select", "one-se-simplest")
    assert "the metadata give no complexity of a" in err


@pytest.mark.parametrize("name", ["accuracy", "auc", "brier", "precision"])
@pytest.mark.parametrize("n_repeats", [1, 3])
def test_the_mean_over_folds_is_that_of_its_scorers(name, n_repeats):
    for seed in range(3):
        matrix = binary(n_samples=24, n_folds=6, n_repeats=n_repeats, seed=seed)
        every = candidates(matrix, METRICS[name], Pooling.FOLD_MEAN)
        scored = every.score(np.ones((1, 24), np.uint8))[0]
        alone = [every.figure(c) for c in range(every.n_configurations)]
        np.testing.assert_array_equal(every.figures(np.arange(every.n_configurations)), alone)
        exactly = 1e-14 if name == "brier" else 0  # counts are the same to the last bit
        np.testing.assert_allclose(every.performances(), scored, rtol=exactly)
        np.testing.assert_allclose(alone, scored, rtol=exactly)


def test_a_share_is_of_what_was_ever_selected():
    right = np.column_stack([np.arange(60) % 10 > 0, np.arange(60) % 10 > 6, np.zeros(60)])
    result = METHODS["bbc"].run(of_labels(right), METRICS["accuracy"], Plan(n_resamples=60))
    assert [(one.configuration, one.share) for one in result.selection] == [("c0", 1.0)]
