"""From a resample distribution to an answer, for all methods that resample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bbccli.domain.estimate import Distribution, MonteCarloError
from bbccli.domain.plan import FIRST_RESAMPLES
from bbccli.errors import UndefinedError
from bbccli.notes import Note
from bbccli.notes.intervals import not_calibrated
from bbccli.notes.methods import tolerance_not_reached, undefined_resamples
from bbccli.stats.case import Answer, Case
from bbccli.stats.intervals import Basis, guards_losses, interval_of
from bbccli.stats.selection.rule import selection_shares
from bbccli.stats.selection.tails import worst_sample
from bbccli.stats.selection.units import n_units_of, rests_on
from bbccli.types import Direction, Models

CALIBRATED = frozenset({"bbc", "bbc-632", "bbc-eb"})
"""Methods that the factors of calibrated and sharp intervals were measured for."""


def from_distribution(
    case: Case,
    distribution: Distribution,
    *,
    value: float | None = None,
    mean: float | None = None,
    n_drawn: int | None = None,
    notes: tuple[Note, ...] = (),
) -> Answer:
    """Return the answer that a distribution gives on the winner's performance.

    Resamples in which the metric is undefined don't count; a note gives their number.

    value: the estimate, if nothing was selected in the resamples; else it is their mean, or `mean`.
    n_drawn: number of units drawn from; the samples, or groups of samples, by default.
    """
    distribution, undefined = _defined(distribution, case)
    drawn = value is None
    if value is None:
        value = distribution.mean() if mean is None else mean
    n_drawn = n_drawn or n_units_of(case.matrix)
    basis = _basis(case, case.choice.winner, value, n_drawn, drawn)
    interval, error, on_interval = interval_of(distribution, case.bounded, case.plan, basis)
    error = error if drawn else replace(error, value=0.0)
    tolerance, largest = case.plan.tolerance, error.largest()
    missed = tolerance is not None and not largest <= tolerance
    short = (tolerance_not_reached(tolerance, largest),) if missed else ()
    scaled = guards_losses(case.plan.interval) and case.method not in CALIBRATED
    guessed = (not_calibrated(case.method, case.plan.interval),) if scaled else ()
    shares = distribution.shares(case.matrix.n_configurations)
    return Answer(
        value,
        interval,
        distribution,
        (*notes, *undefined, *on_interval, *guessed, *short),
        error=error,
        n_resamples=len(distribution.values),
        selection=selection_shares(case.matrix, shares) if drawn else (),
    )


def enough(draw: Callable[[int], Distribution], case: Case) -> Distribution:
    """Return `draw(B)` for the plan's B, or for one that meets the tolerance.

    The next B follows from the errors, which shrink as 1 / sqrt(B); it is at least
    `FIRST_RESAMPLES` larger.
    """
    plan = case.plan
    case.enter("resampling")
    if plan.tolerance is None:
        return draw(plan.n_resamples)
    n_resamples = min(FIRST_RESAMPLES, plan.n_resamples)
    while True:
        distribution = draw(n_resamples)
        ratio = _error(distribution, case).largest() / plan.tolerance
        if ratio <= 1 or n_resamples == plan.n_resamples or np.isnan(ratio):
            return distribution
        blocks = max(
            np.ceil(n_resamples * ratio**2 / FIRST_RESAMPLES), n_resamples // FIRST_RESAMPLES + 1
        )
        n_resamples = int(min(blocks * FIRST_RESAMPLES, plan.n_resamples))


def _error(distribution: Distribution, case: Case) -> MonteCarloError:
    if np.isnan(distribution.values).any():
        return MonteCarloError(float("nan"), None, None)
    most = int(np.bincount(distribution.winners).argmax())
    basis = _basis(case, most, distribution.mean(), n_units_of(case.matrix))
    return interval_of(distribution, case.bounded, case.plan, basis)[1]


def _basis(case: Case, winner: int, value: float, n_drawn: int, drawn: bool = True) -> Basis:
    """Return the basis of the interval, with the worst value that the guard counts, if any."""
    matrix, metric, plan = case.matrix, case.metric, case.plan
    n_units = rests_on(matrix, metric, winner) if plan.guard else matrix.n_samples
    endless = metric.direction is Direction.MINIMIZE and np.isinf(case.bounded.bounds[1])
    guarded = plan.guard and endless and guards_losses(plan.interval)
    worst = worst_sample(matrix, metric, winner) if guarded else None
    return Basis(value, n_units, n_drawn, drawn, worst, plan.models is Models.FIXED)


def _defined(distribution: Distribution, case: Case) -> tuple[Distribution, tuple[Note, ...]]:
    """Keep the resamples in which the metric is defined; return a note on the others."""
    undefined = np.isnan(distribution.values)
    if not undefined.any():
        return distribution, ()
    if undefined.all():
        raise UndefinedError(
            f"{case.metric.label} is undefined in every resample",
            hint="collect more samples"
            + " of each class" * case.matrix.task.is_classification
            + ", or use another metric",
        )
    rows = ~undefined
    probabilities = distribution.probabilities
    defined = replace(
        distribution,
        values=distribution.values[rows],
        winners=distribution.winners[rows],
        probabilities=None
        if probabilities is None
        else probabilities[rows] / probabilities[rows].sum(),
        sizes=None if distribution.sizes is None else distribution.sizes[rows],
        kinds=None if distribution.kinds is None else distribution.kinds[rows],
    )
    return defined, (undefined_resamples(int(undefined.sum()), len(undefined), case.metric.label),)
