"""TT: one scale, that of the folds, for the winner, the naive figure and the gains."""

import numpy as np
import pytest
from matrices import binary, of_labels, regression
from methods import reference

from bbccli.core.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.readers import read
from bbccli.stats.selection.candidates import fold_performances
from bbccli.types import Pooling

TT = METHODS["tt"]


def test_selected_and_corrected_by_the_fold_mean(samples):
    matrix, auc = read(samples / "progression.parquet"), METRICS["auc"]
    found, bbc_f = (METHODS[name].run(matrix, auc, Plan()) for name in ("tt", "bbc-f"))
    assert found.winner == bbc_f.winner == "logistic-l2 C=1"
    assert found.naive == bbc_f.naive
    assert f"{found.value:.3f}" == "0.844"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("pooling", list(Pooling))
@pytest.mark.parametrize("seed", range(5))
def test_the_estimate_is_the_mean_over_folds_less_the_gains(seed, pooling):
    matrix = binary(n_samples=43, n_configurations=9, seed=seed)
    found = TT.run(matrix, METRICS["auc"], Plan(pooling=pooling))
    (by_fold,) = fold_performances(matrix, METRICS["auc"])
    winner = reference.best(by_fold.mean(axis=0))
    assert found.winner == matrix.configurations[winner]
    gains = by_fold.max(axis=1) - by_fold[:, winner]
    assert found.value == pytest.approx(by_fold[:, winner].mean() - gains.mean(), rel=1e-12)


@pytest.mark.parametrize(
    ("selector", "metric"),
    [("log-loss", "accuracy"), ("accuracy", "log-loss"), ("brier", "auc"), ("auc", "brier")],
)
def test_two_metrics_of_opposite_directions(selector, metric):
    """The first metric finds the best of a fold by its direction, the other measures by its own."""
    matrix = binary(n_configurations=9, seed=3)
    found = TT.run(matrix, METRICS[metric], Plan(), select_by=METRICS[selector])
    signs = {"log-loss": -1, "brier": -1, "accuracy": 1, "auc": 1}
    (judged,), (measured,) = (fold_performances(matrix, METRICS[m]) for m in (selector, metric))
    winner = reference.best(signs[selector] * judged.mean(axis=0))
    gains = [
        signs[metric] * (values[reference.best(signs[selector] * judges)] - values[winner])
        for judges, values in zip(judged, measured, strict=True)
    ]
    assert found.winner == matrix.configurations[winner]
    assert found.optimism == pytest.approx(np.mean(gains), abs=1e-12)
    worse = -signs[metric] * np.mean(gains)
    assert found.value == pytest.approx(measured[:, winner].mean() + worse, abs=1e-12)


def test_losses_get_worse():
    matrix = regression(n_configurations=9, seed=2)
    found = TT.run(matrix, METRICS["rmse"], Plan())
    assert found.value > found.naive
    assert found.optimism > 0


def never_right_together():
    """Five folds of two samples; each configuration is right in one fold of its own alone."""
    right = np.repeat(np.eye(5, dtype=bool), 2, axis=0)
    right = np.hstack([np.zeros((10, 1), bool), right])
    right[0, 0] = right[2, 0] = right[4, 0] = True  # half of three folds: the best mean
    folds = np.repeat(np.arange(5), 2)[None]
    return of_labels(right, configurations="abcdef", folds=folds, fold_names=tuple("01234"))


def test_beyond_the_bounds_is_said_not_hidden():
    # mean over folds 0.3, and the best of each fold is right throughout: 0.3 - 0.7
    found = TT.run(never_right_together(), METRICS["accuracy"], Plan())
    assert found.naive == pytest.approx(0.3)
    assert found.value == pytest.approx(-0.4)
    (note,) = [note for note in found.notes if note.code == "beyond-bounds"]
    assert "-0.4, is outside the range of accuracy, 0 to 1" in note.text


def test_within_the_bounds_nothing_is_said():
    found = TT.run(binary(), METRICS["accuracy"], Plan())
    assert "beyond-bounds" not in [note.code for note in found.notes]
