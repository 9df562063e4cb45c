"""The example of docs/dropping.md: a real loop through the shell."""

import csv
import os
import shlex
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from bbccli.cli.app import main

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture(scope="module")
def example():
    pytest.importorskip("sklearn")
    spec = spec_from_file_location("drop_loop", EXAMPLES / "drop_loop.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def accuracies(rows, names):
    truth = np.array([int(row["truth"]) for row in rows])
    return {
        name: np.mean(np.array([int(row[name]) for row in rows]) == truth)
        for name in names
        if all(str(row[name]) != "" for row in rows)
    }


def completed(example, rows, names):
    """The table of the full run: what the loop trained, and what it did not."""
    full = {row["row_id"]: dict(row) for row in rows}
    for fold in range(example.N_FOLDS):
        first = next(row for row in rows if row["fold"] == str(fold))
        for row in example.train(fold, {name for name in names if first[name] != ""}):
            new = {name: row[name] for name in names if str(row[name]) != ""}
            full[str(row["row_id"])].update(new)
    return list(full.values())


def in_one_process(example, folder):
    """What the script does, without starting Python and importing scikit-learn for each fold."""
    table, dropped = folder / "partial.csv", folder / "dropped.txt"
    dropped.touch()
    for fold in range(example.N_FOLDS):
        with patch("sys.argv", ["drop_loop.py", str(table), str(fold), "--skip", str(dropped)]):
            example.main()
        asked = ("--metric", "accuracy", "--n-folds", "5", "--list", "drop", "--quiet")
        assert main(["drop", str(table), *asked, "--output", str(dropped)]) == 0
    return dropped.read_text().splitlines()


@pytest.mark.sweep
def test_the_loop_ends_with_the_same_winner_at_half_the_models(example, tmp_path):
    names = list(example.configurations())
    assert len(names) >= 60
    dropped = in_one_process(example, tmp_path)
    with (tmp_path / "partial.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 500
    trained = {(row["fold"], name) for row in rows for name in names if row[name] != ""}
    assert len(trained) <= len(names) * example.N_FOLDS / 2
    says = f"trains {len(trained)} of {len(names) * example.N_FOLDS} models"
    assert says in (ROOT / "docs" / "dropping.md").read_text()

    survivors = accuracies(rows, names)
    assert set(names) == {*survivors, *dropped}
    everyone = accuracies(completed(example, rows, names), names)
    assert len(everyone) == len(names)
    assert max(survivors, key=survivors.get) == max(everyone, key=everyone.get)


@pytest.mark.sweep
def test_the_shell_runs_the_first_folds(tmp_path, forked):
    """The script as it stands, cut off after one fold; `bbc` is forked, the training is not."""
    script = (EXAMPLES / "drop_loop.sh").read_text()
    short = script.replace("in 0 1 2 3 4; do", "in 0; do")
    assert short != script
    (tmp_path / "drop_loop.sh").write_text(short)
    (tmp_path / "drop_loop.py").write_text((EXAMPLES / "drop_loop.py").read_text())
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nif [ "$1 $2" = "-m bbccli" ]; then\n'
        f'  shift 2; exec {shlex.join(forked)} "$@"\n'
        f'fi\nexec {shlex.quote(sys.executable)} "$@"\n'
    )
    python.chmod(0o755)
    done = subprocess.run(
        ["bash", tmp_path / "drop_loop.sh", tmp_path],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHON": str(python), "PYTHONPATH": str(ROOT)},
    )
    assert "fold 0: " in done.stdout
