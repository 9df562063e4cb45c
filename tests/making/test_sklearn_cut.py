"""`--threshold sklearn`: against TunedThresholdClassifierCV, on all samples and in bags."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.utils.metaestimators import available_if

from bbccli import METRICS, Plan, correct
from bbccli.errors import BbcError
from bbccli.stats.case import maker_of
from bbccli.stats.resampling import draws_of
from bbccli.types import PredictionKind

KINDS = [PredictionKind.PROBABILITY, PredictionKind.SCORE]


class Recorded(ClassifierMixin, BaseEstimator):
    """A classifier whose predictions are known: its only feature."""

    def __init__(self, response: str = "probability") -> None:
        self.response = response

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        return self

    @available_if(lambda self: self.response == "probability")
    def predict_proba(self, x):
        return np.column_stack([1 - x[:, 0], x[:, 0]])

    @available_if(lambda self: self.response == "score")
    def decision_function(self, x):
        return x[:, 0]


def of_kind(kind: PredictionKind, **shape: int):
    matrix = binary(80, 3, n_folds=4, kind=kind, **shape)
    return matrix.with_threshold(0.0 if kind is PredictionKind.SCORE else None)


def cut_by_sklearn(matrix, scoring, made: np.ndarray, weights: np.ndarray) -> float:
    """The cut of predictions (R, N): a row of weight w is w rows, a fold of a repeat is a split."""
    copies = np.repeat(np.arange(matrix.n_samples), weights)
    folds = matrix.folds + 100 * np.arange(matrix.n_repeats)[:, None]
    scores, folds = made[:, copies].ravel(), folds[:, copies].ravel()
    truth = np.tile(matrix.outcome.values[copies], matrix.n_repeats)
    splits = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in np.unique(folds)]
    found = TunedThresholdClassifierCV(Recorded(str(matrix.kind)), scoring=scoring, cv=splits)
    return float(found.fit(scores[:, None], truth).best_threshold_)


def cut_of(matrix, name: str, weights: np.ndarray):
    made = maker_of(matrix, METRICS["auc"], Plan(cut=f"sklearn:{name}"))
    return made.steps(weights, made.combine(weights))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_sklearn_finds_the_same_cut(kind: PredictionKind) -> None:
    names = {"f1": "f1", "mcc": "matthews_corrcoef", "balanced-accuracy": "balanced_accuracy"}
    if kind is PredictionKind.PROBABILITY:
        names |= {"accuracy": "accuracy", "precision": "precision", "recall": "recall"}
    everything, n_cuts = np.ones((1, 80), int), set()
    for ours, theirs in names.items():
        matrix = of_kind(kind, seed=len(ours))
        _, made, cuts = cut_of(matrix, ours, everything)
        expected = cut_by_sklearn(matrix, theirs, made[:, :, 0], everything[0])
        assert cuts[0] == pytest.approx(expected, abs=1e-12)
        n_cuts |= {*cuts}
    assert len(n_cuts) > 2


def f1(truth: np.ndarray, labels: np.ndarray) -> float:
    return 2 * (truth & labels).sum() / (truth.sum() + labels.sum())


def cost(truth: np.ndarray, labels: np.ndarray) -> float:
    return (truth != labels).mean()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_repeats", [1, 2])
def test_in_bags_it_is_the_cut_of_the_copies(n_repeats: int, kind: PredictionKind) -> None:
    matrix = of_kind(kind, n_repeats=n_repeats)
    weights = draws_of(80, None, 0).batch(0, 1).in_bag[:6]
    by = {"f1": make_scorer(f1), "error": make_scorer(cost, greater_is_better=False)}
    for name, scoring in by.items():
        _, made, cuts = cut_of(matrix, name, weights)
        for b, w in enumerate(weights):
            expected = cut_by_sklearn(matrix, scoring, made[:, :, b], w)
            assert cuts[b] == pytest.approx(expected, abs=1e-12)
            # what is equal to their cut is positive
            assert ((made[:, :, b] > cuts[b]) == (made[:, :, b] >= expected)).all()
        assert len({*cuts}) > 3


def test_the_cut_of_sklearn_follows_the_selection_at_one_half() -> None:
    matrix = binary(80, 5, n_folds=4, seed=3)
    found = correct(matrix, metric="f1", threshold="sklearn", n_resamples=50)
    assert found.winner == correct(matrix, metric="f1", n_resamples=50).winner
    assert found.estimate.made.tuned_for == "f1"
    column = [matrix.configurations.index(found.winner)]
    alone = matrix.of_configurations(column).with_threshold(found.estimate.made.cut)
    assert found.naive == correct(alone, metric="f1", n_resamples=50).naive > found.value


@pytest.mark.parametrize(
    ("changes", "metric", "word"),
    [
        ({"folds": None}, "f1", "these are unknown"),
        ({"folds": np.arange(80)[None]}, "f1", "equal within folds"),
        ({}, "auc", "does not depend on a cut"),
    ],
)
def test_where_sklearn_has_no_cut_the_reason_is_told(changes, metric: str, word: str) -> None:
    matrix = replace(binary(80, 5, n_folds=4, seed=3), **changes)
    with pytest.raises(BbcError, match=word) as refused:
        correct(matrix, metric=metric, threshold="sklearn", n_resamples=20)
    assert metric != "auc" or 'threshold="sklearn:f1"' in str(refused.value.hint)


def test_all_samples_are_positive_above_a_cut_of_zero() -> None:
    """A tree says 0 of some samples; recall is best where they are positive too."""
    matrix = binary(80, 2, n_folds=4, seed=3)
    predictions = np.where(matrix.predictions < 0.4, 0.0, matrix.predictions)
    found = correct(
        replace(matrix, predictions=predictions), metric="recall", threshold="sklearn",
        n_resamples=20,
    )  # fmt: skip
    assert found.naive == 1 and found.estimate.made.cut == pytest.approx(0, abs=1e-300)
