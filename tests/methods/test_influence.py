"""Influence values: exact for means and the AUC, the jackknife for all others."""

from dataclasses import replace

import numpy as np
import pytest
from matrices import bound, for_metric, weighing

from bbccli.metrics import METRICS, weighting
from bbccli.metrics.base import MeanScorer
from bbccli.stats.influence import influence, standard_error


def ones(matrix):
    return np.ones(matrix.n_samples, np.uint8)


def test_of_a_mean_it_is_the_loss_less_the_mean():
    losses = np.random.default_rng(0).gamma(2.0, size=(30, 4))
    values = influence(MeanScorer.of(losses), np.ones(30, int))
    np.testing.assert_allclose(values, losses - losses.mean(axis=0), atol=1e-12)


def test_of_the_auc_it_is_the_placement_less_the_auc():
    matrix = for_metric("auc", n_samples=31)
    truth, scores = matrix.outcome.values, matrix.predictions[0]
    values = influence(bound(METRICS["auc"], matrix), ones(matrix), strata=truth)
    for c in range(matrix.n_configurations):
        auc = bound(METRICS["auc"], matrix)(ones(matrix)[None])[0, c]
        for i in range(matrix.n_samples):
            others = scores[truth != truth[i], c]
            lead = (scores[i, c] - others) * (1 if truth[i] == 1 else -1)
            placement = np.mean((lead > 0) + (lead == 0) / 2)
            assert values[i, c] == pytest.approx(placement - auc, abs=1e-12)


@pytest.mark.parametrize("name", ["auc", "rmse", "f1", "balanced-accuracy", "medae", "log-loss"])
def test_it_is_the_jackknife_of_every_metric(name):
    matrix = for_metric(name)
    scorer, n = bound(METRICS[name], matrix), matrix.n_samples
    values = influence(scorer, ones(matrix), np.array([2, 0]))
    whole = scorer(ones(matrix)[None])[0]
    for i in (0, 7, n - 1):
        rows = np.delete(np.arange(n), i)
        outcome = matrix.outcome.take(rows)
        without = METRICS[name].bind(outcome, matrix.as_kind(METRICS[name].wants)[0][rows])
        left = without(np.ones((1, n - 1), np.uint8))[0]
        np.testing.assert_allclose(values[i], (n - 1) * (whole - left)[[2, 0]], atol=1e-10)


def test_blocks_do_not_matter(monkeypatch):
    matrix = for_metric("concordance")
    scorer = bound(METRICS["concordance"], matrix)
    expected = influence(scorer, ones(matrix))
    monkeypatch.setattr(weighting, "MOST_CELLS", 3 * matrix.n_samples)
    np.testing.assert_array_equal(influence(scorer, ones(matrix)), expected)


def test_a_group_is_left_out_as_a_whole():
    losses = np.array([[1.0], [2.0], [6.0], [3.0]])
    values = influence(MeanScorer.of(losses), np.ones(4, int), members=np.array([0, 1, 1, 2]))
    # the mean is 3; without the groups it is 11/3, 2 and 3
    np.testing.assert_allclose(values[:, 0], [2 * (3 - 11 / 3), 2 * (3 - 2), 0], atol=1e-12)


def test_it_is_undefined_where_the_performance_without_the_sample_is():
    matrix = for_metric("auc", n_samples=10)
    alone = replace(
        matrix, outcome=replace(matrix.outcome, values=(np.arange(10) == 4).astype(int))
    )
    values = influence(bound(METRICS["auc"], alone), ones(alone))
    assert np.isnan(values[4]).all()
    assert not np.isnan(np.delete(values, 4, axis=0)).any()
    assert np.isnan(standard_error(values[:, 0], alone.outcome.values))


def test_sample_weights_are_heeded():
    matrix = for_metric("accuracy")
    outcome = weighing(matrix.outcome)
    scorer = METRICS["accuracy"].bind(outcome, matrix.as_kind(METRICS["accuracy"].wants)[0])
    correct = (matrix.predictions[0, :, 1] > 0.5) == outcome.values
    share = np.average(correct, weights=outcome.weights)
    values = influence(scorer, ones(matrix), np.array([1]))[:, 0]
    rest = outcome.weights.sum() - outcome.weights
    np.testing.assert_allclose(
        values, (matrix.n_samples - 1) * outcome.weights / rest * (correct - share), atol=1e-11
    )


def test_the_standard_error_is_that_of_a_mean_and_delong_s():
    losses = np.random.default_rng(1).normal(size=20)
    values = influence(MeanScorer.of(losses[:, None]), np.ones(20, int))[:, 0]
    assert standard_error(values) == pytest.approx(losses.std(ddof=1) / np.sqrt(20), rel=1e-12)
    matrix = for_metric("auc")
    truth, scores = matrix.outcome.values, matrix.predictions[0, :, 3]
    order = scores[truth == 1][:, None] - scores[truth == 0]
    pairs = (order > 0) + (order == 0) / 2
    variance = sum(pairs.mean(axis=k).var(ddof=1) / pairs.shape[1 - k] for k in (0, 1))
    values = influence(bound(METRICS["auc"], matrix), ones(matrix), np.array([3]), strata=truth)
    assert standard_error(values[:, 0], truth) == pytest.approx(np.sqrt(variance), rel=1e-12)
