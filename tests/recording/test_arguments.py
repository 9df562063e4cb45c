"""What loops and searches hand to a recorder: kept whole, or refused before anything is written."""

import datetime
import decimal
import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import sklearn
from day import swept
from recordings import about, parts_of
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import KFold, cross_validate

from bbccli.errors import InputError, OptionError
from bbccli.reading import read
from bbccli.recording import Recorder
from bbccli.recording.inputs import codes_of_labels, design_of
from bbccli.types import PredictionKind, Task

N = 40
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
Y = np.arange(N) % 2
P = 0.1 + 0.3 * RNG.random(N) + 0.5 * Y
FOLDS = np.arange(N) // 2 % 5
VALUES = RNG.normal(size=N)
WORDS = np.array(["no", "yes"])[Y]


def objects(*values):
    return np.array(values, object)


def refused(call, *args, **how):
    with pytest.raises(OptionError) as error:
        call(*args, **how)
    assert error.value.hint
    return error.value.problem


def recorder(place, y=Y, **how):
    return Recorder(place / "run", how.pop("X", X), y, **how)


def looped(rec, kind=int, names=("one", "two")):
    for power, name in enumerate(names, start=1):
        for fold in np.unique(FOLDS):
            rec.write(name, fold == FOLDS, P[fold == FOLDS] ** power, fold=kind(fold))
    return read(rec.folder)


# Folds and repeats


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8])
def test_whole_numbers_of_numpy_are_folds(tmp_path, kind):
    """`for fold in np.unique(folds)`: nothing of it may be lost."""
    matrix = looped(recorder(tmp_path), kind)
    np.testing.assert_array_equal(matrix.folds[0], FOLDS)
    np.testing.assert_array_equal(matrix.predictions[0], np.stack([P, P**2], axis=1))
    assert matrix.source.metadata["run"]["left_out"] == []


@pytest.mark.parametrize(
    "fold", [0.0, swept(1.5), swept("1"), swept(-1), swept(np.float64(2)), swept([0])]
)
def test_what_is_no_fold(tmp_path, fold):
    rec = recorder(tmp_path)
    for name in ("fold", "repeat"):
        problem = refused(rec.write, "one", np.arange(N), P, **{name: fold})
        assert problem == f"{name} is {fold!r}"
    assert refused(rec.write_all, "one", P, repeat=fold) == f"repeat is {fold!r}"
    split = recorder(tmp_path / "split", cv=KFold(4))
    assert refused(split.write_all, "one", P, repeat=1) == "there is no repeat 1"
    assert list((rec.folder / "parts").iterdir()) == []


def test_repeats_of_numpy_each_with_its_folds(tmp_path):
    rec, folds = recorder(tmp_path), np.stack([FOLDS, np.arange(N) % 5])
    for repeat in np.arange(2):
        for fold in range(5):
            at = folds[repeat] == fold
            rec.write("one", at, P[at] ** (repeat + 1), fold=fold, repeat=repeat)
    matrix = read(rec.folder)
    np.testing.assert_array_equal(matrix.predictions[:, :, 0], [P, P**2])
    np.testing.assert_array_equal(matrix.folds, folds)


def test_what_was_only_tried_has_no_fold_to_contradict(tmp_path):
    """`rec.tried(name)` before the loop over folds leaves the folds as they are said."""
    rec = recorder(tmp_path)
    for name in ("one", "two", "three"):
        rec.tried(name)
    matrix = looped(rec)
    np.testing.assert_array_equal(matrix.folds[0], FOLDS)
    assert matrix.source.metadata["n_candidates_total"] == 3


def test_folds_that_differ_between_configurations_are_none_in_common(tmp_path):
    rec = recorder(tmp_path)
    for name, folds in (("one", FOLDS), ("two", np.arange(N) % 4)):
        for fold in np.unique(folds):
            rec.write(name, folds == fold, P[folds == fold], fold=fold)
    assert read(rec.folder).folds is None


# What is given to a recorder


