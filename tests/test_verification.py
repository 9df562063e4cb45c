"""Predictions of real runs that do not give the scores of their leaderboard are refused."""

import csv
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bbccli.analysis.verification import verified
from bbccli.errors import InputError
from bbccli.readers import Roles, read

REAL = Path(__file__).parent / "data" / "runs"
TOLERANCES = {"mljar": 1e-6, "mljar_repeats": 1e-6, "h2o": 1e-4}


def checked(folder):
    how = {}
    if "h2o" in folder.name:
        how = {"labels": folder / "train.csv", "roles": Roles(truth="target")}
    return verified(read(folder, **how)).source.verification


@pytest.fixture(params=sorted(TOLERANCES))
def folder(request, tmp_path):
    return Path(shutil.copytree(REAL / request.param, tmp_path / request.param))


def predictions(folder):
    """File of one model that takes part."""
    if folder.name == "h2o":
        return next(folder.glob("GLM_1*predictions.csv"))
    return folder / "5_Linear" / "predictions_out_of_folds.csv"


def change(path, how):
    header, *rows = list(csv.reader(path.read_text().splitlines()))
    changed = how(header, np.array(rows))
    path.write_text("\n".join(",".join(row) for row in [header, *changed]) + "\n")


def values_of(header):
    return [i for i, name in enumerate(header) if name not in ("target", "predict")]


def test_real_runs_give_their_scores(folder):
    found = checked(folder)
    assert found.n_checked == found.n_scores >= 3
    assert found.largest_difference < TOLERANCES[folder.name] / 5


def test_permuted_rows(folder):
    def permuted(header, rows):
        columns = values_of(header)
        rows[:, columns] = np.roll(rows[:, columns], 1, axis=0)
        return rows

    change(predictions(folder), permuted)
    refused(folder)


def test_swapped_classes(folder):
    def swapped(header, rows):
        columns = values_of(header)
        if len(columns) == 2:
            rows[:, columns] = rows[:, columns[::-1]]
        else:
            rows[:, columns[0]] = [str(1 - float(one)) for one in rows[:, columns[0]]]
        return rows

    change(predictions(folder), swapped)
    refused(folder)


def test_permuted_labels(folder):
    def permuted(header, rows):
        rows[:, header.index("target")] = np.roll(rows[:, header.index("target")], 1)
        return rows

    files = [folder / "train.csv"] if folder.name == "h2o" else folder.glob("*/predictions*.csv")
    for path in files:
        change(path, permuted)
    refused(folder)


def test_two_rows_that_change_places(folder):
    def swapped(header, rows):
        columns = values_of(header)
        numbers = rows[:, columns[0]].astype(float)
        pair = [int(numbers.argmin()), int(numbers.argmax())]
        rows[np.ix_(pair, columns)] = rows[np.ix_(pair[::-1], columns)]
        return rows

    change(predictions(folder), swapped)
    refused(folder)


def refused(folder):
    with pytest.raises(InputError) as error:
        checked(folder)
    assert "by its predictions" in error.value.problem
    assert "on the leaderboard of" in error.value.problem
    assert "--no-verify" in error.value.hint


def test_caret_has_no_scores_but_the_truth_of_each_row():
    found = checked(REAL / "caret")
    assert (found.n_checked, found.reason) == (0, "the run reports no scores")


def test_caret_rows_that_change_places(tmp_path):
    place = Path(shutil.copytree(REAL / "caret", tmp_path / "caret"))

    def swapped(header, rows):
        at = header.index("rowIndex")
        first = int(np.flatnonzero(rows[:, header.index("obs")] == "benign")[0])
        second = int(np.flatnonzero(rows[:, header.index("obs")] == "malignant")[0])
        rows[[first, second], at] = rows[[second, first], at]
        return rows

    change(place / "knn_pred.csv", swapped)
    with pytest.raises(InputError):
        read(place)


@pytest.mark.sweep
@pytest.mark.parametrize("command", ["correct", "inspect", "convert", "drop", "batch"])
def test_every_command_checks_unless_asked_not_to(command, run, tmp_path):
    place = Path(shutil.copytree(REAL / "mljar", tmp_path / "run"))
    board = place / "leaderboard.csv"
    board.write_text(board.read_text().replace("0.112013", "0.113013"))
    more = {
        "correct": ["--n-resamples", "20"],
        "drop": ["--replay", "--n-resamples", "20"],
        "batch": ["-o", str(tmp_path / "all.csv"), "--n-resamples", "20", "--jobs", "1"],
    }
    words = [command, str(place), *more.get(command, [])]
    status, out, err = run(*words)
    assert status == (5 if command == "batch" else 2)
    said = " ".join((out + err).split())
    assert "5_Linear has log-loss 0.112013 by its predictions, 0.113013 on the" in said
    assert run(*words, "--no-verify")[0] == 0


