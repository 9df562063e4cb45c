"""Methods against the slow loops of `reference.py`, on the same resamples."""

import numpy as np
import pytest
from day import swept
from matrices import binary, multiclass
from methods import reference

from bbccli import METHODS, METRICS, Plan
from bbccli.stats.resampling import draws_of, every_resample
from bbccli.stats.selection.candidates import fold_performances
from bbccli.types import Pooling

CASES = [
    ("auc", binary()),
    ("auc", binary(n_repeats=3, seed=1)),
    ("accuracy", binary(seed=2)),
    ("accuracy", multiclass(n_repeats=2)),
]
B = 40


@pytest.mark.parametrize("pooling", [Pooling.POOLED, swept(Pooling.FOLD_MEAN)])
@pytest.mark.parametrize(("name", "matrix"), CASES)
def test_bbc(name, matrix, pooling):
    plan = Plan(n_resamples=B, seed=5, pooling=pooling)
    found = METHODS["bbc"].run(matrix, METRICS[name], plan)
    draws = draws_of(matrix.n_samples, None, 5)
    figure = (reference.figure_on if pooling is Pooling.POOLED else reference.fold_mean_on)(
        matrix, name
    )
    winners, values = reference.bbc(figure, matrix.n_configurations, draws.batch(0, 2).in_bag[:B])
    # A resample whose winner is undefined out of the bag is drawn again: compare the others.
    kept = ~np.isnan(values)
    assert found.distribution.winners.tolist()[: kept.sum()] == np.array(winners)[kept].tolist()
    np.testing.assert_allclose(
        found.distribution.values[: kept.sum()], np.array(values)[kept], rtol=1e-12
    )
    assert found.value == pytest.approx(found.distribution.values.mean(), rel=1e-12)


@pytest.mark.parametrize(("name", "matrix"), CASES)
def test_tt(name, matrix):
    found = METHODS["tt"].run(matrix, METRICS[name], Plan())
    truth, figure = matrix.outcome.values, reference.FIGURES[name]

    def of_repeat(repeat, rows, c):
        return figure(truth[rows], matrix.predictions[repeat][rows, c])

    winner = matrix.configurations.index(found.winner)
    assert found.optimism == pytest.approx(reference.tt(of_repeat, matrix, winner), rel=1e-12)


@pytest.mark.parametrize(("name", "matrix"), CASES)
def test_bbc_f(name, matrix):
    found = METHODS["bbc-f"].run(matrix, METRICS[name], Plan())
    in_bag, probabilities = every_resample(5)
    expected = [
        reference.bbc_f(by_fold, in_bag) for by_fold in fold_performances(matrix, METRICS[name])
    ]
    assert found.distribution.winners.tolist() == [w for part in expected for w in part[0]]
    np.testing.assert_allclose(
        found.distribution.values, [v for part in expected for v in part[1]], rtol=1e-12
    )
    by_hand = np.mean([np.dot(probabilities, part[1]) for part in expected])
    assert found.value == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize(("name", "matrix"), [c for c in CASES if c[1].n_repeats > 1])
def test_cvm_cv(name, matrix):
    truth, figure = matrix.outcome.values, reference.FIGURES[name]
    expected = reference.cvm_cv(
        lambda repeat, c: figure(truth, matrix.predictions[repeat][:, c]),
        matrix.n_repeats,
        matrix.n_configurations,
    )
    found = METHODS["cvm-cv"].run(matrix, METRICS[name], Plan())
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert found.naive == METHODS["cvt"].run(matrix, METRICS[name], Plan()).naive
