"""What greedy selection and tuned cuts try, in every form, against loops and the metric itself."""

from dataclasses import replace

import numpy as np
import pytest
from day import daily, swept
from making import loops
from making.test_ensembles import CASES, bags, shares_of
from matrices import binary

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.metrics.capped import with_plan
from bbccli.platform import resources
from bbccli.platform.resources import Engine
from bbccli.stats.case import maker_of
from bbccli.types import PredictionKind, Task

TRIED = [*CASES, (binary, "brier"), (binary, "accuracy")]
ENGINES = [Engine.NUMPY, Engine.NUMBA]


@pytest.fixture(params=ENGINES)
def engine(request):
    with in_form(request.param):
        yield request.param


def in_form(engine):
    if engine is Engine.NUMBA:
        pytest.importorskip("numba")
    return resources.use(replace(resources.current(), engine=engine))


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("weighted", [False, swept(True)])
@pytest.mark.parametrize("n_repeats", [1, swept(2)])
@pytest.mark.parametrize(
    ("make", "name"),
    daily(TRIED, [case for case in TRIED if case[1] not in ("f1", "mae")], unpack=True),
)
def test_every_form_selects_as_the_slow_loop(make, name, n_repeats, weighted):
    """A sample of weight w is w samples of weight one."""
    matrix, weights = make(n_samples=30, n_repeats=n_repeats, seed=4), 1
    if weighted:
        weights = 1 + np.arange(30) % 3
        matrix = replace(matrix, outcome=replace(matrix.outcome, weights=weights.astype(float)))
    expected = [loops.greedy(matrix, name, w, 4) for w in bags(matrix, 3) * weights]
    found = shares_of(matrix, name, "greedy:4", bags(matrix, 3))
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert len({tuple(row) for row in found}) > 1


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(("low", "clip"), [(0.001, 2.0**-23), (0.0, 1e-300), (0.0, 2.0**-23)])
def test_products_of_many_small_chances_do_not_vanish(low, clip):
    """0.001 to the power of 400 is below the smallest float: one that is less wrong still wins."""
    matrix = binary(n_samples=400)
    wrong = np.where(matrix.outcome.values == 1, low, 1 - low)[None, :, None].repeat(7, axis=2)
    wrong[0, :40, 3] = 0.5
    matrix = replace(matrix, predictions=wrong)
    found = shares_of(matrix, "log-loss", "greedy:1", bags(matrix), clip=clip)
    assert found.tolist() == [np.eye(7)[3].tolist()] * len(found)


@pytest.mark.usefixtures("engine")
def test_a_mean_that_equals_the_cut_is_not_above_it():
    """0.4, 0.8 and 0.3 add up to more than 1.5 in binary; all three together are always right."""
    rows = np.array([[0.4, 0.8, 0.3], [0.4, 0.8, 0.4], [0.1, 0.8, 0.6], [0.4, 0.8, 0.4]])
    matrix = PredictionMatrix(binary(n_samples=4).outcome, rows[None], tuple("abc"), "probability")
    found = shares_of(matrix, "accuracy", "greedy:3", np.ones((1, 4), np.int64))
    np.testing.assert_allclose(found, [[1 / 3, 1 / 3, 1 / 3]])


@pytest.mark.parametrize("shape", ["crowded", "equal", "spread"])
def test_scores_sort_whatever_their_spread(shape):
    """Where nearly all are within a millionth of the range, and where all are equal."""
    rng = np.random.default_rng(0)
    scores = {
        "crowded": np.where(rng.random((1, 500, 3)) < 0.01, 1.0, rng.random((1, 500, 3)) * 1e-9),
        "equal": np.full((1, 500, 3), 0.25),
        "spread": rng.random((1, 500, 3)),
    }[shape]
    matrix = PredictionMatrix(binary(n_samples=500).outcome, scores, tuple("abc"), "probability")
    found = []
    for engine in ENGINES:
        with in_form(engine):
            found.append(shares_of(replace(matrix), "auc", "greedy:6", bags(matrix, 30)))
    np.testing.assert_array_equal(*found)


def tuned(matrix, name, weights):
    """Shares of the configuration whose best cut is best in each bag, what it predicts, the cut."""
    plan = Plan(cut="tuned")
    maker = maker_of(replace(matrix), with_plan(METRICS[name], plan), plan)
    shares = maker.combine(weights)
    return shares, *maker.steps(weights, np.nan_to_num(shares))[1:]


