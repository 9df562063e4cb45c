"""`DroppingSearchCV`: scikit-learn's protocol, what is dropped, and what is corrected."""

# ruff: noqa: N803 - X is what scikit-learn calls it

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from day import swept
from recordings import Chances, Counting
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ParameterSampler,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import bbccli
from bbccli import Plan, read
from bbccli.dropping import drop, replay
from bbccli.notes import severity_of
from bbccli.platform import resources
from bbccli.recording import Recorder
from bbccli.search import DroppingSearchCV
from bbccli.types import Pooling, PredictionKind, Task

N = 240
RNG = np.random.default_rng(1)
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + X[:, 1] + RNG.normal(size=N) > 0).astype(int)
VALUES = 3 * X[:, 0] + RNG.normal(size=N)
CV = StratifiedKFold(5, shuffle=True, random_state=0)
FOLDS = KFold(5, shuffle=True, random_state=0)
KNN = {"n_neighbors": [1, 3, 9, 21, 120, 175]}
"""Of which the first can hardly win."""


def searched(estimator=None, candidates=KNN, X=X, y=Y, fit=(), **options):
    options = {"cv": CV, "scoring": "accuracy"} | options
    estimator = KNeighborsClassifier() if estimator is None else estimator
    return DroppingSearchCV(estimator, candidates, **options).fit(X, y, **dict(fit))


def full(estimator=None, candidates=KNN, X=X, y=Y, **options):
    options = {"cv": CV, "scoring": "accuracy"} | options
    return GridSearchCV(estimator or KNeighborsClassifier(), candidates, **options).fit(X, y)


def means(search):
    return search.cv_results_["mean_test_score"]


@pytest.fixture(scope="module")
def one():
    return searched()


@pytest.fixture(scope="module")
def grid():
    return full()


# What it trains, and what it says of that


def test_survivors_have_the_scores_of_a_grid_search_and_the_others_none(one, grid):
    there = one.survivors_
    assert 0 < there.sum() < len(there)
    assert np.array_equal(means(one)[there], means(grid)[there])
    assert np.isnan(means(one)[~there]).all()
    assert (one.best_params_, one.best_score_) == (grid.best_params_, grid.best_score_)
    assert one.best_index_ == grid.best_index_
    trained = one.cv_results_["n_folds_trained"]
    assert (trained[there] == 5).all()
    assert ((trained[~there] > 0) & (trained[~there] < 5)).all()
    assert (one.n_models_, one.n_models_trained_) == (30, trained.sum())
    for fold in range(5):
        scores = one.cv_results_[f"split{fold}_test_score"]
        assert np.array_equal(np.isfinite(scores), trained > fold)
        expected = grid.cv_results_[f"split{fold}_test_score"]
        assert np.array_equal(scores[trained > fold], expected[trained > fold])
    assert np.isfinite(one.cv_results_["mean_fit_time"]).all()


def test_a_replay_of_the_whole_search_drops_the_same(tmp_path, one):
    rec = Recorder(tmp_path / "run", X, Y, cv=CV, scoring="accuracy")
    rec.finish(GridSearchCV(KNeighborsClassifier(), KNN, cv=rec.cv, scoring=rec.scorer).fit(X, Y))
    plan = Plan(seed=0, pooling=Pooling.FOLD_MEAN)
    (walked,), _ = replay(read(rec.folder), "accuracy", plan, rules="bbcd")
    (run,) = walked.runs
    assert run.trace.n_trained == one.n_models_trained_
    dropped = [name for step in run.trace.steps[:-1] for name in step.dropped]
    names = [f"n_neighbors={n}" for n in KNN["n_neighbors"]]
    assert sorted(dropped) == sorted(np.array(names)[~one.survivors_])
    said = [name for decision in one.dropped_ for name in decision.named("drop")]
    assert said == dropped
    assert len(one.dropped_) == 4  # nothing is asked after the last fold
    matrix = read(rec.folder)
    expected = drop(matrix.of_samples(matrix.folds[0] < 2), "accuracy", plan)
    shares = [[d.probability for d in each.decisions] for each in (one.dropped_[1], expected)]
    assert shares[0] == shares[1]
    assert 0 < np.mean(shares[0]) < 1


def test_ranks_are_those_of_survivors_and_a_plain_argmax_finds_a_row_that_was_dropped(one):
    ranks, there = one.cv_results_["rank_test_score"], one.survivors_
    assert ranks[one.best_index_] == 1
    assert set(ranks[~there]) == {there.sum() + 1}
    assert not there[means(one).argmax()]
    assert np.nanargmax(means(one)) == one.best_index_


