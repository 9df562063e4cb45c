"""From a resample distribution to an estimate: shared by all methods that resample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.intervals import Basis, interval_of
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import MeanScorer, Metric
from bbccli.notes import Note, tolerance_not_reached, undefined_resamples, wide_fold_mean
from bbccli.plan import FIRST_RESAMPLES, Plan
from bbccli.results import Distribution, Estimate, MonteCarloError, SelectionShare
from bbccli.selection.available import AvailableCases
from bbccli.selection.candidates import by_repeat
from bbccli.types import BoolArray, FloatArray, IntervalKind, Pooling


def from_distribution(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    naive: Estimate,
    distribution: Distribution,
    *,
    method: str,
    value: float | None = None,
    n_drawn: int | None = None,
    notes: tuple[Note, ...] = (),
) -> Estimate:
    """Return the estimate of a winner's performance that a distribution stands for.

    Resamples in which the metric is undefined don't count, and a note says how many.

    Parameters
    ----------
    naive
        Estimate of the same winner without correction.
    value
        The estimate, where it is not drawn; the mean of the distribution by default.
    n_drawn
        How many units were drawn from; the samples, or groups of samples, by default.
    """
    distribution, undefined = _defined(distribution, metric)
    drawn = value is None
    value = distribution.mean() if value is None else value
    wide = () if n_drawn else _on_fold_means(matrix, metric, plan, distribution, naive.winner)
    n_drawn = n_drawn or n_units_of(matrix)
    basis = Basis(value, _guarding(matrix, metric, plan, naive.winner), n_drawn, drawn)
    within = metric.within(matrix.outcome)
    interval, error, on_interval = interval_of(distribution, within, plan, basis)
    error = error if drawn else replace(error, value=0.0)
    missed = plan.tolerance is not None and not error.largest() <= plan.tolerance
    short = (tolerance_not_reached(plan.tolerance, error.largest()),) if missed else ()
    return Estimate(
        method=method,
        metric=metric.name,
        selected_by=naive.selected_by,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=value,
        interval=interval,
        n_resamples=len(distribution.values),
        exact=distribution.exact,
        error=error,
        selection=selection_shares(matrix, distribution),
        distribution=distribution,
        plan=plan,
        notes=(*naive.notes, *notes, *undefined, *on_interval, *wide, *short),
    )


def n_units_of(matrix: PredictionMatrix) -> int:
    """Return the number of samples, or of the groups that they come in."""
    return matrix.n_samples if matrix.n_groups is None else matrix.n_groups


def check_matched(plan: Plan) -> None:
    """Refuse to match the spread of means over folds, of which samples are resampled.

    Raises
    ------
    UnsupportedError
        Out of the bag the folds are of unequal sizes and some are undefined: how the spread of such
        means compares to that of the estimate is not known.
    """
    if plan.interval is IntervalKind.MATCHED and plan.pooling is Pooling.FOLD_MEAN:
        raise UnsupportedError(
            "matched intervals don't go with means over folds: out of the bag the folds are "
            "unequal and some undefined, so the spread of the estimate can't be told",
            hint="--pooling within-folds or pooled; or --interval percentile",
        )


def _on_fold_means(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, distribution: Distribution, winner: str
) -> tuple[Note, ...]:
    """A note where out of the bag the folds hold too few samples to score the metric well."""
    if plan.pooling is not Pooling.FOLD_MEAN or distribution.sizes is None or not matrix.n_folds:
        return ()
    column = np.array([matrix.configurations.index(winner)])
    scorers = by_repeat(matrix, metric, column)
    of_all = [s.scorer if isinstance(s, AvailableCases) else s for s in scorers]
    if all(isinstance(scorer, MeanScorer) for scorer in of_all):
        return ()  # a mean of few samples is as good as its share of the samples
    per_fold = rests_on(matrix, metric, winner) / matrix.n_folds
    return (wide_fold_mean(per_fold, metric.rests_on.words),) if per_fold < FEW_IN_FOLD else ()


FEW_IN_FOLD = 10
"""Samples in a fold that a metric rests on, below which its out-of-bag means spread too much."""


def rests_on(matrix: PredictionMatrix, metric: Metric, winner: str) -> int:
    """Return the number of samples, or groups, that a performance of the winner rests on.

    The samples that the metric names, such as those of the smallest class; with repeats, in the
    repeat where they are fewest.
    """
    column = matrix.configurations.index(winner)
    predictions = matrix.as_kind(metric.wants, slice(column, column + 1))[:, :, 0]
    available = [None] * len(predictions)
    if matrix.available is not None:
        available = list(matrix.available[:, :, column])
    return min(
        metric.rests_on.n_units(matrix.outcome, of_repeat, groups=matrix.groups, available=there)
        for of_repeat, there in zip(predictions, available, strict=True)
    )


def selection_shares(
    matrix: PredictionMatrix, distribution: Distribution
) -> tuple[SelectionShare, ...]:
    """Return the configurations that were ever selected, the most frequent first."""
    shares = distribution.shares(matrix.n_configurations)
    order = np.argsort(-shares, kind="stable")
    return tuple(
        SelectionShare(matrix.configurations[c], float(shares[c])) for c in order if shares[c] > 0
    )


def _guarding(matrix: PredictionMatrix, metric: Metric, plan: Plan, winner: str) -> int:
    """What the guard counts, where there is one."""
    return rests_on(matrix, metric, winner) if plan.guard else matrix.n_samples


def enough(
    draw: Callable[[int], Distribution], matrix: PredictionMatrix, metric: Metric, plan: Plan
) -> Distribution:
    """Return `draw(B)` for the B of the plan, or for one at which the tolerance is met.

    The next B is what the errors, which shrink as 1 / sqrt(B), say is needed; at least
    `FIRST_RESAMPLES` more.
    """
    if plan.tolerance is None:
        return draw(plan.n_resamples)
    wanted = min(FIRST_RESAMPLES, plan.n_resamples)
    while True:
        distribution = draw(wanted)
        ratio = _error(distribution, matrix, metric, plan).largest() / plan.tolerance
        if ratio <= 1 or wanted == plan.n_resamples or np.isnan(ratio):
            return distribution
        blocks = max(np.ceil(wanted * ratio**2 / FIRST_RESAMPLES), wanted // FIRST_RESAMPLES + 1)
        wanted = int(min(blocks * FIRST_RESAMPLES, plan.n_resamples))


def _error(
    distribution: Distribution, matrix: PredictionMatrix, metric: Metric, plan: Plan
) -> MonteCarloError:
    """The Monte-Carlo errors that these resamples would leave; NaN where one is undefined."""
    if np.isnan(distribution.values).any():
        return MonteCarloError(float("nan"), None, None)
    most = int(np.bincount(distribution.winners).argmax())
    n_units = _guarding(matrix, metric, plan, matrix.configurations[most])
    basis = Basis(distribution.mean(), n_units, n_units_of(matrix))
    return interval_of(distribution, metric.within(matrix.outcome), plan, basis)[1]


def _defined(distribution: Distribution, metric: Metric) -> tuple[Distribution, tuple[Note, ...]]:
    """The resamples in which the metric is defined, and a note on the others."""
    undefined = np.isnan(distribution.values)
    if not undefined.any():
        return distribution, ()
    if undefined.all():
        raise UndefinedError(
            f"{metric.label} is undefined in every resample",
            hint="collect more samples of the rarest class, or use another metric",
        )
    rows = ~undefined
    kept = replace(
        distribution,
        values=distribution.values[rows],
        winners=distribution.winners[rows],
        probabilities=_share_of(distribution.probabilities, rows),
        sizes=_taken(distribution.sizes, rows),
    )
    return kept, (undefined_resamples(int(undefined.sum()), len(undefined), metric.label),)


def _share_of(probabilities: FloatArray | None, rows: BoolArray) -> FloatArray | None:
    """Probabilities of some resamples, given that it is one of them."""
    return None if probabilities is None else probabilities[rows] / probabilities[rows].sum()


def _taken(array: Any, rows: BoolArray) -> Any:
    return None if array is None else array[rows]
