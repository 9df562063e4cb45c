"""BBCD: bootstrap bias corrected cross-validation with dropping of configurations.

1. Train the configurations on the first fold, and predict it.
2. After each fold, let j be the best configuration on the rows predicted so far. B times: draw
   as many of these rows with replacement. A draw in which j has no performance (an AUC without
   one of the classes) is drawn again.
3. Drop each configuration that is strictly worse than j in more than 99 % of the draws. It is not
   trained on later folds. Nothing is dropped before 50 rows are predicted.
4. After the last fold, select the winner among the survivors (css), and estimate its performance
   by BBC on the columns of the survivors.

Here the cross-validation was run to its end, and steps 1 to 3 replay what dropping would have
done. The folds are walked in the order of their names.

Source: section 4 of Tsamardinos, Greasidou & Borboudakis 2018, and the code of its simulations,
which asks after the last fold too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from bbccli import kernels, resources
from bbccli.bootstrap.drawing import MOST_BLOCKS, WEIGHT_BYTES
from bbccli.matrix import PredictionMatrix
from bbccli.methods.base import Gives, Method, Need, check_needs
from bbccli.methods.bbc import bbc
from bbccli.methods.elimination import (
    MIN_SAMPLES,
    Standing,
    Walk,
    take_configurations,
    too_early,
    walk,
)
from bbccli.metrics.base import Metric, Scorer
from bbccli.notes import nothing_dropped
from bbccli.plan import Plan
from bbccli.progress import Progress, silent
from bbccli.resampling import BLOCK, PATIENCE, Draws, Unit, draws_of_seen, too_few_usable
from bbccli.resources import Resources
from bbccli.results import Estimate
from bbccli.selection.candidates import candidates
from bbccli.threads import ordered_map
from bbccli.types import BoolArray, Direction, FloatArray, IntArray

THRESHOLD = 0.99
"""Share of the draws above which a configuration is dropped."""


def bbcd(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the BBC estimate of the winner among those that dropping would have left.

    Parameters
    ----------
    matrix
        Out-of-sample predictions of C configurations on N samples, with folds.
    metric
        Measures, selects in every resample, and decides which configuration is worse.
    plan
        As for BBC; `n_resamples` is also the number of draws after each fold.
    select_by
        Metric that selects and drops, when that is another.

    Returns
    -------
    Estimate
        As of BBC on the survivors; `drop_trace` tells fold by fold who went.

    Raises
    ------
    UndefinedError
        As BBC, or folds that are unknown.

    Notes
    -----
    Time O(B N C) per fold at most; memory O(B + N C) beside blocks of bounded size.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 4.
    """
    check_needs(METHOD, matrix)
    selector = select_by or metric
    found = walk(matrix, selector, plan, drops, rule="bbcd", threshold=THRESHOLD, progress=progress)
    estimate = of_survivors(matrix, found, metric, plan, select_by=select_by, progress=progress)
    early = too_early(matrix.outcome, MIN_SAMPLES)
    notes = (nothing_dropped(early),) if early else ()
    return replace(estimate, notes=estimate.notes + notes)


def of_survivors(
    matrix: PredictionMatrix,
    found: Walk,
    metric: Metric,
    plan: Plan,
    *,
    select_by: Metric | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the estimate of BBC on the survivors of a walk, with its trace (step 4)."""
    left = take_configurations(matrix, found.survivors)
    estimate = bbc(left, metric, plan, select_by=select_by, progress=progress)
    distribution = estimate.distribution
    if distribution is not None:
        distribution = replace(distribution, winners=found.survivors[distribution.winners])
    return replace(estimate, method="bbcd", drop_trace=found.trace, distribution=distribution)


def drops(standing: Standing, threshold: float = THRESHOLD) -> BoolArray:
    """Return which configurations (C,) are worse than the best in too many draws (step 3)."""
    return np.asarray(worse_shares(standing) > threshold)


def worse_shares(standing: Standing) -> FloatArray:
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
            yield (
                (in_bag, values)
                if len(usable) == len(in_bag)
                else (
                    in_bag[usable],
                    values[usable],
                )
            )


METHOD = Method(
    name="bbcd",
    label="corrected, dropping",
    run=bbcd,
    needs=frozenset({Need.FOLDS}),
    gives=frozenset({Gives.POINT, Gives.INTERVAL, Gives.DISTRIBUTION}),
    summary="drop losers after each fold, then bbc on the survivors",
    reference="Tsamardinos, Greasidou & Borboudakis 2018, section 4",
)
