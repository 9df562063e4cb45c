"""Folders of tools are read by any command, and refused where no tool is known to leave such."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from day import swept
from documents import codes
from reading import checked, fault
from runs import autogluon, oof

from bbccli.errors import InputError
from bbccli.metrics import METRICS
from bbccli.platform import resources
from bbccli.reading import Roles, hash_of, read, sources
from bbccli.reading.runs.folder import RUNS
from bbccli.types import PredictionKind
from bbccli.use_cases.inspection import inspect

REAL = Path(__file__).parents[1] / "data" / "runs"
LOGS = REAL.parent / "evaluations"
RNG = np.random.default_rng(5)


def tool_of(matrix):
    return matrix.source.metadata["run"]["tool"]


def test_every_tool_is_tried_and_told():
    names = [run.name for run in RUNS]
    assert len(set(names)) == len(names)
    assert set(names) >= {"mljar", "TabRepo", "H2O", "AutoGluon", "auto-sklearn"}
    assert names[0] == "recorder"  # no other tool writes its file
    assert {*names[-4:]} == {"caret", "mlr3", "OpenML", "tidymodels"}  # their tables are read


def test_a_folder_that_nobody_recognises(tmp_path):
    error = fault("is a folder that bbc does not recognise", tmp_path)
    for run in RUNS:
        assert f"{run.name}: {run.signature.replace(chr(96), '')}" in error.hint
    assert inspect(tmp_path).n_errors == 1
    for name in ("a.csv", "b.csv", "c.tsv", "README.md"):
        (tmp_path / name).write_text("truth,a\n0,0.5\n")
    hint = fault("is a folder that bbc does not recognise", tmp_path).hint
    assert hint.startswith(f"use bbc batch '{tmp_path}/*.csv' if each file is an experiment")


def test_a_folder_of_texts_that_may_be_logs(tmp_path):
    """Frameworks are told, unless a table or an array beside them may be of a tool."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results_a.json").write_text('{"results": {}}')
    (tmp_path / "run" / "README.md").write_text("made by hand")
    hint = fault("is a folder that bbc does not recognise", tmp_path).hint
    assert "lm-eval: samples_*.jsonl" in hint
    assert "mljar" not in hint
    (tmp_path / "run" / "oof.npy").write_bytes(b"")
    hint = fault("is a folder that bbc does not recognise", tmp_path).hint
    assert "mljar" in hint
    assert "lm-eval" not in hint


def test_a_folder_of_runs(tmp_path):
    """Its runs are named: one for bbc correct, all for bbc batch."""
    (tmp_path / "notes").mkdir()
    for name in ("run 1", "run 2"):
        shutil.copytree(REAL / "mljar", tmp_path / name)
        hint = fault("is a folder that bbc does not recognise", tmp_path).hint
        assert hint.startswith(f"give the run in it, '{tmp_path}/run 1'")
        assert ("bbc batch" in hint) == (name == "run 2")
    assert f"bbc batch '{tmp_path}/*' for all; or give a file in it" in hint


@pytest.mark.parametrize(
    ("name", "tool", "sizes"),
    [
        ("mljar", "mljar", (569, 5, 1, 10)),
        ("mljar_repeats", "mljar", (569, None, 1, 3)),  # means over repeats: no fold is known
        ("caret", "caret", (569, None, 2, 6)),
        ("autosklearn", "auto-sklearn", (150, None, 1, 9)),
    ],
)
def test_a_real_run(name, tool, sizes):
    matrix = read(REAL / name)
    found = (matrix.n_samples, matrix.n_folds, matrix.n_repeats, matrix.n_configurations)
    assert (tool_of(matrix), found) == (tool, sizes)
    assert matrix.source.sha256 == hash_of(REAL / name)
    assert "candidates-missing" not in codes(matrix)
    left_out = matrix.source.metadata["run"]["left_out"]
    reason = {"name": "lm_regression_pred.csv", "reason": "another outcome"}
    assert (reason in left_out) == (name == "caret")


