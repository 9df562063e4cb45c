"""BBC of the difference between two selections, as a comparison wants it.

1. In each bag both sides select, each among its own configurations.
2. Out of the bag both winners are scored on the same samples; the first's less the second's, so
   that more is better for the first.
3. The mean over resamples is the difference corrected for both selections. Its interval is made as
   those of performances are, without the guard: in studies it showed a gain that there was not in
   less than 0.5%, of 2.5% that are allowed.

Source: Tsamardinos, Greasidou & Borboudakis 2018, algorithm 5, of a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from bbccli.domain.estimate import Distribution, MonteCarloError
from bbccli.domain.plan import n_draws
from bbccli.metrics.base import Metric
from bbccli.notes import Note
from bbccli.notes.methods import few_left_out
from bbccli.platform.dataclass import dataclass
from bbccli.stats.bootstrap.bbc_samples import corrected, notes_on_draws, out_of_bag, selections
from bbccli.stats.case import Case
from bbccli.stats.intervals import Basis, interval_of
from bbccli.stats.selection.units import n_units_of
from bbccli.types import Direction, FloatArray, Interval, MetricKind

FEW = 60
"""From so many samples or groups on, no metric depends mostly on how many are left out."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A difference corrected for the selection, its interval, and the notes on them.

    wins: share of the resamples in which the first side is better.
    error: of the value and the interval.
    """

    value: float
    interval: Interval
    notes: tuple[Note, ...] = ()
    wins: float = 0.0
    error: MonteCarloError | None = None


def corrected_difference(first: Case, second: Case) -> Corrected:
    """Return the lead of one case's selection over another's.

    first, second: of the same samples, with the same metrics and plan.
    Raises UndefinedError: as BBC of either of them.
    Raises UnsupportedError: matched intervals of means over folds.

    Time O(B N C); the resamples are those of `bbc` with this seed.
    """
    n = n_draws(first.plan)
    plan = replace(first.plan, n_resamples=n, tolerance=None, guard=False)
    first, second = replace(first, plan=plan), replace(second, plan=plan)
    drawn = _difference(first, second)
    n_units, value = n_units_of(first.matrix), drawn.mean()
    basis = Basis(value, n_units, n_units)
    interval, error, notes = interval_of(drawn, as_difference(first.bounded), first.plan, basis)
    notes = notes_on_draws(first.matrix, first.selector, drawn) + notes
    if n_units < FEW and first.metric.kind is MetricKind.OTHER:
        doubts = {note.code: note for case in (first, second) for note in corrected(case).notes}
        notes += (doubts[few_left_out.code],) if few_left_out.code in doubts else ()
    return Corrected(value, interval, notes, float((drawn.values > 0).mean()), error)


def difference_at_size(first: Case, second: Case) -> Corrected:
    """Return `corrected_difference`, moved as both figures are by the size correction."""
    difference = corrected_difference(first, second)
    sizes = [corrected(case).size_correction or 0.0 for case in (first, second)]
    moved = first.metric.direction.gain(*sizes)
    lower, upper = difference.interval.lower + moved, difference.interval.upper + moved
    interval = replace(difference.interval, lower=lower, upper=upper)
    return replace(difference, value=difference.value + moved, interval=interval)


def jointly(cases: Sequence[Case]) -> FloatArray:
    """Return the gains (F, B) of the winners of several cases, out of the bags that all can use.

    Raises UndefinedError: as of `out_of_bag`.
    """
    plan = cases[0].plan
    plan = replace(plan, n_resamples=n_draws(plan), tolerance=None, guard=False)
    gains = []
    for case in (replace(case, plan=plan) for case in cases):
        values = out_of_bag(case).values
        gains.append((selections(case).ordinals[: len(values)], values))
    common = reduce(np.intersect1d, (rows for rows, _ in gains))
    common_gains = [values[np.isin(rows, common)] for rows, values in gains]
    return np.asarray(cases[0].metric.direction.sign * np.array(common_gains), np.float64)


def _difference(first: Case, second: Case) -> Distribution:
    """Return the lead of one case's winners over another's, out of the bag.

    Both cases are of the same samples, and have configurations of their own: each selects among
    its own in a bag, and both winners are scored on the same samples out of it. Resamples that
    only one of them can use are left out.

    Raises UndefinedError: as of `out_of_bag`.
    """
    sides, direction = [], first.metric.direction
    for case in (first, second):
        drawn = out_of_bag(case)
        sides.append((drawn, selections(case).ordinals[: len(drawn.values)]))
    (ours, rows), (theirs, others) = sides
    _, here, there = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
    values = np.asarray(direction.gain(ours.values[here], theirs.values[there]), np.float64)
    sizes = None if ours.sizes is None else ours.sizes[here]
    n_lost = max(len(rows), len(others)) - len(here)
    n_redrawn = max(ours.n_redrawn, theirs.n_redrawn) + n_lost
    return Distribution(values, ours.winners[here], n_redrawn=n_redrawn, sizes=sizes)


def as_difference(metric: Metric) -> Metric:
    """Return a metric with the direction and the bounds that differences in it have.

    >>> from bbccli import METRICS
    >>> as_difference(METRICS["brier"]).bounds
    (-2.0, 2.0)
    """
    width = metric.bounds[1] - metric.bounds[0]
    return replace(metric, direction=Direction.MAXIMIZE, bounds=(-width, width), bounds_of=None)
