"""What was tried counts: every search and loop that goes on in a folder, and what failed in it."""

# ruff: noqa: N803 - X is what scikit-learn calls it

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import recordings
from day import swept
from documents import codes
from recordings import Chances, kept, parts_of, tampered
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)

from bbccli.documents.correct import Input, Run
from bbccli.domain.source import LeftOut
from bbccli.reading import read
from bbccli.recording import Recorder
from bbccli.recording.attempts import TryFolds, tries_of
from bbccli.recording.inputs import in_json
from bbccli.recording.scorer import known_tests
from bbccli.recording.store import Part, identity_of
from bbccli.stats.verification import verify
from bbccli.types import PredictionKind

N = 60
RNG = np.random.default_rng(5)
Y = np.arange(N) % 2
X = RNG.normal(size=(N, 3)) + 0.8 * Y[:, None]
OTHER = RNG.normal(size=(N, 3)) + 0.4 * Y[:, None]
FOLDS = StratifiedKFold(3)
GRID = {"power": [1, 2]}


def recorder(place, X=X, **how):
    return Recorder(place / "run", X, Y, cv=FOLDS, **({"scoring": "roc_auc"} | how))


def searched(place, X=X, grid=GRID, model=None, rec=None, **how):
    """A search in the folder, and what `finish` said of it."""
    rec = recorder(place, X) if rec is None else rec
    model = Chances() if model is None else model
    made = GridSearchCV(model, grid, cv=rec.cv, scoring=rec.scorer, refit=False, **how).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made, rec.finish(made)


def tried(matrix):
    """How many candidates a recording says were tried."""
    return matrix.source.metadata["n_candidates_total"]


def scores(*found):
    return sorted(np.concatenate([made.cv_results_["mean_test_score"] for made, _ in found]))


def figures(matrix):
    """Mean over the folds of the AUC of each configuration."""
    folds = matrix.folds[0]
    return sorted(
        np.mean([roc_auc_score(Y[folds == k], column[folds == k]) for k in range(3)])
        for column in matrix.predictions[0].T
    )


# Other features


@pytest.mark.parametrize(
    "others", [OTHER, swept(OTHER[:, :1]), swept(np.hstack([OTHER, X])), swept(X[:, ::-1])]
)
def test_other_features_are_tries_of_their_own(tmp_path, others):
    """The best of all is found, whichever search came last."""
    first = searched(tmp_path)
    last = searched(tmp_path, np.ascontiguousarray(others), {"power": [2, 3]})
    matrix = read(tmp_path / "run")
    assert matrix.configurations == ("power=1 X=1", "power=2 X=1", "power=2 X=2", "power=3 X=2")
    np.testing.assert_allclose(figures(matrix), scores(first, last), atol=1e-12)
    assert verify(matrix).n_checked == 4
    said = "tried before in this folder, with other predictions: power=2; every try counts"
    assert (last[1].notes, first[1].notes) == ((said,), ())
    note = next(note for note in matrix.notes if note.code == "tried-again")
    assert "each try counts: power=2 X=2" in note.text


def test_a_part_of_other_features_does_not_complete_a_configuration(tmp_path):
    """Killed in the second fold, and gone on with other features: two tries, none complete."""
    for features, mine in ((X, slice(2)), (OTHER, slice(2, 3))):
        rec = recorder(tmp_path, features)
        scored(rec, rec.configuration("one"), mine, features)
    assert kept(tmp_path / "run") == ("one", "one #2")
    assert read(tmp_path / "run").n_samples < N


@pytest.mark.parametrize(
    "same",
    [X, swept(pd.DataFrame(X, columns=list("abc"))), swept(X.tolist()), swept(X[:, [0, 2, 1]])],
)
def test_the_same_predictions_count_once_whatever_the_features_are(tmp_path, same):
    searched(tmp_path)
    done = searched(tmp_path, same)[1]
    assert (done.recorded_again, done.notes) == (("power=1", "power=2"), ())
    matrix = read(tmp_path / "run")
    assert matrix.configurations == ("power=1", "power=2")
    assert "recorded-again" in codes(matrix)
    assert not {*codes(matrix)} & {"tried-again", "candidates-missing"}


