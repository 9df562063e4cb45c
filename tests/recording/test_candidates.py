"""Fits that fail, estimators that change their parameters, and names of candidates."""

import numpy as np
import pytest
from day import swept
from recordings import DRAWS, Chances, X, Y, about, parts_of, recorder, scored, search
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from bbccli.errors import InputError
from bbccli.reading import read


class Doubling(KNeighborsClassifier):
    """An estimator that changes its parameter in fit()."""

    def fit(self, X, y):  # noqa: N803
        self.n_neighbors *= 2
        return super().fit(X, y)


def test_parameters_that_fit_changes_are_told_by_the_scores(tmp_path):
    rec = recorder(tmp_path)
    made = GridSearchCV(Doubling(), {"n_neighbors": [1, 2, 9]}, cv=rec.cv, scoring=rec.scorer)
    with pytest.warns(UserWarning, match="fit.. changes parameters") as caught:
        verified = rec.finish(made.fit(X, Y))
    words = "n_neighbors=1 is recorded as n_neighbors=2"
    assert words in str(caught[0].message)
    assert (verified.n_fits, verified.incomplete) == (9, ())
    means = made.cv_results_["mean_test_score"]
    assert {score.id: score.value for score in read(rec.folder).source.run.leaderboard} == {
        f"n_neighbors={2 * k}": mean for k, mean in zip((1, 2, 9), means, strict=True)
    }


def test_scores_of_others_do_not_stand_in_for_predictions_that_are_missing(tmp_path):
    rec = recorder(tmp_path)
    made = search(rec)
    for path in parts_of(rec.folder):
        if about(path)["params"]["n_neighbors"] == 3:
            path.unlink()
    results = dict(made.cv_results_)
    for key in [*results]:
        if "test_score" in key:
            results[key] = results[key][[0, 0, 2]]
    with pytest.raises(InputError, match="the first missing one is split 0 of n_neighbors=3"):
        rec.finish(results)


@pytest.mark.parametrize("score", [0, 0.0, np.float64(0)])
def test_a_score_given_to_failed_fits_is_none(tmp_path, score):
    rec = recorder(tmp_path, cv=3)
    verified = rec.finish(search(rec, grid={"n_neighbors": [-1, 3, 7]}, error_score=score))
    assert (verified.n_fits, verified.incomplete) == (6, ("n_neighbors=-1",))
    assert [one.name for one in read(rec.folder).source.run.left_out] == ["n_neighbors=-1"]


def test_a_choice_of_failed_fits_is_told(tmp_path):
    rec = recorder(tmp_path, cv=3, scoring="neg_log_loss")
    made = search(rec, grid={"n_neighbors": [-1, 25]}, error_score=0, refit=False)
    assert made.best_params_ == {"n_neighbors": -1}
    with pytest.warns(UserWarning, match="the search chose n_neighbors=-1, not n_neighbors=25"):
        rec.finish(made)


def test_a_metric_that_fails_is_the_cause(tmp_path):
    rec = recorder(tmp_path, cv=LeaveOneOut(), scoring="neg_log_loss")
    with pytest.warns(UserWarning, match="no candidate has a score on every split"):
        rec.finish(search(rec))
    with pytest.raises(InputError, match="its metric failed: y_true contains only one") as caught:
        read(rec.folder)
    assert "response='predict_proba'" in caught.value.hint


def test_test_sets_of_one_sample_are_compared_by_their_mean_which_is_told(tmp_path):
    rec = recorder(tmp_path, cv=LeaveOneOut(), scoring="accuracy")
    with pytest.warns(UserWarning, match="no test set has all classes .*: only mean scores were"):
        done = rec.finish(search(rec))
    assert (done.n_recomputed, done.largest_deviation) == (0, 0.0)


def test_names_leave_out_what_the_class_tells(tmp_path):
    rec = recorder(tmp_path)
    pipe = Pipeline([("m", GaussianNB())])
    grid = {"m": [LogisticRegression(C=1), LogisticRegression(C=9), KNeighborsClassifier(3), SVC()]}
    rec.finish(GridSearchCV(pipe, grid, cv=rec.cv, scoring=rec.scorer).fit(X, Y))
    assert read(rec.folder).configurations == (
        *("m=LogisticRegression C=1", "m=LogisticRegression C=9"),
        *("m=KNeighborsClassifier", "m=SVC C=1"),
    )


