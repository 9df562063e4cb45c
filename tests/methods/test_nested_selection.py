"""Nested selection against a slow loop, and by hand."""

import numpy as np
import pytest
from matrices import binary, by_hand, multiclass
from methods import reference

from bbccli.core.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.types import Pooling

NESTED = METHODS["nested-selection"].run


@pytest.mark.parametrize("pooling", [Pooling.POOLED, Pooling.FOLD_MEAN])
@pytest.mark.parametrize(
    ("name", "matrix"),
    [
        ("auc", binary(n_samples=30, seed=6)),
        ("auc", binary(n_repeats=3, seed=1)),
        ("accuracy", binary(n_samples=33, seed=2)),
        ("accuracy", multiclass(n_repeats=2)),
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


def test_by_hand():
    # accuracy in folds: b 0, 1, 1 and a 1, 1, 1/2. Without the first fold b leads (1 and 3/4) and
    # gets 0 there; without the second a leads (3/4 and 1/2), gets 1; without the third a, gets 1/2
    found = NESTED(by_hand(), METRICS["accuracy"], Plan())
    assert found.winner == "a"
    assert found.naive == pytest.approx(5 / 6)
    assert found.value == pytest.approx((0 + 1 + 0.5) / 3)


def test_another_metric_may_select():
    # by the AUC, without the first fold both are perfect and b comes first; else a
    found = NESTED(by_hand(), METRICS["accuracy"], Plan(), select_by=METRICS["auc"])
    assert found.selected_by == "auc"
    assert found.value == pytest.approx((0 + 1 + 0.5) / 3)


def test_a_single_configuration_has_no_optimism():
    matrix = binary(n_configurations=1)
    found = NESTED(matrix, METRICS["auc"], Plan(pooling=Pooling.FOLD_MEAN))
    assert found.optimism == pytest.approx(0, abs=1e-15)
