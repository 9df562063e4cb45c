"""What a rule sees between folds: the predictions so far of the configurations still in.

A training loop knows no more at that point. So walking a finished matrix and calling the rule
between the folds of a running cross-validation give the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.outcome import Outcome
from bbccli.plan import Plan
from bbccli.selection.candidates import candidates, fold_performances
from bbccli.types import BoolArray, FloatArray, IntArray

MIN_SAMPLES = 50
"""Samples predicted before the first drop: the advice of the BBCD paper."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """What is known, after some folds, of the configurations that are still in.

    Attributes
    ----------
    matrix
        Their predictions on the samples seen; folds coded in the order in which they were seen.
    metric, plan
        What is compared; `pooling`, `seed` and `n_resamples` count.
    performances : (C,)
        So far, NaN where undefined.
    best : int
        The best so far, the first on ties; -1 where all are undefined.
    """

    matrix: PredictionMatrix
    metric: Metric
    plan: Plan
    performances: FloatArray
    best: int

    @classmethod
    def of(cls, matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Standing:
        """Score the configurations of a matrix of the samples seen."""
        values = candidates(matrix, metric, plan.pooling).performances()
        return cls(matrix, metric, plan, values, int(metric.direction.best(values)))

    @property
    def folds(self) -> IntArray:
        """(R, N) folds, coded in the order in which they were seen."""
        return walked_folds(self.matrix)

    def by_fold(self) -> FloatArray:
        """Return the performances (S, C) in each fold seen, of all repeats, in their order.

        Raises
        ------
        UndefinedError
            Folds are unknown, or the metric is undefined in one of them.
        """
        return np.concatenate(fold_performances(self.matrix, self.metric))


Judge = Callable[[Standing], BoolArray]
"""Which configurations (C,) leave."""


def too_early(outcome: Outcome, min_samples: int) -> str:
    """Say why nothing can be dropped on these samples yet; an empty text where it can."""
    if len(outcome) < min_samples:
        return f"{len(outcome)} samples are predicted so far, fewer than {min_samples}"
    if outcome.task.is_classification and np.count_nonzero(outcome.class_counts) < 2:
        return f"the {len(outcome)} samples predicted so far are of one class"
    return ""


def walked_folds(matrix: PredictionMatrix) -> IntArray:
    """Return the folds (R, N); an UndefinedError where they are unknown."""
    if matrix.folds is None:
        raise UndefinedError(
            "the folds of the samples are unknown, so they can't be walked",
            hint="add a fold column (--fold NAME) or a folds file (--folds FILE)",
        )
    return matrix.folds
