"""The samples that a performance rests on: their number limits its precision.

With ten positives among 500 samples, a recall is as uncertain as on ten samples. A metric names the
sets of samples that it rests on, and the smallest of them counts: for an AUC the smaller class, for
a recall the positive class. With groups, the groups that contain such a sample are counted. With
weights, the size of a set is Kish's effective one: one sample of weight 1000 among 60 of weight 1
is worth one sample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bbccli.domain.outcome import Outcome, effective_size
from bbccli.platform.dataclass import dataclass
from bbccli.types import BoolArray, FloatArray, IntArray, Task

Sets = Callable[[Outcome, NDArray[Any]], BoolArray]
"""``sets(outcome, predictions)``: which of N samples are in each of S sets, (N, S)."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The samples that a metric rests on.

    words: for the documentation, such as "the positive samples".
    sets: their sets, from the outcome and the winner's predictions (N,) in the form that the metric
        wants.
    """

    words: str
    sets: Sets

    def n_units(
        self,
        outcome: Outcome,
        predictions: NDArray[Any],
        *,
        groups: IntArray | None = None,
        available: BoolArray | None = None,
    ) -> float:
        """Return the size of the smallest set that is not empty; 1 if all are.

        Of weighted samples it is Kish's effective size, which need not be whole.

        outcome: of N samples.
        predictions (N,) or (N, K): of the winner, in the form that the metric wants.
        groups (N,) int, optional: where samples come in groups, the number of groups in a set is
            its size.
        available (N,) bool, optional: where there is a prediction.

        >>> outcome = Outcome(Task.BINARY, np.array([0, 0, 0, 1]), ("no", "yes"))
        >>> POSITIVES.n_units(outcome, np.zeros(4)), EVERY_SAMPLE.n_units(outcome, np.zeros(4))
        (1, 4)
        """
        members = self.sets(outcome, predictions)
        if available is not None:
            members = members & available[:, None]
        weights = outcome.weights
        sizes = [_count(column, groups, weights) for column in members.T if column.any()]
        return min(sizes, default=1)


def _count(members: BoolArray, groups: IntArray | None, weights: FloatArray | None) -> float:
    if weights is not None:
        return effective_size(weights[members], None if groups is None else groups[members])
    if groups is None:
        return int(np.count_nonzero(members))
    return int(np.count_nonzero(np.bincount(groups[members])))


def _of_truth(code: int) -> Sets:
    return lambda outcome, _: np.asarray(outcome.values == code)[:, None]


def _of_prediction(code: int) -> Sets:
    return lambda _, predictions: np.asarray(predictions == code)[:, None]


def _every_sample(outcome: Outcome, _: NDArray[Any]) -> BoolArray:
    return np.ones((len(outcome), 1), bool)


def _each_class(outcome: Outcome, _: NDArray[Any]) -> BoolArray:
    return np.asarray(outcome.values[:, None] == np.arange(len(outcome.classes)))


def _each_class_predicted(outcome: Outcome, predictions: NDArray[Any]) -> BoolArray:
    predicted = predictions[:, None] == np.arange(len(outcome.classes))
    return np.hstack([_each_class(outcome, predictions), predicted])


def _beside_the_largest(outcome: Outcome, _: NDArray[Any]) -> BoolArray:
    return np.asarray(outcome.values != np.argmax(outcome.class_counts))[:, None]


def _events(outcome: Outcome, predictions: NDArray[Any]) -> BoolArray:
    if outcome.event is None:
        return _every_sample(outcome, predictions)
    return np.asarray(outcome.event)[:, None]


def _by_task(outcome: Outcome, predictions: NDArray[Any]) -> BoolArray:
    if outcome.task.is_classification:
        return _each_class(outcome, predictions)
    sets = _events if outcome.task is Task.SURVIVAL else _every_sample
    return sets(outcome, predictions)


EVERY_SAMPLE = SampleSize("all samples", _every_sample)
POSITIVES = SampleSize("the positive samples", _of_truth(1))
NEGATIVES = SampleSize("the negative samples", _of_truth(0))
PREDICTED_POSITIVE = SampleSize("the samples that the winner predicts positive", _of_prediction(1))
PREDICTED_NEGATIVE = SampleSize("the samples that the winner predicts negative", _of_prediction(0))
EACH_CLASS = SampleSize("the samples of the smallest class", _each_class)
EACH_CLASS_PREDICTED = SampleSize(
    "the samples of the smallest class, or of the one predicted least if they are fewer",
    _each_class_predicted,
)
BESIDE_THE_LARGEST = SampleSize("the samples outside the largest class", _beside_the_largest)
EVENTS = SampleSize("the samples whose event was seen", _events)
BY_TASK = SampleSize(
    "the samples of the smallest class, the samples whose event was seen, or all samples", _by_task
)
"""For a metric that names no samples: what is safe for its task."""
