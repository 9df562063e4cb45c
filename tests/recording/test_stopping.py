"""A recorded search flags by itself what its test sets stopped."""

from __future__ import annotations

import numpy as np
import pytest
from day import swept
from recordings import about, parts_of
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, PredefinedSplit, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import bbccli
from bbccli import Plan, read
from bbccli.methods import estimate
from bbccli.recording import Recorder
from bbccli.stats.stopping import stopped

FLAG = "early_stopping_on_fold"
X, y = make_classification(150, 10, n_informative=4, flip_y=0.15, random_state=3)
CV = StratifiedKFold(5, shuffle=True, random_state=1)


def error(truth, chances):
    return np.mean((chances > 0.5) != truth)


class Boosted(ClassifierMixin, BaseEstimator):
    """Stops where the evaluation set is best, and keeps its scores as boosting libraries do."""

    def __init__(self, by="log-loss", rounds=25, also=()):
        self.by, self.rounds, self.also = by, rounds, also

    def fit(self, X, y, eval_set=None):  # noqa: N803
        self.model_ = GradientBoostingClassifier(n_estimators=self.rounds, random_state=0)
        self.model_.fit(X, y)
        self.classes_, self.best_iteration_ = self.model_.classes_, None
        if eval_set:
            of, truth = eval_set[0]
            scores = {"log-loss": log_loss, "auc": roc_auc_score, "error": error}
            stages = [p[:, 1] for p in self.model_.staged_predict_proba(of)]
            curves = {
                name: [scores[name](truth, p) for p in stages] for name in (self.by, *self.also)
            }
            curve, self.evals_result_ = curves[self.by], {"valid_0": curves}
            self.best_iteration_ = (
                int(np.argmax(curve) if self.by == "auc" else np.argmin(curve)) + 1
            )
        return self

    def predict_proba(self, X, num_iteration=None):  # noqa: N803
        wanted = (num_iteration or self.best_iteration_ or self.rounds) - 1
        return [*self.model_.staged_predict_proba(X)][wanted]


class OfLightgbm(Boosted):
    def predict_proba(self, X, num_iteration=None):  # noqa: N803
        self.asked_ = {*getattr(self, "asked_", ()), num_iteration}
        return super().predict_proba(X, num_iteration)


OfLightgbm.__module__ = "lightgbm.sklearn"


class Keeps(GradientBoostingClassifier):
    def fit(self, X, y, eval_set=None):  # noqa: N803
        self.eval_set = eval_set
        return super().fit(X, y)


class Silent(GradientBoostingClassifier):
    def fit(self, X, y, eval_set=None):  # noqa: N803
        return super().fit(X, y)


def recorded(path, makers, scoring="neg_log_loss", y=y):
    """Record models by name, each made of training and test rows."""
    rec = Recorder(path, X, y, cv=CV if len(np.unique(y)) < 4 else 5, scoring=scoring)
    for name, make in makers.items():
        scorer = rec.configuration(name)
        for train, test in rec.cv:
            scorer(make(train, test), X[test], y[test])
    return read(path)


def flagged(matrix):
    return {name for name, one in matrix.source.configurations.items() if FLAG in one["flags"]}


def on(kind, where, **options):
    def make(train, test):
        inside, part = train[30:], train[:30]
        rows, of = {"fold": (train, test), "inside": (inside, part), "all": (train, None)}[where]
        sets = {} if of is None else {"eval_set": [(X[of], y[of])]}
        return kind(**options).fit(X[rows], y[rows], **sets)

    return make


@pytest.mark.parametrize("kind", [Boosted, Keeps, swept(OfLightgbm)])
def test_it_is_flagged_by_itself(tmp_path, kind):
    makers = {where: on(kind, where) for where in ("fold", "inside", "all")}
    assert flagged(recorded(tmp_path, makers)) == {"fold"}


class Found(ClassifierMixin, BaseEstimator):
    """Holds a fitted model, as a search does."""

    def __init__(self, model):
        self.model = self.best_estimator_ = model
        self.classes_ = model.classes_

    def fit(self, X, y):  # noqa: N803
        return self

    def predict_proba(self, X):  # noqa: N803
        return self.best_estimator_.predict_proba(X)


def test_a_model_is_found_in_pipelines_and_searches(tmp_path):
    def piped(train, test):
        scaler = StandardScaler().fit(X[train])
        sets = [(scaler.transform(X[test]), y[test])]
        model = Boosted().fit(scaler.transform(X[train]), y[train], eval_set=sets)
        return Pipeline([("none", "passthrough"), ("scaler", scaler), ("model", Found(model))])

    makers = {"piped": piped, "found": lambda *rows: Found(piped(*rows))}
    assert flagged(recorded(tmp_path, makers)) == {"piped", "found"}


