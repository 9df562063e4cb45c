"""Folders of mljar that were copied in part, mixed with others, or edited by hand."""

import csv
import json
import shutil
from functools import partial

import numpy as np
import pytest
from day import swept
from reading import checked, fault

from bbccli.reading import read
from bbccli.stats.verification import verified
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
def place(tmp_path):
    return mljar(tmp_path / "run")


wrong = partial(fault, by=checked)


# What damages a folder


def params(**values):
    return edited("params.json", lambda about: about.update(values))


def without(name):
    return edited("params.json", lambda about: about.pop(name))


def strategy(**values):
    return edited("params.json", lambda about: about["validation_strategy"].update(values))


def edited(file, change):
    """Change what a JSON file holds."""

    def edit(place):
        found = json.loads((place / file).read_text())
        change(found)
        (place / file).write_text(json.dumps(found))

    return edit


def holds(file, content):
    """Write text, bytes, an array or JSON."""

    def write(place):
        if isinstance(content, np.ndarray):
            np.save(place / file, content)
        elif isinstance(content, bytes):
            (place / file).write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            (place / file).write_text(text)

    return write


def gone(file):
    def remove(place):
        shutil.rmtree(place / file) if (place / file).is_dir() else (place / file).unlink()

    return remove


def rows(change):
    """Change the rows of the predictions of the first model; cells with a comma are quoted."""

    def edit(place):
        found = list(csv.reader((place / OOF).read_text().splitlines()))
        change(found)
        with (place / OOF).open("w", newline="") as file:
            csv.writer(file).writerows(found)

    return edit


def cell(row, column, value):
    return rows(lambda found: found[row].__setitem__(column, value))


def coded(codes, model="1_Linear"):
    return holds(f"{model}/framework.json", {"preprocessing": [{"categorical_y": codes}]})


def board(content):
    def write(place):
        params(eval_metric="logloss")(place)
        (place / "leaderboard.csv").write_bytes(content.encode("utf-8", "surrogateescape"))

    return write


