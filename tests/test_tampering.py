"""Predictions, classes and labels that were mixed up are caught in every kind of run there is."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bbccli.analysis.verification import verified
from bbccli.errors import InputError
from bbccli.readers import Roles, read
from bbccli.readers.runs import folder as folder_readers
from bbccli.readers.runs.autogluon import Board, check_listed
from bbccli.readers.runs.base import RunTable

REAL = Path(__file__).parent / "data" / "runs"
FOLDERS = sorted(
    path.name for path in REAL.iterdir() if path.is_dir() and path.name != "__pycache__"
)
WITHOUT_SCORES = {"autosklearn", "caret", "tabrepo"}
"""Without scores, or without the name of their metric. The tests at the end tell what is caught in
exports of R all the same."""
SCORED = [name for name in FOLDERS if name not in WITHOUT_SCORES]
ROLES = ("row_id", "repeat", "fold", "truth", "group", "weight")


def checked(folder, labels=None):
    labels = labels or folder / "train.csv"
    how = {"labels": labels, "roles": Roles(truth="target")} if labels.is_file() else {}
    return verified(read(folder, **how)).source.verification


def tampered(monkeypatch, folder, change):
    """Have the folder read as if its columns had been changed before they were written."""
    reader = folder_readers._reader_of(folder)

    def load(path):
        found = reader.load(path)
        assert isinstance(found, RunTable)
        columns = {name: values_of(values) for name, values in found.columns.items()}
        return replace(found, columns=change(columns))

    monkeypatch.setattr(folder_readers, "_reader_of", lambda path: replace(reader, load=load))


def values_of(column):
    return np.asarray(column.to_pylist() if hasattr(column, "to_pylist") else column).copy()


def first_model(columns):
    """Columns of the first model whose predictions vary much: one, or one of each class."""
    names = [name for name in columns if name not in ROLES]
    for name in names:
        model = name.partition("::")[0]
        own = [one for one in names if one.partition("::")[0] == model]
        if len(np.unique(columns[own[0]][:50])) > 20 and "Ensemble" not in model:
            return own
    raise AssertionError(names)


def permuted(columns):
    names, order = first_model(columns), np.random.default_rng(0)
    rows = order.permutation(len(columns[names[0]]))
    return columns | {name: columns[name][rows] for name in names}


def swapped_rows(columns):
    """Two rows alone, the highest and the lowest prediction, of different outcome."""
    names = first_model(columns)
    values = columns[names[0]].astype(float)
    pair = [int(np.nanargmin(values)), int(np.nanargmax(values))]
    for name in names:
        columns[name][pair] = columns[name][pair[::-1]]
    return columns


def swapped_classes(columns):
    names = first_model(columns)
    if len(names) == 1:
        values = columns[names[0]]
        inside = np.nanmin(values) >= 0 and np.nanmax(values) <= 1
        return columns | {names[0]: 1 - values if inside else -values}
    return columns | {names[0]: columns[names[1]], names[1]: columns[names[0]]}


def test_there_is_a_run_of_every_tool_that_was_tried():
    assert {"autogluon", "autogluon_classes", "flaml", "h2o", "mljar", "optuna"} <= set(FOLDERS)


@pytest.mark.parametrize("name", SCORED)
def test_real_runs_are_verified(name):
    found = checked(REAL / name)
    assert found.n_checked == found.n_scores >= 3
    assert found.largest_difference < 1e-4 / 5


@pytest.mark.one_in(5)
@pytest.mark.parametrize("change", [permuted, swapped_rows, swapped_classes])
@pytest.mark.parametrize("name", SCORED)
def test_one_model(name, change, monkeypatch):
    tampered(monkeypatch, REAL / name, change)
    with pytest.raises(InputError, match=r"by its predictions, .* on the leaderboard of"):
        checked(REAL / name)


def flipped(labels):
    """Each class becomes the next one."""
    names = sorted(set(labels))
    return [names[(names.index(one) + 1) % len(names)] for one in labels]


@pytest.mark.parametrize("change", [flipped, lambda labels: labels[1:] + labels[:1]])
@pytest.mark.parametrize("name", SCORED)
def test_labels(name, change, monkeypatch, tmp_path):
    table = REAL / name / "train.csv"
    if table.is_file():
        header, *rows = list(csv.reader(io.StringIO(table.read_text())))
        at = header.index("target")
        for row, label in zip(rows, change([row[at] for row in rows]), strict=True):
            row[at] = label
        wrong = tmp_path / "train.csv"
        wrong.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")
        with pytest.raises(InputError, match="on the leaderboard of"):
            checked(REAL / name, wrong)
        return
    truth = "truth"
    tampered(monkeypatch, REAL / name, lambda c: c | {truth: np.array(change(c[truth].tolist()))})
    with pytest.raises(InputError, match="on the leaderboard of"):
        checked(REAL / name)


@pytest.fixture
def mljar(tmp_path):
    return Path(shutil.copytree(REAL / "mljar", tmp_path / "mljar"))


def exchange(folder, first, second, n_rows):
    """Exchange some rows of two folds, and of what they train on."""
    places = [folder / "folds" / f"fold_{fold}_validation_indices.npy" for fold in (first, second)]
    one, two = (np.load(place) for place in places)
    one[:n_rows], two[:n_rows] = two[:n_rows].copy(), one[:n_rows].copy()
    for place, rows in zip(places, (one, two), strict=True):
        np.save(place, rows)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("n_rows", [1, 20, 100])
def test_rows_that_two_folds_of_mljar_exchange(mljar, n_rows):
    exchange(mljar, 0, 3, n_rows)
    with pytest.raises(InputError, match=r"in fold [03] .* by the log of mljar") as error:
        checked(mljar)
    assert "--no-verify" in error.value.hint
    read(mljar)


def test_folds_of_mljar_that_are_all_others(mljar):
    rows = np.random.default_rng(1).permutation(569)
    for fold, part in enumerate(np.array_split(rows, 5)):
        np.save(mljar / "folds" / f"fold_{fold}_validation_indices.npy", np.sort(part))
    with pytest.raises(InputError, match="by the log of mljar"):
        checked(mljar)


def test_a_log_of_another_kind_says_nothing(mljar):
    for place in (mljar / "5_Linear").glob("*_training.log"):
        place.write_text("1,0.1,0.2\n")
    assert checked(mljar).n_checked == 10
    for place in mljar.glob("*/*_training.log"):
        place.write_text("1,0.1,0.2\n2,0.1,0.15\n")
    assert checked(mljar).n_checked == 10


def test_folds_of_mljar_that_train_on_what_they_validate(mljar):
    for place in mljar.glob("*/*_training.log"):
        place.unlink()
    for fold in range(5):
        rows = np.load(mljar / "folds" / f"fold_{fold}_validation_indices.npy")
        trained = np.setdiff1d(np.arange(569), rows)
        np.save(mljar / "folds" / f"fold_{fold}_train_indices.npy", trained)
    assert checked(mljar).n_checked == 10
    exchange(mljar, 1, 2, 1)
    with pytest.raises(InputError, match="trains on other rows") as error:
        read(mljar)
    assert "fold_1_train_indices" in error.value.path


def test_a_model_of_mljar_that_was_not_saved(mljar):
    place = mljar / "params.json"
    about = json.loads(place.read_text())
    about["saved"].remove("6_Xgboost")
    place.write_text(json.dumps(about))
    matrix = verified(read(mljar))
    assert matrix.n_configurations == 9
    assert {"name": "6_Xgboost", "reason": "on the leaderboard, and not saved"} in (
        matrix.source.metadata["run"]["left_out"]
    )
    assert "candidates-missing" in [note.code for note in matrix.notes]


def test_a_model_of_mljar_that_is_not_on_the_leaderboard(mljar):
    place = mljar / "leaderboard.csv"
    lines = [line for line in place.read_text().splitlines() if not line.startswith("6_Xgboost")]
    place.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="does not list 6_Xgboost") as error:
        read(mljar)
    assert error.value.path.endswith("leaderboard.csv")


@pytest.fixture
def gluon(tmp_path):
    return Path(shutil.copytree(REAL / "autogluon", tmp_path / "autogluon"))


def test_a_model_of_autogluon_that_is_gone(gluon):
    shutil.rmtree(gluon / "models" / "LightGBM_BAG_L1")
    roles = Roles(truth="target")
    matrix = verified(read(gluon, labels=gluon / "train.csv", roles=roles))
    assert (matrix.n_configurations, matrix.source.verification.n_checked) == (5, 5)
    assert "candidates-missing" in [note.code for note in matrix.notes]


def test_a_model_of_autogluon_that_is_not_on_the_leaderboard(gluon):
    place = gluon / "leaderboard.csv"
    lines = [line for line in place.read_text().splitlines() if "LightGBM_BAG_L1" not in line]
    place.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="does not list LightGBM_BAG_L1"):
        checked(gluon)
    place.unlink()
    assert "predictor.leaderboard().to_csv" in checked(gluon).reason


def test_the_first_model_that_is_not_on_the_leaderboard_is_named(gluon):
    board = Board({"b": 0.5}, "accuracy")
    check_listed(gluon, None, ["a", "c"])
    check_listed(gluon, board, ["b"])
    with pytest.raises(InputError, match="does not list a, which has predictions") as error:
        check_listed(gluon, board, ["b", "a", "c", "d"])
    assert error.value.further == 2


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("roc_auc", "pac", "does not have the metric pac"),
        ("score_val", "score", "has no columns model"),
        ("0.9", "zero", "is not a number"),
    ],
)
def test_leaderboards_of_autogluon_of_another_form(gluon, old, new, words):
    place = gluon / "leaderboard.csv"
    place.write_text(place.read_text().replace(old, new))
    try:
        assert words in checked(gluon).reason
    except InputError as error:
        assert words in error.problem
        assert (error.row, error.column) == ((0, "score_val") if new == "zero" else (None, None))


def test_two_metrics_on_a_leaderboard_of_autogluon(gluon):
    place = gluon / "leaderboard.csv"
    place.write_text(place.read_text().replace("roc_auc", "accuracy", 1))
    with pytest.raises(InputError, match="holds several runs"):
        checked(gluon)


def changed_caret(tmp_path, change):
    place = Path(shutil.copytree(REAL / "caret", tmp_path / "caret"))
    header, *rows = list(csv.reader(io.StringIO((place / "knn_pred.csv").read_text())))
    rows = np.array(rows)
    change(header, rows)
    text = "\n".join(",".join(row) for row in [header, *rows.tolist()]) + "\n"
    (place / "knn_pred.csv").write_text(text)
    return place


def columns_of(header, *names):
    return [header.index(name) for name in names]


def test_classes_of_caret(tmp_path):
    def swap(header, rows):
        two = columns_of(header, "benign", "malignant")
        rows[:, two] = rows[:, two[::-1]]

    with pytest.raises(InputError, match="contradict the probabilities: 0% agree"):
        read(changed_caret(tmp_path, swap))


def test_probabilities_of_caret_in_other_rows(tmp_path):
    def mix(header, rows):
        two = columns_of(header, "benign", "malignant")
        rows[:, two] = rows[np.random.default_rng(0).permutation(len(rows))][:, two]

    with pytest.raises(InputError, match="contradict the probabilities"):
        read(changed_caret(tmp_path, mix))


def test_labels_of_caret_in_one_of_its_tables(tmp_path):
    def flip(header, rows):
        at = header.index("obs")
        rows[:, at] = np.where(rows[:, at] == "benign", "malignant", "benign")

    with pytest.raises(InputError, match="truth differs"):
        read(changed_caret(tmp_path, flip))


def test_whole_rows_of_caret_can_not_be_told_and_that_is_said(tmp_path):
    """A label goes with its probabilities, and there is no score: nothing could tell."""

    def mix(header, rows):
        at = columns_of(header, "pred", "benign", "malignant")
        rows[:, at] = rows[np.random.default_rng(0).permutation(len(rows))][:, at]

    found = checked(changed_caret(tmp_path, mix))
    assert (found.n_checked, found.reason) == (0, "the run reports no scores")


def test_thresholds_that_were_moved_contradict_nothing(tmp_path):
    table = pa.table(
        {
            "row_ids": list(range(40)),
            "truth": ["a", "b"] * 20,
            "response": ["a"] * 5 + ["b"] * 35,
            "prob.a": np.linspace(1, 0, 40),
            "prob.b": np.linspace(0, 1, 40),
        }
    )
    from pyarrow import csv as arrow_csv

    for name in ("one", "two"):
        arrow_csv.write_csv(table, tmp_path / f"{name}.csv")
    assert read(tmp_path).n_configurations == 2


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b'pred,obs\n"a,b\n', b""])
@pytest.mark.parametrize("name", ["aaa.csv", "knn_pred.csv", "zzz.csv"])
def test_a_table_of_r_that_is_damaged_is_named(tmp_path, name, content):
    place = Path(shutil.copytree(REAL / "caret", tmp_path / "caret"))
    (place / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read(place)
    assert error.value.path == str(place / name)


def test_a_folder_of_damaged_tables(tmp_path):
    (tmp_path / "knn_pred.csv").write_bytes(b"\x00\xff\xfe")
    with pytest.raises(InputError, match=r"holds no run that is known; .*knn_pred.csv: "):
        read(tmp_path)
