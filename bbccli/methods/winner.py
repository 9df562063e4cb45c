"""What the methods that look at the winner alone share.

They take the winner as if it had been chosen beforehand: the estimate is its naive figure, and the
interval around it ignores that the figure was selected for being good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.notes import Note, listing, no_variance
from bbccli.plan import Plan
from bbccli.results import Estimate
from bbccli.selection.candidates import fold_performances
from bbccli.types import FloatArray, Interval, Side, distinct

Ends = Callable[[float], tuple[float, float]]
"""Probability outside of each end -> lower and upper end."""


def alone(
    naive: Estimate, method: str, interval: Interval | None, notes: tuple[Note, ...] = ()
) -> Estimate:
    """Return the naive estimate with an interval of its winner that ignores the selection."""
    return replace(
        naive,
        method=method,
        interval=interval,
        ignores_selection=True,
        notes=(*naive.notes, *notes),
    )


def interval_by(ends: Ends, metric: Metric, plan: Plan) -> Interval:
    """Return the interval of a plan from a formula of its ends, within the metric's bounds.

    A one-sided interval spends the whole of 1 - level on its end; the other is the bound.
    """
    side = metric.direction.pessimistic() if plan.side is Side.PESSIMISTIC else plan.side
    outside = 1 - plan.level
    ends_found = ends(outside / 2 if side is Side.TWO else outside)
    lower, upper = (float(np.clip(end, *metric.bounds)) for end in ends_found)
    if side is Side.UPPER:
        lower = metric.bounds[0]
    if side is Side.LOWER:
        upper = metric.bounds[1]
    return Interval(lower, upper, plan.level, side)


def without_width(ends: Ends, value: float) -> tuple[Note, ...]:
    """Return a note where the ends don't part, whatever the level."""
    lower, upper = ends(0.25)
    return (no_variance(value),) if lower == upper else ()


def winner_by_fold(
    matrix: PredictionMatrix, metric: Metric, naive: Estimate
) -> tuple[FloatArray, ...]:
    """Return the performances (F,) of the winner in the folds of each repeat.

    Raises
    ------
    UndefinedError
        The metric is undefined in some fold.
    """
    winner = matrix.configurations.index(naive.winner)
    found = tuple(values[:, winner] for values in fold_performances(matrix, metric))
    if matrix.folds is None:  # fold_performances has raised
        return found
    for values, folds in zip(found, matrix.folds, strict=True):
        codes = distinct(folds)[np.isnan(values)]
        if len(codes):
            names = listing([matrix.fold_names[code] for code in codes])
            raise UndefinedError(
                f"{metric.label} is undefined in fold{'s' if len(codes) > 1 else ''} {names} "
                f"for the winner, {naive.winner}",
                hint="use a method over samples, such as bbc",
            )
    return found
