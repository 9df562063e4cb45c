"""Estimators, metrics and data that searches bring, and that a recorder must take as they are."""

# ruff: noqa: N803 - X is what scikit-learn calls it

from functools import partial

import numpy as np
import pandas as pd
import pytest
import recordings
from day import swept
from documents import codes
from reading import refused
from recordings import RNG, THREE, Chances, N, X, Y, parts_of, tampered
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bbccli.errors import InputError, OptionError
from bbccli.reading import read
from bbccli.stats.verification import verified, verify
from bbccli.types import PredictionKind

pytestmark = pytest.mark.filterwarnings("ignore:the search scores by a function:UserWarning")

FOLDS = StratifiedKFold(3)
PAIRS = SVC(decision_function_shape="ovo")


class Made(Chances):
    """A classifier of a user: answers in some form of its own."""

    def __init__(self, form="two", power=1):
        super().__init__(power)
        self.form = form

    def predict(self, X):
        return self.classes_[[len(str(row)) % 2 for row in X]]

    def _chances(self, X):
        return 1 / (1 + np.exp(-np.asarray(X)[:, 0] * self.power))

    def predict_proba(self, X):
        p = self._chances(X)
        forms = {
            "two": np.stack([1 - p, p], axis=1),
            "flat": p,
            "three": np.stack([1 - p, p, 0 * p], axis=1),
            "odds": np.stack([1 - p, p], axis=1) * 3,
        }
        return forms[self.form]

    def decision_function(self, X):
        p = self._chances(X) - 0.5
        return np.stack([-p, p], axis=1) if self.form == "two" else p


def right(estimator, X, y):
    """A metric that asks the estimator for labels alone."""
    return float((estimator.predict(X) == y).mean())


def twice_right(estimator, X, y):
    return 2 * right(estimator, X, y)


recorder = partial(recordings.recorder, scoring=right, cv=FOLDS)
search = partial(recordings.search, refit=False)


@pytest.mark.parametrize(
    ("estimator", "task", "response", "why"),
    [
        (KNeighborsRegressor(), "binary", "predict_proba", "no predict_proba()"),
        swept(Made("flat"), "binary", "predict_proba", "predictions of shape (20,) for 2 classes"),
        (Made("three"), "binary", "predict_proba", "predictions of shape (20, 3) for 2 classes"),
        swept(PAIRS, "multiclass", "decision_function", "no column for each class"),
        (LogisticRegression(), "regression", "predict_proba", "did not return a list of values"),
    ],
    ids=["no such method", "one column", "three columns", "one against one", "regression"],
)
def test_answers_that_can_not_be_kept_are_told_at_the_end(tmp_path, estimator, task, response, why):
    y = THREE if estimator is PAIRS else Y
    cv = KFold(3) if task == "regression" else FOLDS
    rec = recorder(tmp_path, y, response=response, task=task, cv=cv)
    found = search(rec, estimator, {}, y=y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    with pytest.raises(InputError) as error:
        rec.finish(found)
    assert error.value.hint == "choose a response= that all estimators have"
    assert "0 of 3 fits recorded; the first missing one is split 0 of " in str(error.value)
    assert error.value.problem.endswith(why)


@pytest.mark.parametrize("form", ["two", "flat"])
def test_scores_of_two_classes_are_those_of_the_second(tmp_path, form):
    rec = recorder(tmp_path, response="decision_function")
    found = search(rec, Made(form), {"power": [1, 2]})
    assert rec.finish(found).n_fits == 6
    matrix = read(rec.folder)
    assert matrix.kind is PredictionKind.SCORE
    for column, power in enumerate((1, 2)):
        expected = 1 / (1 + np.exp(-X[:, 0] * power)) - 0.5
        np.testing.assert_allclose(matrix.predictions[0, :, column], expected, atol=1e-12)


def test_test_sets_without_a_class_are_not_computed_again(tmp_path):
    """There conventions differ; the search's own score stands."""
    y = np.repeat([0, 1], N // 2)
    cv = [(np.r_[10:60], np.r_[0:10]), (np.r_[0:25, 35:60], np.r_[25:35])]
    rec = recorder(tmp_path, y, scoring="accuracy", cv=cv)
    found = search(rec, LogisticRegression(), {"C": [0.1, 1.0]}, y=y)
    done = rec.finish(found)
    assert done.n_fits == 4
    assert done.largest_recomputed == 0.0


def test_chances_that_are_none_do_not_end_the_search(tmp_path):
    """What a user's `predict_proba` gives may be odds: they are scores."""
    rec = recorder(tmp_path, Y, scoring="roc_auc", response="predict_proba")
    found = search(rec, Made("odds"), {"power": [1, 2]})
    assert rec.finish(found).largest_recomputed < 1e-9
    assert read(rec.folder).kind is PredictionKind.SCORE


@pytest.mark.parametrize(
    ("scoring", "response", "why"),
    [
        (twice_right, "", "the search scores by a function"),
        swept("jaccard_macro", "", "the search scores by jaccard_macro, a metric that bbc lacks"),
        swept("r2", "", "the search scores by r2, not a metric of binary tasks"),
        swept("roc_auc", "predict", "the recorded form of the predictions gives no AUC"),
    ],
)
@pytest.mark.filterwarnings("default:the search scores by")
def test_a_metric_that_can_not_be_computed_again_is_said(tmp_path, scoring, response, why):
    rec = recorder(tmp_path, scoring=scoring, response=response, task="binary")
    found = search(rec, LogisticRegression(), {"C": [0.1, 1.0]})
    with pytest.warns(UserWarning, match=f"^{why}: none of its scores was recomputed, and"):
        done = rec.finish(found)
    assert (done.n_fits, done.n_recomputed, done.largest_recomputed) == (6, 0, None)


# Data that can't be hashed, or have no single shape


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"a": X[:, 0], "words": [[i, i + 1] for i in range(N)]}),
        [[float(i)] * (1 + i % 3) for i in range(N)],
    ],
    ids=["lists in cells", "different lengths"],
)
def test_rows_that_are_no_array_of_numbers(tmp_path, rows):
    rec = recorder(tmp_path, X=rows)
    assert rec.finish(search(rec, Listed(), {"power": [1, 2]}, X=rows)).n_fits == 6


