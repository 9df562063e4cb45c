"""Nested selection against a slow loop, and by hand."""

import numpy as np
import pytest
from day import swept
from matrices import binary, by_hand, multiclass, of_labels
from methods import reference

from bbccli import METHODS, METRICS, Plan
from bbccli.stats.selection.candidates import fold_performances
from bbccli.types import Pooling

NESTED = METHODS["nested-selection"].run


@pytest.mark.parametrize("pooling", [Pooling.POOLED, swept(Pooling.FOLD_MEAN)])
@pytest.mark.parametrize(
    ("name", "matrix"),
    [
        ("auc", binary(n_samples=30, seed=6)),
        swept("auc", binary(n_repeats=3, seed=1)),
        ("accuracy", binary(n_samples=33, seed=2)),
        swept("accuracy", multiclass(n_repeats=2)),
    ],
)
def test_slow_loop(name, matrix, pooling):
    truth, figure = matrix.outcome.values, reference.FIGURES[name]

    def of_repeat(repeat, rows, c):
        return figure(truth[rows], matrix.predictions[repeat][rows, c])

    values, selected = reference.nested_selection(of_repeat, matrix, pooling is Pooling.FOLD_MEAN)
    found = NESTED(matrix, METRICS[name], Plan(pooling=pooling))
    assert len(set(selected)) > 1
    assert found.value == pytest.approx(np.mean(values), rel=1e-12)
    assert found.naive == METHODS["cvt"].run(matrix, METRICS[name], Plan(pooling=pooling)).naive
    assert found.interval is None


def test_another_metric_may_select():
    # by the AUC, without the first fold both are perfect and b comes first; else a
    found = NESTED(by_hand(), METRICS["accuracy"], Plan(), select_by=METRICS["auc"])
    assert found.selected_by == "auc"
    assert found.value == pytest.approx((0 + 1 + 0.5) / 3)


def test_a_single_configuration_has_no_optimism():
    matrix = binary(n_configurations=1)
    found = NESTED(matrix, METRICS["auc"], Plan(pooling=Pooling.FOLD_MEAN))
    assert found.optimism == pytest.approx(0, abs=1e-15)


TT = METHODS["tt"]


@pytest.mark.parametrize(
    ("selector", "metric"),
    [
        ("log-loss", "accuracy"),
        swept("accuracy", "log-loss"),
        swept("brier", "auc"),
        swept("auc", "brier"),
    ],
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
    found = TT.run(binary(), METRICS["accuracy"], Plan())
    assert "beyond-bounds" not in [note.code for note in found.notes]
