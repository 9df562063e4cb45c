"""Design of a recording: truth, classes and folds, fixed before the first prediction."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.core.atomic import SUFFIX, replacing
from bbccli.core.local import bytes_of
from bbccli.errors import InputError
from bbccli.recording.arrays import DamagedError, packed, unpacked
from bbccli.types import FloatArray, IntArray, Task

SPEC = "bbc-recording"
MAJOR_VERSION = "1"
HEADER = "bbc-recording.json"
PARTS = "parts"
LEADERBOARDS = "leaderboards"

ARRAYS = "design.npz"
_ABANDONED = 3600.0
"""Seconds after which a file that is not whole is nobody's: to write one takes milliseconds."""


@dataclass(frozen=True, eq=False)
class Design:
    """Truth and folds of a recording.

    Parameters
    ----------
    task
        The task.
    truth : (N,)
        Class codes 0..K-1, or values.
    classes
        Names of the K classes in code order, the positive one of two last; of a regression none.
    tests
        Rows (positions, 0..N-1) of the test set of each of S splits; empty where the folds come
        with the predictions.
    groups : (N,) int, optional
        Group of each sample, coded 0..G-1.
    weights : (N,) float64, optional
        Sample weights.
    scoring
        Name that the search has for its metric, as scikit-learn spells it; empty where it has none.
    labels : (K,), optional
        The classes as the recorder was given them; not part of the folder.
    """

    task: Task
    truth: IntArray | FloatArray
    classes: tuple[str, ...]
    tests: tuple[IntArray, ...] = ()
    groups: IntArray | None = None
    weights: FloatArray | None = None
    scoring: str = ""
    labels: NDArray[Any] | None = None

    @property
    def n_samples(self) -> int:
        """N."""
        return len(self.truth)

    def fingerprint(self) -> str:
        """SHA-256 of all of it: equal for equal data and folds."""
        arrays = _arrays(self)
        about = [(name, str(a.dtype), a.shape, a.tobytes().hex()) for name, a in arrays.items()]
        text = json.dumps([self.task, self.classes, self.scoring, sorted(about)])
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Repeat and fold of each split.

        Splits that cover all samples one after the other are repeats of a cross-validation; splits
        that never meet are the folds of a single one that is not complete. All others are repeated
        hold-out: a repeat each.
        """
        places, seen = [], np.zeros(self.n_samples, bool)
        repeat = fold = 0
        whole = True
        for rows in self.tests:
            if seen[rows].any():
                whole = whole and bool(seen.all())
                repeat, fold = repeat + 1, 0
                seen[:] = False
            seen[rows] = True
            places.append((repeat, fold))
            fold += 1
        if repeat and not (whole and seen.all()):
            return tuple((split, 0) for split in range(len(self.tests)))
        return tuple(places)


def start(folder: Path, design: Design) -> None:
    """Write a design into a folder, or go on with the one that is there if it is the same.

    Raises
    ------
    InputError
        The folder holds a recording of other data, folds or metric.
    OSError
        The folder can't be written.
    """
    if (folder / HEADER).is_file():
        if load(folder).fingerprint() != design.fingerprint():
            raise InputError(
                "holds a recording of other data, folds or metric",
                path=str(folder),
                hint="another folder; to go on with this one, a splitter with its random_state",
            )
        _sweep(folder)
        return
    for place in (PARTS, LEADERBOARDS):
        (folder / place).mkdir(parents=True, exist_ok=True)
    with replacing(folder / ARRAYS) as file:
        file.write(packed(_arrays(design)))
    about = {
        "spec": SPEC,
        "version": MAJOR_VERSION,
        "task": str(design.task),
        "classes": list(design.classes),
        "scoring": design.scoring,
        "selection": "fold-mean",
        "n_samples": design.n_samples,
        "n_splits": len(design.tests),
    }
    with replacing(folder / HEADER) as file:  # last: a folder with it is complete
        file.write(json.dumps(about, indent=1, ensure_ascii=False).encode())


def _sweep(folder: Path) -> None:
    """Remove what recorders that were killed have left; others may be at work beside us."""
    for path in (one for place in (PARTS, LEADERBOARDS) for one in (folder / place).glob(".*")):
        with suppress(OSError):
            if path.suffix == SUFFIX and time.time() - path.stat().st_mtime > _ABANDONED:
                path.unlink()


def load(folder: Path) -> Design:
    """Read the design of a folder.

    Raises
    ------
    InputError
        It is damaged, or of a version that is not understood.
    """
    about = _header(folder)
    try:
        return _design(about, unpacked(bytes_of(folder / ARRAYS)))
    except (OSError, DamagedError, KeyError, ValueError, TypeError, IndexError) as error:
        raise InputError(
            f"recording is damaged: {error}", path=str(folder / ARRAYS), hint="record it again"
        ) from None


def _header(folder: Path) -> dict[str, Any]:
    path = str(folder / HEADER)
    try:
        about = json.loads(bytes_of(folder / HEADER))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"recording can't be read: {error}", path=path, hint="record it again"
        ) from None
    if not isinstance(about, dict) or about.get("spec") != SPEC:
        raise InputError(f"is no {SPEC}", path=path, hint="give the folder of a Recorder")
    if str(about.get("version")).split(".", maxsplit=1)[0] != MAJOR_VERSION:
        raise InputError(
            f"has version {about.get('version')!r}; version {MAJOR_VERSION} is understood",
            path=path,
            hint="a newer release of bbc may read it",
        )
    return about


def _design(about: dict[str, Any], arrays: dict[str, Any]) -> Design:
    task, truth = Task(about["task"]), arrays["truth"]
    classes = tuple(str(name) for name in about["classes"])
    if truth.ndim != 1 or truth.dtype.kind not in "if":
        raise DamagedError("the truth is not a list of numbers")
    if task.is_classification and not (
        truth.dtype.kind == "i" and ((truth >= 0) & (truth < len(classes))).all()
    ):
        raise DamagedError("the truth has other classes")
    ends = np.cumsum(arrays["sizes"])
    tests = tuple(np.split(arrays["tests"], ends[:-1])) if len(ends) else ()
    for rows in tests:
        if rows.dtype.kind != "i" or rows.ndim != 1:
            raise DamagedError("a fold has rows that are not positions")
        if rows.size and not (rows.min() >= 0 and rows.max() < len(truth)):
            raise DamagedError("a fold has rows outside the data")
        if len(np.unique(rows)) != len(rows):
            raise DamagedError("a fold has a row twice")
    for name, kind in (("groups", "i"), ("weights", "f")):
        if name in arrays and arrays[name].shape != truth.shape:
            raise DamagedError(f"{name} of another length")
        if name in arrays and arrays[name].dtype.kind != kind:
            raise DamagedError(f"{name} of another type")
    groups, weights = arrays.get("groups"), arrays.get("weights")
    return Design(task, truth, classes, tests, groups, weights, str(about.get("scoring") or ""))


def _arrays(design: Design) -> dict[str, Any]:
    sizes = np.array([len(rows) for rows in design.tests], np.int64)
    tests = np.concatenate([*design.tests, np.zeros(0, np.int64)]).astype(np.int64)
    arrays = {"truth": np.asarray(design.truth), "sizes": sizes, "tests": tests}
    optional = {"groups": design.groups, "weights": design.weights}
    return arrays | {name: a for name, a in optional.items() if a is not None}