class Listed(Made):
    """Takes whatever rows there are."""

    def predict(self, X):
        return self.classes_[np.arange(len(X)) // self.power % 2]

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


class Bare:
    """A model of another library: no parameters that can be asked for."""

    def predict(self, X):
        return (np.asarray(X)[:, 0] > 0).astype(int)


def test_a_model_without_parameters_in_a_loop(tmp_path):
    rec = recorder(tmp_path)
    scorer = rec.configuration("bare")
    scores = [scorer(Bare(), X[test], Y[test]) for _, test in rec.cv]
    matrix = read(rec.folder)
    assert matrix.configurations == ("bare",)
    np.testing.assert_array_equal(matrix.predictions[0, :, 0], X[:, 0] > 0)
    expected = [np.mean((X[test, 0] > 0) == Y[test]) for _, test in rec.cv]
    assert scores == expected


def test_what_goes_wrong_in_recording_is_a_warning(tmp_path):
    """The search goes on; `finish` tells what is missing."""

    class Cursed(Bare):
        def get_params(self, deep=True):
            raise KeyError("cursed")

    rec = recorder(tmp_path)
    _, test = rec.cv[0]
    with pytest.warns(RuntimeWarning, match="predictions were not recorded: 'cursed'"):
        score = rec.configuration("cursed")(Cursed(), X[test], Y[test])
    assert score == np.mean((X[test, 0] > 0) == Y[test])


# Results


def test_results_without_their_splits(tmp_path):
    rec = recorder(tmp_path)
    found = search(rec, Made(), {"power": [1, 2]})
    table = pd.DataFrame(found.cv_results_)
    for results in (table[["params", "mean_test_score"]], {"params": [], "mean_test_score": []}):
        with pytest.raises(OptionError) as error:
            rec.finish(results)
        assert "the results have no scores of the splits" in error.value.problem
        assert error.value.hint
    assert rec.finish(table).n_fits == 6


def test_a_metric_that_is_no_number_leaves_no_score(tmp_path):
    rec = recorder(tmp_path, scoring=make_scorer(lambda y, p: np.float64("nan")))
    found = search(rec, Made(), {"power": [1, 2]})
    with pytest.warns(UserWarning, match="no candidate has a score on every split"):
        assert rec.finish(found).n_fits == 0
    assert read(rec.folder).configurations == ("power=1", "power=2")


def test_log_losses_of_certain_mistakes_are_those_of_two_programs(tmp_path):
    """Where a log-loss is cut off, each program has a place of its own: `finish` has both."""
    rec = recorder(tmp_path, Y, scoring="neg_log_loss")
    found = search(rec, DecisionTreeClassifier(random_state=0), {"min_samples_leaf": [1, 12]})
    means = found.cv_results_["mean_test_score"]
    with pytest.warns(UserWarning, match="min_samples_leaf=1 has") as told:
        done = rec.finish(found)
    assert (done.n_fits, done.n_recomputed) == (6, 6)
    assert done.largest_recomputed < 1e-9
    matrix = read(rec.folder)
    chances = matrix.predictions[0, :, 0]
    of_truth = np.maximum(np.where(Y == 1, chances, 1 - chances), 2.0**-23)
    here = np.mean([np.log(of_truth[test]).mean() for _, test in rec.cv])
    assert f"has {means[0]:.6g} by the search, {here:.6g} by bbc" in str(told[0].message)
    assert matrix.kind is PredictionKind.PROBABILITY


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score", "roc_auc"])
def test_predictions_in_32_bits_are_as_exact_as_these(tmp_path, scoring):
    """scikit-learn adds their losses up in 32 bits."""
    narrow = X.astype(np.float32)
    rec = recorder(tmp_path, scoring=scoring, X=narrow)
    found = search(rec, LogisticRegression(), {"C": [0.1, 1.0]}, X=narrow)
    assert rec.finish(found).n_recomputed == 6
    assert verify(read(rec.folder)).n_checked == 2
    part = parts_of(rec.folder)[0]
    assert read(rec.folder).predictions.dtype == np.float32
    tampered(part, predictions=lambda held: held["predictions"][::-1])
    with pytest.raises(InputError, match="the stored predictions have a score of"):
        rec.finish(found)


# Weights that a search hands to its scorer

W = RNG.integers(1, 9, N).astype(float)


def scored(rec, weights=None, powers=(0.01, 1.0)):
    """Score models as a search of scikit-learn 1.9 does, which hands weights on."""
    for power in powers:
        recordings.scored(rec, rec.scorer, LogisticRegression(C=power), weights=weights)


def by_auc(tmp_path, **how):
    return recorder(tmp_path, scoring="roc_auc", **how)


def found(tmp_path):
    matrix = verified(read(tmp_path / "run"))
    return matrix.outcome.weights, matrix.source.verification


@pytest.mark.parametrize(
    ("own", "given", "n_checked", "words"),
    [
        (None, W, 2, None),
        (W, W, 2, None),
        (W, None, 0, "without the weights"),
        (W, W + 1, 0, "with other weights than those"),
    ],
    ids=["scorer", "both", "recorder", "others"],
)
def test_weights_are_those_of_the_recorder_or_else_of_the_scorer(
    tmp_path, own, given, n_checked, words
):
    scored(by_auc(tmp_path, sample_weight=own), given)
    weights, said = found(tmp_path)
    np.testing.assert_array_equal(weights, W)
    reason = words and f"the search scored {words} of the recorder"
    assert (said.n_checked, said.reason) == (n_checked, reason)


@pytest.mark.parametrize("own", [None, W + 1])
def test_scores_are_recomputed_with_the_weights_of_the_scorer(tmp_path, own):
    rec = by_auc(tmp_path, sample_weight=own)
    scorer = rec.configuration("model")
    scores = [
        scorer(LogisticRegression().fit(X[train], Y[train]), X[test], Y[test],
               sample_weight=W[test])
        for train, test in rec.cv
    ]  # fmt: skip
    result = rec.finish({"test_score": np.array(scores)}, configuration="model")
    assert (result.n_recomputed, result.notes) == (len(scores), ())
    assert result.largest_recomputed < 1e-9


@pytest.mark.parametrize(("other", "words"), [(None, "others without"), (W + 1, "different")])
def test_weights_of_some_fits(tmp_path, other, words):
    rec = by_auc(tmp_path)
    scored(rec, W)
    scored(rec, other, powers=(7.0,))
    error = refused(words, tmp_path / "run")
    assert "Recorder(sample_weight=)" in error.hint


def weighted(rec, weights):
    return search(rec, LogisticRegression(), {"C": [0.1, 9]}, fit={"sample_weight": weights})


def test_a_search_with_weights(tmp_path):
    rec = by_auc(tmp_path)
    assert rec.finish(weighted(rec, W)).n_recomputed == 6
    assert found(tmp_path)[1].n_checked == 2


def test_samples_of_weight_0_do_not_count(tmp_path):
    weights = np.where(np.arange(N) < 5, 0.0, W)
    scored(by_auc(tmp_path), weights)
    kept, said = found(tmp_path)
    np.testing.assert_array_equal(kept, weights[5:])
    assert (said.n_checked, said.reason) == (2, None)


def test_without_scoring_it_is_the_estimators_own_score(tmp_path):
    rec = recorder(tmp_path, scoring=None)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__C": [0.01, 9]}
    made = GridSearchCV(model, grid, cv=rec.cv, scoring=rec.scorer).fit(X, Y)
    assert rec.finish(made).n_recomputed == made.n_splits_ * 2
    plain = GridSearchCV(model, grid, cv=rec.cv).fit(X, Y)
    means = [one.cv_results_["mean_test_score"] for one in (made, plain)]
    np.testing.assert_array_equal(*means)
    assert str(read(tmp_path / "run").kind) == "label"


def changed(tmp_path, said=(), **held):
    scored(by_auc(tmp_path), weights=W)
    tampered(parts_of(tmp_path / "run")[0], said, **held)
    return tmp_path / "run"


@pytest.mark.parametrize("values", [["x"], swept([np.nan]), swept([np.inf]), swept([[1.0, 2.0]])])
def test_weights_that_are_no_numbers_are_damage(tmp_path, values):
    folder = changed(tmp_path, weights=np.repeat(np.array(values), N // 3, axis=0))
    matrix = read(folder)
    assert matrix.n_configurations == 1
    assert "damaged-parts" in codes(matrix)


@pytest.mark.parametrize(
    "how", [{"weights": W[:3], "predictions": None}, {"said": {"split": 99}}], ids=str
)
def test_weights_of_other_samples_and_folds_that_there_are_not_are_refused(tmp_path, how):
    folder = changed(tmp_path, **how)
    refused("does not fit the folds of the recording", folder)
