"""From a resample distribution to an estimate: shared by all methods that resample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.influence import influence
from bbccli.intervals import Basis, interval_of, monte_carlo_error
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.notes import Note, tolerance_not_reached, undefined_resamples
from bbccli.plan import FIRST_RESAMPLES, Plan
from bbccli.results import Distribution, Estimate, SelectionShare
from bbccli.selection.candidates import candidates
from bbccli.types import BoolArray, FloatArray


def from_distribution(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    naive: Estimate,
    distribution: Distribution,
    *,
    method: str,
    value: float | None = None,
    units: Units | None = None,
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
    units
        What was drawn; samples, or groups of samples, by default.
    """
    distribution, undefined = _defined(distribution, metric)
    units = units or samples_of(matrix, metric, plan, naive.winner)
    drawn = value is None
    value = distribution.mean() if value is None else value
    basis = Basis(value, n_units_of(matrix), units.n_drawn, units.influence)
    interval, error, on_interval = interval_of(distribution, metric, plan, basis)
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
        notes=(*naive.notes, *notes, *undefined, *on_interval, *short),
    )


@dataclass(frozen=True, slots=True)
class Units:
    """What was drawn, U units, and the influence values (U,) of the winner over them."""

    n_drawn: int
    influence: Callable[[], FloatArray]


def n_units_of(matrix: PredictionMatrix) -> int:
    """Return the number of samples, or of the groups that they come in."""
    return matrix.n_samples if matrix.n_groups is None else matrix.n_groups


def samples_of(matrix: PredictionMatrix, metric: Metric, plan: Plan, winner: str) -> Units:
    """Return the samples, or groups, as the units drawn."""

    def of_winner() -> FloatArray:
        everything = np.ones(matrix.n_samples, np.uint8)
        column = np.array([matrix.configurations.index(winner)])
        scorer = candidates(matrix, metric, plan.pooling).bind(column)
        return influence(scorer, everything, np.array([0]), members=matrix.groups)[:, 0]

    return Units(n_units_of(matrix), of_winner)


def selection_shares(
    matrix: PredictionMatrix, distribution: Distribution
) -> tuple[SelectionShare, ...]:
    """Return the configurations that were ever selected, the most frequent first."""
    shares = distribution.shares(matrix.n_configurations)
    order = np.argsort(-shares, kind="stable")
    return tuple(
        SelectionShare(matrix.configurations[c], float(shares[c])) for c in order if shares[c] > 0
    )


def enough(draw: Callable[[int], Distribution], metric: Metric, plan: Plan) -> Distribution:
    """Return `draw(B)` for the B of the plan, or for one at which the tolerance is met.

    The next B is what the errors, which shrink as 1 / sqrt(B), say is needed; at least
    `FIRST_RESAMPLES` more.
    """
    if plan.tolerance is None:
        return draw(plan.n_resamples)
    wanted = min(FIRST_RESAMPLES, plan.n_resamples)
    while True:
        distribution = draw(wanted)
        ratio = monte_carlo_error(distribution, metric, plan).largest() / plan.tolerance
        if ratio <= 1 or wanted == plan.n_resamples or np.isnan(ratio):
            return distribution
        blocks = max(np.ceil(wanted * ratio**2 / FIRST_RESAMPLES), wanted // FIRST_RESAMPLES + 1)
        wanted = int(min(blocks * FIRST_RESAMPLES, plan.n_resamples))


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
