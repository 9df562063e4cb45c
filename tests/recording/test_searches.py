"""The recorder keeps what a search scores, changes nothing, and says what is missing."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from recordings import (
    FOLDS,
    KNN,
    RNG,
    THREE,
    VALUES,
    Chances,
    Counting,
    X,
    Y,
    by_hand,
    kept,
    parts_of,
    recorder,
    search,
    tampered,
)
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from bbccli.errors import InputError, OptionError
from bbccli.reading import read
from bbccli.recording import Recorder
from bbccli.stats.verification import verified
from bbccli.types import PredictionKind, Task

# Searches


def test_grid_search_gives_scikit_learns_scores_and_the_predictions(tmp_path):
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)
    rec = recorder(tmp_path, cv=cv)
    recorded = search(rec)
    plain_one = GridSearchCV(KNeighborsClassifier(), KNN, cv=cv, scoring="roc_auc").fit(X, Y)
    difference = recorded.cv_results_["mean_test_score"] - plain_one.cv_results_["mean_test_score"]
    assert np.abs(difference).max() < 1e-12
    verified = rec.finish(recorded)
    assert (verified.n_candidates, verified.n_fits, verified.incomplete) == (3, 18, ())
    assert max(verified.largest_deviation, verified.largest_recomputed) < 1e-12
    run = read(rec.folder)
    assert run.configurations == ("n_neighbors=1", "n_neighbors=3", "n_neighbors=7")
    found = (run.task, run.kind, run.outcome.classes)
    assert found == (Task.BINARY, PredictionKind.PROBABILITY, ("0", "1"))
    assert run.predictions.shape == (2, 60, 3)
    assert np.array_equal(run.outcome.values, Y)
    for split, (test, own) in enumerate(by_hand(KNeighborsClassifier(7), rec.cv, X, Y)):
        assert np.array_equal(run.predictions[split // 3, test, 2], own[:, 1])
        assert (run.folds[split // 3, test] == split % 3).all()


@pytest.mark.sweep
def test_randomized_search_over_steps_of_a_pipeline(tmp_path):
    rec = recorder(tmp_path)
    grid = [{"m": [KNeighborsClassifier()], "m__n_neighbors": [3, 5]}, {"m": [GaussianNB(), SVC()]}]
    pipe = Pipeline([("scale", StandardScaler()), ("m", GaussianNB())])
    made = RandomizedSearchCV(pipe, grid, n_iter=4, cv=rec.cv, scoring=rec.scorer, random_state=0)
    rec.finish(made.fit(X, Y))
    run = read(rec.folder)
    names = {"m=KNeighborsClassifier n_neighbors=3", "m=KNeighborsClassifier n_neighbors=5"}
    assert set(run.configurations) == names | {"m=GaussianNB", "m=SVC"}
    assert run.kind is PredictionKind.SCORE  # of an SVC, beside probabilities
    assert run.source.metadata["n_candidates_total"] == 4


@pytest.mark.parametrize(("cv", "order"), [(KFold(3), np.arange(60)), (FOLDS, RNG.permutation(60))])
def test_a_search_on_other_rows_fails_loudly(tmp_path, cv, order):
    rec = recorder(tmp_path, scoring="accuracy")
    cv = rec.cv if cv is FOLDS else cv
    made = GridSearchCV(KNeighborsClassifier(), KNN, cv=cv, scoring=rec.scorer)
    with pytest.raises(InputError, match="^.*: 0 of 9 fits recorded\\n") as error:
        rec.finish(made.fit(X[order], Y[order]))
    assert "successive halving" in error.value.hint


def test_failing_fits_are_incomplete_and_no_error(tmp_path):
    rec = recorder(tmp_path)
    median = float(np.median([X[train, 0].sum() for train, _ in rec.cv]))
    recorded = search(rec, Chances(), {"fails": [1000.0, median]})
    assert np.isnan(recorded.cv_results_["mean_test_score"][1])
    verified = rec.finish(recorded)
    assert verified.incomplete == (f"fails={median}",)
    run = read(rec.folder)
    assert run.configurations == kept(rec.folder)[:1] == ("fails=1000",)
    assert len(kept(rec.folder)) == 2
    assert [one.id for one in run.source.run.leaderboard] == ["fails=1000"]


def test_predictions_are_made_once_and_the_estimator_is_left_as_it_was(tmp_path):
    rec = recorder(tmp_path)
    Counting.calls = 0
    fitted = search(rec, Counting(), {"power": [1]}).best_estimator_
    assert Counting.calls == 3
    before = set(vars(fitted))
    rec.scorer(fitted, X[rec.cv[0][1]], Y[rec.cv[0][1]])
    assert set(vars(fitted)) == before


def test_later_calls_of_the_scorer_and_training_rows_are_no_fits(tmp_path):
    """The training rows of one of two folds are the test rows of the other."""
    rec = recorder(tmp_path, cv=KFold(2))
    recorded = search(rec, return_train_score=True)
    _, test = rec.cv[0]
    recorded.score(X[test], Y[test])  # of the refitted winner, which has seen these rows
    assert rec.finish(recorded).n_fits == 6
    recorded.score(X[test], Y[test])
    run = read(rec.folder)
    for rows, own in by_hand(KNeighborsClassifier(1), rec.cv, X, Y):
        assert np.array_equal(run.predictions[0, rows, 0], own[:, 1])
    assert len(parts_of(rec.folder)) == 7


def test_several_metrics_and_what_is_no_search(tmp_path):
    rec = recorder(tmp_path)
    scoring = {"auc": rec.scorer, "hits": "accuracy"}
    made = GridSearchCV(KNeighborsClassifier(), KNN, cv=rec.cv, scoring=scoring, refit="auc")
    made.fit(X, Y)
    assert rec.finish(made).n_fits == 9
    assert rec.finish(made.cv_results_, metric="auc").n_fits == 9
    with pytest.raises(OptionError, match="there are several metrics") as several:
        rec.finish(made.cv_results_)
    assert several.value.hint == "give metric= one of: auc, hits"
    for wrong in (None, 3, {}, LogisticRegression()):
        with pytest.raises(OptionError, match="not the results of a search"):
            rec.finish(wrong)
    made.set_params(scoring=rec.configuration("knn"), refit=False).fit(X, Y)
    with pytest.raises(InputError, match="several configurations have the same name"):
        read(rec.folder)


# Data of all kinds


def frame():
    table = pd.DataFrame(X, columns=["a", "b", "c"], index=RNG.permutation(60) + 1000)
    return table.assign(d=RNG.choice(["red", "green"], 60).astype(object))


def own_score(model, features, truth):
    return model.score(features, truth)


CATEGORIES = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("features", "estimator"),
    [
        (pd.DataFrame(X, columns=list("abc")), LogisticRegression()),
        (frame()[["d"]], CATEGORIES),
        (frame()[["d"]].astype("category"), CATEGORIES),
        (frame()[["d"]].to_numpy(), CATEGORIES),
        (frame(), CATEGORIES),
        (sparse.csr_matrix(X * (X > 0)), LogisticRegression()),
        (sparse.csc_matrix(X * (X > 0)), LogisticRegression()),
        (X.tolist(), LogisticRegression()),
    ],
    ids=["frame", "objects", "category", "object-array", "mixed", "csr", "csc", "list"],
)
def test_features_of_all_kinds(tmp_path, features, estimator, request):
    cv = KFold(3, shuffle=True, random_state=0)
    index = features.index if isinstance(features, pd.DataFrame) else None
    truth = pd.Series(np.array(["no", "yes"])[Y], index=index)
    rec = Recorder(tmp_path / "run", features, truth, cv=cv, scoring="roc_auc")
    grid = {"logisticregression__C" if estimator is CATEGORIES else "C": [0.1, 1.0]}
    n_jobs = 2 if "mixed" in request.node.name else 1  # objects are known in other processes
    recorded = search(rec, estimator, grid, X=features, y=truth, n_jobs=n_jobs)
    assert rec.finish(recorded).n_fits == 6
    run = read(rec.folder)
    assert run.outcome.classes == ("no", "yes")
    assert run.configurations == ("C=0.1", "C=1")


@pytest.mark.parametrize(
    ("y", "estimator", "scoring", "method", "found"),
    [
        (THREE, LogisticRegression(), "neg_log_loss", "predict_proba", Task.MULTICLASS),
        (THREE, SVC(), own_score, "decision_function", Task.MULTICLASS),
        (Y, SVC(), "accuracy", "decision_function", Task.BINARY),
        (VALUES, KNeighborsRegressor(), "neg_root_mean_squared_error", "predict", Task.REGRESSION),
    ],
    ids=["probabilities", "scores", "scores of two", "values"],
)
@pytest.mark.filterwarnings("ignore:the search scores by a function:UserWarning")
def test_predictions_of_all_kinds(tmp_path, y, estimator, scoring, method, found):
    rec = recorder(tmp_path, y, KFold(3), scoring, response=method, task=str(found))
    grid = {"n_neighbors": [1, 3]} if y is VALUES else {"C": [1.0, 5.0]}
    recorded = search(rec, estimator, grid, y=y)
    verified = rec.finish(recorded)
    assert (verified.largest_recomputed or 0) < 1e-12
    assert verified.n_recomputed == (6 if isinstance(scoring, str) else 0)
    run = read(rec.folder)
    classes = () if y is VALUES else ("0", "1", "2")[: y.max() + 1]
    assert (run.task, run.outcome.classes) == (found, classes)
    assert run.predictions.shape == (1, 60, 2, *([3] if y is THREE else []))
    listed = [one.value for one in run.source.run.leaderboard]
    sign = -1 if str(scoring).startswith("neg_") else 1
    assert listed == pytest.approx(sign * recorded.cv_results_["mean_test_score"], abs=1e-12)
    best = sklearn.clone(estimator).set_params(**{key: grid[key][1] for key in grid})
    for test, own in by_hand(best, rec.cv, X, y, method):
        np.testing.assert_allclose(run.predictions[0, test, 1], own, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:no test set has all classes")
def test_a_class_that_a_fold_was_not_trained_on(tmp_path):
    y = np.where(np.arange(60) < 20, 0, Y + 1)
    cv = [(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
    rec = recorder(tmp_path, y, cv, "accuracy", response="predict_proba")
    rec.finish(search(rec, y=y))
    run = read(rec.folder)
    assert run.keys.tolist() == [str(row) for row in range(60) if not 20 <= row < 40]
    assert (run.predictions[0, :20, :, 0] == 0).all()
    assert np.allclose(run.predictions[0].sum(axis=2), 1)


def test_a_search_that_scored_other_classes_than_the_most_probable_ones(tmp_path):
    """Those of predict(), where probabilities were recorded: the rows are those of the search."""
    model = FixedThresholdClassifier(KNeighborsClassifier(), threshold=0.3)
    rec = recorder(tmp_path, scoring="f1", response="predict_proba")
    grid = {"estimator__n_neighbors": [3, 7]}
    with pytest.warns(UserWarning, match="predict\\(\\) gives classes other than those recorded"):
        rec.finish(GridSearchCV(model, grid, cv=rec.cv, scoring=rec.scorer).fit(X, Y))
    with pytest.raises(InputError, match="on the leaderboard of recorder") as error:
        verified(read(rec.folder))
    assert "predict() gives classes other than the most probable ones" in error.value.hint
    assert "Recorder(response='predict')" in error.value.hint
    assert "rows" not in error.value.hint
    again = recorder(tmp_path / "again", scoring="f1", response="predict")
    again.finish(GridSearchCV(model, grid, cv=again.cv, scoring=again.scorer).fit(X, Y))
    assert verified(read(again.folder)).source.verification.n_checked == 2


def test_groups_are_seen_by_the_splitter_and_kept(tmp_path):
    groups = np.repeat([f"patient {i}" for i in range(20)], 3)
    rec = Recorder(tmp_path / "run", X, Y, cv=GroupKFold(3), scoring="accuracy", groups=groups)
    made = GridSearchCV(KNeighborsClassifier(), KNN, cv=rec.cv, scoring=rec.scorer)
    rec.finish(made.fit(X, Y, groups=groups))
    run = read(rec.folder)
    pairs = set(zip(run.groups.tolist(), run.folds[0].tolist(), strict=True))
    assert len(pairs) == 20


def test_repeated_holdout(tmp_path):
    cv = ShuffleSplit(4, test_size=0.5, random_state=0)
    rec = recorder(tmp_path, cv=cv, scoring="accuracy")
    rec.finish(search(rec))
    run = read(rec.folder)
    assert run.repeated_holdout
    assert run.n_repeats == 4
    assert run.available.sum() == 4 * 30 * 3


@pytest.mark.parametrize("cv, n_folds", [(4, 4), (np.int64(4), 4), (None, 5)])
def test_a_number_of_folds_is_what_scikit_learn_makes_of_it(tmp_path, cv, n_folds):
    ordered = np.sort(Y)  # plain folds of it have one class
    of_classes = Recorder(tmp_path / "classes", X, ordered, cv=cv, scoring="accuracy").cv
    of_values = Recorder(tmp_path / "values", X, VALUES, cv=cv, scoring="r2").cv
    for made, wanted in ((of_classes, StratifiedKFold), (of_values, KFold)):
        for rows, its in zip(made, wanted(n_folds).split(X, ordered), strict=True):
            for part, of_its in zip(rows, its, strict=True):
                np.testing.assert_array_equal(part, of_its)


# Test sets that can't be told apart


def test_equal_test_sets_are_refused(tmp_path):
    twice = np.concatenate([X[:30], X[:30]])
    truth = np.concatenate([Y[:30], Y[:30]])
    with pytest.raises(OptionError, match="splits 0 and 1 are equal") as error:
        Recorder(tmp_path / "run", twice, truth, cv=KFold(2), scoring="accuracy")
    assert "enable_metadata_routing" in error.value.hint
    assert not (tmp_path / "run").exists()
    with pytest.raises(OptionError, match="test the same rows"):
        Recorder(tmp_path / "run", X, Y, cv=[*FOLDS.split(X, Y)] * 2, scoring="accuracy")


@pytest.mark.sweep
@pytest.mark.filterwarnings("ignore:no test set has all classes")
def test_metadata_routing_tells_equal_test_sets_apart(tmp_path):
    twice = np.repeat(X[:12].round(), 2, axis=0)
    truth = np.repeat(Y[:12], 2)
    with sklearn.config_context(enable_metadata_routing=True):
        rec = Recorder(tmp_path / "run", twice, truth, cv=LeaveOneOut(), scoring="accuracy")
        made = GridSearchCV(KNeighborsClassifier(), KNN, cv=rec.cv, scoring=rec.scorer)
        made.fit(twice, truth, row_id=rec.row_id)
        assert rec.finish(made).n_fits == 72
    assert read(rec.folder).n_configurations == 3


# cross_validate and loops


def test_a_loop_writes_what_it_has(tmp_path):
    rec = recorder(tmp_path, scoring=None)
    for trial in (3, 1, 2):
        rec.tried(f"trial {trial}", params={"k": trial})
        for train, test in rec.cv[: 1 if trial == 1 else 3]:
            order = RNG.permutation(test)
            fitted = KNeighborsClassifier(trial).fit(X[train], Y[train])
            chances = fitted.predict_proba(X[order])
            rec.write(f"trial {trial}", order, chances, flags="shared_preprocessing")
    rec.tried("trial 4")
    run = read(rec.folder)
    assert kept(rec.folder) == ("trial 3", "trial 1", "trial 2")
    assert run.configurations == ("trial 3", "trial 2")
    assert run.source.metadata["n_candidates_total"] == 4
    assert run.source.configurations["trial 3"]["flags"] == ["shared_preprocessing"]
    for test, own in by_hand(KNeighborsClassifier(3), rec.cv, X, Y):
        assert np.array_equal(run.predictions[0, test, 0], own[:, 1])


def test_rows_are_those_of_a_test_set_in_any_order(tmp_path):
    halves = np.split(RNG.permutation(60), 2)
    rec = recorder(tmp_path, cv=[tuple(halves), tuple(halves[::-1])], scoring=None)
    for half in halves:
        order = RNG.permutation(half)
        rec.write("one", order, X[order, 0])
    assert np.array_equal(read(rec.folder).predictions[0, :, 0], X[:, 0])
    with pytest.raises(OptionError, match="no test set of cv"):
        rec.write("one", [0, 1], [0.1, 0.2])
    with pytest.raises(OptionError, match="no test set of cv, fold 1"):
        rec.write("one", rec.cv[0][1], np.zeros(30), fold=1)


def test_write_all_takes_cross_val_predict(tmp_path):
    rec = Recorder(tmp_path / "run", X, THREE, cv=FOLDS, task="multiclass")
    made = cross_val_predict(GaussianNB(), X, THREE, cv=rec.cv, method="predict_proba")
    rec.write_all("bayes", made, params={"priors": None})
    run = read(rec.folder)
    assert np.array_equal(run.predictions[0, :, 0], made)
    assert run.folds is not None
    labels = Recorder(tmp_path / "labels", X, THREE, cv=FOLDS, task="multiclass")
    labels.write_all("bayes", made.argmax(axis=1))
    assert read(labels.folder).kind is PredictionKind.LABEL


@pytest.mark.sweep
def test_a_folder_belongs_to_one_design(tmp_path):
    first = recorder(tmp_path, scoring="accuracy")
    rec = recorder(tmp_path, scoring="accuracy")
    first.finish(search(first, grid={"n_neighbors": [1, 3]}))
    rec.finish(search(rec, grid={"n_neighbors": [3, 5]}))
    assert read(rec.folder).source.metadata["n_candidates_total"] == 3
    with pytest.raises(InputError, match="other data, folds or metric"):
        recorder(tmp_path, cv=KFold(3), scoring="accuracy")


@pytest.mark.sweep
def test_parameters_have_one_text_in_any_process(tmp_path):
    code = "import numpy as np; from bbccli.recording import Recorder;"
    code += "r = Recorder('run', None, [0, 1]);"
    code += "all = (lambda x: x, lambda x: -x, np.log1p, len, 1.5, {'a': 2});"
    code += "[r.write('one', [0, 1], [0.1, 0.2 + i], params={'f': v}) for i, v in enumerate(all)]"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    run = read(tmp_path / "run")
    assert (run.n_configurations, len(run.source.run.again)) == (6, 6)


# Verification


def test_permuted_predictions_and_another_mean_are_caught(tmp_path):
    rec = recorder(tmp_path)
    recorded = search(rec)
    results = dict(recorded.cv_results_)
    results["mean_test_score"] = results["mean_test_score"] + np.array([0, 1e-6, 0])
    with pytest.raises(InputError, match="n_neighbors=3: the recorded scores have a mean of"):
        rec.finish(results)
    victim = parts_of(rec.folder)[4]
    tampered(victim, predictions=lambda held: np.roll(held["predictions"], 3))
    problem = "n_neighbors=3: on split 1 the stored predictions"
    with pytest.raises(InputError, match=problem) as error:
        rec.finish(recorded)
    assert f"{recorded.cv_results_['split1_test_score'][1]:.12g}" in str(error.value)


# Disks, and what lies in the folder


def test_a_recorder_needs_numpy_alone():
    code = "import sys; from bbccli.recording import Recorder; "
    code += "print(sorted({'pandas', 'scipy', 'sklearn', 'pyarrow'} & sys.modules.keys()))"
    assert subprocess.check_output([sys.executable, "-c", code]).split() == [b"[]"]


def test_a_disk_that_is_full_does_not_end_the_search(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    rec = recorder(tmp_path)
    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="not recorded: .*No space left"):
        recorded = search(rec)
    own = by_hand(KNeighborsClassifier(3), rec.cv, X, Y)
    auc = np.mean([roc_auc_score(Y[test], chances[:, 1]) for test, chances in own])
    assert recorded.cv_results_["mean_test_score"][1] == pytest.approx(auc, abs=1e-12)
    monkeypatch.undo()
    with pytest.raises(InputError, match="0 of 9 fits recorded"):
        rec.finish(recorded)
    assert [*(rec.folder / "parts").iterdir()] == []


@pytest.mark.parametrize(
    ("content", "path", "hint"),
    [
        (b"", "part", "run the search again with a recorder of the same folder, and finish"),
        (b"\0" * 4000, "part", "run the search again with a recorder of the same folder"),
        (None, "folder", "record the search again"),
    ],
    ids=["empty", "zeros", "lost"],
)
def test_parts_that_a_loss_of_power_damaged_and_that_are_lost(tmp_path, content, path, hint):
    rec = recorder(tmp_path, scoring="accuracy")
    made = search(rec)
    hurt = sorted((tmp_path / "run" / "parts").iterdir())[4]
    hurt.unlink() if content is None else hurt.write_bytes(content)
    with pytest.raises(InputError, match="8 of 9 fits recorded.*split 1 of n_neighbors=3") as error:
        rec.finish(made)
    assert error.value.path == str(hurt if path == "part" else rec.folder)
    assert hint in error.value.hint
    again = recorder(tmp_path, scoring="accuracy")
    assert again.finish(search(again)).n_fits == 9
    run = read(tmp_path / "run")
    assert (run.source.run.damaged, run.n_configurations) == ((hurt.name,) * (path == "part"), 3)


def test_what_a_killed_recorder_left_is_no_try_and_goes(tmp_path):
    folder = tmp_path / "rec"
    search(Recorder(folder, X, Y, cv=FOLDS))
    before = read(folder)
    place = folder / "parts"
    old, new = place / ".1-a-1.npz.part", place / ".2-b-1.npz.part"
    for path in (old, new):
        path.write_bytes(parts_of(folder)[0].read_bytes())
    os.utime(old, (0, 0))
    assert read(folder).configurations == before.configurations
    Recorder(folder, X, Y, cv=FOLDS)
    assert not old.exists()
    assert new.exists()  # of one that may be at work
