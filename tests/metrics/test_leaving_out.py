"""Performances without each unit, in closed form: what scoring without the unit gives."""

from dataclasses import replace

import numpy as np
import pytest
from day import METRICS_BY_DAY, daily
from matrices import for_metric, weighing

from bbccli.domain.outcome import Outcome
from bbccli.metrics import METRICS, mean_of
from bbccli.metrics.weighting import Units, one_by_one, without_each
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import Pooling, Task

POOLED = sorted(METRICS)
OF_PAIRS = sorted(name for name, metric in METRICS.items() if metric.of_pairs)


def of_groups(matrix, seed=3):
    """Units of one to four samples, which cross the folds, and one that holds none."""
    codes = np.random.default_rng(seed).integers(0, matrix.n_samples // 3, matrix.n_samples)
    return Units(np.where(codes == 5, 4, codes), matrix.n_samples // 3)


def singles(matrix):
    return Units(np.arange(matrix.n_samples), matrix.n_samples)


def agree(scorer, weights, units, columns=None):
    closed = without_each(scorer, weights, units, columns)
    slow = one_by_one(scorer, weights, units, columns)
    np.testing.assert_allclose(closed, slow, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(np.isnan(closed), np.isnan(slow))
    return closed


def with_gaps(matrix):
    available = np.random.default_rng(8).random(matrix.predictions.shape[:3]) < 0.8
    return replace(matrix, available=available)


@pytest.mark.parametrize("units_of", [singles, of_groups])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("name", daily(POOLED, METRICS_BY_DAY))
def test_each_metric(name, weighed, units_of):
    matrix = for_metric(name, n_repeats=2)
    if weighed:
        matrix = replace(matrix, outcome=weighing(matrix.outcome))
    columns = np.arange(matrix.n_configurations)
    scorer = Candidates(matrix, METRICS[name], Pooling.POOLED).bind(columns)
    weights = (np.arange(matrix.n_samples) % 7 > 0).astype(np.uint8)
    agree(scorer, weights, units_of(matrix))
    agree(scorer, np.ones_like(weights), units_of(matrix), np.array([3, 1]))


@pytest.mark.sweep
@pytest.mark.parametrize("units_of", [singles, of_groups])
@pytest.mark.parametrize("name", [*OF_PAIRS, "accuracy", "rmse", "f1", "log-loss"])
@pytest.mark.parametrize("pooling", list(Pooling))
def test_each_pooling(pooling, name, units_of):
    matrix = for_metric(name, n_repeats=2)
    if pooling is Pooling.WITHIN_FOLDS and name not in OF_PAIRS:
        pytest.skip("it is not made of pairs")
    for one in (matrix, with_gaps(matrix)):
        columns = np.arange(matrix.n_configurations)
        scorer = Candidates(one, METRICS[name], pooling).bind(columns)
        agree(scorer, np.ones(matrix.n_samples, np.uint8), units_of(matrix))


def test_a_fold_of_one_sample_leaves_the_mean_with_it():
    matrix = for_metric("accuracy", n_folds=40)
    scorer = Candidates(matrix, METRICS["accuracy"], Pooling.FOLD_MEAN).bind(np.arange(7))
    agree(scorer, np.ones(40, np.uint8), singles(matrix))


def test_repeated_hold_out():
    matrix = for_metric("auc", n_repeats=3)
    held = np.random.default_rng(4).random((3, 40, 1)) < 0.6
    parts = replace(
        matrix,
        available=np.repeat(held, 7, axis=2),
        repeated_holdout=True,
        folds=None,
        fold_names=(),
    )
    scorer = Candidates(parts, METRICS["auc"], Pooling.POOLED).bind(np.arange(7))
    agree(scorer, np.ones(40, np.uint8), singles(matrix))


def test_what_is_undefined_without_a_unit_is_nan():
    matrix = for_metric("auc", n_samples=12)
    truth = np.isin(np.arange(12), (4, 9)).astype(int)
    one = replace(matrix, outcome=replace(weighing(matrix.outcome), values=truth))
    for name in ("auc", "gini", "recall", "balanced-accuracy"):
        scorer = Candidates(one, METRICS[name], Pooling.POOLED).bind(np.arange(7))
        both = Units(np.where(truth == 1, 0, np.arange(12) + 1), 13)
        assert np.isnan(agree(scorer, np.ones(12, np.uint8), both)[0]).all(), name


def test_infinite_and_undefined_losses():
    metric = METRICS["mape"]
    matrix = for_metric("mape")
    values = matrix.outcome.values.copy()
    values[3] = 0
    one = replace(matrix, outcome=replace(matrix.outcome, values=values))
    scorer = metric.bind(one.outcome, one.predictions[0])
    closed = agree(scorer, np.ones(len(values), np.uint8), singles(one))
    assert np.isnan(np.delete(closed, 3, axis=0)).all()
    assert not np.isnan(closed[3]).any()
    without = (np.arange(len(values)) != 3).astype(np.uint8)
    assert not np.isnan(agree(scorer, without, singles(one))).any()


def test_what_holds_all_weight_leaves_nothing_without_it():
    matrix = for_metric("brier")
    metric, weights = METRICS["brier"], np.zeros(len(matrix.outcome), np.uint8)
    weights[:4] = 3
    first = Units((np.arange(len(weights)) >= 4).astype(int), 2)
    weighed = weighing(matrix.outcome)
    for outcome in (matrix.outcome, weighed):
        scorer = metric.bind(outcome, matrix.predictions[0])
        assert np.isnan(agree(scorer, weights, first)[0]).all()


def test_a_median_has_no_influence():
    assert [name for name, metric in METRICS.items() if not metric.smooth] == ["medae"]


def test_a_class_that_is_left_out_leaves_no_weight_behind():
    """Its weights add up to 0.6, less each of them to 1e-16 and not to 0."""
    outcome = Outcome(
        Task.BINARY,
        np.array([1, 1, 1, 0, 0]),
        ("no", "yes"),
        weights=np.array([0.1, 0.2, 0.3, 0.7, 0.9]),
    )
    units = Units(np.array([0, 0, 0, 1, 2]), 3)
    for name in ("auc", "recall"):
        scorer = METRICS[name].bind(outcome, np.array([[1], [0], [1], [0], [1]]))
        found = without_each(scorer, np.ones(5, np.uint8), units)
        assert np.isnan(found[:, 0]).tolist() == [True, False, False], name


def scorer_of(losses):
    outcome = Outcome(Task.REGRESSION, np.arange(float(len(losses))))
    return mean_of(lambda outcome, predictions: predictions)(outcome, np.array(losses))


def test_without_a_sample_an_infinite_loss_stays_undefined():
    scorer = scorer_of([[np.inf, 1.0], [1.0, 2.0], [2.0, 3.0]])
    found = scorer.without_each(np.ones(3, np.uint8), Units(np.arange(3), 3))
    assert np.isnan(found[:, 0]).all()
    np.testing.assert_allclose(found[:, 1], [2.5, 2.0, 1.5])


def test_an_undefined_loss_is_undefined_wherever_it_has_weight():
    scorer = scorer_of([[np.nan, 1.0], [1.0, 2.0], [2.0, np.inf]])
    weights = np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0]], np.uint8)
    np.testing.assert_array_equal(scorer(weights)[:, 0], [np.nan, 1.5, 1.0])
    np.testing.assert_array_equal(scorer.paired(weights, np.zeros(3, int)), [np.nan, 1.5, 1.0])
    members = (np.array([0, 1]), np.array([2]))
    np.testing.assert_array_equal(scorer.in_parts(members), [[np.nan, np.nan], [2.0, np.inf]])
