"""Selection and scoring in this process: all configurations at once, or block by block of columns.

1. All of them are bound at once: each thread draws a batch, selects in it, and scores its winners.
2. They are bound one block of columns at a time: resamples are drawn once, a span of them that fits
   the memory, and each block meets the whole span. What is kept of the blocks before is one
   performance per resample, not one per resample and configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from bbccli.domain.estimate import Distribution
from bbccli.metrics.base import Metric, Scorer
from bbccli.platform import resources
from bbccli.platform.resources import ordered_map
from bbccli.stats.resampling import Draws, Resamples
from bbccli.stats.selection import SelectionRule
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import Direction, FloatArray, IntArray, Pooling

if TYPE_CHECKING:
    from bbccli.stats.making.made import Maker

Best = tuple[IntArray, FloatArray]
"""Best column, of a block or of all, in each of B resamples, and its performance."""


@dataclass(slots=True)
class Selections:
    """The winners of some resamples, and their performances out of the bag.

    ordinals, winners (B,) int: position of each resample in its stream, and its winner.
    values (B,): performance of the winner out of the bag, by the metric that selected it.
    sizes (B,) int: units out of the bag.
    kept: performances (B', C) of all configurations in the bags, some after the other; none if
        never computed, or too many.
    shares (B, C), optional: of the configurations in what was made in each bag; the winner is then
        what was made.
    next_block: first block of draws not yet used.
    """

    ordinals: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    winners: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    values: FloatArray = field(default_factory=lambda: np.empty(0))
    sizes: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    kept: tuple[FloatArray, ...] = ()
    shares: FloatArray | None = None
    next_block: int = 0

    def __len__(self) -> int:
        return len(self.values)

    @property
    def inside(self) -> FloatArray | None:
        """Performances (B, C) of all configurations in the bags; None if they are not kept."""
        if len(self.kept) > 1:  # joined for those who ask
            self.kept = (np.concatenate(self.kept),)
        return self.kept[0] if self.kept else None

    def first(self, n_resamples: int) -> Distribution:
        """Return the distribution of the first B resamples."""
        n_drawn = int(self.ordinals[n_resamples - 1]) + 1
        return Distribution(
            self.values[:n_resamples],
            self.winners[:n_resamples],
            n_redrawn=n_drawn - n_resamples,
            sizes=self.sizes[:n_resamples],
        )

    def usable(self) -> Selections:
        """Return the resamples whose winner is defined in and out of the bag."""
        rows = (self.winners >= 0) & ~np.isnan(self.values)
        if rows.all():
            return self
        kept = tuple(part[rows] for part in self.kept)
        shares = None if self.shares is None else self.shares[rows]
        ordinals, winners = self.ordinals[rows], self.winners[rows]
        return Selections(ordinals, winners, self.values[rows], self.sizes[rows], kept, shares)

    def extend(self, parts: Sequence[Selections], next_block: int) -> None:
        """Append the resamples of the blocks up to the next one."""
        every = [self, *parts] if len(self) else parts
        complete = all(part.kept for part in every)
        self.kept = tuple(chain.from_iterable(part.kept for part in every)) if complete else ()
        shares = [part.shares for part in every if part.shares is not None]
        self.shares = np.concatenate(shares) if len(shares) == len(every) > 0 else None
        for name in ("ordinals", "winners", "values", "sizes"):
            setattr(self, name, np.concatenate([getattr(part, name) for part in every]))
        self.next_block = next_block


def select(candidates: Candidates, rule: SelectionRule, draws: Draws) -> Iterator[Selections]:
    """Yield the winners of resamples, and their performances out of the bag."""
    blocks = candidates.blocks()
    if len(blocks) == 1:
        chosen = partial(_select_and_score, candidates, candidates.bind(blocks[0]), rule)
        yield from draws.over(chosen, candidates.n_configurations, one_thread=candidates.one_thread)
        return
    for span in draws.spans():
        drawn = span.drawn()
        winners, tops = best_among(candidates, drawn, rule.direction)
        if rule.order is not None:
            winners = _preferred(candidates, drawn, rule, rule.order, winners, tops)
        values = _score(candidates, drawn, winners)
        ordinals, sizes = ordinals_and_sizes(drawn)
        yield Selections(ordinals, winners, values, sizes)


def _select_and_score(
    candidates: Candidates, scorer: Scorer, rule: SelectionRule, drawn: Resamples
) -> Selections:
    """Select among all configurations in each bag, and score the winner out of it."""
    inside = scorer(drawn.in_bag)
    winners = rule.select(inside, drawn.in_bag, candidates.errors)
    values = scorer.paired(drawn.out_of_bag, winners)
    return Selections(drawn.ordinals, winners, values, drawn.sizes, (inside,))


def make_and_score(
    maker: Maker, metric: Metric, pooling: Pooling, draws: Draws
) -> Iterator[Selections]:
    """Yield what a rule makes in each bag, and its performance out of it."""

    def chosen(drawn: Resamples) -> Selections:
        shares = maker.combine(drawn.in_bag)
        values = maker.score(metric, pooling, drawn.in_bag, shares, drawn.out_of_bag)
        made = np.zeros(len(drawn), np.int64)
        return Selections(drawn.ordinals, made, values, drawn.sizes, shares=shares)

    yield from draws.over(chosen, maker.matrix.n_configurations)


def score_made(
    maker: Maker,
    metric: Metric,
    pooling: Pooling,
    draws: Draws,
    shares: FloatArray,
    judged: Callable[[Resamples], IntArray],
) -> FloatArray:
    """Score what was made in each bag by any metric, on the rows that `judged` gives: (B,)."""
    values, start = [], 0
    for drawn in draws.over(lambda drawn: drawn):
        of_part = shares[start : start + len(drawn)]
        values.append(maker.score(metric, pooling, drawn.in_bag, of_part, judged(drawn)))
        start += len(drawn)
    return np.concatenate(values)


def score_winners(
    candidates: Candidates, draws: Draws, winners: IntArray, *, in_bag: bool = False
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it: (B,), NaN if undefined."""
    values, start = np.full(len(winners), np.nan), 0
    for span in draws.spans():
        drawn = span.drawn()
        rows = slice(start, start + sum(map(len, drawn)))
        values[rows] = _score(candidates, drawn, winners[rows], in_bag=in_bag)
        start = rows.stop
    return values


def ordinals_and_sizes(drawn: Sequence[Resamples]) -> tuple[IntArray, IntArray]:
    """Return the position of each resample in its stream, and how much it leaves out."""
    ordinals = np.concatenate([part.ordinals for part in drawn])
    return ordinals, np.concatenate([part.sizes for part in drawn])


def best_among(candidates: Candidates, drawn: Sequence[Resamples], direction: Direction) -> Best:
    """Best in the bag of each resample, and its performance there; -1 if none."""
    best_of = partial(_best_of, candidates, drawn, direction)
    return leading(ordered_map(best_of, candidates.blocks(), resources.current().jobs), direction)


def leading(parts: Iterable[Best], direction: Direction) -> Best:
    """Join the best of successive blocks of columns by a running best.

    A configuration of a later block has to be strictly better, so ties go to the first column.
    """
    remaining = iter(parts)
    winners, tops = next(remaining)
    for best, values in remaining:
        ahead = direction.leads(values, tops)
        winners, tops = np.where(ahead, best, winners), np.where(ahead, values, tops)
    return winners, tops


def _best_of(
    candidates: Candidates, drawn: Sequence[Resamples], direction: Direction, columns: IntArray
) -> Best:
    scorer = candidates.bind(columns)
    parts = []
    for part in drawn:
        values = scorer(part.in_bag)
        best = direction.best(values)
        parts.append((best, np.where(best < 0, np.nan, values[np.arange(len(best)), best])))
    places, tops = (np.concatenate(column) for column in zip(*parts, strict=True))
    return np.where(places < 0, -1, columns[0] + places), tops


def _score(
    candidates: Candidates, drawn: Sequence[Resamples], winners: IntArray, *, in_bag: bool = False
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it."""
    values = np.full(len(winners), np.nan)
    needed = [np.flatnonzero(np.isin(winners, columns)) for columns in candidates.blocks()]
    by_block = [rows for rows in needed if len(rows)]
    score = partial(_score_block, candidates, drawn, winners, in_bag)
    scored = ordered_map(score, by_block, resources.current().jobs)
    for rows, scores in zip(by_block, scored, strict=True):
        values[rows] = scores
    return values


def _score_block(
    candidates: Candidates,
    drawn: Sequence[Resamples],
    winners: IntArray,
    in_bag: bool,
    rows: IntArray,
) -> FloatArray:
    """Scores of the resamples in `rows`, whose winners are in one block."""
    needed, places = np.unique(winners[rows], return_inverse=True)
    if len(needed) == 1 < candidates.n_configurations:
        # a single column counts as shared by all, and its sums may differ in the last bit
        first = min(int(needed[0]), candidates.n_configurations - 2)
        needed, places = np.array([first, first + 1]), places + (needed[0] - first)
    scorer = candidates.bind(needed)
    scores, start = np.empty(len(rows)), 0
    for part in drawn:
        here = slice(*np.searchsorted(rows, (start, start + len(part))))
        if here.start < here.stop:
            weights = part.in_bag[rows[here] - start]
            weights = weights if in_bag else (weights == 0).view(np.uint8)
            scores[here] = scorer.paired(weights, places[here])
        start += len(part)
    return scores


def _preferred(
    candidates: Candidates,
    drawn: Sequence[Resamples],
    rule: SelectionRule,
    order: IntArray,
    best: IntArray,
    tops: FloatArray,
) -> IntArray:
    """The most preferred configuration (B,) within one error of the best; -1 where none is."""
    by_part = np.split(best, np.cumsum([len(part) for part in drawn])[:-1])
    errors = [
        candidates.errors(part.in_bag, of_part)
        for part, of_part in zip(drawn, by_part, strict=True)
    ]
    limits, rank = rule.limits(tops, np.concatenate(errors)), np.argsort(order)

    def first_of(columns: IntArray) -> IntArray:
        scorer = candidates.bind(columns)
        values = np.concatenate([scorer(part.in_bag) for part in drawn])
        reached = rule.within(values, limits)
        return np.asarray(np.where(reached, rank[columns], len(order)).min(axis=1))

    firsts = ordered_map(first_of, candidates.blocks(), resources.current().jobs)
    winners: IntArray = np.append(order, -1)[reduce(np.minimum, firsts)]
    return winners
