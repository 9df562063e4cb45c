"""Mistakes found in other programs that do this, each beside the right answer.

Every test computes the mistake too, so that it shows that the data would reveal it.
"""

from dataclasses import replace

import numpy as np
import pytest
from matrices import bound, multiclass, of, regression

from bbccli.core.outcome import Outcome
from bbccli.core.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.types import PredictionKind, Task

ONE = np.ones((1, 6), int)


def score(name, outcome, predictions, weights):
    return METRICS[name].bind(outcome, predictions)(weights)


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


def test_scores_closer_than_float32_are_no_ties():
    truth = np.array([0, 0, 0, 1, 1, 1])
    outcome = Outcome(Task.BINARY, truth, ("no", "yes"))
    scores = (0.5 + 1e-9 * np.arange(6))[:, None]
    assert len(np.unique(scores.astype(np.float32))) == 1
    for name, best in (("auc", 1.0), ("average-precision", 1.0), ("gini", 1.0)):
        assert score(name, outcome, scores, ONE).item() == best


def test_an_absolute_error_out_of_the_bag_is_that_of_the_winner_alone():
    truth = np.arange(1.0, 31.0)
    predictions = np.stack([truth + 0.5, truth + 100.0], axis=1)[None]
    matrix = of(Outcome(Task.REGRESSION, truth), predictions, PredictionKind.VALUE)
    assert METHODS["bbc"].run(matrix, METRICS["mae"], Plan(50)).value == pytest.approx(0.5)


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
