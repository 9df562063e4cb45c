"""BBCD's test: a bootstrap of the rows predicted so far.

1. Let j be the best configuration on the rows predicted so far.
2. B times: draw as many of these rows with replacement. A draw in which j has no performance (an
   AUC without one of the classes) is drawn again.
3. Drop each configuration that is strictly worse than j in more than 99 % of the draws.

It needs no folds: rows are drawn, and so it may drop after the first fold.

Source: section 4 of Tsamardinos, Greasidou & Borboudakis 2018, and the code of its simulations.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bbccli.core import resources
from bbccli.core.resources import Resources
from bbccli.core.workers import ordered_map
from bbccli.dropping.base import Interim, Judgement
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.stats.resampling import (
    BLOCK,
    MOST_BLOCKS,
    PATIENCE,
    WEIGHT_BYTES,
    Draws,
    Unit,
    draws_of_seen,
    too_few_usable,
)
from bbccli.stats.selection.candidates import candidates
from bbccli.types import Direction, FloatArray, IntArray

THRESHOLD = 0.99
"""Share of the draws above which a configuration is dropped."""


def bbcd(standing: Interim, threshold: float) -> Judgement:
    """Drop configurations that are strictly worse than the best in too many draws.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 4.
    """
    shares = worse_shares(standing)
    return Judgement(shares > threshold, probability=shares)


def worse_shares(standing: Interim) -> FloatArray:
    """Return the share of B draws in which each of C configurations is worse than the best so far.

    Equal performances, and undefined ones, are not worse. A sample's predictions of all repeats
    enter a draw together, and so do the samples of a group.

    Raises
    ------
    UndefinedError
        The best configuration is undefined in nearly every draw.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 4.
    """
    matrix, metric, plan = standing.matrix, standing.metric, standing.plan
    counts = np.zeros(matrix.n_configurations)
    if standing.best < 0:
        return counts
    draws = draws_of_seen(matrix.n_samples, matrix.groups, plan.seed)
    every = candidates(matrix, metric, plan.pooling)
    settled = kernels.decide(matrix.n_samples * every.n_sweeps * plan.n_resamples)
    with resources.use(settled):
        best = every.bind(np.array([standing.best]))
        for columns in every.blocks():
            count = partial(_count_worse, every.bind(columns), metric.direction)
            drawn = _drawn(draws, best, plan.n_resamples, settled)
            counts[columns] = sum(ordered_map(count, drawn, settled.jobs))
    return counts / plan.n_resamples


Drawn = tuple[IntArray, FloatArray]
"""In-bag weights (B', N) of some draws, and the performance (B', 1) of the best in each."""


def _count_worse(scorer: Scorer, direction: Direction, drawn: Drawn) -> IntArray:
    """In how many of some draws each of (C',) configurations is worse than the best."""
    in_bag, best = drawn
    values = scorer(in_bag)
    worse = direction.leads(best, values) & ~np.isnan(values)
    return np.asarray(worse.sum(axis=0))


def _drawn(draws: Draws, best: Scorer, n_resamples: int, settled: Resources) -> Iterator[Drawn]:
    """The first B draws in which the best is defined, a few blocks at a time."""
    fitting = settled.memory // (2 * settled.jobs * BLOCK * draws.n_weights * WEIGHT_BYTES)
    size = min(max(fitting, 1), MOST_BLOCKS)
    first, left = 0, n_resamples
    while left:
        n_blocks = min(size, -(-left // BLOCK))
        in_bag = draws.batch(first, n_blocks).in_bag
        values = best(in_bag)
        usable = np.flatnonzero(~np.isnan(values[:, 0]))[:left]
        first, left = first + n_blocks, left - len(usable)
        if first * BLOCK > PATIENCE * (n_resamples - left + BLOCK):
            raise too_few_usable(Unit.SAMPLES if draws.members is None else Unit.GROUPS)
        if len(usable):
            every = len(usable) == len(in_bag)
            yield (in_bag, values) if every else (in_bag[usable], values[usable])