@pytest.mark.sweep
def test_the_first_lines_and_the_document(run):
    _, out, _ = run("correct", str(REAL / "mljar"), "--n-resamples", "20")
    said = " ".join(out.split())
    assert (
        "mljar run, 5 folds, 10 of 11 models (Ensemble left out), metric log-loss (the run's "
        "own), selection pooled leaderboard: 10 of 10 scores recomputed, largest difference 9e-08"
    ) in said
    argv = ("correct", str(REAL / "mljar"), "--n-resamples", "20", "--format", "json")
    read_ = json.loads(run(*argv)[1])["input"]
    assert read_["run"] == {
        "tool": "mljar",
        "n_models": 11,
        "left_out": [{"name": "Ensemble", "reason": "ensemble"}],
        "metric": "log-loss",
        "metric_name": None,
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


SAID = {"spec": "bbc-predictions", "version": "1"}


@pytest.mark.parametrize(
    ("flag", "word"),
    [
        ("ensemble", "ensembles"),
        ("stacked", "stacked"),
        ("calibrated_on_fold", "calibrated"),
        ("low_fidelity", "low-fidelity"),
        ("dummy", "dummies"),
    ],
)
def test_flags_leave_out(tmp_path, flag, word):
    rows = "".join(f"{'xy'[i % 2]},{i % 2},{i / 20},{i % 3 / 3}\n" for i in range(20))
    (tmp_path / "p.csv").write_text("truth,fold,a,b\n" + rows)
    said = SAID | {"configs": [{"id": "a", "flags": [flag]}, {"id": "b"}]}
    (tmp_path / "p.meta.json").write_text(json.dumps(said))
    matrix = read(tmp_path / "p.csv")
    assert matrix.configurations == ("b",)
    note = next(one for one in matrix.notes if one.code == "flagged-left-out")
    assert (note.remedy, "a (" in note.text) == (f"--include {word}", True)
    assert read(tmp_path / "p.csv", include=[word]).configurations == ("a", "b")
    said["configs"][1]["flags"] = [flag]
    (tmp_path / "p.meta.json").write_text(json.dumps(said))
    with pytest.raises(InputError, match="all 2 configurations are left out"):
        read(tmp_path / "p.csv")


@pytest.mark.parametrize("run_", ["x", 5, {"tool": 1}, {"tool": "x", "leaderboard": [1, {}]}])
def test_metadata_by_hand_do_no_harm(tmp_path, run_):
    rows = "".join(f"{'xy'[i % 2]},{i / 20}\n" for i in range(20))
    (tmp_path / "p.csv").write_text("truth,a\n" + rows)
    (tmp_path / "p.meta.json").write_text(json.dumps(SAID | {"run": run_}))
    found = verified(read(tmp_path / "p.csv")).source.verification
    assert found is None or found.n_checked == 0


def test_means_over_repeats_have_no_folds(tmp_path):
    rows = "".join(f"{'xy'[i % 2]},{i % 2},{i / 20}\n" for i in range(20))
    (tmp_path / "p.csv").write_text("truth,fold,a\n" + rows)
    said = SAID | {"configs": [{"id": "a", "flags": ["averaged_over_repeats"]}]}
    (tmp_path / "p.meta.json").write_text(json.dumps(said))
    matrix = read(tmp_path / "p.csv")
    assert matrix.folds is None
    assert "averaged-repeats" in [note.code for note in matrix.notes]


@pytest.mark.sweep
def test_the_commands_of_the_page_run(run, monkeypatch):
    page = (Path(__file__).parents[1] / "docs" / "automl.md").read_text()
    commands = re.findall(r"^bbc (correct .+)$", page, re.MULTILINE)
    assert len(commands) == 7
    monkeypatch.chdir(REAL)
    for line in commands:
        status, out, _ = run(*shlex.split(line), "--n-resamples", "20")
        assert (status, "corrected for choosing" in out) == (0, True)


def test_markdown_says_what_was_read_and_checked(run):
    _, out, _ = run("correct", str(REAL / "mljar"), "--n-resamples", "20", "--format", "markdown")
    said = (
        "mljar run, 5 folds, 10 of 11 models (Ensemble left out), metric log-loss (the run's own)"
    )
    assert f"\n\n{said}, selection pooled  \nleaderboard: 10 of 10 scores recomputed, " in out
    _, out, _ = run("correct", str(REAL / "caret"), "--n-resamples", "20", "--format", "markdown")
    assert "leaderboard: not checked: the run reports no scores" in out


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
        verified(read(tmp_path / "p.csv"))
    assert "the classes are swapped" in error.value.hint
