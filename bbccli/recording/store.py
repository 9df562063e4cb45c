"""The folder of a recording: its design, a file per configuration and test set, candidates.

The design (truth, classes and folds) is fixed before the first prediction. Each file is written
whole or not at all, and read as untrusted.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import InputError
from bbccli.platform import openings
from bbccli.platform.arrays import DamagedError, arrays_in_npz, packed
from bbccli.platform.atomic import SUFFIX, replacing
from bbccli.platform.dataclass import dataclass
from bbccli.platform.guarded_files import bytes_of
from bbccli.types import FloatArray, IntArray, PredictionKind, Task

SPEC, MAJOR_VERSION = "bbc-recording", "1"
HEADER, ARRAYS = "bbc-recording.json", "design.npz"
PARTS, LEADERBOARDS = "parts", "leaderboards"
VAULT, SEALED, OPENINGS = "vault", "sealed.npz", "openings.jsonl"
PATTERNS = (f"{PARTS}/[0-9]*.npz", f"{LEADERBOARDS}/[0-9]*.json")
"""Files to read: parts, and the candidates of searches."""

_ABANDONED = 3600.0
"""Age in seconds at which an incomplete file is abandoned: writing takes milliseconds."""
_ABOUT = "about"
_TOKEN = uuid.uuid4().hex[:12]
_COUNTER = itertools.count()
_AGAIN = "record it again"
_NOT_A_RECORD = (
    *(OSError, KeyError, TypeError, ValueError, AttributeError, IndexError),
    *(OverflowError, RecursionError),
)


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
        Names of the K classes in code order, the positive one of two last; empty for regression.
    tests
        Rows (positions, 0..N-1) of the test set of each of S splits; empty if folds come with the
        predictions.
    groups : (N,) int, optional
        Group of each sample, coded 0..G-1.
    weights : (N,) float64, optional
        Sample weights.
    scoring
        scikit-learn's name of the metric; empty if it has none.
    positive
        The positive class of the metric, if it is not the last one.
    labels : (K,), optional
        The classes as given to the recorder; not part of the folder.
    rows : (N,) int, optional
        Position of each sample in the data given to the recorder, if a part of them is sealed.
    planned
        Openings planned of the sealed part; 0 without one.
    sealed
        Fingerprint of the sealed part; empty without one.
    refold
        True if each try has folds of its own.
    """

    task: Task
    truth: IntArray | FloatArray
    classes: tuple[str, ...]
    tests: tuple[IntArray, ...] = ()
    groups: IntArray | None = None
    weights: FloatArray | None = None
    scoring: str = ""
    positive: str = ""
    labels: NDArray[Any] | None = None
    rows: IntArray | None = None
    planned: int = 0
    sealed: str = ""
    refold: bool = False

    @property
    def n_samples(self) -> int:
        """N."""
        return len(self.truth)

    @property
    def sign(self) -> float:
        """Sign that turns the scores of the search into the direction of bbc."""
        return -1.0 if self.scoring.startswith("neg_") else 1.0

    def arrays(self) -> dict[str, Any]:
        """Return the stored arrays by name."""
        sizes = np.array([len(rows) for rows in self.tests], np.int64)
        tests = np.concatenate([*self.tests, np.zeros(0, np.int64)]).astype(np.int64)
        arrays = {"truth": np.asarray(self.truth), "sizes": sizes, "tests": tests}
        optional = {"groups": self.groups, "weights": self.weights, "rows": self.rows}
        return arrays | {name: a for name, a in optional.items() if a is not None}

    def fingerprint(self) -> str:
        """SHA-256 of the design: equal for equal data and folds."""
        arrays = sorted(self.arrays().items())
        about = [(name, str(a.dtype), a.shape, a.tobytes().hex()) for name, a in arrays]
        more = [self.positive] if self.positive else []
        more += [f"{self.planned} {self.sealed}"] if self.sealed else []
        more += ["refold"] if self.refold else []
        text = json.dumps([self.task, self.classes, self.scoring, about, *more])
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Return repeat and fold of each split.

        Splits that cover all samples in turn are repeats of a cross-validation; disjoint splits are
        the folds of an incomplete one. All others are repeated hold-out: a repeat each.
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

    def folds(self, n_repeats: int) -> IntArray:
        """Return the fold of each sample in each repeat (R, N); -1 if none tests it."""
        folds = np.full((n_repeats, self.n_samples), -1, np.int64)
        for (repeat, fold), rows in zip(self.places, self.tests, strict=True):
            folds[repeat, rows] = fold
        return folds


