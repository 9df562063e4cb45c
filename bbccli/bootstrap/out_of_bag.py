"""The bootstrap of the selection itself: select in the bag, score the selected out of it.

BBC and BBC-F differ only in what is drawn: samples, or folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from bbccli import elsewhere, kernels, resources
from bbccli.bootstrap.by_columns import Blocks, Selected, score_winners, select
from bbccli.bootstrap.drawing import Drawing
from bbccli.metrics.base import Scorer
from bbccli.progress import Progress, silent
from bbccli.resampling import BLOCK, PATIENCE, Draws, Resamples, Unit, too_few_usable
from bbccli.resources import Engine
from bbccli.results import Distribution
from bbccli.selection.css import Css
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
    _collect(
        found,
        n_resamples,
        draws,
        lambda drawing: _select(candidates, drawing, css),
        candidates.n_sweeps,
        progress,
    )


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
    settled = kernels.decide(draws.n_weights * n_sweeps * n_resamples)
    with resources.use(settled):
        while len(found) < n_resamples:
            n_blocks = -(-(n_resamples - len(found)) // BLOCK)
            drawing = Drawing.of(draws, found.next_block, n_blocks)
            found.next_block += n_blocks
            for selected in over(drawing):
                found.add(selected)
                progress(min(len(found), n_resamples), n_resamples)
            if found.next_block * BLOCK > PATIENCE * (len(found) + BLOCK):
                raise too_few_usable(Unit(draws.stream[0]))


def select_and_score(
    candidates: Blocks, scorer: Scorer, drawn: Resamples, css: Css
) -> tuple[IntArray, FloatArray]:
    """Return the winner (B,) of each resample in the bag, and its performance (B,) out of it."""
    selected = _selected(candidates, scorer, drawn, css)
    return selected.winners, selected.values


def measure(
    found: Selections,
    n_resamples: int,
    candidates: Blocks,
    draws: Draws,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score the first winners out of the bag, or in it, by any metric: (B,), NaN if undefined."""
    n_blocks = int(found.ordinals[n_resamples - 1]) // BLOCK + 1
    with resources.use(kernels.decide(draws.n_weights * n_resamples)):
        drawing = Drawing.of(draws, 0, n_blocks)
        ordinals, winners = found.ordinals[:n_resamples], found.winners[:n_resamples]
        workers = elsewhere.current()
        if workers is None or not candidates.apart:
            return score_winners(candidates, drawing, ordinals, winners, in_bag=in_bag)
        from bbccli.bootstrap import on_workers

        asked = (workers, candidates, drawing, ordinals, winners)
        return on_workers.score_winners(*asked, in_bag=in_bag)


def _select(candidates: Blocks, drawing: Drawing, css: Css) -> Iterator[Selected]:
    """Winners of the resamples, and their performances out of the bag."""
    workers = elsewhere.current()
    if workers is not None and candidates.apart:
        from bbccli.bootstrap import on_workers

        yield from on_workers.select(workers, candidates, drawing, css.direction)
        return
    blocks = candidates.blocks()
    if len(blocks) > 1:
        yield from select(candidates, drawing, css)
        return
    if candidates.swept and resources.current().engine is Engine.NUMPY:
        # short calls wait for the interpreter's lock: threads take longer than one
        drawing = drawing.in_one_thread()
    scorer = candidates.bind(blocks[0])
    yield from drawing.over(lambda drawn: _selected(candidates, scorer, drawn, css))


def _selected(candidates: Blocks, scorer: Scorer, drawn: Resamples, css: Css) -> Selected:
    """Winners of some resamples, from the performances of all configurations in the bags."""
    inside = scorer(drawn.in_bag)
    winners = css.select(inside, drawn.in_bag, candidates.errors)
    values = scorer.paired(drawn.out_of_bag, winners)
    return Selected(drawn.ordinals, winners, values, drawn.sizes, inside)