@pytest.mark.parametrize(
    ("y", "how", "words"),
    [
        (None, {}, "y is not a single column"),
        swept(3, {}, "y is not a single column"),
        ([[1], [1, 2]], {"X": None}, "y has lists of different lengths"),
        swept(WORDS, {"task": "regression"}, "y of a regression must be a list of numbers"),
        (Y, {"task": "survival"}, "no task 'survival' can be recorded"),
        swept(Y, {"response": "proba", "cv": 4, "scoring": "accuracy"}, "response is 'proba'"),
        swept(np.zeros(N), {}, "one class only"),
        (np.array([np.nan, *VALUES[1:]]), {}, "y has missing values"),
        swept(np.column_stack([Y, Y]), {}, "y is not a single column"),
        (objects("a", 1, "a"), {"X": None}, "y mixes texts and numbers"),
        swept(objects([1, 2], [3], 4), {"X": None}, "y mixes texts and numbers"),
        (objects("a", None, "b"), {"X": None}, "y has missing values"),
        swept(Y[:30], {}, "X and y have different lengths"),
        (Y, {"scoring": "no such"}, "no scorer 'no such'"),
        swept(Y, {"cv": [(np.arange(30), np.arange(29, N))]}, "tests on training rows"),
        (Y, {"cv": [(np.arange(30), [70])]}, "not a list of rows"),
        swept(Y, {"sample_weight": np.zeros(N)}, "negative or infinite numbers, or zeros alone"),
        (Y, {"groups": [1]}, "groups have shape"),
        swept(Y, {"X": 3}, "X and y have different lengths"),
        (Y, {"X": None, "cv": 4, "scoring": "accuracy"}, "without X, test sets"),
        swept(Y, {"sample_weight": ["heavy"] * N}, "sample_weight must be a list of numbers"),
        (Y, {"groups": [None, *range(N - 1)]}, "groups have missing values"),
        swept(Y, {"groups": [[1], [1, 2]] * 20}, "groups has lists of different lengths"),
        (Y, {"cv": []}, "cv has no splits"),
        swept(Y, {"cv": 1}, "cv gives no splits: k-fold"),
        (Y, {"cv": N + 1}, "cv gives no splits: Cannot have number of splits"),
        swept(Y, {"cv": True}, "cv gives no splits: 'bool'"),
        (Y, {"cv": [(np.arange(5),)]}, "cv gives no splits: not enough values"),
        swept(
            Y, {"cv": [(~np.eye(N, 1, dtype=bool), np.eye(N, 1, dtype=bool))]}, "not a list of rows"
        ),
    ],
)
def test_what_a_recorder_refuses_before_it_makes_a_folder(tmp_path, y, how, words):
    assert words in refused(recorder, tmp_path, y, **how)
    assert not (tmp_path / "run").exists()


def test_masks_are_splits_and_without_any_there_is_no_scorer(tmp_path):
    given = [(fold != FOLDS, fold == FOLDS) for fold in range(5)]
    for split, (train, test) in enumerate(recorder(tmp_path / "masks", cv=given).cv):
        np.testing.assert_array_equal(train, np.flatnonzero(split != FOLDS))
        np.testing.assert_array_equal(test, np.flatnonzero(split == FOLDS))
    rec = recorder(tmp_path)
    for call in (lambda: rec.cv, lambda: rec.scorer, lambda: rec.configuration("one")):
        assert refused(call) == "the recorder has no folds"


@pytest.mark.parametrize(
    ("y", "scoring", "task"),
    [
        (Y, "", Task.BINARY),
        (3.0 * Y, "", Task.BINARY),
        (Y, "r2", Task.REGRESSION),
        (Y + 0.5, "", Task.BINARY),
        (Y + Y.cumsum() / 64, "", Task.REGRESSION),
        (np.arange(N) % 20, "", Task.MULTICLASS),
        (np.arange(N) % 21, "", None),
        (1 + np.arange(N) % 3, "", None),
        (1 + np.arange(N) % 3, "accuracy", Task.MULTICLASS),
        (1.0 * (np.arange(N) % 3), "", None),
        (np.arange(N) % 30 * 1.0, "", None),
        (np.arange(N) % 31 * 1.0, "", Task.REGRESSION),
        (np.arange(N) % 31 * 1.0, "accuracy", Task.MULTICLASS),
    ],
)
def test_numbers_are_classes_or_values(y, scoring, task):
    if task is None:
        assert "classes or values" in refused(design_of, y, None, scoring)
    else:
        assert design_of(y, None, scoring).task is task