def test_a_single_candidate_is_named_by_what_was_searched(tmp_path):
    rec = recorder(tmp_path)
    rec.finish(search(rec, grid={"n_neighbors": [3]}))
    assert read(rec.folder).configurations == ("KNeighborsClassifier n_neighbors=3",)


class Forest(Chances):
    """Has parameters of any names and values."""

    classes_ = np.array([0, 1])

    def __init__(self, **params):
        self.params = params

    def get_params(self, deep=True):
        return self.params

    def predict_proba(self, X):  # noqa: N803
        chances = np.random.default_rng(next(DRAWS)).random(len(X))
        return np.stack([1 - chances, chances], axis=1)


class Other(Forest):
    """Another estimator."""


def some(**params):
    return Forest(long_name="v" * 40, other="w" * (params["a"] % 2 + 58), **params)


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ([Forest(m__C=0.1, m__k=3, v=0), Forest(m__C=1.0, m__k=5, v=0)], "C=0.1 k=3|C=1 k=5"),
        swept([Forest(a__k=1, b__k=1), Forest(a__k=2, b__k=2)], "a__k=1 b__k=1|a__k=2 b__k=2"),
        swept([Forest(C=0.1)], "Forest"),
        swept([Forest(C=0.1 + 1e-9), Forest(C=0.1)], "C=0.100000001|C=0.1"),
        swept([Forest(n=1), Other(k=2)], "Forest|Other"),
        swept([Forest(a=None), Forest(a=True), Forest(a="all")], "a=null|a=true|a=all"),
        swept([Forest(m=SVC(), m__C=1), Forest(m=GaussianNB())], "m=SVC|m=GaussianNB"),
        ([Forest(C=1), Forest(C=1)], "Forest|Forest #2"),
        swept(["a #2", "a", "a"], "a #2|a|a #3"),
        ([Forest(a=["é"]), Forest(a=["è"])], 'a=["é"]|a=["è"]'),
        swept(
            [Forest(**dict.fromkeys(map("depth_of_{}".format, range(9)), n), C=1) for n in (1, 2)],
            "depth_of_0=1|depth_of_0=2",
        ),
        swept(
            [some(a=1), some(a=2), some(a=3), Other(a=1)],
            "Forest a=1|Forest a=2|Forest a=3|Other",
        ),
    ],
)
def test_names_hold_what_varies(tmp_path, models, expected):
    for model in models:
        rec = recorder(tmp_path)  # a session of its own
        named = isinstance(model, str)
        scorer = rec.configuration(model) if named else rec.scorer
        for _, test in rec.cv:
            scorer(Forest() if named else model, X[test], Y[test])
    assert read(tmp_path / "run").configurations == tuple(expected.split("|"))


def test_trials_have_the_order_of_their_first_test_sets_and_names_that_of_the_search(tmp_path):
    rec = recorder(tmp_path)
    for k, folds in ((7, slice(1)), (1, slice(3)), (7, slice(1, 3)), (3, slice(3))):
        scored(rec, rec.scorer, KNeighborsClassifier(k), folds)
    rec.finish(search(rec))
    run = read(rec.folder)
    assert run.configurations == ("n_neighbors=1", "n_neighbors=3", "n_neighbors=7")
    assert run.source.run.tried == ("n_neighbors=7", "n_neighbors=1", "n_neighbors=3")


def test_of_two_models_the_one_with_the_scores_of_the_search_counts(tmp_path):
    """A scorer that was used before and after has seen other models of the same parameters."""
    rec, model = recorder(tmp_path), Chances(seedless=True)
    scorer = rec.scorer
    scored(rec, scorer, model)
    made = GridSearchCV(model, {"power": [1]}, cv=rec.cv, scoring=scorer, refit=False).fit(X, Y)
    scored(rec, scorer, model)
    assert rec.finish(made).n_candidates == 1
    (score,) = read(rec.folder).source.run.leaderboard
    assert score.value == made.best_score_
