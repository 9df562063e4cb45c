"""The one loop of the bootstrap: select in the bag, score the selected out of it.

BBC and BBC-F differ only in what is drawn, samples or folds; what few resamples share is drawn
again by its position. Where the configurations are decides who carries it out: this process, see
`here`, or workers, see `on_workers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bbccli.core import resources
from bbccli.core.progress import Progress, silent
from bbccli.core.results import Distribution
from bbccli.core.workers import current as current_workers
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.metrics.statistic import Statistic
from bbccli.metrics.weighting import Weighting
from bbccli.stats.bootstrap import here
from bbccli.stats.bootstrap.here import Selections
from bbccli.stats.resampling import BLOCK, PATIENCE, Draws, Resamples, Unit, too_few_usable
from bbccli.stats.selection.candidates import Candidates
from bbccli.stats.selection.rule import SelectionRule
from bbccli.types import FloatArray, IntArray

MOST_KEPT = 2**20
"""Performances in bags that are kept, 8 MB, for what asks for them after the selection."""


def extend(
    found: Selections,
    n_resamples: int,
    candidates: Candidates,
    draws: Draws,
    rule: SelectionRule,
    *,
    progress: Progress = silent,
) -> None:
    """Add resamples until there are at least `n_resamples`.

    A resample that can't be scored, in the bag or out of it, is left out, as if drawn again. Blocks
    of resamples run in threads. Memory O(B + N) beside one block of bound configurations.

    Raises
    ------
    UndefinedError
        Hardly any resample can be used.
    """

    def select(part: Draws) -> Iterator[Selections]:
        workers = current_workers()
        if workers is None:
            return here.select(candidates, rule, part)
        from bbccli.stats.bootstrap import on_workers

        return on_workers.select(workers, candidates, part, rule.direction)

    collect(found, n_resamples, draws, select, candidates.n_sweeps, progress)


Score = Callable[[Resamples], tuple[IntArray, FloatArray]]
"""Resamples -> a configuration (B,) and a value (B,) of each."""


def bootstrap(
    found: Selections,
    n_resamples: int,
    draws: Draws,
    score: Score,
    *,
    n_sweeps: int = 1,
    progress: Progress = silent,
) -> Distribution:
    """Return the first values of any statistic of resamples, with multiplicity.

    Parameters
    ----------
    found
        What was scored before; it grows.
    n_sweeps
        Passes over all units that the statistic takes per resample: how much work it is.

    Raises
    ------
    UndefinedError
        Hardly any resample can be used.
    """

    def over(part: Draws) -> Iterator[Selections]:
        return part.over(lambda drawn: Selections(drawn.ordinals, *score(drawn), drawn.sizes))

    collect(found, n_resamples, draws, over, n_sweeps, progress)
    # scored on all units, not on those out of the bag
    return replace(found.first(n_resamples), sizes=None)


def collect(
    found: Selections,
    n_resamples: int,
    draws: Draws,
    select: Callable[[Draws], Iterator[Selections]],
    n_sweeps: int,
    progress: Progress,
) -> None:
    """Add what is selected in some draws until there are enough resamples that can be used."""
    with resources.use(kernels.decide(draws.n_weights * n_sweeps * n_resamples)):
        while len(found) < n_resamples:
            n_blocks = -(-(n_resamples - len(found)) // BLOCK)
            blocks = range(found.next_block, found.next_block + n_blocks)
            parts, size = [], len(found)
            for part in select(draws.part(blocks)):
                parts.append(part.usable())
                size += len(parts[-1])
                if part.inside is not None and size * part.inside.shape[1] > MOST_KEPT:
                    parts[-1].inside = None
                progress(min(size, n_resamples), n_resamples)
            found.extend(parts, blocks.stop)
            if found.next_block * BLOCK > PATIENCE * (len(found) + BLOCK):
                raise too_few_usable(Unit(draws.stream[0]))


def measure(
    found: Selections,
    n_resamples: int,
    candidates: Candidates,
    draws: Draws,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score the first winners out of the bag, or in it, by any metric: (B,), NaN if undefined."""
    with resources.use(kernels.decide(draws.n_weights * n_resamples)):
        ordinals, winners = found.ordinals[:n_resamples], found.winners[:n_resamples]
        again, workers = draws.again(ordinals), current_workers()
        if workers is None:
            return here.score_winners(candidates, again, winners, in_bag=in_bag)
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
    """Yield the performances of some configurations in some bags, or out, so many at a time.

    Parameters
    ----------
    columns : (C',) int
        Which configurations, ascending.
    ordinals : (B,) int
        Of the resamples.
    """
    blocks, n_configurations = candidates.blocks(), candidates.n_configurations
    share = max(candidates.n_sweeps // n_configurations, 1)
    with resources.use(kernels.decide(draws.n_weights * len(ordinals) * share * len(columns))):
        again = draws.again(ordinals)
        for part in parts_of(columns, min(width, len(blocks[0]))):
            # what is bound as a whole is bound already
            whole = len(blocks) == 1
            scorer = candidates.bind(blocks[0] if whole else part)
            score = partial(_inside, scorer, part if whole else np.arange(len(part)), out)
            scored = again.over(score, n_configurations, one_thread=candidates.alone)
            yield part, np.concatenate(list(scored))


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
    own = [scorer.paired(weights, np.full(len(drawn), place)) for place in places]
    return np.stack(own, axis=1)


def parts_of(columns: IntArray, width: int) -> list[IntArray]:
    """Split columns into parts of a width."""
    return [columns[start : start + width] for start in range(0, len(columns), width)]
