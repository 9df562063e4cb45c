"""The temporary folder of auto-sklearn, kept after a cross-validation.

`runs/<seed>_<run>_<budget>/predictions_ensemble_<...>.npy` is a pickled array despite its name. Its
samples are in the order of the folds, like those of `true_targets_ensemble.npy`; their order in the
training data could only be found by splitting the labels as auto-sklearn did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bbccli.domain.source import ToolRun
from bbccli.errors import InputError
from bbccli.platform.arrays import DamagedError, array_of
from bbccli.reading.interface import Predictions, RunReader
from bbccli.reading.metadata import Metadata
from bbccli.reading.runs.file_parsing import files_in, folders_in, is_file, left_out, read_json
from bbccli.reading.sources import file_bytes
from bbccli.tools.pickles import arrays_of
from bbccli.types import FloatArray

_Key = tuple[int, int]
"""Seed and number of a run."""

_INNER = ".auto-sklearn"
_HISTORY = "smac3-output"
_TARGETS = "true_targets_ensemble.npy"
_PREDICTIONS = "runs/*/predictions_ensemble_*.npy"
_RUN = re.compile(r"(\d{1,9})_(\d{1,9})_(\d{1,9}(?:\.\d{1,9})?)")
_DUMMY = 1
_FINISHED = ("StatusType.SUCCESS", "StatusType.DONOTADVANCE")
_FAILED = tuple(f"StatusType.{status}" for status in ("CRASHED", "TIMEOUT", "MEMOUT", "ABORT"))
_KEEP = "fit with tmp_folder=..., delete_tmp_folder_after_terminate=False, max_models_on_disc=None"


def recognises(path: Path) -> bool:
    """True for the temporary folder of auto-sklearn, or the hidden one within it."""
    return is_file(_root(path) / _TARGETS) and bool(folders_in(_root(path) / "runs"))


def load(path: Path) -> Predictions:
    """Read the targets, and the predictions of each run at its largest budget."""
    root, above = _root(path), path.absolute().parent
    if root == path and _histories(above):
        problem = f"the history of this run is in {above / _HISTORY}"
        raise InputError(problem, path=path, hint=f"give the folder that holds both: {above}")
    truth = _targets(root / _TARGETS)
    trained = _trained(root)
    if not trained:
        raise InputError("has no predictions", path=path, hint=_KEEP)
    histories = _histories(path)
    finished, n_failed = _finished(histories)
    full, keys = max(budget for budget, _ in trained.values()), sorted({*trained, *finished})
    several = len({seed for seed, _ in keys}) > 1
    names = {(seed, n): f"{seed}_{n}" if several else str(n) for seed, n in keys}
    flags = {names[key]: _flags(key, budget, full) for key, (budget, _) in trained.items()}
    predictions = {names[key]: _predictions(file, len(truth)) for key, (_, file) in trained.items()}
    lost = [names[key] for key in finished if key not in trained]
    deleted = left_out(lost, "its predictions were deleted")
    n_tried = sum(key[1] != _DUMMY for key in keys) + n_failed if histories else None
    first = next(iter(predictions.values()))
    classes = tuple(map(str, range(first.shape[1]))) if first.ndim == 2 else ()
    exact = truth.astype(np.float64)
    coded = classes and (exact == np.clip(np.round(exact), 0, 2**31)).all()
    why = "auto-sklearn does not name the metric of its costs"
    run = ToolRun(tool="auto-sklearn", left_out=deleted, unchecked=why)
    about = Metadata(classes=classes, flags=flags, n_candidates_total=n_tried, run=run)
    files = [*files_in(root, _TARGETS, _PREDICTIONS), *histories]
    roles = {"truth": truth.astype(np.int64) if coded else truth}
    return Predictions(predictions, roles, files, about)


def _root(path: Path) -> Path:
    """Return the folder that holds the runs."""
    return path if is_file(path / _TARGETS) else path / _INNER


def _trained(root: Path) -> dict[_Key, tuple[float, Path]]:
    """Return largest budget and predictions of each run that has some, in order of the numbers."""
    runs = []
    for folder in folders_in(root / "runs"):
        named = _RUN.fullmatch(folder.name)
        file = folder / f"predictions_ensemble_{folder.name}.npy"
        if named and is_file(file):
            runs.append(((int(named[1]), int(named[2])), (float(named[3]), file)))
    return dict(sorted(runs))


def _flags(key: _Key, budget: float, full: float) -> tuple[str, ...]:
    """Return the flags of a run; a budget of 0 means a search without budgets, or the dummy."""
    if key[1] == _DUMMY:
        return ("dummy",)
    return ("low_fidelity",) if 0 < budget < full else ()


def _predictions(place: Path, n_samples: int) -> FloatArray:
    """Return the predictions (N,) or (N, K) of a run."""
    arrays = arrays_of(file_bytes(place), str(place))
    if isinstance(arrays, dict) or arrays.dtype.kind != "f" or arrays.ndim not in (1, 2):
        problem = "does not hold predictions as auto-sklearn writes them"
        raise InputError(problem, path=place, hint="export the predictions as Parquet or CSV")
    if len(arrays) != n_samples:
        problem = f"has {len(arrays)} predictions for {n_samples} targets"
        hint = "fit with resampling_strategy='cv', into an unused folder"
        raise InputError(problem, path=place, hint=hint)
    return arrays[:, 0] if arrays.ndim == 2 and arrays.shape[1] == 1 else arrays


def _targets(path: Path) -> FloatArray:
    """Return the (N,) targets, encoded as numbers, from a true array file."""
    try:
        values = array_of(file_bytes(path))
    except DamagedError:
        values = np.empty((0, 0))
    if values.dtype.kind not in "fiu" or values.shape not in ((values.size,), (values.size, 1)):
        problem = "is not an array file with one target per sample, or is cut off"
        hint = "export predictions and truth as Parquet or CSV"
        raise InputError(problem, path=path, hint=hint)
    return values.reshape(-1).astype(values.dtype.newbyteorder("="))


def _histories(folder: Path) -> list[Path]:
    """Return the files in which SMAC records its trials."""
    files = [run / "runhistory.json" for run in folders_in(folder / _HISTORY)]
    return [file for file in files if is_file(file)]


def _finished(histories: Iterable[Path]) -> tuple[list[_Key], int]:
    """Return the finished runs, and the number of configurations that failed at every budget."""
    finished, scored, failed = set[_Key](), set[_Key](), set[_Key]()
    for file in histories:
        seed = int(re.sub(r"\D", "", file.parent.name) or 0)
        try:
            for (tried, _, _, _), (_, _, status, _, _, about) in read_json(file)["data"]:
                number = about.get("num_run") if isinstance(about, dict) else None
                if status["__enum__"] in _FAILED:
                    failed.add((seed, int(tried)))
                elif status["__enum__"] in _FINISHED and number is not None:
                    scored.add((seed, int(tried)))
                    finished.add((seed, int(number)))
        except (KeyError, TypeError, ValueError, OverflowError):
            hint = "remove the file to continue without the figures of auto-sklearn"
            raise InputError("is not a history as SMAC writes it", path=file, hint=hint) from None
    return sorted(finished), len(failed - scored)


RUNS = (RunReader("auto-sklearn", f"`{_TARGETS}`", recognises, load),)
