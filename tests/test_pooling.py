"""Means over folds, by hand: standard errors where few folds have a figure."""

import numpy as np
import pytest
from matrices import for_metric, of_labels

from bbccli.metrics import METRICS
from bbccli.stats.selection.candidates import by_repeat, candidates
from bbccli.stats.selection.pooling import AvailableCases, has_closed_form
from bbccli.types import Pooling

FOUND = {"all": [1, 1, 1, 1], "half": [1, 1, 0, 0], "none": [0, 0, 0, 0]}
"""Which of the four positives of a fold are right; each has a negative, too."""


@pytest.mark.parametrize(
    ("folds", "mean", "error"),
    [
        (("all", "half"), 0.75, 0.25),  # s = .5 / sqrt(2), over sqrt(2)
        (("all", "half", "none"), 0.5, 0.5 / 3**0.5),
        (("all", "undefined", "half"), 0.75, 0.25),
        (("all", "undefined"), 1.0, np.nan),
        (("undefined", "undefined"), np.nan, np.nan),
    ],
)
def test_standard_errors_of_few_folds(folds, mean, error):
    n = len(folds)
    truth = np.tile([1, 1, 1, 1, 0], n)
    right = np.concatenate([[*FOUND.get(fold, FOUND["all"]), 1] for fold in folds])[:, None]
    of_folds = {"folds": np.repeat(range(n), 5)[None], "fold_names": tuple(map(str, range(n)))}
    found = candidates(of_labels(right, truth, **of_folds), METRICS["recall"], Pooling.FOLD_MEAN)
    drawn = np.repeat([fold in FOUND for fold in folds], 5) | (truth == 0)
    weights, only = drawn[None].astype(np.uint8), np.array([0])
    assert found.paired(weights, only)[0] == pytest.approx(mean, nan_ok=True)
    assert found.errors(weights, only)[0] == pytest.approx(error, nan_ok=True)


@pytest.mark.parametrize(("name", "closed"), [("mse", True), ("auc", True), ("medae", False)])
def test_what_leaves_out_each_sample_without_scoring_the_others(name, closed):
    matrix = for_metric(name)
    (scorer,) = by_repeat(matrix, METRICS[name], np.arange(matrix.n_configurations))
    there = np.ones((matrix.n_samples, matrix.n_configurations), bool)
    assert has_closed_form(scorer) == closed
    assert has_closed_form(AvailableCases.of(scorer, there)) == closed
