"""Means over folds, by hand: standard errors where few folds have a figure."""

import numpy as np
import pytest

from bbccli.domain.outcome import Outcome
from bbccli.metrics import METRICS
from bbccli.stats.selection.pooling import MeanOverFolds
from bbccli.types import Task


def over_folds(truth, labels, n_folds):
    """Recall of one configuration, over folds of four samples each."""
    truth, labels = np.asarray(truth), np.asarray(labels)[:, None]
    members = tuple(np.split(np.arange(4 * n_folds), n_folds))
    outcomes = [Outcome(Task.BINARY, truth[rows], ("no", "yes")) for rows in members]
    scorers = tuple(
        METRICS["recall"].bind(outcome, labels[rows])
        for outcome, rows in zip(outcomes, members, strict=True)
    )
    return MeanOverFolds(members, scorers)


FOUND = {"all": [1, 1, 1, 1], "half": [1, 1, 0, 0], "none": [0, 0, 0, 0], "undefined": None}


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
    truth = np.concatenate([np.full(4, int(FOUND[fold] is not None)) for fold in folds])
    labels = np.concatenate([FOUND[fold] or [0, 0, 0, 0] for fold in folds])
    scorer = over_folds(truth, labels, len(folds))
    weights, only = np.ones((1, len(truth)), np.uint8), np.array([0])
    assert scorer.paired(weights, only)[0] == pytest.approx(mean, nan_ok=True)
    assert scorer.error(weights, only)[0] == pytest.approx(error, nan_ok=True)