def test_rounding_makes_no_other_try(tmp_path):
    """The same on another machine: the last digits differ."""
    searched(tmp_path)
    for file in parts_of(tmp_path / "run"):
        tampered(file, predictions=lambda held: held["predictions"] + 1e-15)
    searched(tmp_path)
    assert read(tmp_path / "run").configurations == ("power=1", "power=2")


class Still(Chances):
    """Hardly moves from the mean: predicts almost the same of any features."""

    def predict_proba(self, X):
        moved = np.float32(0.5) + X[:, 0].astype(np.float32) * np.float32(1e-7)
        return np.stack([1 - moved, moved], axis=1)


@pytest.mark.parametrize(
    ("ranks", "names"), [([2, 1, 0, *range(3, 20)], ("one",)), (range(20)[::-1], ("one", "one #2"))]
)
def test_what_differs_in_a_rank_only_is_told_by_the_score(tmp_path, ranks, names):
    for order in (range(20), ranks):
        features = np.column_stack([np.tile(order, 3), np.arange(N)])
        rec = recorder(tmp_path, features)
        recordings.scored(rec, rec.configuration("one"), Still(), X=features, y=Y)
    assert read(tmp_path / "run").configurations == names


# The same features


@pytest.mark.parametrize(
    ("n_searches", "grid", "names"),
    [
        (3, GRID, ("power=1", "power=1 #2", "power=1 #3")),
        (1, [{"power": [1, 2]}, {"power": [2]}], ("power=1", "power=2", "power=2 #2")),
    ],
    ids=["searches", "twice in a grid"],
)
def test_a_model_without_a_seed_is_another_each_time(tmp_path, n_searches, grid, names):
    rec, model = recorder(tmp_path), Chances(seedless=True)
    found = [searched(tmp_path, grid=grid, model=model, rec=rec) for _ in range(n_searches)]
    matrix = read(tmp_path / "run")
    assert matrix.configurations[:3] == names
    np.testing.assert_allclose(figures(matrix), scores(*found), atol=1e-12)
    assert verify(matrix).n_checked == len(found) * len(found[0][0].cv_results_["params"])


def test_a_scorer_that_was_used_twice_leaves_a_try_out_and_says_so(tmp_path):
    """It may have seen a model that was fitted to the rows: it counts, and can't win."""
    scorer, model = recorder(tmp_path).scorer, Chances(seedless=True)
    splits = list(FOLDS.split(X, Y))
    for _ in range(2):
        cross_val_score(model, X, Y, cv=splits, scoring=scorer)
    matrix = read(tmp_path / "run")
    assert (matrix.configurations, tried(matrix)) == (("Chances",), 2)
    why = "scored again by the same scorer, with other predictions"
    assert matrix.source.run.left_out == (LeftOut("Chances #2", why),)
    assert "candidates-missing" in codes(matrix)


def test_a_test_set_that_is_scored_once_more_is_no_try(tmp_path):
    rec = recorder(tmp_path)
    found = GridSearchCV(Chances(), GRID, cv=rec.cv, scoring=rec.scorer).fit(X, Y)
    rows = rec.cv[1][1]
    found.best_estimator_.set_params(power=found.best_params_["power"])
    found.best_estimator_.draw_ = 7  # as if the fit to all rows were another model
    found.score(X[rows], Y[rows])
    rec.finish(found)
    matrix = read(rec.folder)
    assert (tried(matrix), matrix.source.run.left_out) == (2, ())
    assert verify(matrix).n_checked == 2


