"""The influence-function interval against closed forms and the algorithm of the R package cvAUC."""

from dataclasses import replace

import numpy as np
import pytest
from day import swept
from matrices import binary, regression, weighing
from methods import reference
from oracle_data import METRIC_OF, SMALL, matrix

from bbccli import METHODS, METRICS, Plan
from bbccli.types import Pooling

# At this level z = 1, and intervals are short enough not to be clipped.
PLAN = Plan(level=0.6826894921370859)
BY_FOLD = replace(PLAN, pooling=Pooling.FOLD_MEAN)


def run(data, metric, plan=PLAN):
    return METHODS["influence"].run(data, METRICS[metric], plan)


def error_of(data, metric, plan=PLAN):
    """Standard error, from the pessimistic end."""
    found = run(data, metric, plan)
    sign = METRICS[metric].direction.sign
    return sign * (found.value - (found.interval.lower if sign > 0 else found.interval.upper))


def column(data, metric, plan=PLAN):
    winner = data.configurations.index(run(data, metric, plan).winner)
    return data.predictions[0, :, winner]


@pytest.mark.parametrize("data", [binary(), binary(n_samples=60, seed=3), binary(n_folds=4)])
def test_ledell(data):
    # 5 or 4 folds with the same numbers of cases and controls
    scores = column(data, "auc", BY_FOLD)
    value, variance = reference.cross_validated_auc(data.outcome.values, scores, data.folds[0])
    assert run(data, "auc", BY_FOLD).value == pytest.approx(value, rel=1e-12)
    assert error_of(data, "auc", BY_FOLD) ** 2 == pytest.approx(variance, rel=1e-5)


def test_pooled_auc_has_the_error_of_delong():
    data = matrix(SMALL, "auc")
    found = METHODS["influence"].run(data, METRIC_OF["auc"], PLAN)
    scores, truth = column(data, "auc"), data.outcome.values
    ahead = (scores[truth == 1][:, None] > scores[truth == 0]).astype(float)
    of_cases, of_controls = ahead.mean(axis=1), ahead.mean(axis=0)
    variance = of_cases.var() / len(of_cases) + of_controls.var() / len(of_controls)
    assert (found.value - found.interval.lower) ** 2 == pytest.approx(variance, rel=1e-6)


def test_a_mean_has_its_standard_error():
    data = regression()
    squares = (column(data, "mse") - data.outcome.values) ** 2
    error = squares.std() / np.sqrt(len(squares))
    assert error_of(data, "mse") == pytest.approx(error, rel=1e-6)
    # the root, by the delta method
    assert error_of(data, "rmse") == pytest.approx(error / (2 * squares.mean() ** 0.5), rel=1e-6)


def test_sample_weights():
    data = regression()
    data = replace(data, outcome=weighing(data.outcome))
    w, squares = data.outcome.weights, (column(data, "mse") - data.outcome.values) ** 2
    mean = np.average(squares, weights=w)
    error = np.sqrt((w**2 * (squares - mean) ** 2).sum()) / w.sum()
    assert error_of(data, "mse") == pytest.approx(error, rel=1e-5)


def test_repeats_average_the_influence_of_a_sample():
    data = regression(n_repeats=3)
    winner = data.configurations.index(run(data, "mae").winner)
    losses = np.abs(data.predictions[:, :, winner] - data.outcome.values).mean(axis=0)
    assert error_of(data, "mae") == pytest.approx(losses.std() / np.sqrt(len(losses)), rel=1e-6)


def test_groups_are_weighted_together():
    data = replace(regression(), groups=np.arange(41) // 2)
    losses = np.abs(column(data, "mae") - data.outcome.values)
    sums = np.bincount(data.groups, losses - losses.mean())
    assert error_of(data, "mae") == pytest.approx(np.sqrt((sums**2).sum()) / 41, rel=1e-5)


@pytest.mark.parametrize("n_samples", [40, swept(41), swept(60)])
@pytest.mark.parametrize("pooling", [Pooling.POOLED, swept(Pooling.FOLD_MEAN)])
def test_a_median_has_no_interval(n_samples, pooling):
    found = run(regression(n_samples=n_samples), "medae", replace(PLAN, pooling=pooling))
    assert found.interval is None
    assert "no-interval" in [note.code for note in found.notes]


def test_a_perfect_winner_has_no_interval():
    data = binary()
    perfect = replace(
        data, predictions=0.1 + 0.8 * data.outcome.values[None, :, None] + 0 * data.predictions
    )
    found = run(perfect, "auc")
    assert (found.value, found.interval) == (1.0, None)
    (note,) = (note for note in found.notes if note.code == "no-interval")
    assert "influence has no interval: no sample changes the AUC" in note.text
