"""The truth of the samples, and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from bbccli.errors import InputError
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records.values import doc
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
    """The weights of the samples."""

    column: str | None = doc("column that holds them; null where unknown")
    n_effective: float = doc("Kish's effective number of samples, or of groups: (Σ w)² / Σ w²")

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
