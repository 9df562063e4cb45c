"""A plugin of pytest: every metric that scikit-learn's own tests compute is computed by `bbc` too.

Each call that `bbc` has a metric for is a line of JSON in the file that $BBC_SPIED names.
"""

import functools
import inspect
import json
import numbers
import os
import warnings

import numpy as np
import pytest
import sklearn.metrics

from bbccli import METRICS, Plan, matrix_of
from bbccli.errors import BbcError
from bbccli.methods import estimate

OF_LABELS = {
    "accuracy_score": "accuracy",
    "zero_one_loss": "error",
    "balanced_accuracy_score": "balanced-accuracy",
    "matthews_corrcoef": "mcc",
    "cohen_kappa_score": "kappa",
}
SHARES = {"precision_score": "precision", "recall_score": "recall", "f1_score": "f1"}
SHARES |= {"jaccard_score": "jaccard"}
OF_VALUES = {
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "mean_absolute_error": "mae",
    "median_absolute_error": "medae",
    "mean_absolute_percentage_error": "mape",
    "r2_score": "r2",
    "explained_variance_score": "explained-variance",
}
OF_SCORES = {"roc_auc_score": "auc", "average_precision_score": "average-precision"}
PLAIN = ("labels", "adjusted", "max_fpr", "weights")
"""Arguments that must be as by default."""


def asked(name, given):
    """Return the metric, task, positive class and arrays of a call, if `bbc` has the metric."""
    truth = np.asarray(given.get("y_true", given.get("y1")))
    guess = np.asarray(given.get("y_pred", given.get("y2", given.get("y_score"))))
    plain = not any(given.get(key) for key in PLAIN if np.ndim(given.get(key)) == 0)
    plain &= all(np.ndim(given.get(key)) == 0 for key in PLAIN)
    if truth.ndim != 1 or guess.ndim != 1 or not plain or not given.get("normalize", True):
        return None
    task = "binary" if len(np.unique(truth)) == 2 else "multiclass"
    metric, positive = {**OF_LABELS, **SHARES, **OF_VALUES, **OF_SCORES}[name], None
    if name in SHARES:
        average = given.get("average", "binary")
        metric += "" if average == "binary" else f"-{average}"
        positive = given.get("pos_label") if average == "binary" else None
    if name == "average_precision_score":
        positive = given["pos_label"]
    if name in OF_VALUES:
        task = "regression"
    if metric not in METRICS or (name in OF_SCORES and task != "binary"):
        return None
    return metric, task, positive, truth, guess


def compared(name, given, result):
    """Return the metric, and how the value by `bbc` compares; None if it has none for the call."""
    found = asked(name, given)
    if found is None:
        return None
    metric, task, positive, truth, guess = found
    try:
        matrix = matrix_of(
            guess[:, None],
            truth,
            weights=given.get("sample_weight"),
            task=task,
            positive=positive,
            metadata={"undefined": 0},
        )
        (own,), _ = estimate(matrix, [METRICS[metric]], Plan(n_resamples=10), ["cvt"])
    except BbcError as error:
        return metric, "refused", str(error)
    equal = abs(own.value - result) <= 1e-9 * max(1, abs(result))
    return metric, "equal" if equal else "different", f"{own.value!r} for {result!r}"


def spied(name, function):
    names = inspect.signature(function)

    @functools.wraps(function)
    def computed(*args, **kwargs):
        result = function(*args, **kwargs)
        if isinstance(result, numbers.Real) and np.isfinite(result):
            given = names.bind(*args, **kwargs)
            given.apply_defaults()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                seen = compared(name, given.arguments, float(result))
            if seen:
                with open(os.environ["BBC_SPIED"], "a") as file:  # noqa: PTH123
                    test = os.environ.get("PYTEST_CURRENT_TEST", "")
                    file.write(json.dumps([test, *seen]) + "\n")
        return result

    return computed


for each in (*OF_LABELS, *SHARES, *OF_VALUES, *OF_SCORES):
    setattr(sklearn.metrics, each, spied(each, getattr(sklearn.metrics, each)))


@pytest.fixture
def global_random_seed():
    return 42
