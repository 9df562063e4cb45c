"""Basic types of all layers: choices, directions, intervals, array aliases."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bbccli.domain import choices
from bbccli.domain.choices import *
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass

__all__ = choices.__all__ + [  # noqa: RUF005 - mypy and ruff read no other form
    "BoolArray",
    "Direction",
    "FloatArray",
    "GateOutcome",
    "IntArray",
    "Interval",
    "MetricKind",
    "PredictionKind",
]

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]
_Number = TypeVar("_Number", bound=np.generic)

# Performances that differ by less than this share of the best one are ties: sums of the same
# terms in another order differ in the last bits, and a winner must not depend on that.
TIE_TOLERANCE = 1e-12


class PredictionKind(StrEnum):
    """Kind of a prediction: a class, a probability, an unbounded score or a value."""

    LABEL = "label"
    PROBABILITY = "probability"
    SCORE = "score"
    VALUE = "value"


class MetricKind(StrEnum):
    """Form of a metric; it decides whether the expectation depends on the sample size."""

    MEAN = "mean"
    """A mean over samples."""
    PAIRS = "pairs"
    """A proportion of pairs of samples."""
    CONDITIONAL = "conditional"
    """Made of means over subsets of the samples, such as one class."""
    OTHER = "other"
    """Anything else: a ratio, a root, a rank statistic, a quantile, a correlation."""


class GateOutcome(StrEnum):
    """Outcome of a gate; undecided (its figure can't be computed) is not a pass."""

    MET = "met"
    MISSED = "missed"
    UNDECIDED = "undecided"


class Direction(StrEnum):
    """The direction in which a performance is better. No other code knows."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"

    @property
    def sign(self) -> int:
        """+1 when larger is better, -1 when smaller is."""
        return 1 if self is Direction.MAXIMIZE else -1

    @property
    def extreme(self) -> np.ufunc:
        """The better of two performances, or the one that is not NaN."""
        return np.fmax if self is Direction.MAXIMIZE else np.fmin

    def gain(self, a: Any, b: Any) -> Any:
        """Return how much better `a` is than `b` (same unit; positive when better)."""
        return self.sign * (a - b)

    def ties(self, performances: FloatArray, axis: int = -1) -> BoolArray:
        """Mark the entries that equal the best along `axis`, up to rounding; NaN never ties."""
        return self._reaches(performances, self._limit(performances, axis))

    def best(self, performances: FloatArray, axis: int = -1) -> IntArray:
        """Return the index of the best along `axis`: the first on ties, -1 if all are NaN."""
        limit = self._limit(performances, axis)
        first = np.argmax(self._reaches(performances, limit), axis=axis)
        return np.asarray(np.where(np.isnan(limit.squeeze(axis)), -1, first))

    def leads(self, a: FloatArray, b: FloatArray) -> BoolArray:
        """True where `a` is better than `b` by more than rounding; anything beats NaN."""
        ahead = self.gain(a, b) > TIE_TOLERANCE * np.abs(a)
        return np.asarray(ahead | (np.isnan(b) & ~np.isnan(a)))

    def pessimistic(self) -> Side:
        """The side on which a performance is worse."""
        return Side.LOWER if self is Direction.MAXIMIZE else Side.UPPER

    def _limit(self, performances: FloatArray, axis: int) -> FloatArray:
        """Worst performance that still ties with the best along `axis`; NaN if there is none."""
        extreme = np.max if self is Direction.MAXIMIZE else np.min
        top: FloatArray = extreme(performances, axis=axis, keepdims=True)
        if np.isnan(top).any():  # rare, and several times slower
            top = self.extreme.reduce(performances, axis=axis, keepdims=True)
        return top - self.sign * TIE_TOLERANCE * np.abs(top)

    def _reaches(self, performances: FloatArray, limit: FloatArray) -> BoolArray:
        largest = self is Direction.MAXIMIZE
        return performances >= limit if largest else performances <= limit


def distinct(values: NDArray[_Number]) -> NDArray[_Number]:
    """Return the distinct values, sorted; `numpy.unique` would import `numpy.ma`, which is slow."""
    ordered = np.sort(values, axis=None)
    return ordered[starts_of(ordered)]


def starts_of(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Return the places where each of some equal values begins, which follow each other."""
    changes = np.ones(len(ordered), bool)
    changes[1:] = ordered[1:] != ordered[:-1]
    return changes.nonzero()[0]  # in half the time of flatnonzero


def lengths_of(starts: IntArray, n: int) -> IntArray:
    """Return how many of n values each run of equal ones has, by their `starts_of`."""
    ends = np.empty_like(starts)
    ends[:-1], ends[-1:] = starts[1:], n
    return ends - starts


def readonly(array: Any) -> Any:
    """Return a read-only view of an array."""
    view = np.asarray(array).view()
    view.setflags(write=False)
    return view


def rebuild_for_pickle(record: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return how `pickle` and `copy` rebuild a record: through its checks, arrays read-only."""
    return type(record), tuple(getattr(record, f.name) for f in fields(record) if f.init)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a performance, in the metric's unit.

    lower: lower end, in the metric's unit
    upper: upper end, in the metric's unit
    level: nominal coverage probability, in (0, 1)
    side: ends that are estimated; the other is the metric's bound
    """

    lower: float
    upper: float
    level: float
    side: Side

    def __post_init__(self) -> None:
        coerce_fields(self, "side")
