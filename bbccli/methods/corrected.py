"""From a resample distribution to an estimate: shared by all methods that resample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bbccli.intervals import monte_carlo_error, percentile
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.notes import Note, tolerance_not_reached, undefined_resamples
from bbccli.plan import FIRST_RESAMPLES, Plan
from bbccli.results import Distribution, Estimate, SelectionShare


def from_distribution(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    naive: Estimate,
    distribution: Distribution,
    *,
    method: str,
    notes: tuple[Note, ...] = (),
) -> Estimate:
    """Return the mean and interval of a distribution as the estimate of a winner's performance.

    Resamples in which the metric is undefined don't count, and a note says how many.
    """
    distribution, undefined = _defined(distribution, metric)
    error = monte_carlo_error(distribution, metric, plan)
    missed = plan.tolerance is not None and not error.largest() <= plan.tolerance
    short = (tolerance_not_reached(plan.tolerance, error.largest()),) if missed else ()
    return Estimate(
        method=method,
        metric=metric.name,
        selected_by=naive.selected_by,
        direction=metric.direction,
        winner=naive.winner,
        naive=naive.value,
        value=distribution.mean(),
        interval=percentile(distribution, metric, plan),
        n_resamples=len(distribution.values),
        exact=distribution.exact,
        error=error,
        selection=selection_shares(matrix, distribution),
        distribution=distribution,
        plan=plan,
        notes=(*naive.notes, *notes, *undefined, *short),
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
    probabilities = distribution.probabilities
    kept = Distribution(
        distribution.values[~undefined],
        distribution.winners[~undefined],
        None if probabilities is None else probabilities[~undefined],
        distribution.n_redrawn,
    )
    return kept, (undefined_resamples(int(undefined.sum()), len(undefined), metric.label),)
