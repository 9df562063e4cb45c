"""Laws that every metric keeps, by iterating the registry."""

import numpy as np
import pytest
from matrices import for_metric

from bbccli.kernels import product, sweep
from bbccli.metrics import METRICS
from bbccli.types import Direction

NAMES = list(METRICS)


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def bound(name):
    """A matrix, the metric's scorer on it, and some random weights."""
    matrix = for_metric(name)
    scorer = METRICS[name].bind(matrix.outcome, matrix.predictions[0])
    weights = np.random.default_rng(1).integers(0, 4, size=(9, matrix.n_samples))
    return matrix, scorer, weights.astype(np.uint16)


def score_rows(name, matrix, rows):
    """Unweighted performances of the given rows."""
    outcome = type(matrix.outcome)(matrix.task, matrix.outcome.values[rows], matrix.outcome.classes)
    scorer = METRICS[name].bind(outcome, matrix.predictions[0][rows])
    return scorer(np.ones((1, len(rows)), np.uint8))[0]


def test_integer_weights_repeat_rows(name, bound):
    matrix, scorer, weights = bound
    for row, found in zip(weights, scorer(weights), strict=True):
        repeated = np.repeat(np.arange(matrix.n_samples), row)
        np.testing.assert_allclose(found, score_rows(name, matrix, repeated), rtol=1e-12)


def test_zero_weight_removes_a_row(name, bound):
    matrix, scorer, weights = bound
    for row in np.minimum(weights, 1):
        kept = np.flatnonzero(row)
        np.testing.assert_allclose(scorer(row[None])[0], score_rows(name, matrix, kept), rtol=1e-12)


def test_multiples_of_weights_change_nothing(bound):
    _, scorer, weights = bound
    np.testing.assert_allclose(scorer(3 * weights), scorer(weights), rtol=1e-12)


def test_order_of_samples_does_not_matter(name, bound):
    matrix, _, _ = bound
    shuffled = np.random.default_rng(2).permutation(matrix.n_samples)
    everything = np.arange(matrix.n_samples)
    np.testing.assert_allclose(
        score_rows(name, matrix, shuffled), score_rows(name, matrix, everything), rtol=1e-12
    )


def test_columns_are_independent(name, bound):
    _, scorer, weights = bound
    whole = scorer(weights)
    chosen = np.array([4, 0, 4, 2])
    np.testing.assert_array_equal(scorer(weights, chosen), whole[:, chosen])


def test_paired_scores_are_the_diagonal(bound):
    _, scorer, weights = bound
    chosen = np.random.default_rng(3).integers(0, scorer.n_configurations, len(weights))
    whole = scorer(weights)
    np.testing.assert_allclose(
        scorer.paired(weights, chosen), whole[np.arange(len(weights)), chosen], rtol=1e-12
    )


def test_restriction_is_a_weight_of_zero(bound):
    matrix, scorer, weights = bound
    rows = np.random.default_rng(4).random(matrix.n_samples) < 0.6
    restricted = scorer.restrict(rows)
    np.testing.assert_allclose(restricted(weights[:, rows]), scorer(weights * rows), rtol=1e-12)


def test_rows_of_weights_are_independent(bound):
    _, scorer, weights = bound
    alone = np.concatenate([scorer(row[None]) for row in weights])
    np.testing.assert_array_equal(scorer(weights), alone)


def test_bounds_are_kept(name, bound):
    _, scorer, weights = bound
    lower, upper = METRICS[name].bounds
    values = scorer(weights)
    assert (values >= lower).all()
    assert (values <= upper).all()


def test_no_weight_is_undefined(bound):
    matrix, scorer, _ = bound
    assert np.isnan(scorer(np.zeros((1, matrix.n_samples), np.uint8))).all()


def test_auc_of_one_class_is_undefined():
    matrix = for_metric("auc")
    scorer = METRICS["auc"].bind(matrix.outcome, matrix.predictions[0])
    one_class = (matrix.outcome.values == 1)[None].astype(np.uint8)
    assert np.isnan(scorer(one_class)).all()


def test_a_perfect_and_a_worst_prediction_reach_the_bounds(name):
    matrix = for_metric(name)
    metric = METRICS[name]
    truth = matrix.outcome.values
    perfect = np.eye(len(matrix.outcome.classes))[truth]
    if matrix.predictions.ndim == 3:
        perfect = perfect[:, 1]
    worst = 1.0 - perfect
    both = np.stack([perfect, worst], axis=1)
    values = metric.bind(matrix.outcome, both)(np.ones((1, len(truth)), np.uint8))[0]
    assert tuple(values) == (
        metric.bounds[::-1] if metric.direction is Direction.MAXIMIZE else metric.bounds
    )


def test_auc_under_a_monotone_transform():
    matrix = for_metric("auc")
    weights = np.ones((1, matrix.n_samples), np.uint8)
    bind = METRICS["auc"].bind
    raw = matrix.predictions[0]
    np.testing.assert_array_equal(
        bind(matrix.outcome, raw)(weights), bind(matrix.outcome, np.exp(3 * raw))(weights)
    )


def test_auc_counts_are_exact_at_the_border_of_the_lane_type(monkeypatch):
    matrix = for_metric("auc")
    scorer = METRICS["auc"].bind(matrix.outcome, matrix.predictions[0])
    light = np.ones((1, matrix.n_samples), np.uint64)
    heavy = light * np.uint64(60_000)  # twice the pair weight is far beyond 2**32
    np.testing.assert_array_equal(scorer(heavy), scorer(light))
    monkeypatch.setattr(product, "LARGEST_EXACT", 0)
    monkeypatch.setattr(sweep, "lane_type_for", lambda total: np.uint64)
    np.testing.assert_array_equal(scorer(light), scorer(heavy))
