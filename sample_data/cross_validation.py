"""Out-of-sample predictions of pipelines, and performances on held-out samples."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

Array = NDArray[Any]
Predict = Callable[[Pipeline, Array], Array]
Performances = dict[str, dict[str, float]]


def fold_numbers(
    strata: Array, n_folds: int, seed: int, *, n_repeats: int = 1, stratified: bool = True
) -> Array:
    """Fold of each sample, (n_repeats, n_samples), 0-based; repeat r is shuffled by seed + r."""
    splitter = StratifiedKFold if stratified else KFold
    folds = np.empty((n_repeats, len(strata)), dtype=np.int64)
    for repeat in range(n_repeats):
        splits = splitter(n_folds, shuffle=True, random_state=seed + repeat)
        for fold, (_, test) in enumerate(splits.split(strata, strata)):
            folds[repeat, test] = fold
    return folds


def positive_probability(positive_class: str) -> Predict:
    """Prediction of a binary task: the probability of the positive class.

    A support vector machine has no probability; the logistic function of its decision value keeps
    the order of the samples, and the cut at 0.5 is the machine's own decision.
    """

    def predict(pipeline: Pipeline, features: Array) -> Array:
        position = list(pipeline.classes_).index(positive_class)
        if hasattr(pipeline, "predict_proba"):
            return np.asarray(pipeline.predict_proba(features)[:, position])
        decision = pipeline.decision_function(features)
        return np.asarray(expit(decision if position == 1 else -decision))

    return predict


def class_probabilities(pipeline: Pipeline, features: Array) -> Array:
    """Prediction of a multiclass task: (n_samples, n_classes), classes in sorted order."""
    return np.asarray(pipeline.predict_proba(features))


def value(pipeline: Pipeline, features: Array) -> Array:
    """Prediction of a regression task, or the risk score of a survival task."""
    return np.asarray(pipeline.predict(features))


def out_of_sample_predictions(
    pipeline: Pipeline, features: Array, outcome: Array, folds: Array, predict: Predict
) -> Array:
    """Predictions of the samples of every repeat in turn, (n_repeats * n_samples, ...)."""
    parts = [_one_repeat(pipeline, features, outcome, fold, predict) for fold in folds]
    return np.concatenate(parts)


def held_out_performances(
    pipeline: Pipeline,
    study: tuple[Array, Array],
    held_out: tuple[Array, Array],
    positive_class: str,
) -> dict[str, float]:
    """Performances on the held-out samples after training on the whole study."""
    features, outcome = held_out
    fitted = clone(pipeline).fit(*study)
    predictions = positive_probability(positive_class)(fitted, features)
    return pooled_performances(outcome == positive_class, predictions.astype(np.float32))


def pooled_performances(positive: Array, predictions: Array) -> dict[str, float]:
    """AUC, and accuracy of calling a prediction above 0.5 positive, over all samples at once."""
    return {
        "auc": float(roc_auc_score(positive, predictions)),
        "accuracy": float(accuracy_score(positive, predictions > 0.5)),
    }


def _one_repeat(
    pipeline: Pipeline, features: Array, outcome: Array, fold: Array, predict: Predict
) -> Array:
    """Train on all folds but one, predict that one, for each fold in turn."""
    parts = {}
    for number in np.unique(fold):
        test = fold == number
        fitted = clone(pipeline).fit(features[~test], outcome[~test])
        parts[number] = predict(fitted, features[test])
    predictions = np.empty((len(fold), *parts[fold[0]].shape[1:]))
    for number, part in parts.items():
        predictions[fold == number] = part
    return predictions