def test_a_function_for_refit_sees_survivors_alone():
    seen = []

    def best(results):
        seen.append(results)
        return results["mean_test_score"].argmax()

    search = searched(refit=best)
    assert search.best_params_ == {"n_neighbors": KNN["n_neighbors"][search.best_index_]}
    assert np.isfinite(seen[0]["mean_test_score"]).all()
    assert len(seen[0]["params"]) == search.survivors_.sum()
    with pytest.warns(UserWarning, match="the search selects .*, but corrected_ is for"):
        worst = searched(refit=lambda results: int(results["mean_test_score"].argmin()))
    assert worst.survivors_[worst.best_index_]
    assert worst.best_index_ != search.best_index_


def test_progress_is_told_and_train_scores_are_those_of_a_grid_search(capsys):
    search = searched(verbose=1, return_train_score=True)
    expected = full(return_train_score=True).cv_results_["mean_train_score"]
    trained, there = search.cv_results_["mean_train_score"], search.survivors_
    assert np.array_equal(trained[there], expected[there])
    lines = capsys.readouterr().out.splitlines()
    assert "totalling at most 30 fits" in lines[0]
    assert [line.split("]")[0] for line in lines[1:]] == [f"[{n} of 5 folds" for n in range(1, 5)]


def test_folds_are_walked_in_any_order():
    order = [4, 2, 0, 1, 3]
    search = searched(fold_order=order)
    trained = search.cv_results_["n_folds_trained"]
    assert trained.min() < 5
    for position, fold in enumerate(order):
        scored = np.isfinite(search.cv_results_[f"split{fold}_test_score"])
        assert np.array_equal(scored, trained > position)
    with pytest.raises(ValueError, match="not an order of the splits"):
        searched(fold_order=[0, 1])


def test_workers_change_nothing_unless_folds_are_trained_at_once(one):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of workers that take long to start
        both = searched(n_jobs=2)
        auto = searched(n_jobs=2, at_once="auto", candidates={"n_neighbors": [3, 175]})
    assert np.array_equal(means(one), means(both), equal_nan=True)
    assert one.corrected_.value == both.corrected_.value
    assert [decision.n_folds_seen for decision in auto.dropped_] == [3]
    assert searched(at_once=2).cv_results_["n_folds_trained"].min() >= 2
    assert searched(at_once=5).n_models_trained_ == 30


def test_distributions_are_drawn_as_by_a_random_search():
    space = {"n_neighbors": range(1, 176)}
    search = searched(candidates=space, n_iter=8, random_state=3)
    assert search.cv_results_["params"] == list(ParameterSampler(space, 8, random_state=3))
    again = searched(candidates=space, n_iter=8, random_state=np.random.RandomState(3))
    assert again.cv_results_["params"] == search.cv_results_["params"]


# The correction


def test_the_correction_is_that_of_the_recorded_folder(tmp_path):
    rec = Recorder(tmp_path / "run", X, Y, cv=CV, scoring="accuracy")
    search = searched(cv=rec.cv, scoring=rec.scorer)
    verified = rec.finish(search)
    names = np.array([f"n_neighbors={n}" for n in KNN["n_neighbors"]])
    assert verified.dropped == tuple(names[~search.survivors_])
    assert verified.incomplete == ()
    assert verified.n_fits == search.n_models_trained_
    of_folder = bbccli.correct(rec.folder)
    own = search.corrected_
    assert own.matrix.configurations == of_folder.matrix.configurations
    for name in ("winner", "naive", "value", "interval"):
        assert getattr(own, name) == getattr(of_folder, name)
    assert own.naive == pytest.approx(search.best_score_, abs=1e-12)
    again = bbccli.correct(search, metric=["accuracy", "mcc"])
    assert (again.winner, again.value) == (own.winner, own.value)


def test_the_positive_class_is_that_of_the_scorer(tmp_path):
    """scikit-learn takes class 1, of 1 and 2 the first."""
    rec = Recorder(tmp_path / "run", X, Y + 1, cv=CV, scoring="average_precision")
    own = searched(y=Y + 1, cv=rec.cv, scoring=rec.scorer).corrected_
    of_folder = bbccli.correct(rec.folder, pooling="pooled")
    assert (own.naive, own.interval) == (of_folder.naive, of_folder.interval)
    assert own.value > 0.8


def test_the_limit_on_files_is_none_on_predictions_in_memory():
    rows = np.linspace(-1, 1, 60_000)[RNG.permutation(60_000), None]
    with resources.use_reading(resources.Reading(max_input=2**20)):
        search = searched(Chances(), {"power": [1, 3, 5, 7, 9]}, X=rows, y=(rows[:, 0] > 0) * 1)
    assert search.corrected_.value == 1