def start(folder: Path, design: Design, sealed: Design | None = None) -> None:
    """Write a design and its sealed part into a folder, or continue the same one; an InputError for
    another recording.
    """
    if (folder / HEADER).is_file():
        if load_design(folder).fingerprint() != design.fingerprint():
            problem = "holds a recording of other data, folds or metric"
            hint = "use another folder; to continue, the same vault and a splitter with the same "
            hint += "random_state"
            raise InputError(problem, path=folder, hint=hint)
        for path in (p for place in (PARTS, LEADERBOARDS) for p in (folder / place).glob(".*")):
            with suppress(OSError):  # left by killed recorders; others may be at work beside us
                if path.suffix == SUFFIX and time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
        return
    for place in (PARTS, LEADERBOARDS):
        (folder / place).mkdir(parents=True, exist_ok=True)
    with replacing(folder / ARRAYS) as file:
        file.write(packed(design.arrays()))
    about: dict[str, Any] = {
        "spec": SPEC,
        "version": MAJOR_VERSION,
        "task": str(design.task),
        "classes": list(design.classes),
        "scoring": design.scoring,
        "positive_class": design.positive or None,
        "selection": "pooled" if design.refold else "fold-mean",
        "n_samples": design.n_samples,
        "n_splits": len(design.tests),
    }
    about |= {"refold": True} if design.refold else {}
    if sealed is not None:
        (folder / VAULT).mkdir(exist_ok=True)
        with replacing(folder / VAULT / SEALED) as file:
            file.write(packed(sealed.arrays()))
        number = openings.create(folder / VAULT / OPENINGS)
        about["vault"] = {"planned": design.planned, "sealed": design.sealed, "file": number}
    with replacing(folder / HEADER) as file:  # last: it marks the folder as complete
        file.write(json.dumps(about, indent=1, ensure_ascii=False).encode())


def load_design(folder: Path) -> Design:
    """Read the design of a folder; an InputError if it is damaged or of another version."""
    return _loaded(folder, folder / ARRAYS)[0]


def _loaded(folder: Path, arrays: Path) -> tuple[Design, dict[str, Any]]:
    """Return a design with these arrays, and the header."""
    path = str(folder / HEADER)
    try:
        about = json.loads(bytes_of(folder / HEADER))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"recording can't be read: {error}", path=path, hint=_AGAIN) from None
    if not isinstance(about, dict) or about.get("spec") != SPEC:
        raise InputError(f"not a {SPEC}", path=path, hint="give the folder of a Recorder")
    version = about.get("version")
    if str(version).partition(".")[0] != MAJOR_VERSION:
        problem = f"has version {version!r}; only version {MAJOR_VERSION} is understood"
        raise InputError(problem, path=path, hint="use a newer release of bbc")
    try:
        return _design(about, arrays_in_npz(bytes_of(arrays))), about
    except FileNotFoundError:
        hint = "copy the whole folder of the run, not only a part"
        raise InputError("no such file", path=str(arrays), hint=hint) from None
    except _NOT_A_RECORD as error:
        raise InputError(f"recording is damaged: {error}", path=str(arrays), hint=_AGAIN) from None


def load_sealed(folder: Path) -> tuple[Design, bool]:
    """Return the sealed part, if it is unchanged and apart, and whether the folder is a copy."""
    design = load_design(folder)
    part, about = _loaded(folder, folder / VAULT / SEALED)
    part = replace(part, planned=0, sealed="", refold=False)
    problem = ""
    if part.fingerprint() != design.sealed:
        problem = "the sealed rows were changed after they were sealed"
    for name in ("rows", "groups"):
        both = getattr(design, name), getattr(part, name)
        if all(ids is not None for ids in both) and np.intersect1d(*both).size:
            problem = f"some {name} of the vault are among those of the search"
    if problem:
        hint = "record the search again in another folder: a figure on these rows would be "
        hint += "meaningless"
        raise InputError(problem, path=str(folder / VAULT / SEALED), hint=hint)
    same = (folder / VAULT / OPENINGS).stat().st_ino if (folder / VAULT / OPENINGS).exists() else 0
    return part, same != about["vault"].get("file")


