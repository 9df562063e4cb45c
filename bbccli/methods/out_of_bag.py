"""The bootstrap of the selection itself: select in the bag, score the selected out of it.

BBC and BBC-F differ only in what is drawn: samples, or folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from bbccli import kernels, resources
from bbccli.methods.base import Progress, silent
from bbccli.metrics.base import Scorer
from bbccli.resampling import BLOCK, PATIENCE, Draws, Resamples, Unit, hopeless
from bbccli.resources import Resources
from bbccli.results import Distribution
from bbccli.threads import ordered_map
from bbccli.types import Direction, FloatArray, IntArray

MOST_BLOCKS = 16
"""Blocks of resamples in one batch, at most: enough to amortise numpy's calls."""

WEIGHT_BYTES = 32
"""Memory per weight: drawn numbers, counts, the form that the kernel wants, and what is between."""

Result = TypeVar("Result")


class Blocks(Protocol):
    """Configurations whose scorers are bound block by block."""

    @property
    def n_configurations(self) -> int:
        """C."""

    @property
    def n_sweeps(self) -> int:
        """Passes over all units that it takes to score one weighting on all of C."""

    def blocks(self) -> list[IntArray]:
        """Columns of each block."""

    def bind(self, columns: IntArray) -> Scorer:
        """Scorer of some columns."""


@dataclass(slots=True)
class Selections:
    """The winners of a growing number of resamples.

    Attributes
    ----------
    ordinals, winners : (B,) int
        Position of each resample in its stream, and the configuration that it selected.
    values : (B,)
        Performance of the winner out of the bag, by the metric that selected it.
    next_block
        First block of draws that was not used yet.
    """

    ordinals: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    winners: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    values: FloatArray = field(default_factory=lambda: np.empty(0))
    next_block: int = 0

    def __len__(self) -> int:
        return len(self.values)

    def first(self, n_resamples: int) -> Distribution:
        """Return the distribution of the first B resamples."""
        n_drawn = int(self.ordinals[n_resamples - 1]) + 1
        return Distribution(
            self.values[:n_resamples],
            self.winners[:n_resamples],
            n_redrawn=n_drawn - n_resamples,
        )

    def add(self, ordinals: IntArray, winners: IntArray, values: FloatArray) -> None:
        """Append the resamples whose winner is defined in and out of the bag."""
        usable = (winners >= 0) & ~np.isnan(values)
        self.ordinals = np.concatenate([self.ordinals, ordinals[usable]])
        self.winners = np.concatenate([self.winners, winners[usable]])
        self.values = np.concatenate([self.values, values[usable]])