def test_predictions_are_made_once_with_a_recorder_too(tmp_path):
    Counting.calls = 0
    rec = Recorder(tmp_path / "run", X, Y, cv=CV, scoring="roc_auc")
    searched(Counting(), {"power": [1]}, cv=rec.cv, scoring=rec.scorer)
    assert Counting.calls == 5
    searched(Counting(), {"power": [1]}, scoring="roc_auc")
    assert Counting.calls == 10


def test_the_note_tells_dropped_from_failed(one):
    notes = {note.code: note for note in one.matrix_.notes}
    assert "configurations-dropped" not in notes
    assert (~one.survivors_).sum() == 1
    assert notes["dropped-between-folds"].text.startswith("1 of 6 configurations was dropped")
    assert severity_of("dropped-between-folds") > severity_of("configurations-dropped")


def test_means_over_folds_of_r2_are_pooled():
    """Of one configuration there is nothing to correct; fold means would be .1 too low."""
    search = searched(Ridge(), {"alpha": [1.0]}, y=VALUES, cv=KFold(20), scoring=None)
    assert search.corrected_.estimate.plan.pooling is Pooling.POOLED
    assert search.corrected_.value == pytest.approx(search.corrected_.naive, abs=1e-12)
    folds = search.matrix_.folds[0]
    values = search.matrix_.predictions[0]
    apart = bbccli.correct(values, VALUES, metric="r2", folds=folds, pooling="fold-mean")
    assert apart.naive == pytest.approx(search.best_score_)
    assert apart.value < apart.naive - 0.03


def test_a_log_loss_is_clipped_where_scikit_learn_clips_it():
    """Of one neighbour all probabilities are 0 or 1, and probabilities they stay."""
    search = searched(candidates={"n_neighbors": [1]}, scoring="neg_log_loss")
    assert search.best_score_ < -2
    assert search.corrected_.naive == pytest.approx(-search.best_score_, rel=1e-12)


def test_another_winner_than_that_of_the_search_is_told():
    """The mean of F1 over folds is not F1 of the pooled folds."""
    rng = np.random.default_rng(1)
    y = (rng.random(60) < 0.3).astype(int)
    features = rng.normal(size=(60, 3)) + 0.5 * y[:, None]
    cv = StratifiedKFold(5, shuffle=True, random_state=9)
    with pytest.warns(UserWarning, match="the search selects .*, but corrected_ is for"):
        search = searched(
            candidates={"n_neighbors": list(range(1, 12))}, X=features, y=y, cv=cv, scoring="f1"
        )
    assert search.corrected_.estimate.plan.pooling is Pooling.POOLED


def test_a_metric_that_is_not_the_scoring_is_told():
    with pytest.warns(UserWarning, match="scoring and metric are not the same"):
        searched(scoring="recall", metric="precision")
    with pytest.raises(ValueError, match="no metric for the function"):
        searched(scoring=lambda estimator, X, y: 1.0)
    ours = searched(scoring=make_scorer(accuracy_score))
    assert ours.corrected_.estimate.metric == "accuracy"
    assert ours.corrected_.value == searched().corrected_.value


def test_unshuffled_folds_are_told():
    with pytest.warns(UserWarning, match="blocks of the samples in their order"):
        searched(KNeighborsRegressor(), y=VALUES, cv=5, scoring="neg_mean_absolute_error")


