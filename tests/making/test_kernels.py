"""What greedy selection tries, in every form: they agree with one another and with any metric."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from making.test_ensembles import bags
from matrices import binary, multiclass, regression

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.metrics.capped import with_plan
from bbccli.metrics.kernels import loop_forms, presort
from bbccli.platform import resources
from bbccli.platform.resources import Engine
from bbccli.stats.case import maker_of
from bbccli.stats.making.cut import Sweep
from bbccli.stats.making.greedy import any_metric, trial_of
from bbccli.stats.making.interface import Given
from bbccli.stats.selection import SelectionRule
from bbccli.types import Pooling, PredictionKind, Task

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


@pytest.mark.parametrize("weighted", [False, swept(True)])
@pytest.mark.parametrize("n_repeats", [1, swept(2)])
@pytest.mark.parametrize("engine", [Engine.NUMPY, Engine.NUMBA])
@pytest.mark.parametrize(
    ("make", "name"),
    daily(
        CASES,
        [(binary, "log-loss"), (binary, "accuracy"), (multiclass, "log-loss"), (regression, "mse")],
        unpack=True,
    ),
)
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


def tuned(matrix, name, engine, weights):
    with resources.use(replace(resources.current(), engine=engine)):
        plan = Plan(cut="tuned")
        maker = maker_of(replace(matrix), with_plan(METRICS[name], plan), plan)
        shares = maker.combine(weights)
        return shares, maker.steps(weights, np.nan_to_num(shares)).cuts


LABELS = [name for name, metric in METRICS.items() if metric.wants is PredictionKind.LABEL]


@pytest.mark.parametrize("name", [n for n in LABELS if Task.BINARY in METRICS[n].tasks])
def test_compiled_cuts_are_those_of_numpy(name):
    """Of ties, real weights, repeats, margins, bags of a single class, and of reversed scores."""
    pytest.importorskip("numba")
    for seed in range(6):
        kind = PredictionKind.SCORE if seed % 3 == 0 else PredictionKind.PROBABILITY
        matrix = binary(n_samples=30, seed=seed, n_repeats=1 + seed % 2, kind=kind)
        rng, truth = np.random.default_rng(seed), matrix.outcome.values
        if seed in (1, 3):
            matrix = replace(matrix, predictions=matrix.predictions.round(1))
        if seed == 5:
            matrix = replace(
                matrix, predictions=(1 - truth)[:, None] * 0.5 + 0.4 * matrix.predictions
            )
        if seed in (2, 3):
            matrix = replace(matrix, outcome=replace(matrix.outcome, weights=rng.random(30)))
        weights = np.vstack([truth, 1 - truth, bags(matrix, 70)])
        shares, cuts = tuned(matrix, name, Engine.NUMPY, weights)
        of_compiled, compiled_cuts = tuned(matrix, name, Engine.NUMBA, weights)
        np.testing.assert_array_equal(of_compiled, shares)
        np.testing.assert_allclose(compiled_cuts, cuts, atol=1e-12)


@pytest.mark.parametrize("engine", [Engine.NUMPY, Engine.NUMBA])
@pytest.mark.parametrize("name", [n for n in LABELS if Task.BINARY in METRICS[n].tasks])
def test_no_cut_is_better_than_the_best(name, engine):
    """Of every cut, by the metric itself; of heavy bags too, counted in wider lanes."""
    if engine is Engine.NUMBA:
        pytest.importorskip("numba")
    rng = np.random.default_rng(len(name))
    for heavy, n_repeats, digits, kind in (
        (1, 1, 1, PredictionKind.PROBABILITY),
        (300, 2, 2, PredictionKind.PROBABILITY),  # totals of more than 16 bits
        (127, 2, 1, PredictionKind.SCORE),  # and counts of 8
        (rng.random(300), 2, 1, PredictionKind.PROBABILITY),
        (1 + 700 * (rng.random(300) < 0.01), 1, 9, PredictionKind.PROBABILITY),
    ):
        matrix = binary(n_samples=300, n_repeats=n_repeats, seed=5, kind=kind)
        columns = matrix.predictions.round(digits).reshape(-1, matrix.n_configurations)
        if not name.startswith("precision-"):  # undefined where a class is never predicted
            columns[:, 0] = columns[:, -1].max() - columns[:, -1]  # the wrong way round, down to 0
        given, truth = given_of(matrix, name), matrix.outcome.values
        drawn = np.vstack([truth, 1 - truth, bags(matrix, 70) > 0, truth + 1])
        masses = (
            np.tile(drawn.astype(np.uint16), n_repeats)
            * np.tile(heavy, 300 * n_repeats)[: columns.shape[0]]
        )
        sweep, nothing = Sweep.of(given), (columns <= 0) & (kind is PredictionKind.PROBABILITY)
        pairs = presort(columns, sweep.truth, ~sweep.truth)
        with resources.use(replace(resources.current(), engine=engine)):
            found = sweep.best(pairs, nothing, masses)
            scores = np.tile(columns[:, 0], (len(masses), 1))
            cells, starts, _ = loop_forms("cuts").of_bags(
                scores, sweep.truth, masses.astype(float), bounded=sweep.bounded
            )
        of_first = given.metric.direction.extreme.reduceat(sweep.judge(cells), starts)
        np.testing.assert_allclose(of_first[2:], found[2:, 0], atol=1e-12)  # of both classes
        outcome = replace(matrix.outcome, values=np.tile(truth, n_repeats))
        for c, column in enumerate(columns.T):
            labels = column[:, None] > np.r_[np.unique(column), column.min() - 1]
            values = given.metric.bind(outcome, labels.astype(float))(masses)
            values[(masses[:, nothing[:, c]] > 0).any(axis=1), -1] = np.nan
            best = given.metric.direction.extreme.reduce(values, axis=1)
            np.testing.assert_allclose(found[:, c], best, atol=1e-12)


def test_a_small_clip_is_no_underflow():
    pytest.importorskip("numba")
    weights, sums = np.full((1, 40), 3.0), np.zeros((1, 40))
    columns = np.zeros((2, 40))
    columns[1] = 0.5
    for clip in (1e-300, 2.0**-23):
        every = []
        for engine in (Engine.NUMPY, Engine.NUMBA):
            with resources.use(replace(resources.current(), engine=engine)):
                every.append(loop_forms("members").surprises(weights, sums, columns, 0, clip))
        np.testing.assert_allclose(*every, rtol=1e-12)
        assert every[0][0, 0] == pytest.approx(-120 * np.log(clip))
