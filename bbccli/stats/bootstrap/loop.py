"""The one loop of the bootstrap: select in the bag, score the selected out of it.

BBC and BBC-F differ only in what is drawn, samples or folds; what few resamples share is drawn
again by its position. Where the configurations are decides who carries it out: this process, see
`here`, or workers, see `on_workers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from bbccli.core import resources
from bbccli.core.progress import Progress, silent
from bbccli.core.results import Distribution
from bbccli.core.workers import current as current_workers
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.metrics.statistic import Statistic, Weighting
from bbccli.stats.bootstrap import here
from bbccli.stats.bootstrap.here import Blocks, Selections, alone
from bbccli.stats.resampling import BLOCK, PATIENCE, Draws, Resamples, Unit, too_few_usable
from bbccli.stats.selection.rule import SelectionRule
from bbccli.types import FloatArray, IntArray

MOST_KEPT = 2**20
"""Performances in bags that are kept, 8 MB, for what asks for them after the selection."""


def extend(
    found: Selections,
    n_resamples: int,
    candidates: Blocks,
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
    over = partial(_select, candidates, rule)
    _collect(found, n_resamples, draws, over, candidates.n_sweeps, progress)


def _select(candidates: Blocks, rule: SelectionRule, draws: Draws) -> Iterator[Selections]:
    workers = current_workers()
    if workers is None or not candidates.apart:
        return here.select(candidates, rule, draws)
    from bbccli.stats.bootstrap import on_workers

    return on_workers.select(workers, candidates, draws, rule.direction)


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

    _collect(found, n_resamples, draws, over, n_sweeps, progress)
    # scored on all units, not on those out of the bag
    return replace(found.first(n_resamples), sizes=None)


def _collect(
    found: Selections,
    n_resamples: int,
    draws: Draws,
    over: Callable[[Draws], Iterator[Selections]],
    n_sweeps: int,
    progress: Progress,
) -> None:
    """Add resamples until there are enough, those that can be used."""
    with resources.use(kernels.decide(draws.n_weights * n_sweeps * n_resamples)):
        while len(found) < n_resamples:
            n_blocks = -(-(n_resamples - len(found)) // BLOCK)
            blocks = range(found.next_block, found.next_block + n_blocks)
            parts, size = [], len(found)
            for part in over(draws.part(blocks)):
                parts.append(part.usable())
                size += len(parts[-1])
                if part.inside is not None and size * part.inside.shape[1] > MOST_KEPT:
                    parts[-1].inside = None
                progress(min(size, n_resamples), n_resamples)
            found.extend(parts, blocks.stop)
            if found.next_block * BLOCK > PATIENCE * (len(found) + BLOCK):
                raise too_few_usable(Unit(draws.stream[0]))


def measure(
    found: Selections, n_resamples: int, candidates: Blocks, draws: Draws, *, in_bag: bool = False
) -> FloatArray:
    """Score the first winners out of the bag, or in it, by any metric: (B,), NaN if undefined."""
    with resources.use(kernels.decide(draws.n_weights * n_resamples)):
        ordinals, winners = found.ordinals[:n_resamples], found.winners[:n_resamples]
        again = draws.again(ordinals)
        workers = current_workers()
        if workers is None or not candidates.apart:
            return here.score_winners(candidates, again, winners, in_bag=in_bag)
        from bbccli.stats.bootstrap import on_workers

        return on_workers.score_winners(workers, candidates, again, winners, in_bag=in_bag)


Inside = Iterator[tuple[IntArray, FloatArray]]
"""Configurations (C',) and their performances (B, C') in the bags; NaN where undefined."""


def in_bags(
    candidates: Blocks,
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
    blocks = candidates.blocks()
    share = max(candidates.n_sweeps // candidates.n_configurations, 1)
    with resources.use(kernels.decide(draws.n_weights * len(ordinals) * share * len(columns))):
        again = draws.again(ordinals)
        for part in parts_of(columns, min(width, len(blocks[0]))):
            # what is bound as a whole is bound already
            whole = len(blocks) == 1
            scorer = candidates.bind(blocks[0] if whole else part)
            places = part if whole else np.arange(len(part))
            score = partial(_out_of_bag if out else _in_bag, scorer, places)
            n_configurations = candidates.n_configurations
            scored = again.over(score, n_configurations, one_thread=alone(candidates))
            yield part, np.concatenate(list(scored))


def _in_bag(scorer: Scorer, places: IntArray, drawn: Resamples) -> FloatArray:
    return scorer(drawn.in_bag, places)


def _out_of_bag(scorer: Scorer, places: IntArray, drawn: Resamples) -> FloatArray:
    # one by one, as a winner is scored: a product of several columns adds up in another order
    score, same = partial(scorer.paired, drawn.out_of_bag), np.zeros(len(drawn), np.int64)
    if isinstance(scorer, Statistic):
        if scorer.counted:
            return scorer(drawn.out_of_bag, places)
        score = partial(scorer.paired, Weighting(drawn.out_of_bag))
    return np.stack([score(same + place) for place in places], axis=1)


def parts_of(columns: IntArray, width: int) -> list[IntArray]:
    """Split columns into parts of a width."""
    return [columns[start : start + width] for start in range(0, len(columns), width)]