def test_another_study_by_the_same_names(tmp_path):
    """Trials are numbered from 0 again."""
    for powers in ((1, 2), (3, 2)):
        rec = recorder(tmp_path)
        for trial, power in enumerate(powers):
            name = f"trial {trial}"
            one = cross_validate(Chances(power), X, Y, cv=rec.cv, scoring=rec.configuration(name))
            if (trial, power) == (0, 3):
                with pytest.warns(UserWarning, match="other predictions: trial 0; every try"):
                    rec.finish(one, configuration=name)
            else:
                rec.finish(one, configuration=name)
    matrix = read(tmp_path / "run")
    assert matrix.configurations == ("trial 0", "trial 0 #2", "trial 1")
    about = matrix.source.run
    assert (about.again, about.tried_again) == (("trial 1",), ("trial 0 #2",))


def scored(rec, scorer, folds, X=X):
    """Fit and score in some folds, by hand."""
    recordings.scored(rec, scorer, Chances(), folds, X, Y)


def test_other_forms_of_the_same_predictions_are_one_try(tmp_path):
    """Recorded again with `response=`: the newer form counts."""
    for response in ("", "predict_proba"):
        rec = recorder(tmp_path, scoring="accuracy", response=response)
        searched(tmp_path, rec=rec)
    matrix = read(tmp_path / "run")
    assert (str(matrix.kind), matrix.configurations) == ("probability", ("power=1", "power=2"))


def test_a_loop_that_forgets_to_change_the_name_is_not_one_configuration(tmp_path):
    rec = recorder(tmp_path, scoring=None)
    for power in (1, 2, 3):
        for train, test in rec.cv:
            model = Chances(power).fit(X[train], Y[train])
            rec.write("model", test, model.predict_proba(X[test]), params={"power": power})
    matrix = read(rec.folder)
    assert matrix.configurations == ("model", "model #2", "model #3")
    assert tried(matrix) == 3


# Loops


def test_rows_that_overlap_are_compared_row_by_row(tmp_path):
    chances = RNG.random(N)
    rec = Recorder(tmp_path / "run", None, Y)
    rec.write("same", np.arange(40), chances[:40])
    rec.write("same", np.arange(59, 29, -1), chances[59:29:-1])
    rec.write("other", np.arange(40), chances[:40])
    rec.write("other", np.arange(30, 60), chances[30:] / 2)
    assert kept(rec.folder) == ("same", "other", "other #2")
    assert read(rec.folder).configurations == ("same",)
    again = Recorder(tmp_path / "again", None, Y)
    for rows in (np.arange(20), np.arange(20, N)):
        again.write("same", rows, chances[rows])
    Recorder(tmp_path / "again", None, Y).write("same", np.arange(59, 29, -1), chances[59:29:-1])
    assert kept(again.folder) == ("same",)


# What failed


