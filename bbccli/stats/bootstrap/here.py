"""Selection and scoring in this process: all configurations at once, or block by block of columns.

1. All of them are bound at once: each thread draws a batch, selects in it, and scores its winners.
2. They are bound one block of columns at a time: resamples are drawn once, a span of them that fits
   the memory, and each block meets the whole span. What is kept of the blocks before is one
   performance per resample, not one per resample and configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from bbccli.core.threads import ordered_map
from bbccli.metrics.base import Scorer
from bbccli.stats.bootstrap.drawing import Drawing
from bbccli.stats.resampling import Resamples
from bbccli.stats.selection.css import Css
from bbccli.types import Direction, FloatArray, IntArray

Best = tuple[IntArray, FloatArray]
"""Best column, of a block or of all, in each of B resamples, and its performance."""


class Blocks(Protocol):
    """Configurations whose scorers are bound block by block."""

    @property
    def n_configurations(self) -> int:
        """C."""

    @property
    def n_sweeps(self) -> int:
        """Passes over all units that it takes to score one weighting on all of C."""

    @property
    def swept(self) -> bool:
        """True if pairs are counted, which numpy does in many short calls."""

    @property
    def apart(self) -> bool:
        """True if their predictions are not here, and workers score them where there are any."""

    def blocks(self, among: IntArray | None = None) -> list[IntArray]:
        """Columns of each block, of all columns or of some that follow one another."""

    def bind(self, columns: IntArray) -> Scorer:
        """Scorer of some columns."""

    def errors(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Standard errors (B,) of the performances of one configuration per row of weights."""


class Selected(NamedTuple):
    """What some resamples selected.

    Attributes
    ----------
    ordinals, winners, values, sizes : (B',)
        As in `Selections`.
    inside : (B', C), optional
        Performances of all configurations in the bags, where they are at hand.
    """

    ordinals: IntArray
    winners: IntArray
    values: FloatArray
    sizes: IntArray
    inside: FloatArray | None = None


def select(candidates: Blocks, css: Css, drawing: Drawing) -> Iterator[Selected]:
    """Yield the winners of resamples, and their performances out of the bag."""
    blocks = candidates.blocks()
    if len(blocks) == 1:
        scorer = candidates.bind(blocks[0])
        chosen = partial(select_and_score, candidates, scorer, css)
        yield from drawing.fit_for(candidates.n_configurations, swept=candidates.swept).over(chosen)
        return
    for span in drawing.spans():
        drawn = span.drawn()
        winners, tops = best_among(candidates, drawn, span.jobs, css.direction)
        if css.order is not None:
            limits = _limits(candidates, drawn, css, winners, tops)
            winners = _preferred(candidates, drawn, span.jobs, css, css.order, limits)
        values = _score(candidates, drawn, span.jobs, winners)
        ordinals, sizes = ordinals_and_sizes(drawn)
        yield Selected(ordinals, winners, values, sizes)


def select_and_score(candidates: Blocks, scorer: Scorer, css: Css, drawn: Resamples) -> Selected:
    """Select in the bag of each resample, of all configurations, and score the winner out of it."""
    inside = scorer(drawn.in_bag)
    winners = css.select(inside, drawn.in_bag, candidates.errors)
    values = scorer.paired(drawn.out_of_bag, winners)
    return Selected(drawn.ordinals, winners, values, drawn.sizes, inside)


