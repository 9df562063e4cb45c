"""The one loop of the bootstrap: select in the bag, score the selected out of it.

BBC and BBC-F differ only in what is drawn, samples or folds; what few resamples share is drawn
again by its position. Where the configurations are decides who carries it out: this process, see
`here`, or workers, see `on_workers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from bbccli.core import resources
from bbccli.core.progress import Progress, silent
from bbccli.core.results import Distribution
from bbccli.core.workers import current as current_workers
from bbccli.metrics import kernels
from bbccli.metrics.base import Scorer
from bbccli.stats.bootstrap import here
from bbccli.stats.bootstrap.drawing import Drawing
from bbccli.stats.bootstrap.here import Blocks, Selected
from bbccli.stats.resampling import BLOCK, PATIENCE, Draws, Resamples, Unit, too_few_usable
from bbccli.stats.selection.css import Css
from bbccli.types import FloatArray, IntArray

MOST_KEPT = 2**20
"""Performances in bags that are kept, 8 MB, for what asks for them after the selection."""


@dataclass(slots=True)
class Selections:
    """The winners of a growing number of resamples.

    Attributes
    ----------
    ordinals, winners : (B,) int
        Position of each resample in its stream, and the configuration that it selected.
    values : (B,)
        Performance of the winner out of the bag, by the metric that selected it.
    sizes : (B,) int
        Units out of the bag.
    next_block
        First block of draws that was not used yet.
    kept : (B', C) arrays, optional
        Performances of all configurations in the bags, of some resamples each; None where they are
        too many to keep, or were never at hand.
    """

    ordinals: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    winners: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    values: FloatArray = field(default_factory=lambda: np.empty(0))
    sizes: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    next_block: int = 0
    kept: list[FloatArray] | None = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.values)

    def first(self, n_resamples: int) -> Distribution:
        """Return the distribution of the first B resamples."""
        n_drawn = int(self.ordinals[n_resamples - 1]) + 1
        return Distribution(
            self.values[:n_resamples],
            self.winners[:n_resamples],
            n_redrawn=n_drawn - n_resamples,
            sizes=self.sizes[:n_resamples],
        )

    def in_bags(self) -> FloatArray | None:
        """Return the performances (B, C) of all configurations in the bags, if they were kept."""
        if not self.kept:
            return None
        if len(self.kept) > 1:
            self.kept[:] = [np.concatenate(self.kept)]
        return self.kept[0]

    def add(self, selected: Selected) -> None:
        """Append the resamples whose winner is defined in and out of the bag."""
        ordinals, winners, values, sizes, inside = selected
        usable = (winners >= 0) & ~np.isnan(values)
        self.ordinals = np.concatenate([self.ordinals, ordinals[usable]])
        self.winners = np.concatenate([self.winners, winners[usable]])
        self.values = np.concatenate([self.values, values[usable]])
        self.sizes = np.concatenate([self.sizes, sizes[usable]])
        if inside is None or len(self) * inside.shape[1] > MOST_KEPT:
            self.kept = None
        elif self.kept is not None:
            self.kept.append(inside if usable.all() else inside[usable])


def extend(
    found: Selections,
    n_resamples: int,
    candidates: Blocks,
    draws: Draws,
    css: Css,
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
    over = partial(_select, candidates, css)
    _collect(found, n_resamples, draws, over, candidates.n_sweeps, progress)


def _select(candidates: Blocks, css: Css, drawing: Drawing) -> Iterator[Selected]:
    workers = current_workers()
    if workers is None or not candidates.apart:
        return here.select(candidates, css, drawing)
    from bbccli.stats.bootstrap import on_workers

    return on_workers.select(workers, candidates, drawing, css.direction)


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

    def over(drawing: Drawing) -> Iterator[Selected]:
        return drawing.over(lambda drawn: Selected(drawn.ordinals, *score(drawn), drawn.sizes))

    _collect(found, n_resamples, draws, over, n_sweeps, progress)
    # scored on all units, not on those out of the bag
    return replace(found.first(n_resamples), sizes=None)


def _collect(
    found: Selections,
    n_resamples: int,
    draws: Draws,
    over: Callable[[Drawing], Iterator[Selected]],
    n_sweeps: int,
    progress: Progress,
) -> None:
    """Add resamples until there are enough, those that can be used."""
    with resources.use(kernels.decide(draws.n_weights * n_sweeps * n_resamples)):
        while len(found) < n_resamples:
            n_blocks = -(-(n_resamples - len(found)) // BLOCK)
            drawing = Drawing.of(draws, found.next_block, n_blocks)
            found.next_block += n_blocks
            for selected in over(drawing):
                found.add(selected)
                progress(min(len(found), n_resamples), n_resamples)
            if found.next_block * BLOCK > PATIENCE * (len(found) + BLOCK):
                raise too_few_usable(Unit(draws.stream[0]))


def measure(
    found: Selections, n_resamples: int, candidates: Blocks, draws: Draws, *, in_bag: bool = False
) -> FloatArray:
    """Score the first winners out of the bag, or in it, by any metric: (B,), NaN if undefined."""
    with resources.use(kernels.decide(draws.n_weights * n_resamples)):
        ordinals, winners = found.ordinals[:n_resamples], found.winners[:n_resamples]
        drawing = Drawing.again(draws, ordinals)
        workers = current_workers()
        if workers is None or not candidates.apart:
            return here.score_winners(candidates, drawing, winners, in_bag=in_bag)
        from bbccli.stats.bootstrap import on_workers

        return on_workers.score_winners(workers, candidates, drawing, winners, in_bag=in_bag)


Inside = Iterator[tuple[IntArray, FloatArray]]
"""Configurations (C',) and their performances (B, C') in the bags; NaN where undefined."""


def inside_bags(
    candidates: Blocks, columns: IntArray, draws: Draws, ordinals: IntArray, width: int
) -> Inside:
    """Yield the performances of some configurations in some bags, so many at a time.

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
        drawing = Drawing.again(draws, ordinals).fit_for(
            candidates.n_configurations, swept=candidates.swept
        )
        for part in parts_of(columns, min(width, len(blocks[0]))):
            # what is bound as a whole is bound already
            whole = len(blocks) == 1
            scorer = candidates.bind(blocks[0] if whole else part)
            places = part if whole else np.arange(len(part))
            yield part, np.concatenate(list(drawing.over(partial(_in_bag, scorer, places))))


def _in_bag(scorer: Scorer, places: IntArray, drawn: Resamples) -> FloatArray:
    return scorer(drawn.in_bag, places)


def parts_of(columns: IntArray, width: int) -> list[IntArray]:
    """Split columns into parts of a width."""
    return [columns[start : start + width] for start in range(0, len(columns), width)]
