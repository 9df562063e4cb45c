"""Folders as other tools leave them, small, with arrays of known content."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bbccli.reading.runs.folder import RUNS

READERS = {run.name: run for run in RUNS}

FOREIGN = b"cbuiltins\nexec\n."
"""What must never be opened: a true unpickler would give back `exec`."""


def write(path: Path, content: bytes | str) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def edit(path: Path, change: Callable[[Any], object]) -> Path:
    """Change what a JSON file holds."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


def oof(total: Any, count: Any = None, protocol: int = 4) -> bytes:
    """Bytes of `oof.pkl`."""
    count = np.ones(len(total), np.uint8) if count is None else count
    return pickle.dumps({"_oof_pred_proba": total, "_oof_pred_model_repeats": count}, protocol)


def autogluon(path: Path, models: Mapping[str, tuple[bytes | None, list[str]]]) -> Path:
    """Write the folder of a predictor: by name of the model its `oof.pkl` and its children."""
    write(path / "version.txt", "1.6.3\n")
    write(path / "metadata.json", json.dumps({"system": "Linux", "version": "1.6.3"}))
    for name in ("predictor.pkl", "learner.pkl", "models/trainer.pkl", "utils/data/y.pkl"):
        write(path / name, FOREIGN)
    for name, (content, children) in models.items():
        write(path / "models" / name / "model.pkl", FOREIGN)
        for child in children:
            write(path / "models" / name / child / "model.pkl", FOREIGN)
        if content is not None:
            write(path / "models" / name / "utils" / "oof.pkl", content)
    return path


def autosklearn(
    path: Path,
    truth: Any,
    runs: Mapping[str, Any],
    costs: Mapping[int, float] | None = None,
    seed: int = 1,
) -> Path:
    """Write the temporary folder: by `<seed>_<run>_<budget>` its predictions; None has none."""
    inner = path / ".auto-sklearn"
    inner.mkdir(parents=True)
    np.save(inner / "true_targets_ensemble.npy", np.asarray(truth, np.float32))
    write(inner / "datamanager.pkl", FOREIGN)
    for name, predictions in runs.items():
        write(inner / "runs" / name / f"{name.replace('_', '.', 2)}.model", FOREIGN)
        if predictions is not None:
            content = pickle.dumps(np.asarray(predictions, np.float32), -1)
            write(inner / "runs" / name / f"predictions_ensemble_{name}.npy", content)
    if costs is not None:
        write(path / "smac3-output" / f"run_{seed}" / "runhistory.json", history(costs))
    return path


def history(costs: Mapping[int, float], status: str = "SUCCESS") -> str:
    """What SMAC writes of each run; one more run crashed."""
    data = [
        [
            [number, None, 0, 0.0],
            [cost, 1.0, {"__enum__": f"StatusType.{status}"}, 0.0, 1.0, {"num_run": number}],
        ]
        for number, cost in costs.items()
    ]
    crash = [1.0, 1.0, {"__enum__": "StatusType.CRASHED"}, 0.0, 1.0, {"num_run": 99}]
    data += [[[99, None, 0, 0.0], crash], [[98, None, 0, 0.0], [*crash[:5], {"error": "x"}]]]
    return json.dumps({"data": data, "config_origins": {}, "configs": {}})