def test_curves_of_shares_are_compared_at_several_iterations(tmp_path):
    makers = {
        "shares": on(OfLightgbm, "fold", by="auc"),
        "errors": on(OfLightgbm, "fold", by="error"),
        "inside": on(OfLightgbm, "inside", by="auc"),
        "by chance": on(Boosted, "fold", by="auc"),  # nothing tells its earlier predictions
    }
    assert flagged(recorded(tmp_path, makers, "roc_auc")) == {"shares", "errors"}


@pytest.mark.parametrize(("scoring", "metric"), [("roc_auc", "auc"), ("neg_log_loss", "log-loss")])
def test_of_several_curves_that_of_the_score_counts(tmp_path, scoring, metric):
    models, make = [], on(OfLightgbm, "fold", by="auc", also=["log-loss"])
    made = {"one": lambda *rows: models.append(make(*rows)) or models[-1]}
    recorded(tmp_path, made, scoring)
    metrics = [part["curve_metric"] for part in map(about, parts_of(tmp_path)) if part["curve"]]
    kept = [model.best_iteration_ - 1 for model in models]
    assert metrics == [metric if k else "log-loss" for k in kept]
    for model, k in zip(models, kept, strict=True):
        assert model.asked_ >= ({1 + k // 2, 1 + 3 * k // 4, k} if k else set())


def boosting(kind, truth):
    def outside(train, test):
        model = kind(max_iter=60, early_stopping=True, min_samples_leaf=5, random_state=0)
        return model.fit(X[train], truth[train], X_val=X[test], y_val=truth[test])

    def inside(train, test):
        model = kind(max_iter=60, early_stopping=True, min_samples_leaf=5, random_state=0)
        return model.fit(X[train], truth[train])

    return {"fold": outside, "inside": inside}


def test_histogram_boosting(tmp_path):
    makers = boosting(HistGradientBoostingClassifier, y)
    assert flagged(recorded(tmp_path / "a", makers)) == {"fold"}
    values = X[:, 0] + np.random.default_rng(2).normal(0, 1, len(X))
    makers = boosting(HistGradientBoostingRegressor, values)
    found = recorded(tmp_path / "b", makers, "neg_root_mean_squared_error", values)
    assert flagged(found) == {"fold"}


@pytest.mark.parametrize(
    ("rows", "found"), [(slice(0, 60), 2), (slice(0, 90), 2), (slice(60, 120), 0)]
)
def test_an_evaluation_set_given_to_a_search(tmp_path, rows, found):
    fold = np.where(np.arange(len(X)) < 60, 0, -1)
    rec = Recorder(tmp_path, X, y, cv=PredefinedSplit(fold), scoring="roc_auc")
    model = make_pipeline(StandardScaler(), Silent(n_estimators=5))
    search = GridSearchCV(
        model, {"silent__max_depth": [1, 2]}, cv=rec.cv, scoring=rec.scorer, refit=False
    )
    search.fit(X, y, silent__eval_set=[(X[rows], y[rows])])
    rec.finish(search)
    assert len(flagged(read(tmp_path))) == found


def test_what_stopping_added_is_taken_off_what_was_recorded(tmp_path):
    makers = {"fold": on(Boosted, "fold"), "inside": on(Boosted, "inside")}
    matrix = recorded(tmp_path, makers)
    found, curves = stopped(matrix), matrix.source.run.curves
    assert [one.id for one in curves] == ["fold"]
    assert set(found) == {"fold"}
    for curve, at in zip(curves[0].folds, found["fold"].iterations, strict=True):
        assert len(curve) == 25
        assert at == int(np.argmin(curve)) + 1
    alone = matrix.of_configurations(np.array([0]))
    plan = Plan(n_resamples=100, pooling="fold-mean")
    (less,), notes = estimate(alone, "log-loss", plan, ["bbc"])
    assert less.stopping == pytest.approx(found["fold"].added)
    assert "validity-flags" in [note.code for note in notes]
    assert bbccli.correct(tmp_path, n_resamples=100).estimates


def test_an_estimator_that_objects_does_not_stop_the_search(tmp_path):
    class Odd(Boosted):
        @property
        def evals_result_(self):
            raise RuntimeError

        @evals_result_.setter
        def evals_result_(self, value):
            pass

    assert flagged(recorded(tmp_path, {"odd": on(Odd, "fold"), "all": on(Boosted, "all")})) == set()