def _design(about: dict[str, Any], arrays: dict[str, Any]) -> Design:
    task, truth = Task(about["task"]), arrays["truth"]
    classes = tuple(str(name) for name in about["classes"])
    if truth.ndim != 1 or truth.dtype.kind not in "if":
        raise DamagedError("the truth is not a list of numbers")
    n_expected = {Task.BINARY: (2,), Task.REGRESSION: (0,), Task.MULTICLASS: range(2, 2**31)}
    if len(classes) not in n_expected.get(task, ()):
        raise DamagedError(f"a task {task} with {len(classes)} classes")
    codes = truth.dtype.kind == "i" and ((truth >= 0) & (truth < len(classes))).all()
    if task.is_classification and not codes:
        raise DamagedError("the truth has other classes")
    ends = np.cumsum(arrays["sizes"])
    tests = tuple(np.split(arrays["tests"], ends[:-1])) if len(ends) else ()
    for rows in tests:
        if rows.dtype.kind != "i" or rows.ndim != 1:
            raise DamagedError("a fold has rows that are not positions")
        if ((rows < 0) | (rows >= len(truth))).any() or len(np.unique(rows)) != len(rows):
            raise DamagedError("a fold has a row twice, or rows outside the data")
    for name, kind in (("groups", "i"), ("weights", "f"), ("rows", "i")):
        of_name = arrays.get(name, np.empty(truth.shape, kind))
        if of_name.shape != truth.shape or of_name.dtype.kind != kind:
            raise DamagedError(f"{name} of another length or type")
    scoring, positive = (str(about.get(key) or "") for key in ("scoring", "positive_class"))
    if positive not in ("", *classes):
        raise DamagedError("the positive class is none of the classes")
    about_vault = about.get("vault") or {"planned": 0, "sealed": ""}
    return Design(
        *(task, truth, classes, tests, arrays.get("groups"), arrays.get("weights")),
        *(scoring, positive),
        rows=arrays.get("rows"),
        planned=int(about_vault["planned"]),
        sealed=str(about_vault["sealed"]),
        refold=about.get("refold") is True,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Part:
    """Predictions of one configuration for one test set.

    Parameters
    ----------
    identity, name
        Key shared by all parts of a configuration; its name, empty if it follows from parameters.
    estimator, params
        Class of the estimator, empty if unknown; parameters, as JSON.
    predictions, kind : (n,) or (n, K), optional
        Class codes, probabilities or scores of the positive class, values; or one column per class.
        None if the configuration was only tried, or there is a `problem`.
    split
        Position of the split in the design; None if `rows`, `repeat` and `fold` are given instead.
    rows : (n,) int, optional
        Positions of the samples.
    repeat, fold, epoch
        For designs without splits, and the epoch in the name; unknown if None.
    score
        Score returned to the search, in its sign, if any.
    flags
        Threats to validity, as in the metadata of a table.
    problem
        Reason why there are no predictions although the test set was scored.
    session, time
        Times at which the recorder or its scorer was made and the part written, in nanoseconds.
    data
        Digest of the features; empty if unknown.
    weights : (n,), optional
        Sample weights given to the scorer.
    curve_metric, curve
        Metric by which the test set stopped the training, and its score at each iteration.
    """

    identity: str
    session: int
    name: str = ""
    estimator: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    predictions: NDArray[Any] | None = None
    kind: PredictionKind | None = None
    split: int | None = None
    rows: IntArray | None = None
    repeat: int = 0
    fold: int | None = None
    score: float | None = None
    flags: tuple[str, ...] = ()
    problem: str = ""
    time: int = field(default_factory=time.time_ns)
    data: str = ""
    epoch: int | None = None
    curve_metric: str = ""
    curve: tuple[float, ...] = ()
    weights: NDArray[Any] | None = None

    @property
    def known_score(self) -> float:
        """Its score; NaN without one."""
        return float("nan") if self.score is None else float(self.score)


_ARRAYS = ("predictions", "rows", "weights")
_WRITTEN = tuple(field.name for field in fields(Part) if field.name not in _ARRAYS)


def identity_of(name: str, estimator: str, params: Mapping[str, Any]) -> str:
    """Return the key of a configuration: its name, else a digest of estimator and parameters."""
    if name:
        return f"name {name}"
    text = json.dumps([estimator, params], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def write_part(folder: Path, part: Part) -> None:
    """Write a part, whole or not at all: under a temporary name that is then changed.

    A killed process leaves at most a file that nobody reads. Files are not flushed to disk: after a
    power cut parts may be damaged, which readers notice.
    """
    about = {name: getattr(part, name) for name in _WRITTEN}
    text = json.dumps(about, default=str)
    arrays = {name: getattr(part, name) for name in _ARRAYS}
    arrays[_ABOUT] = np.frombuffer(text.encode(), np.uint8)
    kept = {name: array for name, array in arrays.items() if array is not None}
    _place(folder / PARTS, "npz", packed(kept))


def _place(folder: Path, suffix: str, content: bytes) -> None:
    """Write a file under a unique name, across processes and machines."""
    name = f"{time.time_ns():020d}-{_TOKEN}-{os.getpid()}-{next(_COUNTER)}.{suffix}"
    temporary = folder / f".{name}{SUFFIX}"
    try:
        temporary.write_bytes(content)
        temporary.replace(folder / name)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def read_part(path: Path) -> Part:
    """Read a part; a DamagedError if its content is invalid."""
    arrays = arrays_in_npz(bytes_of(path))
    try:
        about = json.loads(arrays[_ABOUT].tobytes())
        about["curve"] = tuple(map(float, about.get("curve", ())))
        about["flags"] = tuple(str(flag) for flag in about["flags"])
        about["kind"] = None if about["kind"] is None else PredictionKind(about["kind"])
        # earlier versions lack some
        held: dict[str, Any] = {name: about[name] for name in _WRITTEN if name in about}
        part = Part(**held | {name: arrays.get(name) for name in _ARRAYS})
        _check(part)
    except _NOT_A_RECORD as error:
        raise DamagedError(str(error) or type(error).__name__) from None
    return part


def _check(part: Part) -> None:
    """Refuse a part that no recorder would write."""
    texts = (part.identity, part.name, part.estimator, part.problem, part.data, part.curve_metric)
    optional = [0 if number is None else number for number in (part.split, part.fold, part.epoch)]
    whole = (part.session, part.time, part.repeat, *optional)
    if not all(isinstance(text, str) for text in texts) or not isinstance(part.params, dict):
        raise DamagedError("a name that is not text")
    if not all(type(number) is int and number >= 0 for number in whole):
        raise DamagedError("a position that is not an integer")
    if not isinstance(part.score, int | float | None):
        raise DamagedError("a score that is not a number")
    values, weights = part.predictions, part.weights
    if weights is not None and (weights.dtype.kind != "f" or not np.isfinite(weights).all()):
        raise DamagedError("weights that are not numbers")
    if values is not None and (part.kind is None or values.dtype.kind not in "iuf"):
        raise DamagedError("predictions that are not numbers")
    for name, array in (("rows", part.rows), ("weights", weights)):
        if values is not None and array is not None and array.shape != values.shape[:1]:
            raise DamagedError(f"{name} and predictions of different lengths")


Parts = tuple[list[Part], list[str]]
"""Parts of a recording, and the names of damaged files."""


def parts_in(folder: Path, known: dict[str, Part] | None = None) -> Parts:
    """Return the parts of a recording and the names of damaged files; `known` ones are cached."""
    known, parts, damaged = {} if known is None else known, list[Part](), list[str]()
    for file in sorted(folder.glob(PATTERNS[0])):  # in the order of writing
        try:
            if file.name not in known:
                known[file.name] = read_part(file)
            parts.append(known[file.name])
        except (DamagedError, OSError):
            damaged.append(file.name)
    return sorted(parts, key=lambda part: (part.session, part.time)), damaged


@dataclass(frozen=True, slots=True)
class Listed:
    """A candidate of a search, with its mean score and that of each split; NaN if a fit failed."""

    identity: str
    label: str
    value: float
    splits: tuple[float, ...]


def write_listed(folder: Path, candidates: Iterable[Listed]) -> None:
    """Write the candidates of a search, beside those of earlier ones."""
    text = json.dumps({"candidates": list(map(asdict, candidates))})
    _place(folder / LEADERBOARDS, "json", text.encode())


def listed_in(folder: Path) -> list[Listed]:
    """Return the candidates of all searches, in the order of writing."""
    listed = []
    for path in sorted(folder.glob(PATTERNS[1])):
        try:
            for entry in json.loads(bytes_of(path))["candidates"]:
                label, splits = str(entry.get("label") or ""), tuple(map(float, entry["splits"]))
                listed.append(Listed(entry["identity"], label, float(entry["value"]), splits))
                hash(entry["identity"])
        except _NOT_A_RECORD as error:
            problem = f"leaderboard is damaged: {path.name}: {error}"
            hint = "remove the file, and call rec.finish() again"
            raise InputError(problem, path=folder, hint=hint) from None
    return listed


Identified = TypeVar("Identified", Part, Listed)


def by_identity(everything: Iterable[Identified]) -> dict[str, list[Identified]]:
    """Group parts, or candidates, by configuration."""
    groups: dict[str, list[Identified]] = {}
    for entry in everything:
        groups.setdefault(entry.identity, []).append(entry)
    return groups
