"""`bbc correct` on long tables, other tools' files and several files, as a user gives them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

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
    document = json.loads(out)
    assert document["input"]["n_configurations"] == 2
    assert document["input"]["path"] == "oof_knn.csv and 1 more"
    assert len(document["input"]["sha256"]) == 64
    assert err.startswith("read: oof_knn.csv and 1 more: binary (positive: 1), 40 samples x 2")


def test_pattern_of_a_parent_folder(run, submissions, monkeypatch):
    (submissions / "inside").mkdir()
    monkeypatch.chdir(submissions / "inside")
    assert run("correct", "../oof_*.csv", "--labels", "../train.csv", "-q")[0] == 0
    absolute = submissions / "oof_*.csv"
    assert run("correct", absolute, "--labels", "../train.csv", "-q")[0] == 0


@pytest.mark.parametrize("pattern", ["none*.csv", "a**b.csv", "[", "x*/../..", "/none/*"])
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
