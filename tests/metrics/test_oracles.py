"""Metrics against R (frozen answers) and scikit-learn (in this process)."""

import numpy as np
import pytest
from matrices import binary, multiclass
from oracle_data import METRIC_OF, QUESTIONS, answers, matrix
from sklearn.metrics import accuracy_score, roc_auc_score

from bbccli.methods.selection import candidates, fold_performances
from bbccli.metrics import METRICS
from bbccli.types import Pooling, PredictionKind

PREFIX = {"auc": "auc", "acc": "acc_gt"}


def frozen(name, key):
    values = answers(name, "metrics")[key]
    return np.array([values[c] for c in sorted(values)], float)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_pooled_performances_are_those_of_r(name, question):
    data, metric = matrix(name, question), METRIC_OF[question]
    everything = np.ones((1, data.n_samples), np.uint8)
    ours = candidates(data, metric, Pooling.POOLED).score(everything)[0]
    np.testing.assert_allclose(ours, frozen(name, f"{PREFIX[question]}_pooled"), atol=1e-13)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_fold_performances_are_those_of_r(name, question):
    data, metric = matrix(name, question), METRIC_OF[question]
    (ours,) = fold_performances(data, metric)
    np.testing.assert_allclose(ours.T, frozen(name, f"{PREFIX[question]}_per_fold"), atol=1e-13)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_fold_means_are_those_of_r(name, question):
    data, metric = matrix(name, question), METRIC_OF[question]
    everything = np.ones((1, data.n_samples), np.uint8)
    ours = candidates(data, metric, Pooling.FOLD_MEAN).score(everything)[0]
    np.testing.assert_allclose(ours, frozen(name, f"{PREFIX[question]}_fold_avg"), atol=1e-13)


def against(scikit, name, data, prepare):
    """Compare under integer weights with scikit-learn's `sample_weight`."""
    predictions = data.predictions[0]
    scorer = METRICS[name].bind(data.outcome, predictions)
    weights = np.random.default_rng(0).integers(0, 5, (6, data.n_samples))
    for row, found in zip(weights, scorer(weights.astype(np.uint16)), strict=True):
        expected = [
            scikit(data.outcome.values, prepare(predictions[:, c]), sample_weight=row)
            for c in range(data.n_configurations)
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_auc_is_scikit_learns():
    against(roc_auc_score, "auc", binary(), lambda p: p)


def test_accuracy_is_scikit_learns():
    against(accuracy_score, "accuracy", binary(), lambda p: (p > 0.5).astype(int))
    against(accuracy_score, "accuracy", binary(kind=PredictionKind.LABEL), lambda p: p)
    against(accuracy_score, "accuracy", multiclass(), lambda p: p.argmax(axis=-1))
