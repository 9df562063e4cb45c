"""What greedy selection tries, in every form: they agree with one another and with any metric."""

from dataclasses import replace

import numpy as np
import pytest
from making.test_ensembles import bags
from matrices import binary, multiclass, regression

from bbccli import METRICS, Plan
from bbccli.domain.matrix import PredictionMatrix
from bbccli.metrics.capped import with_plan
from bbccli.platform import resources
from bbccli.platform.resources import Engine
from bbccli.stats.making.greedy import any_metric, trial_of
from bbccli.stats.making.interface import Given
from bbccli.stats.selection.rule import SelectionRule
from bbccli.types import Pooling

CASES = [
    (binary, "log-loss"),
    (binary, "brier"),
    (binary, "accuracy"),
    (binary, "auc"),
    (multiclass, "log-loss"),
    (multiclass, "brier"),
    (regression, "mse"),
    (regression, "rmse"),
]


def given_of(matrix, name):
    metric = with_plan(METRICS[name], Plan())
    return Given(matrix, metric, Pooling.POOLED, SelectionRule(metric.direction))


def tried(trial, weights, members):
    """Performances with each configuration added to some members, the same in all bags."""
    sums = np.zeros((len(weights), *trial.columns.shape[1:]))
    for member in members:
        sums += trial.columns[member]
    return trial.values(trial.weigh(weights), sums, len(members))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_repeats", [1, 2])
@pytest.mark.parametrize("engine", [Engine.NUMPY, Engine.NUMBA])
@pytest.mark.parametrize(("make", "name"), CASES)
def test_fast_forms_score_as_any_metric(make, name, engine, n_repeats, weighted):
    if engine is Engine.NUMBA:
        pytest.importorskip("numba")
    matrix = make(n_repeats=n_repeats)
    if weighted:
        weights = 0.3 + np.arange(matrix.n_samples) % 4
        matrix = replace(matrix, outcome=replace(matrix.outcome, weights=weights))
    given, weights = given_of(matrix, name), bags(matrix)
    with resources.use(replace(resources.current(), engine=engine)):
        for members in ([], [1], [0, 3, 3, 2]):
            expected = tried(any_metric(given), weights, members)
            found = tried(trial_of(given), weights, members)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("engine", [Engine.NUMPY, Engine.NUMBA])
def test_products_of_many_small_chances_do_not_vanish(engine):
    """0.001 to the power of 400 is below the smallest float."""
    if engine is Engine.NUMBA:
        pytest.importorskip("numba")
    matrix = binary(n_samples=400)
    low = np.where(matrix.outcome.values == 1, 0.001, 0.999)[None, :, None]
    matrix = replace(matrix, predictions=np.repeat(low, matrix.n_configurations, axis=2))
    with resources.use(replace(resources.current(), engine=engine)):
        found = tried(trial_of(given_of(matrix, "log-loss")), bags(matrix), [2])
    np.testing.assert_allclose(found, -np.log(0.001))


@pytest.mark.parametrize("shape", ["crowded", "equal", "spread"])
def test_scores_sort_whatever_their_spread(shape):
    """Where nearly all are within a millionth of the range, and where all are equal."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    scores = {
        "crowded": np.where(rng.random((1, 500, 3)) < 0.01, 1.0, rng.random((1, 500, 3)) * 1e-9),
        "equal": np.full((1, 500, 3), 0.25),
        "spread": rng.random((1, 500, 3)),
    }[shape]
    outcome = binary(n_samples=500).outcome
    matrix = PredictionMatrix(outcome, scores, ("a", "b", "c"), "probability")
    given = given_of(matrix, "auc")
    with resources.use(replace(resources.current(), engine=Engine.NUMBA)):
        found = tried(trial_of(given), bags(matrix), [0, 1])
    np.testing.assert_allclose(found, tried(any_metric(given), bags(matrix), [0, 1]), atol=1e-12)


def test_bbc_is_the_same_in_both_forms():
    pytest.importorskip("numba")
    from bbccli import METHODS

    found = []
    for engine in (Engine.NUMPY, Engine.NUMBA):
        with resources.use(replace(resources.current(), engine=engine)):
            matrix = binary(n_samples=60, seed=7)
            plan = Plan(select="greedy:6", n_resamples=50)
            found.append(METHODS["bbc"].run(matrix, "auc", plan).distribution.values)
    np.testing.assert_array_equal(*found)
