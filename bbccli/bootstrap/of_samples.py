"""Resamples of the samples: the winner of each, and its performance out of the bag.

What BBC and the methods built on it share. A sample's predictions of all repeats enter a resample
together or not at all, and so do the samples of a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bbccli.bootstrap.out_of_bag import Selections, extend, measure
from bbccli.bootstrap.single_classes import refuse_single_classes
from bbccli.bootstrap.summary import enough, from_distribution
from bbccli.case import Answer, Case
from bbccli.intervals import INTERVALS
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Metric
from bbccli.notes import Note, redrawn_resamples
from bbccli.resampling import BLOCK, draws_of
from bbccli.results import Distribution
from bbccli.selection.candidates import cached
from bbccli.selection.units import on_few_groups
from bbccli.types import FloatArray, IntArray


def corrected(case: Case) -> Answer:
    """Return the mean of the out-of-bag performances, and their interval.

    Raises
    ------
    UndefinedError
        A class with a single sample that the selecting metric can't do without, or data on which
        hardly any resample can be used.
    UnsupportedError
        Matched intervals of means over folds.

    Notes
    -----
    Time O(B N C); memory O(B + N C) beside blocks of bounded size.
    """
    _ = case.choice  # what is undefined on all samples is said first
    distribution = out_of_bag(case)
    notes = notes_on_draws(case.matrix, case.selector, distribution)
    return from_distribution(case, distribution, notes=notes)


def out_of_bag(case: Case) -> Distribution:
    """Return the performances of the winners of the resamples, out of their bags."""
    matrix, plan = case.matrix, case.plan
    INTERVALS[plan.interval].check(plan)
    judged = case.judged
    refuse_single_classes(judged)
    draws = draws_of(matrix.n_samples, matrix.groups, plan.seed)
    found = selections(case)

    def draw(n_resamples: int) -> Distribution:
        extend(found, n_resamples, judged, draws, case.css, progress=case.progress)
        first = found.first(n_resamples)
        if case.metric is case.selector:
            return first
        return replace(first, values=measure(found, n_resamples, case.measured, draws))

    return enough(draw, case)


def difference(first: Case, second: Case) -> Distribution:
    """Return by how much the winners of one case are better than those of another, out of the bag.

    Both cases are of the same samples, and have configurations of their own: each selects among
    its own in a bag, and both winners are scored on the same samples out of it. Resamples that
    only one of them can use are left out.

    Raises
    ------
    UndefinedError
        As of `out_of_bag`; no resample that both can use.
    """
    found, direction = [], first.metric.direction
    for case in (first, second):
        drawn = out_of_bag(case)
        found.append((drawn, selections(case).ordinals[: len(drawn.values)]))
    (ours, rows), (theirs, others) = found
    _, here, there = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
    values = np.asarray(direction.gain(ours.values[here], theirs.values[there]), np.float64)
    sizes = None if ours.sizes is None else ours.sizes[here]
    n_lost = max(len(rows), len(others)) - len(here)
    n_redrawn = max(ours.n_redrawn, theirs.n_redrawn) + n_lost
    return Distribution(values, ours.winners[here], n_redrawn=n_redrawn, sizes=sizes)


def in_bag(case: Case, n_resamples: int) -> FloatArray:
    """Return what the winners of the first resamples of `out_of_bag` reach in their bags: (B,)."""
    draws = draws_of(case.matrix.n_samples, case.matrix.groups, case.plan.seed)
    return measure(selections(case), n_resamples, case.measured, draws, in_bag=True)


def replayed(case: Case, n_resamples: int) -> Iterator[tuple[IntArray, int]]:
    """Yield weights (N,) in the bag, and the winner, of the first resamples of `out_of_bag`."""
    draws, found = (
        draws_of(case.matrix.n_samples, case.matrix.groups, case.plan.seed),
        selections(case),
    )
    ordinals = found.ordinals[:n_resamples]
    for block in range(int(ordinals[-1]) // BLOCK + 1):
        drawn = draws.batch(block, 1)
        rows = np.searchsorted(ordinals, drawn.ordinals)
        for row, in_bag, ordinal in zip(rows, drawn.in_bag, drawn.ordinals, strict=True):
            if row < n_resamples and ordinals[row] == ordinal:
                yield in_bag, int(found.winners[row])


def selections(case: Case) -> Selections:
    """What was selected so far, cached with the matrix: it depends on all that is in the key."""
    plan = case.plan
    key = ("bbc", case.selector, plan.select, plan.pooling, plan.seed)
    return cached(case.matrix, key, Selections)


def notes_on_draws(
    matrix: PredictionMatrix, metric: Metric, distribution: Distribution
) -> tuple[Note, ...]:
    """Return notes on resamples drawn again for a metric, and on few groups to draw from."""
    n_redrawn, n_used = distribution.n_redrawn, len(distribution.values)
    redrawn = (redrawn_resamples(n_redrawn, n_used, metric.label),) if n_redrawn else ()
    return redrawn + on_few_groups(matrix)
