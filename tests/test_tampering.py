"""Predictions, classes and labels that were mixed up are caught in every kind of run there is."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from day import swept
from documents import codes
from pyarrow import csv as arrow_csv
from sklearn.metrics import roc_auc_score

from bbccli.errors import InputError
from bbccli.reading import Roles, read
from bbccli.reading.runs import folder as folder_readers
from bbccli.stats.verification import verified

REAL = Path(__file__).parent / "data" / "runs"
FOLDERS = sorted(path.name for path in REAL.iterdir() if path.is_dir() and path.name[0] != "_")
WITHOUT_SCORES = {"autosklearn", "caret", "caret_kinds", "tabrepo"}
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
    reader = folder_readers.reader_of(folder)

    def load(path):
        found = reader.load(path)
        models = {name: np.asarray(one) for name, one in found.by_configuration.items()}
        names = {
            name: [f"{name}::{k}" for k in range(one.shape[1])] if one.ndim == 2 else [name]
            for name, one in models.items()
        }
        columns = {role: values_of(values) for role, values in found.roles.items()}
        for name, one in models.items():
            columns |= dict(zip(names[name], one.reshape(len(one), -1).T.copy(), strict=True))
        columns = change(columns)
        parts = {name: [columns[one] for one in own] for name, own in names.items()}
        return replace(
            found,
            roles={role: columns[role] for role in found.roles},
            by_configuration={
                name: np.column_stack(own) if models[name].ndim == 2 else own[0]
                for name, own in parts.items()
            },
        )

    monkeypatch.setattr(folder_readers, "reader_of", lambda path: replace(reader, load=load))


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


@pytest.mark.parametrize("name", SCORED)
def test_real_runs_are_verified(name):
    found = checked(REAL / name)
    assert found.n_checked == found.n_scores >= 3
    assert found.largest_difference < 1e-4 / 5
    assert {"autogluon", "autogluon_classes", "flaml", "h2o", "mljar", "optuna"} <= set(FOLDERS)


@pytest.mark.parametrize("change", [permuted, swept(swapped_rows), swept(swapped_classes)])
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
    table, wrong = REAL / name / "train.csv", None
    if table.is_file():
        header, *rows = list(csv.reader(io.StringIO(table.read_text())))
        at = header.index("target")
        for row, label in zip(rows, change([row[at] for row in rows]), strict=True):
            row[at] = label
        wrong = tmp_path / "train.csv"
        wrong.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")
    else:
        changed = lambda c: c | {"truth": np.array(change(c["truth"].tolist()))}  # noqa: E731
        tampered(monkeypatch, REAL / name, changed)
    if (name, change) == ("autogluon", flipped):  # as if the run had the other positive class
        matrix = verified(read(REAL / name, labels=wrong))
        assert "positive-by-scores" in codes(matrix)
        return
    with pytest.raises(InputError, match="on the leaderboard of"):
        checked(REAL / name, wrong)


@pytest.fixture
def copied(tmp_path):
    """Copy a real run into a folder of the test."""
    return lambda name: Path(shutil.copytree(REAL / name, tmp_path / name))


@pytest.fixture
def mljar(copied):
    return copied("mljar")


@pytest.fixture
def gluon(copied):
    return copied("autogluon")


def exchange(folder, first, second, n_rows):
    """Exchange some rows of two folds, and of what they train on."""
    places = [folder / "folds" / f"fold_{fold}_validation_indices.npy" for fold in (first, second)]
    one, two = (np.load(place) for place in places)
    one[:n_rows], two[:n_rows] = two[:n_rows].copy(), one[:n_rows].copy()
    for place, rows in zip(places, (one, two), strict=True):
        np.save(place, rows)


@pytest.mark.parametrize("n_rows", [1, swept(20), swept(100)])
def test_rows_that_two_folds_of_mljar_exchange(mljar, n_rows):
    exchange(mljar, 0, 3, n_rows)
    with pytest.raises(InputError, match=r"in fold [03] .* by the log of mljar") as error:
        checked(mljar)
    assert "--no-verify" in error.value.hint
    read(mljar)


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


def without_line(place, word):
    lines = [line for line in place.read_text().splitlines() if word not in line]
    place.write_text("\n".join(lines) + "\n")


def test_a_model_of_mljar_that_was_not_saved_or_is_not_on_the_leaderboard(mljar):
    place = mljar / "params.json"
    whole = place.read_text()
    about = json.loads(whole)
    about["saved"].remove("6_Xgboost")
    place.write_text(json.dumps(about))
    matrix = verified(read(mljar))
    assert matrix.n_configurations == 9
    left_out = {"name": "6_Xgboost", "reason": "on the leaderboard, but not saved"}
    assert left_out in matrix.source.metadata["run"]["left_out"]
    assert "candidates-missing" in codes(matrix)
    place.write_text(whole)
    without_line(mljar / "leaderboard.csv", "6_Xgboost")
    with pytest.raises(InputError, match="does not list 6_Xgboost") as error:
        read(mljar)
    assert error.value.path.endswith("leaderboard.csv")


def test_a_model_of_autogluon_that_is_gone(gluon):
    shutil.rmtree(gluon / "models" / "LightGBM_BAG_L1")
    roles = Roles(truth="target")
    matrix = verified(read(gluon, labels=gluon / "train.csv", roles=roles))
    assert (matrix.n_configurations, matrix.source.verification.n_checked) == (5, 5)
    assert "candidates-missing" in codes(matrix)


def test_a_model_of_autogluon_that_is_not_on_the_leaderboard(gluon):
    without_line(gluon / "leaderboard.csv", "LinearModel_BAG_L1")
    without_line(gluon / "leaderboard.csv", "LightGBM_BAG_L1")
    with pytest.raises(InputError, match="does not list LightGBM_BAG_L1, which has") as error:
        checked(gluon)
    assert error.value.further == 1
    (gluon / "leaderboard.csv").unlink()
    assert "predictor.leaderboard().to_csv" in checked(gluon).reason


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("old", "new", "n_changed", "words"),
    [
        ("roc_auc", "pac", -1, "does not have the metric pac"),
        ("roc_auc", "accuracy", 1, "holds several runs"),
        ("score_val", "score", -1, "has no column score_val"),
        ("0.9", "zero", -1, "is not a number"),
    ],
)
def test_leaderboards_of_autogluon_of_another_form(gluon, old, new, n_changed, words):
    place = gluon / "leaderboard.csv"
    place.write_text(place.read_text().replace(old, new, n_changed))
    try:
        assert words in checked(gluon).reason
    except InputError as error:
        assert words in error.problem
        assert (error.row, error.column) == ((0, "score_val") if new == "zero" else (None, None))


def mixed(rows):
    return rows[np.random.default_rng(0).permutation(len(rows))]


def other_classes(labels):
    """Two rows of different classes change places."""
    rows = np.arange(len(labels))
    pair = [int(np.flatnonzero(labels[:, 1] == name)[0]) for name in ("benign", "malignant")]
    rows[pair] = rows[pair[::-1]]
    return np.stack([labels[rows, 0], labels[:, 1]], axis=1)


@pytest.mark.parametrize(
    ("names", "change", "problem"),
    [
        (("benign", "malignant"), lambda two: two[:, ::-1], "the probabilities: 0% agree"),
        (("benign", "malignant"), mixed, "contradict the probabilities"),
        (("obs",), lambda one: np.where(one == "benign", "malignant", "benign"), "truth differs"),
        (("rowIndex", "obs"), other_classes, "truth differs"),
        # a label goes with its probabilities, and there is no score: nothing could tell
        (("pred", "benign", "malignant"), mixed, ""),
    ],
    ids=["classes", "probabilities", "labels", "row numbers", "whole rows"],
)
def test_one_table_of_caret(copied, names, change, problem):
    place = copied("caret")
    header, *rows = list(csv.reader(io.StringIO((place / "knn_pred.csv").read_text())))
    rows, at = np.array(rows), [header.index(name) for name in names]
    rows[:, at] = change(rows[:, at])
    text = "\n".join(",".join(row) for row in [header, *rows.tolist()]) + "\n"
    (place / "knn_pred.csv").write_text(text)
    if not problem:
        found = checked(place)
        assert (found.n_checked, found.reason) == (0, "the run reports no scores")
        return
    with pytest.raises(InputError, match=problem):
        read(place)


def test_thresholds_that_were_moved_contradict_nothing(tmp_path):
    columns = {"row_ids": range(40), "truth": ["a", "b"] * 20, "response": ["a"] * 5 + ["b"] * 35}
    columns |= {"prob.a": np.linspace(1, 0, 40), "prob.b": np.linspace(0, 1, 40)}
    table = pa.table({name: list(values) for name, values in columns.items()})
    for name in ("one", "two"):
        arrow_csv.write_csv(table, tmp_path / f"{name}.csv")
    assert read(tmp_path).n_configurations == 2


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", swept(b'pred,obs\n"a,b\n'), swept(b"")])
@pytest.mark.parametrize("name", ["aaa.csv", swept("knn_pred.csv"), "zzz.csv"])
def test_a_table_of_r_that_is_damaged_is_named(copied, name, content):
    damaged = copied("caret") / name
    damaged.write_bytes(content)
    with pytest.raises(InputError) as error:
        read(damaged.parent)
    assert error.value.path == str(damaged)


# Commands, and metadata by hand


@pytest.mark.sweep
@pytest.mark.parametrize("command", ["correct", "inspect", "convert", "drop", "batch"])
def test_every_command_checks_unless_asked_not_to(command, run, copied, tmp_path):
    place = copied("mljar")
    board = place / "leaderboard.csv"
    board.write_text(board.read_text().replace("0.112013", "0.113013"))
    more = {
        "correct": ["--n-resamples", "20"],
        "drop": ["--replay", "--n-resamples", "20"],
        "batch": ["-o", tmp_path / "all.csv", "--n-resamples", "20", "--jobs", "1"],
    }
    words = [command, place, *more.get(command, [])]
    status, out, err = run(*words)
    assert status == (5 if command == "batch" else 2)
    said = " ".join((out + err).split())
    assert "5_Linear has log-loss 0.112013 by its predictions, 0.113013 on the" in said
    assert run(*words, "--no-verify")[0] == 0


@pytest.mark.sweep
def test_the_first_lines_and_the_document(run):
    asked = ("correct", str(REAL / "mljar"), "--n-resamples", "20")
    assert "The Ensemble that mljar deploys, made of 10_LightGBM (57%)" in " ".join(
        run(*asked)[1].split()
    )
    _, out, _ = run(*asked, "--select", "best")
    said = " ".join(out.split())
    assert (
        "mljar run, 5 folds, 10 of 11 models (Ensemble left out), metric log-loss (the run's "
        "own), selection pooled leaderboard: 10 of 10 scores recomputed, largest difference 9e-08"
    ) in said
    argv = (*asked, "--select", "best", "--format", "json")
    read_ = json.loads(run(*argv)[1])["input"]
    assert read_["run"] == {
        "tool": "mljar",
        "n_models": 11,
        "left_out": [{"name": "Ensemble", "reason": "ensemble"}],
        "metric": "log-loss",
        "metric_name": None,
        "evaluation": None,
    }
    assert read_["verification"]["n_checked"] == 10
    again = json.loads(run(*argv, "--include", "ensembles", "--metric", "auc")[1])
    assert again["input"]["n_configurations"] == 11
    assert again["estimates"][0]["metric"] == "auc"


def test_converting_keeps_all(run, tmp_path):
    place = str(tmp_path / "p.parquet")
    _, _, err = run("convert", str(REAL / "mljar"), "-o", place)
    assert "11 of 11 scores recomputed" in err
    matrix = verified(read(place))
    assert (matrix.n_configurations, matrix.source.verification.n_checked) == (10, 10)
    assert read(place, include=["all"]).n_configurations == 11


def described(tmp_path, header, width, **about):
    """A small table, with metadata beside it."""
    cells = [f"{'xy'[i % 2]},{i % 2},{i / 20},{i % 3 / 3}".split(",")[:width] for i in range(20)]
    (tmp_path / "p.csv").write_text("\n".join([header, *map(",".join, cells)]) + "\n")
    said = {"spec": "bbc-predictions", "version": "1"} | about
    (tmp_path / "p.meta.json").write_text(json.dumps(said))
    return tmp_path / "p.csv"


@pytest.mark.parametrize(
    ("flag", "word"),
    [
        ("ensemble", "ensembles"),
        swept("stacked", "stacked"),
        swept("calibrated_on_fold", "calibrated"),
        swept("low_fidelity", "low-fidelity"),
        swept("dummy", "dummies"),
    ],
)
def test_flags_leave_out(tmp_path, flag, word):
    flagged = {"id": "a", "flags": [flag]}
    path = described(tmp_path, "truth,fold,a,b", 4, configs=[flagged, {"id": "b"}])
    matrix = read(path)
    assert matrix.configurations == ("b",)
    note = next(one for one in matrix.notes if one.code == "flagged-left-out")
    assert (note.remedy, "a (" in note.text) == (f"--include {word}", True)
    assert read(path, include=[word]).configurations == ("a", "b")
    described(tmp_path, "truth,fold,a,b", 4, configs=[flagged, flagged | {"id": "b"}])
    with pytest.raises(InputError, match="all 2 configurations are left out"):
        read(path)


@pytest.mark.parametrize(
    "run_", ["x", swept(5), swept({"tool": 1}), swept({"tool": "x", "leaderboard": [1, {}]})]
)
def test_metadata_by_hand_do_no_harm(tmp_path, run_):
    path = described(tmp_path, "truth,fold,a", 3, run=run_)
    found = verified(read(path)).source.verification
    assert found is None or found.n_checked == 0


def test_means_over_repeats_have_no_folds(tmp_path):
    averaged = {"id": "a", "flags": ["averaged_over_repeats"]}
    matrix = read(described(tmp_path, "truth,fold,a", 3, configs=[averaged]))
    assert matrix.folds is None
    assert "averaged-repeats" in codes(matrix)


@pytest.mark.sweep
def test_the_commands_of_the_page_run(run, monkeypatch):
    page = (Path(__file__).parents[1] / "docs" / "automl.md").read_text()
    commands = re.findall(r"^bbc (correct .+)$", page, re.MULTILINE)
    commands.remove("correct AutoML_1")  # as a run of mljar is called; its own is above
    assert len(commands) == 7
    monkeypatch.chdir(REAL)
    for line in commands:
        status, out, _ = run(*shlex.split(line), "--n-resamples", "20")
        assert (status, "corrected for choosing" in out) == (0, True)


def test_swapped_classes_are_told_of_a_model_that_was_scored_without_the_weights(tmp_path):
    rng = np.random.default_rng(0)
    truth, scores = rng.integers(0, 2, 60), rng.random((2, 60))
    scores[1] += 0.4 * truth
    columns = (truth, np.arange(60) % 3, rng.integers(1, 9, 60), *scores.round(3))
    rows = "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))
    (tmp_path / "p.csv").write_text("y_true,fold,weight,a,b\n" + rows)
    swapped = {"value": 1 - roc_auc_score(truth, columns[-1]), "tolerance": 1e-6}
    board = [{"id": "b", "metric": "auc", "selection": "pooled"} | swapped]
    run = {"tool": "mljar", "weighted": True, "scored_alike": ["b"], "leaderboard": board}
    about = {"spec": "bbc-predictions", "version": 1, "run": run}
    (tmp_path / "p.meta.json").write_text(json.dumps(about))
    with pytest.raises(InputError) as error:
        verified(read(tmp_path / "p.csv", positive=1))
    assert "the classes are swapped" in error.value.hint
    matrix = verified(read(tmp_path / "p.csv"))
    assert matrix.outcome.classes == ("1", "0")
    assert "positive-by-scores" in codes(matrix)