@pytest.mark.parametrize(
    "source",
    [
        REAL / "caret",
        REAL / "h2o",
        LOGS / "junit",
        LOGS / "lm_eval" / "named",
        LOGS / "inspect_ai" / "logs",
    ],
    ids=lambda source: source.name,
)
def test_hidden_files_beside_are_no_part_of_a_run(tmp_path, source):
    """As a Mac leaves them beside each file in an archive, or on another disk."""
    place = shutil.copytree(source, tmp_path / source.name)
    given = {
        "h2o": {"roles": Roles(truth="target"), "labels": place / "train.csv"},
        "named": {"roles": Roles(prediction="acc")},
    }.get(source.name, {})
    before = read(place, **given).source
    for path in [path for path in place.rglob("*") if path.is_file()]:
        path.with_name(f"._{path.name}").write_bytes(b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X")
    after = read(place, **given).source
    assert (after.sha256, after.metadata) == (before.sha256, before.metadata)


def test_the_hash_is_of_all_that_was_read(copied):
    place = copied("mljar")
    for name in ("leaderboard.csv", "5_Linear/predictions_out_of_folds.csv", "data_info.json"):
        before = hash_of(place)
        (place / name).write_bytes((place / name).read_bytes() + b"\n")
        assert hash_of(place) != before
    before = hash_of(place)
    (place / "notes.txt").write_text("x")
    assert hash_of(place) == before


def test_names_of_columns_are_known_in_any_case(tmp_path):
    for one in ("knn", "rpart"):
        header, rows = (REAL.parent / f"caret_{one}.csv").read_text().split("\n", 1)
        header = header.replace("obs", "Obs").replace("rowIndex", "ROWINDEX")
        (tmp_path / f"{one}.csv").write_text(f"{header}\n{rows}")
    assert tool_of(read(tmp_path)) == "caret"
    expected = read([tmp_path / f"{one}.csv" for one in ("knn", "rpart")])
    np.testing.assert_array_equal(read(tmp_path).predictions, expected.predictions)


def test_each_table_is_parsed_once(tmp_path, monkeypatch):
    seen = []
    real = sources.read_table
    monkeypatch.setattr(sources, "read_table", lambda *given: seen.append(given[0]) or real(*given))
    for one in ("knn", "rpart", "other"):
        text = (REAL.parent / "caret_knn.csv").read_text()
        (tmp_path / f"{one}.csv").write_text(text + "\n" * len(one))  # equal files are refused
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    read(tmp_path)
    assert sorted(seen) == sorted(tmp_path.iterdir())


def test_h2o_needs_labels():
    hint = "--labels train.csv --truth COLUMN"
    fault("H2O exports hold no labels", REAL / "h2o", hint=hint)


def test_h2o_takes_labels_by_position(tmp_path):
    labels = REAL / "h2o" / "train.csv"
    matrix = read(REAL / "h2o", labels=labels, roles=Roles(truth="target"))
    assert (matrix.n_samples, matrix.n_folds, matrix.kind) == (569, 5, PredictionKind.PROBABILITY)
    assert "GBM_2" in matrix.configurations
    assert "wine" not in matrix.configurations
    # a key of the training frame says nothing of H2O's rows
    rows = list(csv.reader(labels.read_text().splitlines()))
    rows[0][0] = "id"
    (tmp_path / "train.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    again = read(REAL / "h2o", labels=tmp_path / "train.csv", roles=Roles(truth="target"))
    np.testing.assert_array_equal(again.predictions, matrix.predictions)
    np.testing.assert_array_equal(again.outcome.values, matrix.outcome.values)


@pytest.mark.parametrize("classes", [["9", "10", "100"], ["b", "a", "c"]])
def test_autogluon_numbers_its_classes(tmp_path, classes):
    truth = RNG.permutation(np.repeat(np.arange(3), 10))
    total = np.eye(3)[truth] * 0.6 + 0.1 + RNG.random((30, 3)) * 0.1
    total /= total.sum(axis=1, keepdims=True)
    place = autogluon(tmp_path / "run", {"A_BAG_L1": (oof(total), ["S1F1", "S1F2"])})
    fault("AutoGluon exports hold no labels", place)
    names = classes if classes[0] == "9" else sorted(classes)
    labels = tmp_path / "train.csv"
    labels.write_text("y\n" + "".join(f"{names[one]}\n" for one in truth))
    matrix = read(place, labels=labels)
    np.testing.assert_array_equal(matrix.predictions[0, :, 0].argmax(axis=1), matrix.outcome.values)
    labels.write_text("y\n" + "".join(f"{i % 2}\n" for i in range(30)))
    fault("has 3 classes, but the labels have 2", place, labels=labels)


@pytest.mark.parametrize(
    ("task", "best", "score", "metric"),
    [  # as the tool itself scored them
        ("wine", "LinearModel_BAG_L1", 0.458787, "log-loss"),
        swept("wine", "RandomForest_BAG_L1", 0.653570, "log-loss"),
        swept("diabetes", "LightGBMSmall_BAG_L1", 60.646986, "rmse"),
        swept("diabetes", "RandomForest_BAG_L1", 64.236929, "rmse"),
    ],
)
def test_scores_of_real_artefacts_of_tabrepo(task, best, score, metric):
    matrix = read(REAL / "tabrepo" / task / "0")
    scorer = METRICS[metric].bind(matrix.outcome, matrix.predictions[0])
    found = scorer(np.ones((1, matrix.n_samples), np.uint8))[0]
    assert found[matrix.configurations.index(best)] == pytest.approx(score, abs=1e-5)


def test_real_run_of_autosklearn():
    matrix = read(REAL / "autosklearn")
    history = json.loads((REAL / "autosklearn/smac3-output/run_1/runhistory.json").read_text())
    costs = {str(about["num_run"]): cost for _, (cost, *_, about) in history["data"]}
    right = (matrix.predictions[0] > 0.5) == matrix.outcome.values[:, None]
    found = dict(zip(matrix.configurations, 1 - right.mean(axis=0), strict=True))
    assert found == pytest.approx(costs)
    assert len(found) == 9
    assert "candidates-missing" not in codes(matrix)


@pytest.mark.parametrize(
    "name", ["params.json", "leaderboard.csv", "folds/fold_0_validation_indices.npy"]
)
def test_what_lies_in_a_run_has_a_limit_too(copied, name):
    place = copied("mljar")
    file = place / name
    file.write_bytes(b"[" + b" " * 2**21 + b"]")
    with (
        resources.use_reading(resources.Reading(max_input=2**20)),
        pytest.raises(InputError, match="holds more than"),
    ):
        checked(place)
