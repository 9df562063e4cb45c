"""What a method is, and what it may need of the data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from typing import Protocol

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.metrics.probability import with_clip
from bbccli.notes import Note, few_folds, few_groups
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.results import Estimate

FEW_FOLDS = 5
FEW_GROUPS = 20


class Need(StrEnum):
    """What a method needs beside predictions and outcome."""

    FOLDS = "folds"
    REPEATS = "repeats"
    NESTED = "nested"


class Gives(StrEnum):
    """What a method returns."""

    POINT = "point"
    INTERVAL = "interval"
    DISTRIBUTION = "distribution"


class Run(Protocol):
    """A method's function."""

    def __call__(
        self,
        matrix: PredictionMatrix,
        metric: Metric,
        plan: Plan,
        *,
        select_by: Metric | None = None,
        progress: Progress = silent,
    ) -> Estimate:
        """Estimate, in `metric`, the performance of the winner by `select_by` (the same)."""


@dataclass(frozen=True, slots=True)
class Method:
    """A way to estimate the winner's performance.

    Parameters
    ----------
    name, label
        Name on the command line; what it does, in a word or two for the table.
    run
        The function.
    needs, gives
        Checked before the run; promised of the result.
    summary, reference
        For `bbc methods` and the documentation.
    ignores_selection
        Whether its interval does not account for the selection of the winner.
    experimental
        Whether its evidence is still thin.
    """

    name: str
    label: str
    run: Run
    needs: frozenset[Need]
    gives: frozenset[Gives]
    summary: str
    reference: str
    ignores_selection: bool = False
    experimental: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "run", _as_planned(self.run))


def _as_planned(run: Run) -> Run:
    """Have the metrics take logarithms as the plan says."""

    @wraps(run)
    def planned(
        matrix: PredictionMatrix,
        metric: Metric,
        plan: Plan,
        *,
        select_by: Metric | None = None,
        progress: Progress = silent,
    ) -> Estimate:
        first = None if select_by is None else with_clip(select_by, plan.clip)
        metric = with_clip(metric, plan.clip)
        return run(matrix, metric, plan, select_by=first, progress=progress)

    return planned


def check_needs(method: Method, matrix: PredictionMatrix) -> None:
    """Raise UndefinedError unless the matrix has what the method needs."""
    if Need.NESTED in method.needs and not matrix.nested:
        raise UndefinedError(
            f"{method.name} needs the inner predictions of a nested cross-validation",
            hint="add a column `outer_fold`, and rows with an inner `fold` for what it trained on",
        )
    if Need.REPEATS in method.needs and matrix.n_repeats < 2:
        raise UndefinedError(
            f"{method.name} needs at least two repeats of the cross-validation; there is one",
            hint="repeats are rows with the same row_id and another value in a column `repeat`",
        )
    if Need.FOLDS not in method.needs:
        return
    if matrix.repeated_holdout:
        raise UndefinedError(
            f"{method.name} needs folds that share out the samples; in repeated hold-out each "
            "repeat is a part of its own, and parts overlap",
            hint="use bbc, which resamples the rows: --method bbc",
        )
    if matrix.folds is None:
        raise UndefinedError(
            f"{method.name} needs to know the fold of each sample",
            hint="add a fold column (--fold NAME) or a folds file (--folds FILE)",
        )
    if (matrix.n_folds or 0) < 2:
        raise UndefinedError(
            f"{method.name} needs at least two folds; there is one",
            hint="use bbc, which resamples the rows: --method bbc",
        )


def on_few_folds(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Return a note where a method over folds rests on a handful of them."""
    n_folds = matrix.n_folds
    return (few_folds(n_folds),) if n_folds and n_folds < FEW_FOLDS else ()


def on_few_groups(matrix: PredictionMatrix) -> tuple[Note, ...]:
    """Return a note where a method over groups rests on a handful of them."""
    n_groups = matrix.n_groups
    return (few_groups(n_groups),) if n_groups is not None and n_groups < FEW_GROUPS else ()