def test_without_a_correction_the_search_stands():
    """Each fold is a sample, so there is no AUC in any; the search has no score either."""
    tiny = DecisionTreeClassifier(random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        search = searched(
            tiny,
            {"max_depth": [1, 2]},
            X=X[:12],
            y=Y[:12],
            cv=KFold(12),
            scoring=lambda estimator, X, y: 0.5,
            metric="auc",
            min_samples=2,
        )
    words = [str(one.message).partition(":")[0] for one in told]
    assert words[-1] == "no correction"
    assert any(one.startswith("nothing is dropped after fold") for one in words)
    assert search.corrected_ is None
    assert search.best_estimator_.get_depth() == 1


# Failures


def test_a_failed_fit_leaves_the_race():
    sums = [X[train, 0].sum() for train, _ in CV.split(X, Y)]
    grid = {"fails": [1000.0, float(np.sort(sums)[2])], "power": [1]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        with pytest.warns(RuntimeWarning, match="1 configuration left the race"):
            search = searched(Chances(), grid, error_score=0)
            never = searched(Chances(), {"fails": [None, -1000.0]})
    assert search.survivors_.tolist() == [True, False]
    assert search.best_params_["fails"] == 1000
    assert never.matrix_.source.n_tried == 2
    assert np.isnan(means(search)[1])
    assert [note.code for note in search.matrix_.notes if note.code.endswith("dropped")] == [
        "configurations-dropped"
    ]
    with pytest.raises(RuntimeError, match="no luck"):
        searched(Chances(), grid, error_score="raise")
    with pytest.raises(ValueError, match="All the 2 fits failed"):
        searched(Chances(), {"fails": [-1000.0, -2000.0]})


def test_finish_tells_failed_candidates_from_dropped_ones(tmp_path):
    rec = Recorder(tmp_path / "run", X, Y, cv=CV, scoring="roc_auc")
    sums = [X[train, 0].sum() for train, _ in rec.cv]
    grid = {"fails": [1000.0, float(np.sort(sums)[2])], "power": [0, 1]}
    with warnings.catch_warnings():
        for kind in (FitFailedWarning, RuntimeWarning):
            warnings.simplefilter("ignore", kind)
        search = searched(Chances(), grid, cv=rec.cv, scoring=rec.scorer)
    verified = rec.finish(search)
    failing = {"fails": grid["fails"][1], "power": 1}
    assert "fails=1000.0 power=0" in verified.dropped
    assert verified.incomplete == (f"fails={failing['fails']} power=1",)
    assert not set(verified.incomplete) & set(verified.dropped)
    assert not search.survivors_[search.cv_results_["params"].index(failing)]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"scoring": ["accuracy", "f1"], "refit": "f1"}, "takes one metric"),
        swept({"scoring": lambda e, X, y: {"a": 1.0}, "metric": "auc"}, "takes one metric"),
        swept({"y": None}, "requires y to be passed"),
        swept({"y": np.stack([Y, Y], axis=1)}, "not a single column"),
        swept({"y": np.where(Y, np.nan, 0.0)}, "y contains NaN"),
        swept({"y": RNG.integers(0, 3, N), "scoring": "roc_auc"}, "AUC is for binary tasks"),
        swept({"rule": "bbc"}, "no rule named 'bbc'"),
        ({"rule": "brace", "scoring": "roc_auc"}, "not a mean of losses"),
        swept({"threshold": 99}, "not between 0.5 and 1"),
        swept({"min_samples": -1}, "min_samples is -1"),
        swept({"pooling": "pool"}, "pooling is 'pool'"),
        swept({"at_once": 0}, "at_once"),
        swept({"at_once": "all"}, "at_once"),
        swept({"cv": [(np.arange(N), np.arange(N))]}, "tests on training rows"),
        ({"candidates": {"n_neighbors": 3}}, "needs to be a list"),
    ],
)
def test_what_can_not_be_is_said_before_anything_is_trained(options, problem):
    Counting.calls = 0
    given = {"estimator": Counting(), "candidates": {"power": [1, 2]}} | options
    with pytest.raises((ValueError, TypeError), match=problem):
        searched(**given)
    assert Counting.calls <= 2  # what a function returns is known when it was called


# Kinds of data


@pytest.mark.parametrize(
    ("scoring", "kind"),
    [
        ("accuracy", PredictionKind.LABEL),
        swept("roc_auc", PredictionKind.PROBABILITY),
        ("neg_log_loss", PredictionKind.PROBABILITY),
        swept("matthews_corrcoef", PredictionKind.LABEL),
        (None, PredictionKind.LABEL),
    ],
)
def test_scores_and_forms_of_two_classes(scoring, kind):
    words = np.array(["no", "yes"])[Y]
    search = searched(scoring=scoring, y=words)
    assert search.matrix_.kind is kind
    assert search.matrix_.outcome.classes == ("no", "yes")
    there = search.survivors_
    expected = means(full(scoring=scoring, y=words))[there]
    assert np.allclose(means(search)[there], expected, atol=1e-12)