def test_candidates_that_never_were_fitted_count_as_tried(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = searched(tmp_path, grid={"power": [1, 2], "fails": [None, -1000]})[1]
    assert (done.n_candidates, done.n_fits) == (4, 6)
    assert done.incomplete == ("fails=-1000 power=1", "fails=-1000 power=2")
    matrix = read(tmp_path / "run")
    assert matrix.configurations == ("power=1", "power=2")
    failed = tuple(LeftOut(name, "every fit failed") for name in done.incomplete)
    assert matrix.source.run.left_out == failed
    note = next(note for note in matrix.notes if note.code == "candidates-missing")
    assert note.text == "4 candidates were tried, but the file holds 2"
    assert (Run.of(matrix).n_models, Input.of(matrix).n_tried) == (4, 4)


def test_a_candidate_that_is_fitted_later_was_tried_once(tmp_path):
    rec = recorder(tmp_path)
    made = GridSearchCV(Chances(), GRID, cv=rec.cv, scoring=rec.scorer)
    failed = {f"split{split}_test_score": [np.nan] for split in range(3)}
    made.cv_results_ = failed | {"params": [{"power": 1}], "mean_test_score": [np.nan]}
    assert rec.finish(made).incomplete == ("power=1",)
    searched(tmp_path, rec=rec)
    assert tried(read(rec.folder)) == 2


def test_a_configuration_counts_from_its_name_on(tmp_path):
    """A trial that is pruned before its first score, or whose fit fails."""
    rec = recorder(tmp_path)
    rec.configuration("pruned")
    cross_val_score(Chances(), X, Y, cv=rec.cv, scoring=rec.configuration("one"))
    matrix = read(rec.folder)
    assert (matrix.configurations, tried(matrix)) == (("one",), 2)
    assert matrix.source.run.left_out == (LeftOut("pruned", "no predictions"),)


# Recorders and names


def test_a_recorder_and_its_scorers_can_be_sent_to_other_processes(tmp_path):
    rec = recorder(tmp_path)
    other, scorer = pickle.loads(pickle.dumps((rec, rec.scorer)))
    for train, test in rec.cv:
        fitted = Chances().fit(X[train], Y[train])
        scorer(fitted, X[test], Y[test])
        other.write("by hand", test, fitted.predict_proba(X[test]))
    assert read(rec.folder).configurations == ("by hand", "Chances")


# What belongs together


def scored_part(session, split, value, data=""):
    told = np.full(2, float(value))
    about = {"split": split, "score": value, "kind": PredictionKind.PROBABILITY}
    return Part(identity="one", session=session, predictions=told, data=data, **about)


A, B, C = (1, 2, 3), (1, 5, 6), (4, 5, 6)


@pytest.mark.parametrize(
    ("recorded", "listed", "tries"),
    [
        ([(1, A), (1, C)], (), [(True, A), (False, C)]),
        ([(1, A), (1, C)], [C], [(True, C), (False, A)]),
        ([(1, A), (1, C)], [C, A], [(True, C), (True, A)]),
        ([(1, A), (1, C)], [(4, 8, 9), (*C, 7)], [(True, C), (False, A)]),
        ([(1, A), (1, C)], [(np.nan, 5, 6)], [(True, C[1:]), (False, A)]),
        # another session: the same, a part, more, and others
        ([(1, A), (1, C), (2, C)], (), [(True, A), (False, C)]),
        ([(1, A), (1, C), (2, C[:2])], (), [(True, A), (False, C)]),
        ([(1, A), (1, C), (2, (*C, 7))], (), [(True, A), (False, C), (True, (*C, 7))]),
        ([(1, A, "x"), (2, A, "y")], (), [(True, A)]),
        ([(1, A, "x"), (2, A[:2], "y")], (), [(True, A)]),
        ([(1, A, "x"), (2, (*A, 7), "y")], (), [(True, (*A, 7))]),
        ([(1, A, "x"), (2, B, "x")], (), [(True, A), (True, B)]),
    ],
)
def test_which_parts_are_one_try(recorded, listed, tries):
    parts = [
        scored_part(session, split, value, *data)
        for session, values, *data in recorded
        for split, value in enumerate(values)
    ]
    found = tries_of(parts, listed)
    told = [(one.used, tuple(part.score for part in one.parts)) for one in found]
    assert told == tries


def test_digests_are_those_of_earlier_versions():
    """By them what is recorded now joins what was recorded before."""
    features, truth, halves = np.arange(8.0)[:, None], np.arange(8) % 2, np.split(np.arange(8), 2)
    assert identity_of("", "C", {"k": 1}) == "2122d1042d96f16f8abf0713"
    assert known_tests([tuple(halves)], features, truth).data == "259da4a0d787d6b6"
    assert in_json(np.arange(3)) == {"array": [3], "digest": "5fd01042dc0b72e7"}
    for cv, rows in ((4, [4, 7]), (KFold(4, shuffle=True, random_state=3), [3, 4])):
        folds = TryFolds(cv, features, truth, None, cv == 4, None)
        assert folds.of("a")[0][1].tolist() == rows
