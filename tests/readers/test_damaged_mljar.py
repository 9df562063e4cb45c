"""Folders of mljar that were copied in part, mixed with others, or edited by hand."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from bbccli.analysis.verification import verified
from bbccli.errors import InputError
from bbccli.readers import read
from bbccli.types import Task

N = 60
RNG = np.random.default_rng(11)
TWO = np.arange(N) % 2
THREE = np.arange(N) % 3
VALUES = RNG.normal(size=N).round(3)
FOLDS = np.arange(N) // 2 % 4
MODELS = ("1_Linear", "2_LightGBM")
TARGETS = {"binary": TWO, "multiclass": THREE, "regression": VALUES}


def table(path, columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = np.column_stack(list(columns.values())).tolist()
    path.write_text("\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)]))


def predicted(task, target, rng):
    """Columns of a model, as mljar writes them."""
    n = len(target)
    if task == "binary":
        return {"prediction": (0.2 + 0.3 * rng.random(n) + 0.3 * target).round(6)}
    if task == "regression":
        return {"prediction": (target + rng.normal(size=n)).round(6)}
    chances = rng.random((n, 3)) + np.eye(3)[target.astype(int)]
    chances = chances / chances.sum(axis=1, keepdims=True)
    return {f"prediction_{k}": chances[:, k] for k in range(3)}


def mljar(place, task="binary", target=None, *, metric="user_defined", n_rows=None, split=None):
    """Write the folder of a run of two models, cross-validated or of one held-out part."""
    target = TARGETS[task] if target is None else target
    n, folds = len(target), FOLDS[: len(target)] if len(target) <= N else np.arange(len(target)) % 4
    word = {"binary": "binary_classification", "multiclass": "multiclass_classification"}
    strategy = {"validation_type": "kfold", "k_folds": 4}
    if split is not None:
        strategy = {"validation_type": "split", "train_ratio": 0.75}
        place.mkdir(parents=True)
        np.save(place / "split_validation_indices.npy", split)
    about = {"ml_task": word.get(task, task), "eval_metric": metric, "saved": list(MODELS)}
    rng = np.random.default_rng(3)
    for name in MODELS:
        file = f"predictions_{'out_of_folds' if split is None else 'validation'}.csv"
        table(place / name / file, {"target": target} | predicted(task, target, rng))
        (place / name / "framework.json").write_text("{}")
    (place / "params.json").write_text(json.dumps(about | {"validation_strategy": strategy}))
    (place / "data_info.json").write_text(json.dumps({"rows": n if n_rows is None else n_rows}))
    (place / "folds").mkdir(exist_ok=True)
    for fold in range(4 if split is None else 0):
        for kind, rows in (("validation", folds == fold), ("train", folds != fold)):
            file = place / "folds" / f"fold_{fold}_{kind}_indices.npy"
            np.save(file, np.flatnonzero(rows))
    return place


@pytest.fixture
def run_of_two(tmp_path):
    return mljar(tmp_path / "run")


def wrong(place):
    with pytest.raises(InputError) as error:
        verified(read(place))
    assert error.value.hint
    return error.value


def edited(path, change):
    """Change what a JSON file holds."""
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))


def replaced(place, name, value):
    edited(place / "params.json", lambda about: about.update({name: value}))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_a_run_that_is_whole(tmp_path, task):
    matrix = read(mljar(tmp_path / "run", task))
    assert matrix.configurations == MODELS
    assert matrix.task is Task(task)
    np.testing.assert_array_equal(matrix.outcome.values, TARGETS[task])
    np.testing.assert_array_equal(matrix.folds[0], FOLDS)
    assert matrix.source.verification is None
    assert verified(matrix).source.verification.reason == (
        "bbc does not have the metric of the run"
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about.pop("saved"),
        lambda about: about.update(saved=None),
        lambda about: about.update(saved="1_Linear"),
        lambda about: about.update(ml_task="clustering"),
        lambda about: about.update(validation_strategy="auto"),
        lambda about: about["validation_strategy"].update(k_folds=float("inf")),
        lambda about: about["validation_strategy"].pop("validation_type"),
    ],
    ids=["no models", "null", "a text", "task", "no strategy", "infinite folds", "no type"],
)
def test_a_description_of_something_else(run_of_two, change):
    edited(run_of_two / "params.json", change)
    error = wrong(run_of_two)
    assert error.problem.endswith("is not the description of a finished mljar run")
    assert error.path == str(run_of_two / "params.json")
    assert "let the run finish" in error.hint


def test_a_run_that_was_stopped_before_its_first_model(run_of_two):
    replaced(run_of_two, "saved", [])
    error = wrong(run_of_two)
    assert "the run has saved no model" in error.problem
    assert (error.path, error.hint) == (str(run_of_two), "let it finish")


def test_a_model_that_is_listed_twice_counts_once(run_of_two):
    replaced(run_of_two, "saved", [*MODELS, MODELS[0]])
    assert read(run_of_two).configurations == MODELS


@pytest.mark.parametrize("rows", [None, "60", 0, -5, True])
def test_a_number_of_rows_that_is_none(run_of_two, rows):
    (run_of_two / "data_info.json").write_text(json.dumps({"rows": rows}))
    error = wrong(run_of_two)
    assert "does not say how many rows there are" in error.problem
    assert error.path == str(run_of_two / "data_info.json")


def test_data_info_of_another_run(run_of_two, run):
    """The rows beyond are no copies of rare classes: nothing is dropped in silence."""
    (run_of_two / "data_info.json").write_text('{"rows": 50}')
    error = wrong(run_of_two)
    assert "the predictions have 60 rows, data_info.json says that there are 50" in error.problem
    assert "mixes files" in error.hint
    status, out, err = run("correct", run_of_two)
    assert (status, out) == (2, "")
    assert "data_info.json says that there are 50" in err


def test_copies_of_a_regression_there_are_not(tmp_path):
    error = wrong(mljar(tmp_path / "run", "regression", n_rows=55))
    assert "the predictions have 60 rows" in error.problem


def test_copies_of_a_rare_class_are_dropped(tmp_path):
    target = np.concatenate([np.repeat([0, 1], [40, 6]), np.ones(14)]).astype(int)
    matrix = read(mljar(tmp_path / "run", target=target, n_rows=46))
    np.testing.assert_array_equal(matrix.outcome.values, target[:46])
    np.testing.assert_array_equal(matrix.folds[0], FOLDS[:46])
    reason = verified(matrix).source.verification.reason
    assert reason == "mljar scored 14 copies of rows of rare classes, which are dropped"


def test_of_a_split_copies_are_dropped_too(tmp_path):
    """Rows stand in the order of their positions; those past the data are copies."""
    target = np.array([0, 1] * 8 + [1] * 4)
    positions = np.r_[np.arange(0, 32, 2), [101, 100, 103, 102]]
    place = mljar(tmp_path / "run", target=target, n_rows=100, split=positions[::-1])
    matrix = read(place)
    np.testing.assert_array_equal(matrix.outcome.values, target[:16])
    assert matrix.n_folds == 1  # one part was held out
    kept = (place / "1_Linear" / "predictions_validation.csv").read_text().splitlines()[1:17]
    expected = [float(line.split(",")[1]) for line in kept]
    np.testing.assert_array_equal(matrix.predictions[0, :, 0], expected)


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        (np.arange(5), "has 5 positions, the predictions have 60 rows"),
        (np.arange(N) - 3, "is not a list of positions"),
        (np.arange(N) / 2, "is not a list of positions"),
        (np.zeros((N, 1), int), "is not a list of positions"),
        (np.array(["1"] * N), "is not a list of positions"),
    ],
    ids=["of another run", "negative", "fractions", "a matrix", "texts"],
)
def test_positions_of_a_split_that_are_none(tmp_path, positions, words):
    place = mljar(tmp_path / "run", split=positions)
    error = wrong(place)
    assert words in error.problem
    assert error.path == str(place / "split_validation_indices.npy")


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"PK\x03\x04", b"[0, 1]"])
def test_positions_that_are_cut_or_of_another_format(run_of_two, content):
    place = run_of_two / "folds" / "fold_2_validation_indices.npy"
    place.write_bytes(content)
    error = wrong(run_of_two)
    assert "is not an array of numbers" in error.problem
    assert error.path == str(place)
    assert "copy it again" in error.hint


def test_positions_that_were_not_copied(run_of_two):
    place = run_of_two / "folds" / "fold_3_validation_indices.npy"
    place.unlink()
    error = wrong(run_of_two)
    assert (error.path, "no such file" in error.problem) == (str(place), True)
    assert "copy the whole folder" in error.hint


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([2, 3, 10, 11, 4], "row 4 is in fold 1 and in fold 2"),
        ([2, 2, 3, 10, 11], "fold 1 holds row 2 twice"),
        ([2, 3, 99], "fold 1 holds row 99, but there are 60 rows"),
        ([2, 3], "row 10 is in no fold"),
    ],
    ids=["of two folds", "twice", "of another run", "missing"],
)
def test_folds_that_contradict_each_other(run_of_two, rows, words):
    np.save(run_of_two / "folds" / "fold_1_validation_indices.npy", rows)
    error = wrong(run_of_two)
    assert words in error.problem
    assert "mixes files of several runs" in error.hint


def test_training_rows_that_were_not_copied_are_not_needed(run_of_two):
    for file in run_of_two.glob("folds/*_train_*"):
        file.unlink()
    np.testing.assert_array_equal(read(run_of_two).folds[0], FOLDS)


OOF = "1_Linear/predictions_out_of_folds.csv"


def cells(place):
    return [line.split(",") for line in (place / OOF).read_text().splitlines()]


def written(place, rows):
    """Write the table again; cells with a comma are quoted."""
    with (place / OOF).open("w", newline="") as file:
        csv.writer(file).writerows(rows)


@pytest.mark.parametrize(
    ("change", "words", "where"),
    [
        (lambda rows: rows[5].__setitem__(1, "oops"), "is not a finite number", (4, "oops")),
        (lambda rows: rows[5].__setitem__(1, "0,5"), "is not a finite number", (4, "0,5")),
        (lambda rows: rows[5].__setitem__(1, "inf"), "is not a finite number", (4, float("inf"))),
        (lambda rows: rows[5].__setitem__(1, ""), "a number is missing", (4, None)),
        (lambda rows: rows[5].__setitem__(1, "nan"), "a number is missing", (4, None)),
        (lambda rows: [row.__setitem__(1, "") for row in rows[1:]], "is missing", (0, None)),
    ],
    ids=["text", "comma", "infinite", "empty", "nan", "all empty"],
)
def test_cells_that_are_no_numbers(run_of_two, change, words, where):
    rows = cells(run_of_two)
    change(rows)
    written(run_of_two, rows)
    error = wrong(run_of_two)
    assert words in error.problem
    assert error.path == str(run_of_two / OOF)
    assert (error.column, error.row, error.value) == ("prediction", *where)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[0].__setitem__(0, "goal"), "has no column target beside predictions"),
        (lambda rows: [row.pop() for row in rows], "has no column target beside predictions"),
        (lambda rows: rows.pop(), "has 60 rows, 1_Linear has 59"),
        (lambda rows: rows[0].append("prediction_2"), "the prediction columns prediction, predict"),
        (lambda rows: rows[0].__setitem__(1, "score"), "has the prediction columns none"),
    ],
    ids=["renamed", "no predictions", "cut", "two", "none"],
)
def test_predictions_of_another_form(run_of_two, change, words):
    rows = cells(run_of_two)
    change(rows)
    if len(rows[0]) == 3:
        rows[1:] = [[*row, "0.5"] for row in rows[1:]]
    written(run_of_two, rows)
    error = wrong(run_of_two)
    assert words in error.problem
    second = str(run_of_two / MODELS[1] / "predictions_out_of_folds.csv")
    assert error.path == (second if words.startswith("has 60 rows") else str(run_of_two / OOF))


def test_a_target_of_another_run(run_of_two):
    rows = cells(run_of_two)
    rows[8][0] = str(1 - int(float(rows[8][0])))
    written(run_of_two, rows)
    error = wrong(run_of_two)
    assert "target differs from that of 1_Linear" in error.problem
    assert (error.row, error.further) == (7, 0)


def test_targets_of_a_regression_are_no_classes(tmp_path):
    """`ml_task` of another run: values would be cut to whole numbers."""
    place = mljar(tmp_path / "run", "regression", target=TWO + 0.25 * (np.arange(N) == 7))
    replaced(place, "ml_task", "binary_classification")
    error = wrong(place)
    assert "1_Linear has a target that is no code of a class" in error.problem
    assert (error.row, error.value) == (7, 1.25)


@pytest.mark.parametrize("saved", [{"a": 1}, "abc", 5, [], [7], [{"categorical_y": "no"}], None])
def test_preprocessing_of_a_form_that_is_unknown_names_no_classes(run_of_two, saved):
    for name in MODELS:
        (run_of_two / name / "framework.json").write_text(json.dumps({"preprocessing": saved}))
    assert read(run_of_two).outcome.classes == ("0", "1")


@pytest.mark.parametrize("content", ["[]", None], ids=["a list", "gone"])
def test_a_model_without_a_description(run_of_two, content):
    for name in MODELS:
        (run_of_two / name / "framework.json").unlink()
        if content is not None:
            (run_of_two / name / "framework.json").write_text(content)
    assert read(run_of_two).outcome.classes == ("0", "1")


def test_names_of_classes(run_of_two):
    coded = {"preprocessing": [{"categorical_y": {"yes": 1, "no": 0}}]}
    (run_of_two / MODELS[1] / "framework.json").write_text(json.dumps(coded))
    matrix = read(run_of_two)
    assert matrix.outcome.classes == ("no", "yes")
    np.testing.assert_array_equal(matrix.outcome.values, TWO)


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ({"no": 0}, "codes the classes as 0; the targets are 0, 1"),
        ({"no": 1, "yes": 2}, "codes the classes as 1, 2; the targets are 0, 1"),
        ({"no": 0, "yes": 1, "maybe": 2}, "codes the classes as 0, 1, 2; the targets are 0, 1"),
        ({"no": "a", "yes": None}, "codes the classes as a, None; the targets are 0, 1"),
        ({"no": 0, "yes": 0}, "codes the classes as 0, 0; the targets are 0, 1"),
    ],
    ids=["too few", "shifted", "too many", "no numbers", "twice"],
)
def test_names_of_classes_of_another_run(run_of_two, codes, words):
    place = run_of_two / MODELS[0] / "framework.json"
    place.write_text(json.dumps({"preprocessing": [{"categorical_y": codes}]}))
    error = wrong(run_of_two)
    assert words in error.problem
    assert error.path == str(place)
    assert "mixes models of several runs" in error.hint


def test_columns_of_classes_of_another_run(tmp_path):
    place = mljar(tmp_path / "run", "multiclass")
    file = place / MODELS[1] / "predictions_out_of_folds.csv"
    file.write_text(file.read_text().replace("prediction_2", "prediction_3", 1))
    error = wrong(place)
    assert "prediction_0, prediction_1, prediction_3, which do not fit the classes" in error.problem
    assert error.path == str(file)


BOARD = "name,model_type,metric_type,metric_value\n1_Linear,Linear,logloss,{}\n2_LightGBM,L,l,{}\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "has no column name"),
        (BOARD.replace("name,", "Model,").format(1, 2), "has no column name"),
        (BOARD.replace("metric_value", "score").format(1, 2), "has no column metric_value"),
        (BOARD.replace(",", ";").format(1, 2), "has no column name"),
        (BOARD.split("1_Linear", maxsplit=1)[0], "does not list 1_Linear"),
        ("name,metric_value\n\udce9", "is not a table"),
    ],
    ids=["empty", "no names", "no scores", "semicolons", "header", "latin"],
)
def test_leaderboards_of_another_form(run_of_two, content, words):
    replaced(run_of_two, "eval_metric", "logloss")
    (run_of_two / "leaderboard.csv").write_bytes(content.encode("utf-8", "surrogateescape"))
    error = wrong(run_of_two)
    assert words in error.problem
    assert error.path == str(run_of_two / "leaderboard.csv")


@pytest.mark.parametrize("cell", ["", "?", "0;5"])
def test_scores_that_are_no_numbers(run_of_two, cell):
    replaced(run_of_two, "eval_metric", "logloss")
    (run_of_two / "leaderboard.csv").write_text(BOARD.format(0.5, cell))
    error = wrong(run_of_two)
    assert "has a score that is not a number" in error.problem
    assert (error.column, error.row, error.value) == ("metric_value", 1, cell)


def test_a_metric_that_bbc_does_not_have_leaves_the_leaderboard_unread(run_of_two):
    (run_of_two / "leaderboard.csv").write_text(BOARD.format("?", "?"))
    assert verified(read(run_of_two)).source.verification.n_checked == 0


@pytest.mark.parametrize("last", ["?", ""])
def test_logs_that_hold_no_score_say_nothing(run_of_two, last):
    replaced(run_of_two, "eval_metric", "logloss")
    for fold in range(4):
        log = run_of_two / MODELS[0] / f"learner_fold_{fold}_training.log"
        log.write_text(f"1,0.5,{last if fold == 2 else 0.5}\n")
    found = verified(read(run_of_two)).source.verification
    assert (found.n_checked, found.reason) == (0, "there is no leaderboard.csv")


def test_a_split_of_several_repeats_has_no_positions(tmp_path):
    place = mljar(tmp_path / "run", split=np.arange(5))
    edited(place / "params.json", lambda about: about["validation_strategy"].update(repeats=3))
    matrix = read(place)
    assert (matrix.n_samples, matrix.folds) == (N, None)


def test_a_model_whose_folder_is_gone(run_of_two):
    for file in (run_of_two / MODELS[1]).iterdir():
        file.unlink()
    Path(run_of_two / MODELS[1]).rmdir()
    error = wrong(run_of_two)
    assert error.path == str(run_of_two / MODELS[1] / "predictions_out_of_folds.csv")
    assert "copy the whole folder" in error.hint


def test_folds_that_no_run_can_have_are_not_counted_out(run_of_two):
    edited(
        run_of_two / "params.json",
        lambda about: about["validation_strategy"].update(k_folds=10**15),
    )
    assert wrong(run_of_two).path.endswith("fold_4_validation_indices.npy")