def test_codes_of_very_many_classes():
    labels = np.arange(2**15)
    assert codes_of_labels(np.array([-1, 2**15 - 1]), labels, strict=False).max() == 2**15
    assert codes_of_labels(np.array([5]), labels[1:]).dtype == np.int16


@pytest.mark.parametrize(
    ("y", "task", "values", "names"),
    [
        (objects("no", "yes", "no"), Task.BINARY, [0, 1, 0], ("no", "yes")),
        (objects(True, False, True), Task.BINARY, [1, 0, 1], ("False", "True")),
        (objects(0.5, 2.0, 1.25), Task.REGRESSION, [0.5, 2.0, 1.25], ()),
        (objects("a", "c", "b"), Task.MULTICLASS, [0, 2, 1], ("a", "b", "c")),
        (np.array([[1.0], [0.0]]), Task.BINARY, [1, 0], ("0", "1")),
    ],
)
def test_objects_are_what_they_hold(tmp_path, y, task, values, names):
    again = np.append(np.arange(len(y)), np.zeros(4 - len(y), int))  # an object twice
    rec = recorder(tmp_path, y[again], X=None)
    rec.write("one", np.arange(4), y[again])
    matrix = read(rec.folder)
    assert (matrix.task, matrix.outcome.classes) == (task, names)
    assert matrix.outcome.values.tolist() == np.asarray(values)[again].tolist()


@pytest.mark.parametrize("groups", [objects("b", 1, "b", 2.5), np.array([7, 1, 7, 2])])
def test_groups_are_told_apart_whatever_they_are(tmp_path, groups):
    rec = recorder(tmp_path, [0, 1, 0, 1], X=None, groups=groups)
    rec.write("one", np.arange(4), [0.1, 0.2, 0.3, 0.4])
    codes = read(rec.folder).groups
    assert (codes[:, None] == codes).tolist() == (groups[:, None] == groups).tolist()


# What a loop writes


@pytest.mark.parametrize(
    ("y", "predictions", "words"),
    [
        (Y, [[0.1, 0.9], [0.2]] * 20, "predictions has lists of different lengths"),
        swept(Y, [None, *P[1:]], "predictions are neither all numbers nor all labels"),
        (Y, [datetime.date(2020, 1, 1)] * N, "neither all numbers nor all labels"),
        swept(Y, np.arange(N).astype("M8[D]"), "predicts datetime64[D]; the classes are int64"),
        (Y, np.full((N, 2), "yes"), "several columns that are not numbers"),
        swept(Y, 0.5, "predictions have shape () for 40 rows"),
        (Y, P[:-1], "predictions have shape (39,) for 40 rows"),
        swept(Y, np.array([np.nan, *P[1:]]), "predictions are not finite"),
        (Y, np.ma.masked_less(P, 0.5), "predictions: some values are masked"),
        swept(Y, WORDS, "predicts texts; the classes are numbers"),
        (Y, np.where(np.arange(N) == 3, 7, np.where(np.arange(N) == 5, 9, Y)), "predicts 7, which"),
        swept(Y, np.full((N, 3), 1 / 3), "predictions have 3 columns for 2 classes"),
        (WORDS, Y, "predicts 0, which is not one of the classes"),
        swept(
            WORDS, np.where(Y, "maybe", "no"), "predicts 'maybe', which is not one of the classes"
        ),
        (VALUES, np.ones((N, 2)), "a regression needs one number per row"),
        swept(VALUES, [decimal.Decimal("1.5")] * N, "neither all numbers nor all labels"),
    ],
)
def test_predictions_that_are_none(tmp_path, y, predictions, words):
    rec = recorder(tmp_path, y)
    assert words in refused(rec.write, "one", np.arange(N), predictions)
    assert list((rec.folder / "parts").iterdir()) == []


THREE = np.arange(N) % 3
THIRDS = np.full((N, 3), 1 / 3)
THREES = np.stack([P / 2, 1 - P, P / 2], axis=1) * [0.5, 1, 1.5]
SHIFTED = THIRDS + np.array([1.0, -1.0, 0.0])
UNIT = np.linspace(0.0, 1.0, N)
PROBABILITY, SCORE = PredictionKind.PROBABILITY, PredictionKind.SCORE


