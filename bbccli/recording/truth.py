"""The truth of a recording: its task and its classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import OptionError, nearest
from bbccli.recording.given import as_array
from bbccli.types import FloatArray, IntArray, Task


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Task, codes or values (N,), and the sorted classes (K,) with their names."""

    task: Task
    values: IntArray | FloatArray
    labels: NDArray[Any] | None
    names: tuple[str, ...]


def truth_of(y: Any, task: str | None, scoring: Any) -> Truth:
    """Return the truth, and the task where it was not given.

    Raises
    ------
    OptionError
        No single column, missing values, or whole numbers that may be classes or values.
    """
    values = as_array(y, "y")
    values = values.reshape(-1) if values.ndim and values.size == len(values) else values
    if values.ndim != 1 or values.dtype.names or not values.size:
        raise OptionError("y is not a single column", hint="one label or value per sample")
    if values.dtype.hasobject:
        values = _of_objects(values)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise OptionError("y has missing values", hint="leave out the samples without a truth")
    labels = np.unique(values)
    found = _known(task) or _task_of(values, labels, scoring)
    if found is Task.REGRESSION:
        if values.dtype.kind not in "biuf":
            raise OptionError("y of a regression is no list of numbers", hint="check task=")
        return Truth(found, values.astype(np.float64), None, ())
    if len(labels) < 2:
        raise OptionError("y has one class only", hint="classification needs at least two")
    found = Task.BINARY if len(labels) == 2 else Task.MULTICLASS
    names = tuple(_name(label) for label in labels.tolist())
    return Truth(found, np.searchsorted(labels, values).astype(np.int64), labels, names)


def codes_and_names(groups: Any, n_samples: int) -> IntArray:
    """Return the code of each group.

    Raises
    ------
    OptionError
        Another number of groups than samples, or samples without one.
    """
    values = as_array(groups, "groups")
    if values.shape != (n_samples,):
        raise OptionError(
            f"groups have shape {values.shape}, not ({n_samples},)", hint="one per sample"
        )
    if any(_is_missing(one) for one in values.tolist()):
        raise OptionError("groups have missing values", hint="a group of its own is one too")
    if values.dtype.hasobject:
        values = values.astype(str)
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)


def _known(task: str | None) -> Task | None:
    tasks = (Task.BINARY, Task.MULTICLASS, Task.REGRESSION)
    if task is None:
        return None
    if task not in tasks:
        raise OptionError(f"no task {task!r} can be recorded", hint=nearest(str(task), tasks))
    return Task(task)


def _task_of(values: NDArray[Any], labels: NDArray[Any], scoring: Any) -> Task:
    """Classes, unless the numbers have decimals or the metric is one of values.

    Which of the two tasks with classes is not decided here.
    """
    if values.dtype.kind not in "iuf" or (values.dtype.kind != "f" and len(labels) <= 2):
        return Task.BINARY
    if len(labels) > 2 and (values % 1 != 0).any():
        return Task.REGRESSION
    if isinstance(scoring, str):
        from bbccli.metrics import METRICS
        from bbccli.metrics.naming import canonical

        metric = METRICS.get(canonical(scoring, METRICS))
        if metric is not None:
            return Task.REGRESSION if Task.REGRESSION in metric.tasks else Task.BINARY
    if len(labels) <= 2:
        return Task.BINARY
    raise OptionError(
        f"y has {len(labels)} different whole numbers: classes or values?",
        hint='task="multiclass" or task="regression"',
    )


def _of_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Texts, numbers or booleans in their own type."""
    if any(_is_missing(one) for one in values.tolist()):
        raise OptionError("y has missing values", hint="leave out the samples without a truth")
    try:
        own = np.array(values.tolist())
    except ValueError:
        own = values
    mixed = own.dtype.kind == "U" and not all(isinstance(one, str) for one in values.tolist())
    if own.ndim != 1 or own.dtype.hasobject or mixed:
        raise OptionError("y mixes texts and numbers", hint="labels of one type")
    return own


def _is_missing(value: Any) -> bool:
    unknown = value is None or type(value).__name__ in ("NAType", "NaTType")
    return unknown or (isinstance(value, float) and bool(np.isnan(value)))


def _name(label: Any) -> str:
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if whole else str(label)
