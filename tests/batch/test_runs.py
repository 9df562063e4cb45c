"""Folders of tools in a batch: matched by a pattern or named, done again when a file changes."""

import json
import shutil
from pathlib import Path

import pytest

from bbccli.readers.pipeline import hash_of

REAL = Path(__file__).parents[1] / "data" / "runs"


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.sweep
def test_folders_by_pattern_and_by_name(tmp_path, batch, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mljar", "mljar_repeats"):
        shutil.copytree(REAL / name, tmp_path / "runs" / name)
    assert batch("runs/*/", "-o", "all.jsonl")[0] == 0
    found = rows(tmp_path / "all.jsonl")
    assert [one["input"]["path"] for one in found] == ["runs/mljar", "runs/mljar_repeats"]
    assert found[0]["input"]["sha256"] == hash_of("runs/mljar")
    assert batch("runs/mljar", "-o", "one.jsonl")[0] == 0
    assert rows(tmp_path / "one.jsonl") == found[:1]


@pytest.mark.sweep
def test_a_run_that_has_not_changed_is_kept(tmp_path, batch, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(REAL / "mljar", tmp_path / "run")
    batch("run", "-o", "all.jsonl")
    assert "1 unchanged" in batch("run", "-o", "all.jsonl", "--resume")[2]
    board = tmp_path / "run" / "leaderboard.csv"
    board.write_text(board.read_text() + "\n")
    assert "unchanged" not in batch("run", "-o", "all.jsonl", "--resume")[2]


def test_no_result_goes_over_a_file_of_a_run(tmp_path, batch, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(REAL / "h2o", tmp_path / "run")
    before = (tmp_path / "run" / "leaderboard.csv").read_bytes()
    assert "is a file that is read" in batch.refused("run", "-o", "run/leaderboard.csv")
    assert (tmp_path / "run" / "leaderboard.csv").read_bytes() == before
