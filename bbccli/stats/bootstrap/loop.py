"""The one loop of the bootstrap: select in the bag, score the winner out of it.

BBC and BBC-F differ only in the units drawn, samples or folds; draws that few resamples share are
repeated from their position. It runs in this process (`here`) or on workers with a part of the
configurations each (`on_workers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.metrics.statistic import Statistic
from bbccli.metrics.weighting import Weighting
from bbccli.platform import resources
from bbccli.platform.resources import Progress, silent
from bbccli.platform.workers import current as current_workers
from bbccli.stats.bootstrap import in_process
from bbccli.stats.bootstrap.in_process import Selections
from bbccli.stats.resampling import BLOCK, PATIENCE, Draws, Resamples, Unit, too_few_usable
from bbccli.stats.selection.candidates import Candidates
from bbccli.stats.selection.rule import SelectionRule
from bbccli.types import FloatArray, IntArray

if TYPE_CHECKING:
    from bbccli.stats.making.made import Maker

MOST_KEPT = 2**20
"""Performances in bags that are kept, 8 MB, for what asks for them after the selection."""


def extend(
    selections: Selections,
    n_resamples: int,
    candidates: Candidates,
    draws: Draws,
    rule: SelectionRule,
    *,
    maker: Maker | None = None,
    progress: Progress = silent,
) -> None:
    """Add resamples until there are at least `n_resamples`.

    A resample that can't be scored, in the bag or out of it, is skipped, as if drawn again. Blocks
    of resamples run in threads. Memory O(B + N) beside one block of bound configurations.

    Raises UndefinedError: hardly any resample can be used.
    """

    def select(part: Draws) -> Iterator[Selections]:
        if maker is not None:
            return in_process.make_and_score(maker, candidates.metric, candidates.pooling, part)
        workers = current_workers()
        if workers is None or rule.order is not None:
            return in_process.select(candidates, rule, part)
        from bbccli.stats.bootstrap import on_workers

        return on_workers.select(workers, candidates, part, rule.direction)

    n_sweeps = candidates.n_sweeps if maker is None else maker.n_sweeps
    collect(selections, n_resamples, draws, select, n_sweeps, progress)


Score = Callable[[Resamples], tuple[IntArray, FloatArray]]
"""Resamples -> a configuration (B,) and a value (B,) of each."""


def collected(
    selections: Selections,
    n_resamples: int,
    draws: Draws,
    score: Score,
    *,
    n_sweeps: int = 1,
    progress: Progress = silent,
) -> Distribution:
    """Return the first values of any statistic of resamples, with multiplicity.

    selections: values scored before; it grows.
    n_sweeps: passes over all units per resample, a measure of the work.
    Raises UndefinedError: hardly any resample can be used.
    """

    def over(part: Draws) -> Iterator[Selections]:
        return part.over(lambda drawn: Selections(drawn.ordinals, *score(drawn), drawn.sizes))

    collect(selections, n_resamples, draws, over, n_sweeps, progress)
    # scored on all units, not on those out of the bag
    return replace(selections.first(n_resamples), sizes=None)


def collect(
    selections: Selections,
    n_resamples: int,
    draws: Draws,
    select: Callable[[Draws], Iterator[Selections]],
    n_sweeps: int,
    progress: Progress,
) -> None:
    """Add selections from draws until there are enough usable resamples."""
    with resources.use(kernels.decide(draws.n_weights * n_sweeps * n_resamples)):
        while len(selections) < n_resamples:
            n_blocks = -(-(n_resamples - len(selections)) // BLOCK)
            blocks = range(selections.next_block, selections.next_block + n_blocks)
            parts, size = [], len(selections)
            for part in select(draws.part(blocks)):
                parts.append(part.usable())
                size += len(parts[-1])
                if size * sum(kept.shape[1] for kept in part.kept) > MOST_KEPT:
                    parts[-1].kept = ()
                progress(min(size, n_resamples), n_resamples)
            selections.extend(parts, blocks.stop)
            if selections.next_block * BLOCK > PATIENCE * (len(selections) + BLOCK):
                raise too_few_usable(Unit(draws.stream[0]))


def measure(
    selections: Selections,
    n_resamples: int,
    candidates: Candidates,
    draws: Draws,
    *,
    maker: Maker | None = None,
    in_bag: bool = False,
) -> FloatArray:
    """Score the first winners out of the bag, or in it, by any metric: (B,), NaN if undefined."""
    with resources.use(kernels.decide(draws.n_weights * n_resamples)):
        ordinals, winners = selections.ordinals[:n_resamples], selections.winners[:n_resamples]
        again, workers = draws.again(ordinals), current_workers()
        if maker is not None and selections.shares is not None:
            shares = selections.shares[:n_resamples]
            metric, pooling = candidates.metric, candidates.pooling
            judged = attrgetter("in_bag" if in_bag else "out_of_bag")
            return in_process.score_made(maker, metric, pooling, again, shares, judged)
        if workers is None:
            return in_process.score_winners(candidates, again, winners, in_bag=in_bag)
        from bbccli.stats.bootstrap import on_workers

        return on_workers.score_winners(workers, candidates, again, winners, in_bag=in_bag)


Inside = Iterator[tuple[IntArray, FloatArray]]
"""Configurations (C',) and their performances (B, C') in the bags; NaN where undefined."""


def in_bags(
    candidates: Candidates,
    columns: IntArray,
    draws: Draws,
    ordinals: IntArray,
    width: int,
    *,
    out: bool = False,
) -> Inside:
    """Yield the performances of some configurations in some bags, or out of them, `width` at a
    time.

    columns (C',) int: which configurations, ascending.
    ordinals (B,) int: of the resamples.
    """
    blocks, n_configurations = candidates.blocks(), candidates.n_configurations
    share = max(candidates.n_sweeps // n_configurations, 1)
    with resources.use(kernels.decide(draws.n_weights * len(ordinals) * share * len(columns))):
        again = draws.again(ordinals)
        for part in split_columns(columns, min(width, len(blocks[0]))):
            # the scorer of all columns is cached
            whole = len(blocks) == 1
            scorer = candidates.bind(blocks[0] if whole else part)
            score = partial(_inside, scorer, part if whole else np.arange(len(part)), out)
            scored = again.over(score, n_configurations, one_thread=candidates.one_thread)
            # in the order of an array whose columns are chosen: a sum of them is then the same
            yield part, np.asfortranarray(np.concatenate(list(scored)))


def _inside(scorer: Scorer, places: IntArray, out: bool, drawn: Resamples) -> FloatArray:
    """Performances (B, C') in the bag, or out of it."""
    if not out:
        return scorer(drawn.in_bag, places)
    weights: Any = drawn.out_of_bag
    if isinstance(scorer, Statistic):
        if scorer.counted:
            return scorer(weights, places)
        weights = Weighting(weights)
    # one by one, as a winner is scored: a product of several columns adds up in another order
    columns = [scorer.paired(weights, np.full(len(drawn), place)) for place in places]
    return np.stack(columns, axis=1)


def split_columns(columns: IntArray, width: int) -> list[IntArray]:
    """Split columns into parts of a width."""
    return [columns[start : start + width] for start in range(0, len(columns), width)]
