"""The prediction matrix: validated once, read-only afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from bbccli.errors import InputError, UndefinedError
from bbccli.notes import Note
from bbccli.types import BoolArray, FloatArray, IntArray, PredictionKind, Task, distinct


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The truth of N samples.

    Parameters
    ----------
    task
        What is predicted.
    values : (N,)
        Class codes 0..K-1 (int64) for classification, the value for regression, the time
        for survival.
    classes
        Names of the K classes in code order; of a binary task the last is the positive one.
    event : (N,) bool, optional
        Survival only: True where the event was seen, False where it was censored.
    """

    task: Task
    values: IntArray | FloatArray
    classes: tuple[str, ...] = ()
    event: BoolArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _readonly(self.values))
        if self.event is not None:
            object.__setattr__(self, "event", _readonly(self.event))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def class_counts(self) -> IntArray:
        """(K,) samples per class."""
        return np.bincount(self.values.astype(np.int64), minlength=len(self.classes))

    def take(self, rows: BoolArray) -> Outcome:
        """Return the outcome of the rows where `rows` (N,) is True."""
        event = None if self.event is None else self.event[rows]
        return Outcome(self.task, self.values[rows], self.classes, event)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a matrix came from."""

    path: str = ""
    sha256: str = ""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PredictionMatrix:
    """Out-of-sample predictions of C configurations on N samples in R repeats.

    Parameters
    ----------
    outcome
        The truth of the N samples.
    predictions : (R, N, C) or (R, N, C, K)
        Finite float32 or float64; class codes when `kind` is label; K probabilities per
        configuration for multiclass tasks, of the positive class alone for binary ones.
    configurations
        C unique, non-empty names.
    kind
        What a prediction is.
    folds : (R, N) int, optional
        Fold of each sample within its repeat, coded 0..F-1 in the order of `fold_names`.
    fold_names
        Names of the F fold codes, as in the file.
    groups : (N,) int, optional
        Cluster of each sample, coded 0..G-1.
    source
        File, content hash and metadata.
    notes
        What was noticed while reading.

    Raises
    ------
    InputError
        Shapes that do not match, non-finite predictions, names that are empty or occur twice.
    UndefinedError
        Classification with fewer than two classes among the samples.
    """

    outcome: Outcome
    predictions: FloatArray
    configurations: tuple[str, ...]
    kind: PredictionKind
    folds: IntArray | None = None
    fold_names: tuple[str, ...] = ()
    groups: IntArray | None = None
    source: Source = field(default_factory=Source)
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_configurations(self)
        _check_finite(self)
        _check_classes(self.outcome)
        for name in ("predictions", "folds", "groups"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, _readonly(array))

    @property
    def task(self) -> Task:
        """What is predicted."""
        return self.outcome.task

    @property
    def n_repeats(self) -> int:
        """R, full cross-validation passes."""
        return int(self.predictions.shape[0])

    @property
    def n_samples(self) -> int:
        """N."""
        return int(self.predictions.shape[1])

    @property
    def n_configurations(self) -> int:
        """C."""
        return int(self.predictions.shape[2])

    @property
    def n_folds(self) -> int | None:
        """F, the most folds of any repeat; None when folds are unknown."""
        if self.folds is None:
            return None
        return max(len(distinct(row)) for row in self.folds)

    @property
    def n_groups(self) -> int | None:
        """G; None when there are no groups."""
        return None if self.groups is None else len(distinct(self.groups))


def _readonly(array: Any) -> Any:
    view = np.asarray(array).view()
    view.setflags(write=False)
    return view


def _check_shapes(matrix: PredictionMatrix) -> None:
    shape, path = matrix.predictions.shape, matrix.source.path
    if matrix.predictions.ndim not in (3, 4):
        raise InputError(
            f"predictions have shape {shape}, not (R, N, C) or (R, N, C, K)", path=path
        )
    n_repeats, n_samples, n_configurations = shape[:3]
    if n_configurations == 0:
        raise InputError("no configuration column", path=path, hint="one column per configuration")
    if n_samples == 0 or n_repeats == 0:
        raise InputError("no samples", path=path, hint="one row per sample")
    expected: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
        "outcome": ((len(matrix.outcome),), (n_samples,)),
        "configurations": ((len(matrix.configurations),), (n_configurations,)),
    }
    if matrix.folds is not None:
        expected["folds"] = (matrix.folds.shape, (n_repeats, n_samples))
    if matrix.groups is not None:
        expected["groups"] = (matrix.groups.shape, (n_samples,))
    for name, (found, wanted) in expected.items():
        if found != wanted:
            raise InputError(f"{name} have shape {found}, the predictions need {wanted}", path=path)


def _check_configurations(matrix: PredictionMatrix) -> None:
    seen: set[str] = set()
    for position, name in enumerate(matrix.configurations):
        if not name.strip():
            raise InputError(
                f"configuration {position} has no name",
                path=matrix.source.path,
                hint="give every configuration column a name",
            )
        if name in seen:
            raise InputError(
                "configuration name occurs twice",
                path=matrix.source.path,
                column=name,
                hint="rename one of the two columns",
            )
        seen.add(name)


def _check_finite(matrix: PredictionMatrix) -> None:
    finite = np.isfinite(matrix.predictions)
    if finite.all():
        return
    place = tuple(int(i) for i in np.argwhere(~finite)[0])
    raise InputError(
        "prediction is not a finite number",
        path=matrix.source.path,
        row=place[1],
        column=matrix.configurations[place[2]],
        value=float(matrix.predictions[place]),
        hint="leave the cell empty where there is no prediction",
    )


def _check_classes(outcome: Outcome) -> None:
    if not outcome.task.is_classification:
        return
    present = [c for c, n in zip(outcome.classes, outcome.class_counts, strict=True) if n]
    if len(present) < 2:
        raise UndefinedError(
            f"the outcome has one class only ({', '.join(present)})",
            hint="a performance over classes needs samples of at least two",
        )