OOF = "1_Linear/predictions_out_of_folds.csv"
OTHER = "2_LightGBM/predictions_out_of_folds.csv"
FRAMEWORK = "1_Linear/framework.json"
FOLD = "folds/fold_{}_validation_indices.npy"
BOARD = "name,model_type,metric_type,metric_value\n1_Linear,Linear,logloss,{}\n2_LightGBM,L,l,{}\n"
UNFINISHED = "is not the description of a finished mljar run"
NO_ROWS = "lacks the number of rows"
NO_TARGET = "has no column target beside predictions"
NO_NUMBER = "has a score that is not a number"
MODELS_MIXED = "mixes models of several runs"
FOLDS_MIXED = "mixes files of several runs"
AGAIN = "copy it again"
DAMAGE = {
    "no models": (without("saved"), UNFINISHED, "params.json", "let the run finish"),
    "null": (params(saved=None), UNFINISHED, "params.json"),
    "a text": (params(saved="1_Linear"), UNFINISHED, "params.json"),
    "another task": (params(ml_task="clustering"), UNFINISHED, "params.json"),
    "no strategy": (params(validation_strategy="auto"), UNFINISHED, "params.json"),
    "infinite folds": (strategy(k_folds=float("inf")), UNFINISHED, "params.json"),
    "no type": (params(validation_strategy={"k_folds": 4}), UNFINISHED, "params.json"),
    "too many folds": (strategy(k_folds=10**15), "no such file", FOLD.format(4)),
    "stopped": (params(saved=[]), "the run has not saved any model", "", "let it finish"),
    **{
        f"{rows!r} rows": (holds("data_info.json", {"rows": rows}), NO_ROWS, "data_info.json")
        for rows in (None, "60", 0, -5, True)
    },
    "cut positions": (holds(FOLD.format(2), b""), "not an array of numbers", FOLD.format(2), AGAIN),
    **{
        f"positions {data}": (holds(FOLD.format(2), data), "not an array", FOLD.format(2))
        for data in (b"\x93NUMPY", b"PK\x03\x04", b"[0, 1]")
    },
    "no fold": (gone(FOLD.format(3)), "no such file", FOLD.format(3), "copy the whole folder"),
    **{
        words: (holds(FOLD.format(1), np.array(rows)), words, "folds", FOLDS_MIXED)
        for rows, words in (
            ([2, 3, 10, 11, 4], "row 4 is in fold 1 and in fold 2"),
            ([2, 2, 3, 10, 11], "fold 1 holds row 2 twice"),
            ([2, 3, 60], "fold 1 holds row 60, but there are 60 rows"),
            ([2, 3], "row 10 is in no fold"),
        )
    },
    "target renamed": (cell(0, 0, "goal"), NO_TARGET, OOF),
    "no predictions": (rows(lambda found: [row.pop() for row in found]), NO_TARGET, OOF),
    "a row less": (rows(lambda found: found.pop()), "has 60 rows, 1_Linear has 59", OTHER),
    "two predictions": (
        rows(lambda found: [r.append("0.5" if i else "prediction_2") for i, r in enumerate(found)]),
        "the prediction columns prediction, predict",
        OOF,
    ),
    "renamed predictions": (cell(0, 1, "score"), "has the prediction columns none", OOF),
    "no folder": (gone("2_LightGBM"), "no such file", OTHER, "copy the whole folder"),
    **{
        f"codes {codes}": (
            coded(codes),
            f"codes the classes as {words}, but the",
            FRAMEWORK,
            MODELS_MIXED,
        )
        for codes, words in (
            ({"no": 0}, "0"),
            ({"no": 1, "yes": 2}, "1, 2"),
            ({"no": 0, "yes": 1, "maybe": 2}, "0, 1, 2"),
            ({"no": "a", "yes": None}, "a, None"),
            ({"no": 0, "yes": 0}, "0, 0"),
        )
    },
    **{
        f"board {words}": (board(content), words, "leaderboard.csv")
        for content, words in (
            ("", "has no column name"),
            (BOARD.replace("name,", "Model,"), "no column name"),
            (BOARD.replace(",", ";"), "column name"),
            (BOARD.replace("metric_value", "score"), "has no column metric_value"),
            (BOARD.split("1_Linear", maxsplit=1)[0], "does not list 1_Linear"),
            ("name,metric_value\n\udce9", "is not a table"),
        )
    },
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damage(place, case):
    change, words, file, *hint = DAMAGE[case]
    change(place)
    wrong(words, place, place / file, hint="".join(hint))


CELLS = {
    "text": (cell(5, 1, "oops"), "is not a finite number", ("prediction", 4, "oops")),
    "comma": (cell(5, 1, "0,5"), "is not a finite number", ("prediction", 4, "0,5")),
    "infinite": (cell(5, 1, "inf"), "is not a finite number", ("prediction", 4, float("inf"))),
    "empty": (cell(5, 1, ""), "a number is missing", ("prediction", 4, None)),
    "nan": (cell(5, 1, "nan"), "a number is missing", ("prediction", 4, None)),
    "all empty": (
        rows(lambda found: [row.__setitem__(1, "") for row in found[1:]]),
        "is missing",
        ("prediction", 0, None),
    ),
    "target": (cell(8, 0, "0"), "target differs from that of 1_Linear", ("target", 7, 1)),
    **{
        f"score {text!r}": (board(BOARD.format(0.5, text)), NO_NUMBER, ("metric_value", 1, text))
        for text in ("", "?", "0;5")
    },
    "nameless rows": (
        board(BOARD.format(0.5, "?").replace("\n1_L", "\n,,,\n\n1_L")),
        NO_NUMBER,
        ("metric_value", 2, "?"),
    ),
}


@pytest.mark.parametrize("case", CELLS)
def test_a_cell_that_is_wrong(place, case):
    change, words, where = CELLS[case]
    change(place)
    error = wrong(words, place)
    assert (error.column, error.row, error.value) == where


def of_own_folds(place, *tests, n_rows=100):
    """Write a run on folds of the user's own, a test set each, of a larger table."""
    rows = np.unique(np.concatenate(tests))
    strategy = {"validation_type": "custom", "cv_path": "cv.data"}
    place = mljar(place, target=(rows % 2).astype(int), n_rows=n_rows, split=rows)
    edited("params.json", lambda about: about.update(validation_strategy=strategy))(place)
    for fold, test in enumerate(tests):
        np.save(place / "folds" / f"fold_{fold}_validation_indices.npy", test)
        np.save(place / "folds" / f"fold_{fold}_train_indices.npy", np.arange(test.min()))
    return place


def test_folds_of_the_users_own(tmp_path):
    """As of a time series: in any order, and not of all rows; fold 10 comes after fold 2."""
    tests = [np.arange(4 * n, 4 * n + 4)[::-1] for n in range(3, 14)]
    matrix = read(of_own_folds(tmp_path / "run", *tests))
    assert matrix.sample_keys.values.tolist() == [*range(12, 56)]
    assert matrix.folds[0].tolist() == [n // 4 for n in range(44)]


def test_folds_of_the_users_own_that_overlap(tmp_path):
    """As of a repeated cross-validation: predictions are means, and no fold is known."""
    halves = np.arange(40, 60), np.arange(60, 80)
    place = of_own_folds(tmp_path / "run", *halves, np.arange(40, 80, 2), np.arange(41, 80, 2))
    matrix = read(place)
    assert matrix.sample_keys.values.tolist() == [*range(40, 80)]
    assert matrix.folds is None
    flags = [about["flags"] for about in matrix.source.metadata["configs"]]
    assert all("averaged_over_repeats" in some for some in flags)


def test_rows_of_repeated_splits(tmp_path):
    """They are those of any split, not the first of the table."""
    place = mljar(tmp_path / "run", n_rows=100, split=np.arange(40, 80))
    strategy(repeats=2)(place)
    (place / "split_validation_indices.npy").unlink()
    for repeat, rows in enumerate((np.arange(20, 60), np.arange(40, 80))):
        np.save(place / f"split_repeat_{repeat}_validation_indices.npy", rows)
    assert read(place).sample_keys.values.tolist() == [*range(20, 80)]


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        (np.arange(5), "5 rows were validated, but 60 predicted"),
        swept(np.arange(N) - 3, "is not a list of positions"),
        swept(np.arange(N) / 2, "is not a list of positions"),
        swept(np.zeros((N, 1), int), "is not a list of positions"),
        swept(np.array(["1"] * N), "is not a list of positions"),
    ],
    ids=["of another run", "negative", "fractions", "a matrix", "texts"],
)
def test_positions_of_a_split_that_are_none(tmp_path, positions, words):
    place = mljar(tmp_path / "run", split=positions)
    wrong(words, place, place if "validated" in words else place / "split_validation_indices.npy")


