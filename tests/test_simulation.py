"""The laws of simulated matrices: true performances, class counts, folds, seeds."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from day import swept
from scipy.stats import norm

from bbccli.errors import OptionError
from bbccli.metrics import METRICS
from bbccli.planning.simulation import Study, binormal, multinormal, nested, noisy, right_or_wrong

TRUE = np.array([0.3, 0.55, 0.7, 0.9, 0.99])
MAKERS = [right_or_wrong, binormal, multinormal, partial(multinormal, n_classes=5), noisy]
CORRELATIONS = [0.0, 0.6]


def measured(simulated):
    """The performances (C,) of all samples at once."""
    matrix, metric = simulated.matrix, METRICS[simulated.metric]
    scorer = metric.bind(matrix.outcome, matrix.as_kind(metric.wants)[0])
    return scorer(np.ones((1, matrix.n_samples), np.uint8))[0]


@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize("make", MAKERS)
def test_true_performances_are_those_of_a_large_sample(make, correlation):
    simulated = make(TRUE, 40_000, np.random.default_rng(0), correlation=correlation)
    # the largest standard deviation is that of a mean squared error: sqrt(2 / N)
    assert measured(simulated) == pytest.approx(TRUE, abs=5 * np.sqrt(2 / 40_000))
    assert [simulated.truth(name) for name in simulated.matrix.configurations] == list(TRUE)


@pytest.mark.parametrize("make", MAKERS)
def test_correlated_configurations_err_together(make):
    def agreement(correlation):
        rng = np.random.default_rng(5)
        simulated = make([0.7, 0.7], 4000, rng, correlation=correlation)
        matrix = simulated.matrix
        predictions = matrix.predictions[0].reshape(4000, 2, -1)[:, :, 0].astype(float)
        wrong = predictions - matrix.outcome.values[:, None]
        of_class = matrix.outcome.values == matrix.outcome.values[-1]
        if matrix.task == "regression":
            of_class[:] = True
        return np.corrcoef(wrong[of_class].T)[0, 1]

    assert abs(agreement(0.0)) < 5 / np.sqrt(2000)
    assert agreement(0.6) > 0.35


def test_the_classes_lie_where_the_paper_says():
    matrix = binormal([0.8], 20_000, np.random.default_rng(0), balance=0.25).matrix
    scores, truth = matrix.predictions[0, :, 0], matrix.outcome.values
    assert scores[truth == 0].mean() == pytest.approx(0, abs=0.05)
    assert scores[truth == 1].mean() == pytest.approx(np.sqrt(2) * norm.ppf(0.8), abs=0.05)
    assert scores[truth == 0].std() == pytest.approx(1, abs=0.05)
    assert scores[truth == 1].std() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("n_samples", "balance", "counts", "n_folds"),
    [
        (50, 0.1, [5, 45], 5),
        swept(500, 0.1, [50, 450], 10),
        (50, 0.5, [25, 25], 10),
        swept(20, 0.8, [16, 4], 4),
    ],
)
@pytest.mark.parametrize("make", [right_or_wrong, swept(binormal)])
def test_class_counts_are_fixed_and_folds_stratified(make, n_samples, balance, counts, n_folds):
    matrix = make(TRUE, n_samples, np.random.default_rng(0), balance=balance).matrix
    assert matrix.outcome.class_counts.tolist() == counts
    assert matrix.n_folds == n_folds
    table = np.zeros((n_folds, 2), int)
    np.add.at(table, (matrix.folds[0], matrix.outcome.values), 1)
    assert (np.ptp(table, axis=0) <= 1).all()
    assert table.min() >= 1


def test_multiclass_folds_hold_every_class():
    matrix = multinormal(TRUE, 31, np.random.default_rng(0), n_folds=10).matrix
    assert matrix.outcome.class_counts.tolist() == [11, 10, 10]
    pairs = set(zip(matrix.folds[0].tolist(), matrix.outcome.values.tolist(), strict=True))
    assert len(pairs) == 30


@pytest.mark.parametrize("make", MAKERS)
def test_nesting_draws_the_inner_predictions_anew(make):
    simulated = make(TRUE, 30, np.random.default_rng(0), n_folds=3)
    seen = np.zeros(30, int)
    for fold, (matrix, test) in enumerate(nested(simulated, np.random.default_rng(1))):
        assert (test == (simulated.matrix.folds[0] == fold)).all()
        same = matrix.predictions[0] == simulated.matrix.predictions[0]
        assert same[test].all()
        assert not same[~test].all()
        seen += test
    assert (seen == 1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: binormal([0.5, 1.0], 20, rng), "true performance is not between"),
        swept(lambda rng: noisy([-0.1], 20, rng), "true performance is not between"),
        swept(lambda rng: right_or_wrong([0.5], 20, rng, correlation=1.0), "correlation is 1"),
        swept(lambda rng: binormal([0.5], 10, rng, balance=0.1), "1 of 10 samples are of class 0"),
        swept(lambda rng: binormal([0.5], 10, rng, n_folds=1), "1 folds for 10 samples"),
        swept(lambda rng: multinormal([0.5], 10, rng, n_classes=2), "2 classes for 10 samples"),
    ],
)
def test_what_cannot_be_simulated_is_refused(call, message):
    with pytest.raises(OptionError, match=message):
        call(np.random.default_rng(0))


def test_an_unknown_law_is_named_with_its_nearest():
    with pytest.raises(OptionError, match="no scenario named 'binormla'") as caught:
        Study("binormla")
    assert caught.value.hint == "did you mean binormal?"


def test_without_folds_there_is_nothing_to_nest():
    simulated = binormal(TRUE, 40, np.random.default_rng(0))
    whole = replace(simulated, matrix=replace(simulated.matrix, folds=None, fold_names=()))
    with pytest.raises(OptionError, match="nested cross-validation needs folds") as caught:
        next(nested(whole, np.random.default_rng(0)))
    assert caught.value.hint == "simulate with folds"
