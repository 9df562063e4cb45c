"""Classes that no resample can hold both in the bag and out of it."""

from __future__ import annotations

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.outcome import Outcome
from bbccli.selection.candidates import Candidates
from bbccli.types import IntArray


def refuse_single_classes(candidates: Candidates) -> None:
    """Refuse a class with a single sample, or in a single group, where the metric needs it.

    Such a class is in the bag or out of it, never both. Whether the metric needs it is asked of
    the metric: is it undefined, for every configuration, on all samples but those of the class?

    Raises
    ------
    UndefinedError
        The metric can't be computed in the bag and out of it, whatever is drawn.
    """
    matrix = candidates.matrix
    if not matrix.task.is_classification:
        return
    for code in single_classes(matrix.outcome, matrix.groups):
        without = (matrix.outcome.values != code).astype(np.uint8)
        if np.isnan(candidates.score(without[None])).all():
            unit = "sample" if matrix.groups is None else "group"
            raise UndefinedError(
                f"class {matrix.outcome.classes[code]!r} has a single {unit}: "
                f"{candidates.metric.label} needs the class in the bag and out of it",
                hint="collect more samples of that class, or use a metric that does without it",
            )


def single_classes(outcome: Outcome, groups: IntArray | None) -> IntArray:
    """Return the codes of the classes with one sample, or with samples in one group (N,) only."""
    codes = outcome.values.astype(np.int64)
    if groups is not None:
        codes = np.unique(np.stack([codes, groups]), axis=1)[0]
    return np.flatnonzero(np.bincount(codes) == 1)