def score_winners(
    candidates: Blocks, drawing: Drawing, winners: IntArray, *, in_bag: bool = False
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it: (B,), NaN if undefined.

    The resamples are those that the drawing uses.
    """
    values, start = np.full(len(winners), np.nan), 0
    for span in drawing.spans():
        drawn = span.drawn()
        rows = slice(start, start + sum(map(len, drawn)))
        values[rows] = _score(candidates, drawn, span.jobs, winners[rows], in_bag=in_bag)
        start = rows.stop
    return values


def ordinals_and_sizes(drawn: Sequence[Resamples]) -> tuple[IntArray, IntArray]:
    """Return the position of each resample in its stream, and how much it leaves out."""
    ordinals = np.concatenate([part.ordinals for part in drawn])
    return ordinals, np.concatenate([part.sizes for part in drawn])


def best_among(
    candidates: Blocks,
    drawn: Sequence[Resamples],
    jobs: int,
    direction: Direction,
    columns: IntArray | None = None,
) -> Best:
    """Best of some columns in the bag of each resample, and its performance there; -1 if none."""
    best_of = partial(_best_of, candidates, drawn, direction)
    return leading(ordered_map(best_of, candidates.blocks(columns), jobs), direction)


def leading(parts: Iterable[Best], direction: Direction) -> Best:
    """Join the best of parts of the columns, in the order of these, by a running best.

    A configuration of a later part has to be better, so ties go to the first column.
    """
    remaining = iter(parts)
    winners, tops = next(remaining)
    for found, values in remaining:
        ahead = direction.leads(values, tops)
        winners, tops = np.where(ahead, found, winners), np.where(ahead, values, tops)
    return winners, tops


def _best_of(
    candidates: Blocks, drawn: Sequence[Resamples], direction: Direction, columns: IntArray
) -> Best:
    """Best column of one block in each bag, and its performance there."""
    scorer = candidates.bind(columns)
    parts = []
    for part in drawn:
        values = scorer(part.in_bag)
        best = direction.best(values)
        parts.append((best, np.where(best < 0, np.nan, values[np.arange(len(best)), best])))
    found, tops = (np.concatenate(column) for column in zip(*parts, strict=True))
    return np.where(found < 0, -1, columns[0] + found), tops


def _score(
    candidates: Blocks,
    drawn: Sequence[Resamples],
    jobs: int,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it: (B,)."""
    values = np.full(len(winners), np.nan)
    needed = [np.flatnonzero(np.isin(winners, columns)) for columns in candidates.blocks()]
    mine = [rows for rows in needed if len(rows)]
    score = partial(_score_block, candidates, drawn, winners, in_bag)
    for rows, scores in zip(mine, ordered_map(score, mine, jobs), strict=True):
        values[rows] = scores
    return values


def _score_block(
    candidates: Blocks, drawn: Sequence[Resamples], winners: IntArray, in_bag: bool, rows: IntArray
) -> FloatArray:
    """Scores, out of the bag or in it, of the resamples in `rows`, whose winners are of a block."""
    needed, places = np.unique(winners[rows], return_inverse=True)
    if len(needed) == 1 < candidates.n_configurations:
        # one column alone is what all share, of which products are made: a last digit may differ
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


def _limits(
    candidates: Blocks, drawn: Sequence[Resamples], css: Css, best: IntArray, tops: FloatArray
) -> FloatArray:
    """Worst performances (B,) within one standard error of the best ones; NaN where none is."""
    errors, start = [], 0
    for part in drawn:
        errors.append(candidates.errors(part.in_bag, best[start : start + len(part)]))
        start += len(part)
    return css.limits(tops, np.concatenate(errors))


def _preferred(
    candidates: Blocks,
    drawn: Sequence[Resamples],
    jobs: int,
    css: Css,
    order: IntArray,
    limits: FloatArray,
) -> IntArray:
    """The most preferred configuration (B,) that reaches the limit, by a running one; or -1."""
    rank = np.argsort(order)

    def first_of(columns: IntArray) -> IntArray:
        scorer = candidates.bind(columns)
        values = np.concatenate([scorer(part.in_bag) for part in drawn])
        reached = css.within(values, limits)
        return np.asarray(np.where(reached, rank[columns], len(order)).min(axis=1))

    ranks = np.full(len(limits), len(order))
    for of_block in ordered_map(first_of, candidates.blocks(), jobs):
        ranks = np.minimum(ranks, of_block)
    winners: IntArray = np.append(order, -1)[ranks]
    return winners