def extend(
    found: Selections,
    n_resamples: int,
    candidates: Blocks,
    draws: Draws,
    direction: Direction,
    *,
    progress: Progress = silent,
) -> None:
    """Add resamples until there are at least `n_resamples`.

    A resample whose winner is undefined out of the bag is left out, as if drawn again. Blocks of
    resamples run in threads. Memory O(B + N) beside one block of bound configurations.

    Raises
    ------
    UndefinedError
        Hardly any resample can be used.
    """
    settled = kernels.decide(draws.n_weights * candidates.n_sweeps * n_resamples)
    with resources.use(settled):
        while len(found) < n_resamples:
            n_blocks = -(-(n_resamples - len(found)) // BLOCK)
            batches = _batches(found.next_block, n_blocks, draws.n_weights, settled)
            found.next_block += n_blocks
            work = _Work(candidates, draws, batches, settled.jobs)
            for ordinals, winners, values in _select(work, direction):
                found.add(ordinals, winners, values)
                progress(min(len(found), n_resamples), n_resamples)
            if found.next_block * BLOCK > PATIENCE * (len(found) + BLOCK):
                raise hopeless(Unit(draws.stream[0]))


def select_and_score(
    scorer: Scorer, drawn: Resamples, direction: Direction
) -> tuple[IntArray, FloatArray]:
    """Return the winner (B,) of each resample in the bag, and its performance (B,) out of it."""
    winners = direction.best(scorer(drawn.in_bag))
    return winners, scorer.paired(drawn.out_of_bag, winners)


def measure(found: Selections, n_resamples: int, candidates: Blocks, draws: Draws) -> FloatArray:
    """Score the first winners out of the bag by another metric: (B,), NaN where undefined."""
    settled = kernels.decide(draws.n_weights * n_resamples)
    n_blocks = int(found.ordinals[n_resamples - 1]) // BLOCK + 1
    with resources.use(settled):
        work = _Work(
            candidates, draws, _batches(0, n_blocks, draws.n_weights, settled), settled.jobs
        )
        return _score_winners(work, found.ordinals[:n_resamples], found.winners[:n_resamples])


Batch = tuple[int, int]
"""First block, and number of blocks."""

Selected = tuple[IntArray, IntArray, FloatArray]
"""Ordinals, winners and out-of-bag performances (B',) of some resamples."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What is scored on which batches of draws, in how many threads."""

    candidates: Blocks
    draws: Draws
    batches: list[Batch]
    jobs: int

    kept: dict[Batch, Resamples] | None = None

    def over(self, function: Callable[[Resamples], Result]) -> Iterator[Result]:
        """Apply a function to the resamples of each batch; results in order."""
        return ordered_map(lambda batch: function(self._draw(batch)), self.batches, self.jobs)

    def keeping_draws(self, memory: int) -> _Work:
        """Return the same work, its draws made once and kept, if they fit into the memory."""
        n_draws = sum(n_blocks for _, n_blocks in self.batches) * BLOCK
        fits = n_draws * self.draws.n_weights * np.dtype(np.uint16).itemsize <= memory // 2
        return replace(self, kept={}) if fits else self

    def _draw(self, batch: Batch) -> Resamples:
        if self.kept is None:
            return self.draws.batch(*batch)
        if batch not in self.kept:
            self.kept[batch] = self.draws.batch(*batch)
        return self.kept[batch]


def _batches(first: int, n_blocks: int, n_units: int, settled: Resources) -> list[Batch]:
    """Split blocks into even batches whose weights fit the memory in all threads."""
    block_bytes = BLOCK * n_units * WEIGHT_BYTES
    fitting = max(settled.memory // (2 * settled.jobs * block_bytes), 1)
    size = min(fitting, MOST_BLOCKS, -(-n_blocks // settled.jobs))
    end = first + n_blocks
    return [(start, min(size, end - start)) for start in range(first, end, size)]


def _select(work: _Work, direction: Direction) -> Iterator[Selected]:
    """Winners of the resamples, and their performances out of the bag."""
    blocks = work.candidates.blocks()
    if len(blocks) > 1:
        work = work.keeping_draws(resources.current().memory)
        ordinals, winners = _lead(work, blocks, direction)
        yield ordinals, winners, _score_winners(work, ordinals, winners)
        return
    scorer = work.candidates.bind(blocks[0])
    yield from work.over(
        lambda drawn: (drawn.ordinals, *select_and_score(scorer, drawn, direction))
    )


def _lead(work: _Work, blocks: list[IntArray], direction: Direction) -> tuple[IntArray, IntArray]:
    """Ordinals and winners of the resamples, by a running best over blocks of columns."""
    ordinals = winners = np.empty(0, np.int64)
    tops = np.empty(0)
    for columns in blocks:
        scorer = work.candidates.bind(columns)
        parts = list(work.over(partial(_best_of, scorer, direction=direction)))
        ordinals, found, values = (np.concatenate(part) for part in zip(*parts, strict=True))
        if columns[0] == 0:
            winners, tops = found, values
            continue
        ahead = direction.leads(values, tops)
        winners = np.where(ahead, columns[0] + found, winners)
        tops = np.where(ahead, values, tops)
    return ordinals, winners


def _best_of(scorer: Scorer, drawn: Resamples, *, direction: Direction) -> Selected:
    """Best column of one block in each bag, and its performance there."""
    values = scorer(drawn.in_bag)
    best = direction.best(values)
    return drawn.ordinals, best, np.where(best < 0, np.nan, values[np.arange(len(best)), best])


def _score_winners(work: _Work, ordinals: IntArray, winners: IntArray) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, one block of columns at a time."""
    values = np.full(len(winners), np.nan)
    for columns in work.candidates.blocks():
        mine = np.flatnonzero(np.isin(winners, columns))
        if not len(mine):
            continue
        needed, places = np.unique(winners[mine], return_inverse=True)
        scorer = work.candidates.bind(needed)
        score = partial(_paired, scorer, ordinals=ordinals[mine], places=places)
        for rows, scores in work.over(score):
            values[mine[rows]] = scores
    return values


def _paired(
    scorer: Scorer, drawn: Resamples, *, ordinals: IntArray, places: IntArray
) -> tuple[IntArray, FloatArray]:
    """Positions among `ordinals` of the drawn resamples, and the scores of their winners."""
    known = np.isin(drawn.ordinals, ordinals)
    rows = np.searchsorted(ordinals, drawn.ordinals[known])
    return rows, scorer.paired(drawn.out_of_bag[known], places[rows])