LABELS = [name for name, metric in METRICS.items() if metric.wants is PredictionKind.LABEL]
OF_TWO = [name for name in LABELS if Task.BINARY in METRICS[name].tasks]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("kind", [PredictionKind.PROBABILITY, PredictionKind.SCORE])
@pytest.mark.parametrize("n_repeats", [1, swept(2)])
@pytest.mark.parametrize("name", ["f1", swept("accuracy")])
def test_the_slow_loop_tunes_the_same_cut(name, n_repeats, kind):
    """Of all configurations together with the selection of one; of ties the first and highest."""
    matrix = binary(n_samples=30, n_repeats=n_repeats, seed=3, kind=kind)
    matrix = replace(matrix, predictions=matrix.predictions.round(1))
    weights = np.vstack([matrix.outcome.values, bags(matrix, 20)])  # first positives alone
    shares, _, cuts = tuned(matrix, name, weights)
    for w, found, cut in zip(weights, shares, cuts, strict=True):
        every = [
            loops.tuned(matrix, name, w, matrix.predictions[:, :, c])
            for c in range(matrix.n_configurations)
        ]
        chosen = loops.best([value for _, value in every], loops.FIGURES[name][1])
        assert found.tolist() == np.eye(len(found))[chosen].tolist()
        assert cut == pytest.approx(every[chosen][0], abs=1e-10)


@pytest.mark.usefixtures("engine")
def test_no_cut_is_below_a_probability_of_zero():
    """Though more samples are positive there than above it."""
    outcome = replace(binary(n_samples=5).outcome, values=np.array([0, 1, 0, 1, 1]))
    chances = np.array([0.9, 0.5, 0.5, 0.0, 0.0])[None, :, None]
    matrix = PredictionMatrix(outcome, chances, ("a",), "probability")
    _, _, cuts = tuned(matrix, "f1", np.ones((1, 5), np.int64))
    assert cuts.tolist() == [0.25]


def best_figures(matrix, metric, weights):
    """Figures (B, C) of the best of every cut, each tried by the metric itself."""
    n = matrix.n_repeats
    columns, masses = matrix.predictions.reshape(-1, matrix.n_configurations), np.tile(weights, n)
    outcome = matrix.outcome.take(np.tile(np.arange(matrix.n_samples), n))
    nothing = (columns <= 0) & (matrix.kind is PredictionKind.PROBABILITY)  # no cut is below 0
    best = []
    for column, zeros in zip(columns.T, nothing.T, strict=True):
        labels = column[:, None] > np.r_[np.unique(column), column.min() - 1]
        values = metric.bind(outcome, labels.astype(int))(masses)
        values[(masses[:, zeros] > 0).any(axis=1), -1] = np.nan
        best.append(metric.direction.extreme.reduce(values, axis=1))
    return np.transpose(best)


@pytest.mark.parametrize("name", OF_TWO)
def test_no_cut_is_better_than_the_best(name, engine):
    """Nor another configuration's; of heavy bags too, counted in wider lanes."""
    rng, metric = np.random.default_rng(len(name)), METRICS[name]
    n_bags = 70 if engine is Engine.NUMBA else 10  # more than its lanes
    for heavy, n_repeats, digits, kind in (
        (1, 1, 1, PredictionKind.PROBABILITY),
        (300, 2, 2, PredictionKind.PROBABILITY),  # totals of more than 16 bits
        (127, 2, 1, PredictionKind.SCORE),  # and counts of 8
        (rng.random(300), 2, 1, PredictionKind.PROBABILITY),
        (1 + 700 * (rng.random(300) < 0.01), 1, 9, PredictionKind.PROBABILITY),
    ):
        matrix = binary(n_samples=300, n_repeats=n_repeats, seed=5, kind=kind)
        predictions, truth = matrix.predictions.round(digits), matrix.outcome.values
        if not name.startswith("precision-"):  # undefined where a class is never predicted
            last = predictions[:, :, -1]
            predictions[:, :, 0] = last.max() - last  # the wrong way round, down to 0
        weights = np.vstack([truth, 1 - truth, bags(matrix, n_bags) > 0, truth + 1])
        outcome = matrix.outcome
        if np.asarray(heavy).dtype.kind == "f":
            outcome = replace(outcome, weights=heavy)
        else:
            weights = weights * heavy
        weights = weights.astype(np.uint16)
        matrix = replace(matrix, predictions=predictions, outcome=outcome)
        expected = best_figures(matrix, metric, weights)
        for columns in (np.arange(7), np.array([0])):
            shares, made, cuts = tuned(matrix.of_configurations(columns), name, weights)
            some = np.isfinite(expected[:, columns]).any(axis=1)
            np.testing.assert_array_equal(np.isfinite(shares).all(axis=1), some)
            best = metric.direction.extreme.reduce(expected[:, columns], axis=1)[some]
            of_chosen = np.nansum(shares[some] * expected[some][:, columns], axis=1)
            np.testing.assert_allclose(of_chosen, best, atol=1e-12)
            some[:2], best = False, best[some[:2].sum() :]  # of both classes
            rows = np.tile(np.arange(300), n_repeats)
            labels = made[:, :, some].reshape(len(rows), -1) > cuts[some]
            scorer = metric.bind(outcome.take(rows), labels.astype(int))
            masses, bag = np.tile(weights[some], n_repeats), np.arange(some.sum())
            np.testing.assert_allclose(scorer.paired(masses, bag), best, atol=1e-12)