@pytest.mark.parametrize("scoring", ["accuracy", swept("neg_log_loss"), "roc_auc_ovr"])
def test_three_classes(scoring):
    three = np.array(["c", "a", "b"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    search = searched(candidates={"n_neighbors": [5, 15, 150]}, y=three, scoring=scoring)
    assert search.matrix_.task is Task.MULTICLASS
    assert search.matrix_.outcome.classes == ("a", "b", "c")
    assert search.corrected_.naive == pytest.approx(abs(search.best_score_), abs=1e-12)
    assert set(search.predict(X)) <= {"a", "b", "c"}


def test_values_in_data_frames():
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(N)[::-1])
    search = searched(
        KNeighborsRegressor(),
        X=frame,
        y=pd.Series(VALUES, index=frame.index),
        cv=FOLDS,
        scoring="neg_mean_absolute_error",
    )
    assert list(search.feature_names_in_) == list("abcd")
    assert search.corrected_.naive == pytest.approx(-search.best_score_, rel=1e-12)
    assert np.array_equal(search.matrix_.outcome.values, VALUES)


def test_repeats_and_repeated_holdout():
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    repeated = searched(cv=cv)
    assert repeated.matrix_.predictions.shape[:2] == (2, N)
    assert repeated.matrix_.folds.shape == (2, N)
    assert 4 < repeated.cv_results_["n_folds_trained"].max() == 8
    held_out = searched(cv=ShuffleSplit(6, test_size=0.25, random_state=0))
    assert held_out.matrix_.repeated_holdout
    for search in (repeated, held_out):
        assert search.corrected_.naive == pytest.approx(search.best_score_, abs=1e-12)
        assert (~search.survivors_).any()


def test_groups_stay_together():
    groups, cv = np.arange(N) // 3, GroupKFold(5)
    search = searched(cv=cv, fit={"groups": groups})
    assert np.array_equal(search.matrix_.groups, groups)
    whole = GridSearchCV(KNeighborsClassifier(), KNN, cv=cv, scoring="accuracy")
    expected, there = means(whole.fit(X, Y, groups=groups)), search.survivors_
    assert np.array_equal(means(search)[there], expected[there])


@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="earlier searches hand no weights to the scorer",
)
def test_weights_of_the_scorer_count():
    weights = RNG.random(N) + 0.1
    model = LogisticRegression()
    search = searched(model, {"C": [1e-3, 1]}, fit={"sample_weight": weights})
    assert np.array_equal(search.matrix_.outcome.weights, weights)
    assert search.corrected_.naive == pytest.approx(search.best_score_, abs=1e-12)
    with pytest.raises(ValueError, match="sample_weight holds negative .* or zeros alone"):
        searched(model, {"C": [1]}, fit={"sample_weight": np.zeros(N)})


def test_metadata_is_routed():
    weights = RNG.random(N) + 0.1
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        search = searched(
            model,
            {"C": [1e-3, 1]},
            scoring=scorer,
            metric="accuracy",
            cv=GroupKFold(4),
            fit={"sample_weight": weights, "groups": np.arange(N) // 3},
        )
        assert search.score(X, Y, sample_weight=weights) > 0.5
    assert np.array_equal(search.matrix_.outcome.weights, weights)
    assert search.corrected_.naive == pytest.approx(search.best_score_, abs=1e-12)


# The protocol of scikit-learn


def test_it_can_be_cloned_pickled_and_searched_within_a_pipeline(one):
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert np.array_equal(other.predict(X), one.predict(X))
        assert other.corrected_.value == one.corrected_.value
        assert other.score(X, Y) == one.score(X, Y)
    assert not hasattr(clone(one), "best_index_")
    assert clone(one).get_params()["threshold"] == 0.99
    search = DroppingSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [1e-4, 1]},
        cv=CV,
    )
    assert cross_val_score(search, X, Y, cv=3).min() > 0.6
    assert make_pipeline(StandardScaler(), search).fit(X, Y).predict(X).shape == (N,)


def test_the_best_answers_after_refit_alone(one):
    assert one.classes_.tolist() == [0, 1]
    assert one.n_features_in_ == 4
    assert one.predict_proba(X).shape == (N, 2)
    assert not hasattr(one, "decision_function")
    assert type(one.scorer_).__module__.startswith("sklearn.")
    bare = searched(refit=False)
    assert bare.best_params_ == one.best_params_
    assert not hasattr(bare, "predict")
    assert bare.corrected_.value == one.corrected_.value


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("estimator", "candidates"),
    [(LogisticRegression(), {"C": [0.1, 1.0]}), (Ridge(), {"alpha": [0.1, 1.0]})],
)
def test_scikit_learns_own_checks_fail_where_those_of_a_grid_search_do(estimator, candidates):
    def failing(kind):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = kind(estimator, candidates, cv=2, error_score="raise")
            found = check_estimator(search, on_fail=None, on_skip=None)
        return {one["check_name"] for one in found if one["status"] == "failed"}

    assert failing(DroppingSearchCV) <= failing(GridSearchCV)


def test_scikit_learn_is_imported_when_it_is_used():
    lines = [
        "import sys, bbccli.search",
        "assert 'sklearn' not in sys.modules",
        "sys.modules['sklearn'] = sys.modules['sklearn.base'] = None",
        "bbccli.search.DroppingSearchCV",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "; ".join(lines)], capture_output=True, text=True, check=False
    )
    assert "needs scikit-learn 1.7 or later: pip install scikit-learn" in done.stderr