@pytest.mark.parametrize(
    ("y", "given", "kind", "kept"),
    [
        (Y, UNIT, PROBABILITY, UNIT),
        swept(Y, 1.01 * UNIT, SCORE, 1.01 * UNIT),
        (Y, UNIT - 0.01, SCORE, UNIT - 0.01),
        swept(THREE, THIRDS, PROBABILITY, THIRDS),
        (THREE, THIRDS / 2, SCORE, THIRDS / 2),
        swept(THREE, SHIFTED, SCORE, SHIFTED),
        (Y, P[:, None], PROBABILITY, P),
        swept(Y, P.astype(object), PROBABILITY, P),
        (Y, np.stack([1 - P, P], axis=1).astype(object), PROBABILITY, P),
        swept(Y, np.stack([1 - Y, Y], axis=1)[:, ::-1], PredictionKind.LABEL, 1 - Y),
        (WORDS, pd.DataFrame({"yes": P, "no": 1 - P}), PROBABILITY, P),
        swept(WORDS, pd.DataFrame({"a": 1 - P, "b": P}), PROBABILITY, P),
        (Y.astype(float), pd.DataFrame({1: P, 0: 1 - P}), PROBABILITY, P),
        swept(THREE, pd.DataFrame(THREES[:, ::-1], columns=[2, 1, 0]), PROBABILITY, THREES),
        (Y, P * 9 - 4, SCORE, P * 9 - 4),
        swept(WORDS, list(WORDS[::-1]), PredictionKind.LABEL, Y[::-1]),
        (Y, P > 0.5, PredictionKind.LABEL, P > 0.5),
        swept(VALUES, list(VALUES + 1), PredictionKind.VALUE, VALUES + 1),
        (VALUES, VALUES[:, None], PredictionKind.VALUE, VALUES),
    ],
)
def test_predictions_in_other_forms(tmp_path, y, given, kind, kept):
    rec = recorder(tmp_path, y, task="multiclass" if y is THREE else None)
    rec.write("one", np.ones(N, bool), given, flags=None)
    matrix = read(rec.folder)
    assert matrix.kind is kind
    np.testing.assert_array_equal(matrix.predictions[0, :, 0], kept)


