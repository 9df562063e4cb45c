"""Fits that fail, estimators that change their parameters, and names of candidates."""

import numpy as np
import pytest
from recordings import X, Y, recorder, search
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from bbccli.errors import InputError
from bbccli.recording import store
from bbccli.recording.reader import Recording, handed_over


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
    listed = {one.label: one.value for one in store.listed_in(rec.folder)}
    board = handed_over(Recording(rec.folder)).about.run.leaderboard
    assert {score.id: score.value for score in board} == {
        f"n_neighbors={2 * k}": listed[f"n_neighbors={k}"] for k in (1, 2, 9)
    }


def test_scores_of_others_do_not_stand_in_for_predictions_that_are_missing(tmp_path):
    rec = recorder(tmp_path)
    made = search(rec)
    gone = [p for p in store.paths(rec.folder) if store.read_part(p).params["n_neighbors"] == 3]
    for path in gone:
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
    run = Recording(rec.folder)
    assert [one.name for one in run.left_out] == ["n_neighbors=-1"]


def test_a_choice_of_failed_fits_is_told(tmp_path):
    rec = recorder(tmp_path, cv=3, scoring="neg_log_loss")
    made = search(rec, grid={"n_neighbors": [-1, 25]}, error_score=0, refit=False)
    assert made.best_params_ == {"n_neighbors": -1}
    with pytest.warns(UserWarning, match="the search chose n_neighbors=-1, not n_neighbors=25"):
        rec.finish(made)


def test_a_metric_that_fails_is_the_cause(tmp_path):
    rec = recorder(tmp_path, cv=LeaveOneOut(), scoring="neg_log_loss")
    rec.finish(search(rec))
    with pytest.raises(InputError, match="its metric failed: y_true contains only one") as caught:
        Recording(rec.folder)
    assert "response='predict_proba'" in caught.value.hint


def test_names_leave_out_what_the_class_tells(tmp_path):
    rec = recorder(tmp_path)
    pipe = Pipeline([("m", GaussianNB())])
    grid = {"m": [LogisticRegression(C=1), LogisticRegression(C=9), KNeighborsClassifier(3), SVC()]}
    rec.finish(GridSearchCV(pipe, grid, cv=rec.cv, scoring=rec.scorer).fit(X, Y))
    assert Recording(rec.folder).configurations == (
        *("m=LogisticRegression C=1", "m=LogisticRegression C=9"),
        *("m=KNeighborsClassifier", "m=SVC C=1"),
    )


def test_a_single_candidate_is_named_by_what_was_searched(tmp_path):
    rec = recorder(tmp_path)
    rec.finish(search(rec, grid={"n_neighbors": [3]}))
    assert Recording(rec.folder).configurations == ("KNeighborsClassifier n_neighbors=3",)
