"""The clustered standard error of a mean: by hand, by a slow loop, and by statsmodels."""

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from matrices import binary, weighing

from bbccli import METHODS, METRICS, Plan, matrix_of, read
from bbccli.errors import UnsupportedError
from bbccli.types import Models

# At this level z = 1, and intervals are short enough not to be clipped.
PLAN = Plan(level=0.6826894921370859, seed=1)
BOUNDS = (-100, 100)


def error_of(matrix, **plan):
    found = METHODS["clustered"].run(matrix, METRICS["mean-score"], replace(PLAN, **plan))
    return (found.interval.upper - found.interval.lower) / 2


def slow(scores, groups):
    """As it is written in section 2.2 of Miller 2024, sum by sum."""
    n, mean = len(scores), sum(scores) / len(scores)
    variance = sum((s - mean) ** 2 for s in scores) / (n - 1) / n
    for i in range(n):
        for j in range(n):
            if i != j and groups[i] == groups[j]:
                variance += (scores[i] - mean) * (scores[j] - mean) / n**2
    return sqrt(variance)


def scores(n=30, c=4, r=1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(r, n, c)) + rng.normal(size=(n // 5, 1)).repeat(5, axis=0)


GROUPS = np.arange(30) // 5


def test_by_hand():
    # 4 items of 2 passages: mean 3/4, deviations 1/4, 1/4, 1/4, -3/4; 12/16 / 3 / 4 = 1/16;
    # products of pairs 1/16 and -3/16, each twice: -4/16 / 16 = -1/64
    right = np.array([[1, 1, 1, 0], [0, 1, 1, 0]]).T
    apart = matrix_of(right, task="score", bounds=BOUNDS)
    assert error_of(apart) == pytest.approx(1 / 4)
    passages = matrix_of(right, task="score", groups=[0, 0, 1, 1], bounds=BOUNDS)
    assert error_of(passages) == pytest.approx(sqrt(1 / 16 - 1 / 64))


@pytest.mark.parametrize("n_epochs", [1, 3])
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_the_formula(n_epochs, groups):
    given = scores(r=n_epochs)
    matrix = matrix_of(given, task="score", groups=groups, bounds=BOUNDS)
    means = given.mean(axis=0)
    winner = means.mean(axis=0).argmax()
    found = METHODS["clustered"].run(matrix, METRICS["mean-score"], PLAN)
    assert found.value == found.naive == pytest.approx(means[:, winner].mean())
    own = range(30) if groups is None else groups
    assert error_of(matrix) == pytest.approx(slow(means[:, winner], own))
    assert found.ignores_selection
    assert "as-if-chosen-beforehand" in [note.code for note in found.notes]


def test_items_without_a_score_do_not_count():
    given = scores()
    given[0, [3, 4, 17], given[0].mean(axis=0).argmax()] = np.nan
    given[0, 9, 0] = np.nan
    matrix = matrix_of(given, task="score", groups=GROUPS, bounds=BOUNDS)
    winner = np.nanmean(given[0], axis=0).argmax()
    there = ~np.isnan(given[0, :, winner])
    expected = slow(given[0, there, winner], GROUPS[there])
    assert error_of(matrix) == pytest.approx(expected)


def test_weights_enter_by_the_influence_of_an_item():
    given = scores()[0, :, :1]
    matrix = matrix_of(given, task="score", bounds=BOUNDS)
    equal = replace(matrix, outcome=replace(matrix.outcome, weights=np.full(30, 2.5)))
    assert error_of(equal) == pytest.approx(error_of(matrix))
    uneven = replace(matrix, outcome=weighing(matrix.outcome))
    w = uneven.outcome.weights
    mean = np.average(given[:, 0], weights=w)
    linear = sqrt(((w * (given[:, 0] - mean)) ** 2).sum()) / w.sum()
    assert error_of(uneven) == pytest.approx(linear, rel=0.1)


def test_what_has_no_such_error():
    right = np.ones((30, 2))
    right[:, 1] = np.arange(30) % 2
    perfect = METHODS["clustered"].run(matrix_of(right, task="score"), METRICS["mean-score"], PLAN)
    assert perfect.interval.lower == perfect.interval.upper == 1
    assert "no-variance" in [note.code for note in perfect.notes]
    one_group = matrix_of(scores(), task="score", groups=np.zeros(30, int), bounds=BOUNDS)
    found = METHODS["clustered"].run(one_group, METRICS["mean-score"], PLAN)
    assert found.interval is None
    assert "no-interval" in [note.code for note in found.notes]
    with pytest.raises(UnsupportedError, match="is for means over samples"):
        METHODS["clustered"].run(binary(), METRICS["auc"], PLAN)


def test_a_single_configuration_was_chosen_beforehand():
    matrix = matrix_of(scores(c=1), task="score", bounds=BOUNDS)
    found = METHODS["clustered"].run(matrix, METRICS["mean-score"], PLAN)
    assert "as-if-chosen-beforehand" not in [note.code for note in found.notes]


def test_epochs_are_no_training():
    """Calibrated intervals are wider where models were trained."""
    for folds, models in (
        (None, Models.FIXED),
        (np.tile(np.arange(30) % 3, (3, 1)), Models.TRAINED),
    ):
        matrix = matrix_of(scores(r=3), task="score", folds=folds)
        plans = [Plan(50, interval="calibrated", models=one) for one in (None, *Models)]
        found, *others = (METHODS["bbc"].run(matrix, "mean-score", plan).interval for plan in plans)
        assert [one == found for one in others] == [one is models for one in Models]


LOGS = Path(__file__).parents[1] / "data" / "evaluations" / "inspect_ai" / "json"


@pytest.mark.parametrize("path", sorted(LOGS.iterdir()), ids=lambda path: path.stem[-4:])
def test_the_standard_error_that_inspect_reports(path):
    (score, *_) = json.loads(path.read_text())["results"]["scores"]
    matrix = replace(read(path), outcome=replace(read(path).outcome, bounds=BOUNDS))
    assert error_of(matrix) == pytest.approx(score["metrics"]["stderr"]["value"])