@pytest.mark.parametrize(
    ("name", "rows", "how", "words"),
    [
        (" ", np.arange(N), {}, "a configuration has no name"),
        swept("one", [[0], [1, 2]], {}, "rows has lists of different lengths"),
        swept("one", np.arange(N) // 2, {}, "rows contain a sample twice"),
        swept("one", np.arange(N) + 1, {}, "rows must be positions"),
        swept("one", np.arange(N) - 1, {}, "rows must be positions"),
        swept("one", np.arange(N), {"params": [("C", 1)]}, "params must be a dict"),
    ],
)
def test_other_arguments_that_are_none(tmp_path, name, rows, how, words):
    assert words in refused(recorder(tmp_path).write, name, rows, P, **how)


# Names of all kinds

NAMES = (
    *("truth", "Weight", "repeat", "fold", "row_id", "Unnamed: 0"),
    *("a::0", "a::1", "xgb_prob_0", "xgb_prob_1", "../a", "/etc/passwd"),
)


@pytest.mark.parametrize("y", [Y, THREE], ids=["binary", "three"])
def test_no_name_of_a_configuration_is_a_role_or_a_class(tmp_path, run, y):
    """Its predictions are not taken for the truth, the folds or the class of another."""
    rec = recorder(tmp_path, y, task="binary" if y is Y else "multiclass")
    shown = np.stack([P ** (1 + i) for i in range(len(NAMES))], axis=1)
    if y is THREE:
        shown = np.stack([shown / 2, 1 - shown, shown / 2], axis=2)
    for column, name in enumerate(NAMES):
        for fold in range(5):
            at = fold == FOLDS
            flags = ["oob"] if name == "a::0" else ()
            rec.write(name, at, shown[at, column], fold=fold, flags=flags)
    matrix = read(rec.folder)
    assert matrix.configurations == NAMES
    np.testing.assert_array_equal(matrix.outcome.values, y)
    np.testing.assert_array_equal(matrix.folds[0], FOLDS)
    np.testing.assert_array_equal(matrix.predictions[0], shown)
    assert matrix.outcome.weights is None
    assert matrix.source.configurations["a::0"]["flags"] == ["oob"]
    run.printed("convert", rec.folder, "--layout", "long", "-o", tmp_path / "long.parquet")
    again = read(tmp_path / "long.parquet")
    np.testing.assert_array_equal(again.predictions, matrix.predictions)


# Parameters


@dataclass
class Kernel:
    """What has words of its own."""

    width: float


def test_parameters_of_all_kinds_tell_configurations_apart(tmp_path):
    def weighted(power, values):
        return values**power

    rec = recorder(tmp_path)
    given = [
        {"weights": {"a": 1, 2: [0.5, None]}},
        {"weights": {"a": 1, 2: [0.25, None]}},
        {"weights": functools.partial(weighted, 2)},
        {"weights": functools.partial(weighted, 3)},
        {"weights": Kernel(0.5)},
        {"weights": np.random.default_rng(0)},
        {"weights": object()},
    ]
    for params in given:
        rec.write("one", np.arange(N), P, params=params)
        rec.write("one", np.arange(N), P, params=params)
    assert len(list((rec.folder / "parts").iterdir())) == 2 * len(given)
    assert read(rec.folder).n_configurations == len(given)
    forms = [about(file)["params"]["weights"] for file in parts_of(rec.folder)[::2]]
    assert forms[0] == {"a": 1, "2": [0.5, None]}
    assert forms[4:] == [
        "Kernel(width=0.5)",
        {"class": "numpy.random._generator.Generator"},
        "builtins.object",
    ]


@pytest.mark.parametrize(
    ("given", "n"),
    [
        ([0.1, np.float64(0.1)], 1),
        ([3, np.int64(3)], 1),
        ([True, np.True_], 1),
        ([[1], (1,)], 1),
        ([np.arange(3), np.arange(4), np.arange(3) + 1, Ridge(), Ridge(2.0)], 5),
        ([np.nan, np.inf, None, "a"], 4),
    ],
)
def test_equal_parameters_have_one_form_and_others_others(tmp_path, given, n):
    rec = recorder(tmp_path)
    for value in given:
        rec.write("one", np.arange(N), P, params={"value": value})
    assert read(rec.folder).n_configurations == n


def test_what_the_metric_requests_is_requested(tmp_path):
    with sklearn.config_context(enable_metadata_routing=True):
        metric = make_scorer(accuracy_score).set_score_request(sample_weight="importance")
        rec = recorder(tmp_path, cv=3, scoring=metric)
        asked = rec.scorer.get_metadata_routing().score.requests
    assert asked == {"sample_weight": "importance", "row_id": True}


# Searches


def test_cross_validate_with_another_metric_than_is_said(tmp_path):
    rec = recorder(tmp_path, cv=KFold(4), scoring="roc_auc")
    model, how = LogisticRegression(), {"configuration": "one"}
    results = cross_validate(model, X, Y, cv=rec.cv, scoring={"auc": rec.configuration("one")})
    for given, hint in (
        (results, "give metric= one of: auc"),
        (model, "give those of cross_validate"),
    ):
        with pytest.raises(OptionError) as error:
            rec.finish(given, **how)
        assert error.value.hint == hint
    assert rec.finish(results, metric="auc", **how).n_fits == 4


def test_pandas_objects_in_another_order_than_y_are_refused(tmp_path):
    y = pd.Series(Y, index=np.arange(N)[::-1])
    for name in ("groups", "sample_weight"):
        with pytest.raises(InputError, match=f"y and {name} have indexes in another order"):
            recorder(tmp_path / name, y, **{name: pd.Series(1 + np.arange(N))})
    rec, test = recorder(tmp_path / "run", y), np.arange(0, N, 2)
    kept = pd.Series(P, index=y.index)
    rec.write("one", test, kept.iloc[test])
    rec.write("one", np.arange(1, N, 2), kept.iloc[1::2].reset_index(drop=True))
    np.testing.assert_array_equal(read(rec.folder).predictions[0, :, 0], P)
    with pytest.raises(InputError, match="in another order") as caught:
        rec.write("two", test, kept.iloc[test].sort_index())
    assert "predictions.loc[y.iloc[rows].index]" in caught.value.hint
    with pytest.raises(InputError, match="y and predictions have indexes in another order"):
        rec.write_all("two", kept.sort_index())