def test_columns_of_classes_of_another_run(tmp_path):
    place = mljar(tmp_path / "run", "multiclass")
    (place / OTHER).write_text(
        (place / OTHER).read_text().replace("prediction_2", "prediction_3", 1)
    )
    words = "prediction_0, prediction_1, prediction_3, which do not fit the classes"
    wrong(words, place, place / OTHER)


def test_classes_with_blanks_at_their_ends(tmp_path):
    """The names of columns are read without them."""
    place = mljar(tmp_path / "run", "multiclass")
    for name in MODELS:
        coded({" - ": 0, "b": 1, "c": 2}, name)(place)
        file = place / name / "predictions_out_of_folds.csv"
        header, _, rows = file.read_text().partition("\n")
        file.write_text(
            f"{header.replace('_0', '_ - ').replace('_1', '_b').replace('_2', '_c')}\n{rows}"
        )
    assert read(place).outcome.classes == (" - ", "b", "c")


def test_targets_of_a_regression_are_no_classes(tmp_path):
    """`ml_task` of another run: values would be cut to whole numbers."""
    place = mljar(tmp_path / "run", "regression", target=TWO + 0.25 * (np.arange(N) == 7))
    params(ml_task="binary_classification")(place)
    error = wrong("1_Linear has a target that is not the code of a class", place)
    assert (error.row, error.value) == (7, 1.25)


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


# Folders that are read


def test_what_is_not_needed(place):
    """A model listed twice counts once; rows for training; scores by no metric of bbc."""
    params(saved=[*MODELS, MODELS[0]])(place)
    for file in place.glob("folds/*_train_*"):
        file.unlink()
    (place / "leaderboard.csv").write_text(BOARD.format("?", "?"))
    matrix = verified(read(place))
    assert matrix.configurations == MODELS
    np.testing.assert_array_equal(matrix.folds[0], FOLDS)
    assert matrix.source.verification.n_checked == 0


@pytest.mark.parametrize(
    "saved",
    [
        {"a": 1},
        swept("abc"),
        swept(5),
        swept([]),
        swept([7]),
        swept([{"categorical_y": "no"}]),
        swept(None),
        "a list",
        swept("no file"),
    ],
)
def test_descriptions_of_models_name_classes_or_none(place, saved):
    for file in (f"{name}/framework.json" for name in MODELS):
        holds(file, [] if saved == "a list" else {"preprocessing": saved})(place)
        if saved == "no file":
            gone(file)(place)
    assert read(place).outcome.classes == ("0", "1")
    if saved != "no file":
        coded({"yes": 1, "no": 0}, MODELS[1])(place)
        matrix = read(place)
        assert matrix.outcome.classes == ("no", "yes")
        np.testing.assert_array_equal(matrix.outcome.values, TWO)


def test_rows_beyond_the_data_are_copies_of_rare_classes_alone(place, tmp_path):
    """Nothing else is dropped in silence."""
    holds("data_info.json", {"rows": 50})(place)
    words = "the predictions have 60 rows, but data_info.json says there are 50"
    wrong(words, place, hint="mixes files")
    wrong("the predictions have 60 rows", mljar(tmp_path / "values", "regression", n_rows=55))


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
    strategy(repeats=3)(place)
    assert read(place).folds is None


@pytest.mark.parametrize("last", ["?", ""])
def test_logs_that_hold_no_score_say_nothing(place, last):
    params(eval_metric="logloss")(place)
    for fold in range(4):
        log = place / MODELS[0] / f"learner_fold_{fold}_training.log"
        log.write_text(f"1,0.5,{last if fold == 2 else 0.5}\n")
    found = verified(read(place)).source.verification
    assert (found.n_checked, found.reason) == (0, "there is no leaderboard.csv")
