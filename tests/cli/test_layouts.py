"""`bbc correct` on long tables, other tools' files and several files, as a user gives them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from day import swept

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def submissions(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.arange(40) % 2
    for name in ("knn", "svm"):
        p = np.round(truth / 3 + rng.random(40) / 1.5, 3)
        rows = "".join(f"{i},{value}\n" for i, value in enumerate(p))
        (tmp_path / f"oof_{name}.csv").write_text("id,target\n" + rows)
    rows = "".join(f"{i},{value}\n" for i, value in enumerate(truth))
    (tmp_path / "train.csv").write_text("id,target\n" + rows)
    return tmp_path


@pytest.mark.parametrize("pattern", [False, True])
def test_several_files(run, submissions, monkeypatch, pattern):
    monkeypatch.chdir(submissions)
    files = ["oof_*.csv"] if pattern else ["oof_knn.csv", "oof_svm.csv"]
    status, out, err = run("correct", *files, "--labels", "train.csv", "--format", "json")
    assert status == 0
    said = json.loads(out)["input"]
    assert (said["n_configurations"], said["path"]) == (2, "oof_knn.csv and 1 more")
    assert len(said["sha256"]) == 64
    assert err.startswith("read: oof_knn.csv and 1 more: binary (positive: 1), 40 samples x 2")


def test_pattern_of_a_parent_folder(run, submissions, monkeypatch):
    (submissions / "inside").mkdir()
    monkeypatch.chdir(submissions / "inside")
    assert run("correct", "../oof_*.csv", "--labels", "../train.csv", "-q")[0] == 0
    absolute = submissions / "oof_*.csv"
    assert run("correct", absolute, "--labels", "../train.csv", "-q")[0] == 0


@pytest.mark.parametrize(
    "pattern", ["none*.csv", swept("a**b.csv"), swept("["), swept("x*/../.."), swept("/none/*")]
)
def test_pattern_without_files(run, tmp_path, monkeypatch, pattern):
    monkeypatch.chdir(tmp_path)
    assert run.refused("correct", pattern).startswith("error: ")


def test_a_dialect_by_name(run):
    out = run.printed("correct", DATA / "caret_knn.csv")
    assert "3 configurations, 5 folds, 2 repeats" in out.replace("\n", " ")
    assert run("correct", DATA / "caret_knn.csv", "--dialect", "caret", "-q")[0] == 0
    err = run.refused("correct", DATA / "caret_knn.csv", "--dialect", "weka")
    assert "is not one of: wide, caret" in err
    assert "error: " in run.refused("correct", DATA / "caret_knn.csv", "--dialect", "tidymodels")


def test_columns_of_a_long_table(run, tmp_path):
    path = tmp_path / "m.csv"
    rows = [
        f"{c},{i},{i % 2},{(i % 2 + j + i % 5) / 9}" for j, c in enumerate("ab") for i in range(20)
    ]
    path.write_text("\n".join(["who,key,y,p", *rows]))
    options = ("--configuration", "who", "--prediction", "p", "--row-id", "key")
    out = run.printed("correct", path, *options)
    assert "20 samples x 2 configurations" in out.replace("\n", " ")


FAST = ("--n-resamples", "100")


@pytest.fixture
def table(samples):
    return pq.read_table(samples / "progression.parquet")


@pytest.fixture
def run_on(run, tmp_path):
    def on(table, *options):
        pq.write_table(table, tmp_path / "incomplete.parquet")
        return run.document("correct", tmp_path / "incomplete.parquet", *FAST, *options)

    return on


def without(table, names, rows):
    """The table without the predictions of some configurations on some rows."""
    for name in names:
        values = table[name].to_numpy().copy().astype(float)
        values[rows] = np.nan
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(values, pa.float32(), from_pandas=True))
    return table


def test_common_rows(table, run_on):
    late = table["fold"].to_numpy() > 4
    cut = without(table, table.column_names[5:8], late)
    found = run_on(cut, "--missing", "common-rows")
    assert found["input"]["n_configurations"] == 177
    assert found["input"]["n_samples"] == int((~late).sum())
    assert "common-rows" in [note["code"] for note in found["notes"]]


def gaps_everywhere(table, share):
    rng = np.random.default_rng(0)
    for name in table.column_names[3:]:
        table = without(table, [name], rng.random(table.num_rows) < share)
    return table


@pytest.mark.sweep
def test_gaps_everywhere(table, run_on):
    """Each configuration is scored on the four fifths of the samples that it predicts."""
    whole, found = run_on(table), run_on(gaps_everywhere(table, 0.2))
    assert found["input"]["n_samples"] == 80
    assert found["input"]["n_configurations"] == 177
    text = next(n["text"] for n in found["notes"] if n["code"] == "available-cases")
    assert text.startswith("20% of the predictions are missing")
    for gappy, complete in zip(found["estimates"], whole["estimates"], strict=True):
        assert gappy["method"] == complete["method"]
        assert abs(gappy["value"] - complete["value"]) < 0.08


def test_too_many_gaps_are_explained(table, run, tmp_path):
    pq.write_table(gaps_everywhere(table, 0.8), tmp_path / "gaps.parquet")
    err = run.refused("correct", tmp_path / "gaps.parquet", *FAST)
    assert "each of the 177 configurations lacks too many predictions (80% of all" in err
