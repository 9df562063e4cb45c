"""The truth of the samples and their weights; and checks of what predicts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bbccli.errors import InputError, UndefinedError
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray, Task, readonly, rebuild_for_pickle

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The truth of N samples.

    Parameters
    ----------
    task
        Task that it belongs to.
    values : (N,)
        Class codes 0..K-1 (int64) for classification, the value for regression, the time for
        survival; without meaning for scores.
    classes
        Names of the K classes in code order; the last of a binary task is the positive one.
    event : (N,) bool, optional
        Survival only: True if the event was observed, False if censored.
    weights : (N,) float64, optional
        Positive sample weights. They enter every metric and multiply the resampling counts.
    bounds : optional
        Scores only: the smallest and the largest possible score, if known.

    Raises
    ------
    InputError
        Weights of the wrong shape, or not positive and finite.
    """

    task: Task
    values: IntArray | FloatArray
    classes: tuple[str, ...] = ()
    event: BoolArray | None = None
    weights: FloatArray | None = None
    bounds: tuple[float, float] | None = None

    __reduce__ = rebuild_for_pickle

    def __post_init__(self) -> None:
        coerce_fields(self)
        if self.weights is not None:
            object.__setattr__(self, "weights", _checked_weights(self.weights, len(self)))
        for name in ("values", "event", "weights"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, readonly(array))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def class_counts(self) -> IntArray:
        """(K,) samples per class."""
        return np.bincount(self.values.astype(np.int64), minlength=len(self.classes))

    def take(self, rows: BoolArray | IntArray | slice) -> Outcome:
        """Return the outcome of some samples, by position or mask."""
        event = None if self.event is None else self.event[rows]
        weights = None if self.weights is None else self.weights[rows]
        return Outcome(self.task, self.values[rows], self.classes, event, weights, self.bounds)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the samples.

    column: column that holds them; null where unknown
    n_effective: Kish's effective number of samples, or of groups: (Σ w)² / Σ w²
    """

    column: str | None
    n_effective: float

    @classmethod
    def of(cls, outcome: Outcome, groups: IntArray | None, column: str | None) -> Weights | None:
        """Describe the weights of samples in groups (N,); None without weights."""
        weights = outcome.weights
        return None if weights is None else cls(column, effective_size(weights, groups))


def effective_size(weights: FloatArray, groups: IntArray | None = None) -> float:
    """Return Kish's effective sample size of weights (n,): (sum w)^2 / sum w^2, n if they are
    equal.

    For samples in groups (n,), return the effective number of groups: each counts as one, whatever
    its size, and weights reduce the number in the ratio of Kish's size to that of equal weights.

    References
    ----------
    Kish 1965, section 11.7; Kish 1992, "Weighting for unequal P_i".

    Examples
    --------
    >>> effective_size(np.full(60, 0.1)), round(effective_size(np.array([1.0, 1.0, 4.0])), 6)
    (60.0, 2.0)
    """
    relative = weights / weights.max()  # equal weights become 1, and squares stay finite
    if groups is not None:
        sizes = np.bincount(groups).astype(float)
        masses = np.bincount(groups, relative).astype(float)
        ratio = effective_size(masses) / effective_size(sizes)
        return int(np.count_nonzero(sizes)) * min(ratio, 1.0)
    return float(relative.sum() ** 2 / (relative**2).sum())


def _checked_weights(given: Any, n_samples: int) -> FloatArray:
    weights: FloatArray = np.asarray(given, np.float64)
    if weights.shape != (n_samples,):
        raise InputError(
            f"sample weights have shape {weights.shape}, not ({n_samples},)",
            hint="one weight per sample",
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(wrong):
        raise InputError(
            "sample weight is not a positive number",
            row=int(wrong[0]),
            value=float(weights[wrong[0]]),
            hint="remove samples that should not count",
        )
    return weights


Shape = tuple[int, ...]


def check_shapes(predictions: FloatArray, path: str, **shapes: Shape | None) -> None:
    """Refuse empty predictions and arrays, named with their shape, that do not match them."""
    _check_axes(predictions, path)
    n_repeats, n_samples, n_configurations = predictions.shape[:3]
    needed = {
        "outcome": (n_samples,),
        "configurations": (n_configurations,),
        "folds": (n_repeats, n_samples),
        "groups": (n_samples,),
        "sample_keys": (n_samples,),
        "available": predictions.shape[:3],
    }
    for name, shape in shapes.items():
        if shape is not None and shape != needed[name]:
            raise InputError(
                f"{name} have shape {shape}, but the predictions need {needed[name]}",
                path=path,
                hint="match the shape of the predictions",
            )


def _check_axes(predictions: FloatArray, path: str) -> None:
    shape = predictions.shape
    if predictions.ndim not in (3, 4):
        raise InputError(
            f"predictions have shape {shape}, not (R, N, C) or (R, N, C, K)",
            path=path,
            hint="give repeats, samples, configurations and possibly classes, in this order",
        )
    n_repeats, n_samples, n_configurations = shape[:3]
    if n_configurations == 0:
        raise InputError("no configuration column", path=path, hint="one column per configuration")
    if n_samples == 0 or n_repeats == 0:
        raise InputError("no samples", path=path, hint="one row per sample")


def check_names(configurations: Sequence[str], path: str) -> None:
    """Refuse empty and duplicate names of configurations."""
    seen: set[str] = set()
    for position, name in enumerate(configurations):
        if not name.strip():
            raise InputError(
                f"configuration {position} has no name",
                path=path,
                hint="give every configuration column a name",
            )
        if name in seen:
            raise InputError(
                "two configurations have the same name",
                path=path,
                column=name,
                hint="rename one of the two columns",
            )
        seen.add(name)


def check_finite(predictions: FloatArray, configurations: Sequence[str], path: str) -> None:
    """Refuse NaN and infinite predictions, naming the first."""
    finite = np.isfinite(predictions)
    if finite.all():
        return
    place = tuple(int(i) for i in np.argwhere(~finite)[0])
    raise InputError(
        "prediction is not a finite number",
        path=path,
        row=place[1],
        column=configurations[place[2]],
        value=float(predictions[place]),
        hint="leave the cell empty where there is no prediction",
    )


def check_classes(outcome: Outcome) -> None:
    """Refuse the outcome of a classification with a single class."""
    if not outcome.task.is_classification:
        return
    present = [c for c, n in zip(outcome.classes, outcome.class_counts, strict=True) if n]
    if len(present) < 2:
        raise UndefinedError(
            f"the outcome has only one class ({', '.join(present)})",
            hint="give samples of at least two classes",
        )
