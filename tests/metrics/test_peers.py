"""Mistakes found in other programs that do this, each beside the right answer.

Every test computes the mistake too, so that it shows that the data would reveal it.
"""

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary, bound, multiclass, of, regression
from sklearn.metrics import f1_score

from bbccli.core.outcome import Outcome
from bbccli.core.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.types import Direction, PredictionKind, Task

ONE = np.ones((1, 6), int)


def score(name, outcome, predictions, weights):
    return METRICS[name].bind(outcome, predictions)(weights)


def test_accuracy_is_no_signed_error():
    truth = np.array([1, 1, 1, 1, 0, 0])
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    all_zero, good = np.zeros(6, int), np.array([1, 1, 1, 0, 0, 1])
    labels = np.column_stack([all_zero, good])
    signed = 1 - (labels - truth[:, None]).mean(axis=0)
    assert signed[0] > 1  # says that all zeros are best, and better than perfect
    assert signed[0] > signed[1]
    accuracy = score("accuracy", outcome, labels, ONE)[0]
    np.testing.assert_allclose(accuracy, [2 / 6, 4 / 6])
    assert Direction.MAXIMIZE.best(accuracy) == 1


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if Task.REGRESSION in m.tasks])
def test_a_distance_is_not_maximised(name):
    matrix = regression(n_configurations=3, seed=4)
    truth = matrix.outcome.values
    far = np.roll(truth, 7) + 3
    predictions = np.stack([far, truth * 1.01 + 0.01, far + 1], axis=1)[None]
    winner = METHODS["bbc"].run(replace(matrix, predictions=predictions), METRICS[name], Plan(20))
    assert winner.winner == "c1"


def test_r2_out_of_the_bag_has_the_denominator_of_its_own_samples():
    rng = np.random.default_rng(0)
    n = 400
    truth = rng.normal(size=n)
    mean_of_all = np.full((n, 1), truth.mean())
    outcome = Outcome(Task.REGRESSION, truth)
    in_bag = rng.multinomial(n, np.full(n, 1 / n), size=200)
    out = (in_bag == 0).astype(np.uint8)
    squares = (truth - truth.mean()) ** 2
    full_denominator = 1 - (out @ squares) / squares.sum()
    assert full_denominator.mean() == pytest.approx(0.63, abs=0.01)
    ours = score("r2", outcome, mean_of_all, out)
    assert ours.mean() == pytest.approx(0, abs=0.01)
    assert (ours <= 0).all()


@pytest.mark.parametrize("name", ["poisson-deviance", "mse", "mae", "error", "log-loss", "brier"])
def test_losses_out_of_the_bag_are_means_not_sums(name):
    task = next(iter(METRICS[name].tasks & {Task.BINARY, Task.REGRESSION}))
    matrix = {Task.BINARY: binary, Task.REGRESSION: regression}[task](n_samples=60)
    scorer = bound(METRICS[name], matrix)
    half = (np.arange(60) < 30).astype(np.uint8)
    whole, parts = scorer(np.ones((1, 60), int))[0], scorer(np.stack([half, 1 - half]))
    np.testing.assert_allclose(parts.mean(axis=0), whole, rtol=1e-12)


@pytest.mark.sweep
def test_macro_f1_has_an_interval_as_wide_as_the_bootstrap_of_scikit_learns():
    matrix = multiclass(n_samples=300, n_configurations=1, seed=3)
    truth, labels = matrix.outcome.values, matrix.as_kind(PredictionKind.LABEL)[0, :, 0]
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 300, size=(400, 300))
    weights = np.stack([np.bincount(row, minlength=300) for row in rows])
    ours = bound(METRICS["f1-macro"], matrix)(weights)[:, 0]
    theirs = [f1_score(truth[row], labels[row], average="macro") for row in rows]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    # three sigma of repeated studies of the same configuration, not of a wrong formula
    share = METRICS["accuracy"].bind(matrix.outcome, labels[:, None])(np.ones((1, 300), int)).item()
    assert ours.std() == pytest.approx(np.sqrt(share * (1 - share) / 300), rel=0.15)


def test_scores_closer_than_float32_are_no_ties():
    truth = np.array([0, 0, 0, 1, 1, 1])
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    scores = (0.5 + 1e-9 * np.arange(6))[:, None]
    assert len(np.unique(scores.astype(np.float32))) == 1
    for name, best in (("auc", 1.0), ("average-precision", 1.0), ("gini", 1.0)):
        assert score(name, outcome, scores, ONE).item() == best


def test_the_concordance_index_takes_risks_and_times_the_right_way_round():
    if "concordance" not in METRICS:
        pytest.skip("no survival metrics")
    times = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    event = np.array([True, True, False, True, True, False])
    outcome = Outcome(Task.SURVIVAL, times, event=event)
    risks = np.column_stack([-times, times])
    assert score("concordance", outcome, risks, ONE)[0].tolist() == [1.0, 0.0]


def test_an_undefined_performance_never_wins():
    values = np.array([[0.9, np.nan, 0.8]])
    assert np.argmax(values) == 1
    assert Direction.MAXIMIZE.best(values) == 0
    assert Direction.MINIMIZE.best(values) == 2


def test_a_constant_column_does_not_win_f1():
    matrix = binary(n_configurations=3, kind=PredictionKind.LABEL)
    constant = matrix.predictions.copy()
    constant[:, :, 0] = 0
    found = METHODS["bbc"].run(replace(matrix, predictions=constant), METRICS["f1"], Plan(50))
    assert found.winner != "c0"
    assert np.isfinite(found.value)


def test_an_absolute_error_out_of_the_bag_is_that_of_the_winner_alone():
    truth = np.arange(1.0, 31.0)
    predictions = np.stack([truth + 0.5, truth + 100.0], axis=1)[None]
    matrix = of(Outcome(Task.REGRESSION, truth), predictions, PredictionKind.VALUE)
    assert METHODS["bbc"].run(matrix, METRICS["mae"], Plan(50)).value == pytest.approx(0.5)


def test_upside_down_predictions_are_not_called_good_by_r2():
    truth = np.arange(6.0)
    outcome = Outcome(Task.REGRESSION, truth)
    upside_down = (5 - truth)[:, None]
    assert score("pearson-squared", outcome, upside_down, ONE).item() == pytest.approx(1)
    assert score("r2", outcome, upside_down, ONE).item() == pytest.approx(-3)
    assert score("spearman", outcome, upside_down, ONE).item() == pytest.approx(-1)


def test_one_versus_one_survives_a_subset_without_a_class():
    matrix = multiclass()
    rows = matrix.outcome.values != 1
    weights = np.ones((1, int(rows.sum())), int)
    scorer = bound(METRICS["auc-ovo"], matrix)
    assert np.isnan(scorer.restrict(rows)(weights)).all()  # not another class's column
    alone = Outcome(Task.MULTICLASS, matrix.outcome.values[rows], matrix.outcome.classes)
    ours = METRICS["auc-ovo"].bind(alone, matrix.predictions[0][rows])(weights)[0]
    by_pair = [
        METRICS["auc"].bind(
            Outcome(Task.BINARY, (alone.values == k).astype(int), ("rest", "class")),
            matrix.predictions[0][rows][:, :, k],
        )(weights)[0]
        for k in (0, 2)
    ]
    np.testing.assert_allclose(ours, np.mean(by_pair, axis=0), rtol=1e-12)
