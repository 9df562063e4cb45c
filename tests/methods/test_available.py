"""Each configuration on the samples that it predicts."""

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary, for_metric

from bbccli.core.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Pooling, Task

# the censoring of Uno's concordance is that of all samples, whatever a configuration predicts
NAMES = [name for name in METRICS if METRICS[name].tasks != {Task.SURVIVAL}]


def gappy(matrix, share=0.2, seed=0):
    """The matrix without some predictions; what stands in their place is far off."""
    available = np.random.default_rng(seed).random(matrix.predictions.shape[:3]) >= share
    gaps = ~available if matrix.predictions.ndim == 3 else ~available[..., None]
    shown = np.where(gaps, matrix.predictions.min(), matrix.predictions)
    return replace(matrix, predictions=shown, available=available)


def taken(matrix, rows, column):
    """One configuration and some samples of a matrix, as if the others had never been."""
    return replace(matrix, available=None).of_configurations([column]).of_samples(rows)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("name", "pooling"),
    [
        (name, pooling)
        for name in NAMES
        for pooling in Pooling
        if METRICS[name].of_pairs or pooling is not Pooling.WITHIN_FOLDS
    ],
)
def test_a_missing_prediction_never_counts(name, pooling):
    metric = METRICS[name]
    matrix = gappy(for_metric(name, n_folds=2))
    weights = np.random.default_rng(1).integers(0, 4, (9, matrix.n_samples)).astype(np.uint16)
    found = candidates(matrix, metric, pooling).score(weights)
    for column in range(matrix.n_configurations):
        rows = matrix.available[0, :, column]
        alone = candidates(taken(matrix, rows, column), metric, pooling)
        expected = alone.score(weights[:, rows])[:, 0]
        np.testing.assert_allclose(found[:, column], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", ["cvt", "tt", "bbc", "bbc-f"])
def test_methods_take_a_matrix_with_gaps(name):
    matrix = gappy(binary(n_samples=80))
    found = METHODS[name].run(matrix, METRICS["auc"], Plan(n_resamples=200))
    assert 0.5 < found.value <= 1
    if found.interval:
        assert found.interval.lower < found.value < found.interval.upper
