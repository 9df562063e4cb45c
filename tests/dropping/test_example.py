"""The example of docs/dropping.md: a real loop through the shell."""

import csv
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

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


def test_the_loop_ends_with_the_same_winner_at_half_the_models(example, tmp_path):
    names = list(example.configurations())
    assert len(names) >= 60
    subprocess.run(
        ["bash", EXAMPLES / "drop_loop.sh", tmp_path],
        check=True,
        capture_output=True,
        env=os.environ | {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT)},
    )
    with (tmp_path / "partial.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 500
    trained = {(row["fold"], name) for row in rows for name in names if row[name] != ""}
    assert len(trained) <= len(names) * example.N_FOLDS / 2
    says = f"trains {len(trained)} of {len(names) * example.N_FOLDS} models"
    assert says in (ROOT / "docs" / "dropping.md").read_text()

    survivors = accuracies(rows, names)
    dropped = (tmp_path / "dropped.txt").read_text().splitlines()
    assert set(names) == {*survivors, *dropped}
    everyone = accuracies(completed(example, rows, names), names)
    assert len(everyone) == len(names)
    assert max(survivors, key=survivors.get) == max(everyone, key=everyone.get)
