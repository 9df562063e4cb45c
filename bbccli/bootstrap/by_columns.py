"""Selection and scoring where the configurations are bound one block of columns at a time.

Each block is bound once and meets all resamples, so what is kept of the blocks before is one
performance per resample, not one per resample and configuration.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from bbccli.bootstrap.drawing import Drawing
from bbccli.metrics.base import Scorer
from bbccli.resampling import Resamples
from bbccli.selection.css import Css
from bbccli.types import Direction, FloatArray, IntArray


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

    def errors(self, weights: IntArray, configurations: IntArray) -> FloatArray:
        """Standard errors (B,) of the performances of one configuration per row of weights."""


Selected = tuple[IntArray, IntArray, FloatArray, IntArray]
"""Ordinals, winners, out-of-bag performances and sizes (B',) of some resamples."""


def select(candidates: Blocks, drawing: Drawing, css: Css) -> Selected:
    """Winners of the resamples, by a running best, and their performances out of the bag."""
    ordinals: IntArray = np.empty(0, np.int64)
    winners, sizes, tops = ordinals, ordinals, np.empty(0)
    for columns in candidates.blocks():
        scorer = candidates.bind(columns)
        parts = list(drawing.over(partial(_best_of, scorer, direction=css.direction)))
        ordinals, found, values, sizes = (np.concatenate(part) for part in zip(*parts, strict=True))
        if columns[0] == 0:
            winners, tops = found, values
            continue
        ahead = css.direction.leads(values, tops)
        winners = np.where(ahead, columns[0] + found, winners)
        tops = np.where(ahead, values, tops)
    if css.order is not None:
        limits = _limits(candidates, drawing, css, ordinals, winners, tops)
        winners = _preferred(candidates, drawing, css, css.order, limits)
    return ordinals, winners, score_winners(candidates, drawing, ordinals, winners), sizes


def score_winners(
    candidates: Blocks,
    drawing: Drawing,
    ordinals: IntArray,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it: (B,), NaN if undefined."""
    values = np.full(len(winners), np.nan)
    for columns in candidates.blocks():
        mine = np.flatnonzero(np.isin(winners, columns))
        if not len(mine):
            continue
        needed, places = np.unique(winners[mine], return_inverse=True)
        scorer = candidates.bind(needed)
        score = partial(_paired, scorer, ordinals=ordinals[mine], places=places, in_bag=in_bag)
        for rows, scores in drawing.over(score):
            values[mine[rows]] = scores
    return values


def _best_of(scorer: Scorer, drawn: Resamples, *, direction: Direction) -> Selected:
    """Best column of one block in each bag, and its performance there."""
    values = scorer(drawn.in_bag)
    best = direction.best(values)
    tops = np.where(best < 0, np.nan, values[np.arange(len(best)), best])
    return drawn.ordinals, best, tops, drawn.sizes


def _limits(
    candidates: Blocks,
    drawing: Drawing,
    css: Css,
    ordinals: IntArray,
    best: IntArray,
    tops: FloatArray,
) -> FloatArray:
    """Worst performances (B,) within one standard error of the best ones; NaN where none is."""

    def errors(drawn: Resamples) -> FloatArray:
        rows = np.searchsorted(ordinals, drawn.ordinals)
        return candidates.errors(drawn.in_bag, best[rows])

    return css.limits(tops, np.concatenate(list(drawing.over(errors))))


def _preferred(
    candidates: Blocks, drawing: Drawing, css: Css, order: IntArray, limits: FloatArray
) -> IntArray:
    """The most preferred configuration (B,) that reaches the limit, by a running one; or -1."""
    rank = np.argsort(order)
    ranks = np.full(len(limits), len(order))
    for columns in candidates.blocks():
        scorer = candidates.bind(columns)
        values = np.concatenate(list(drawing.over(partial(_in_bag, scorer))))
        of_block = np.where(css.within(values, limits), rank[columns], len(order)).min(axis=1)
        ranks = np.minimum(ranks, of_block)
    winners: IntArray = np.append(order, -1)[ranks]
    return winners


def _in_bag(scorer: Scorer, drawn: Resamples) -> FloatArray:
    return scorer(drawn.in_bag)


def _paired(
    scorer: Scorer, drawn: Resamples, *, ordinals: IntArray, places: IntArray, in_bag: bool
) -> tuple[IntArray, FloatArray]:
    """Positions among `ordinals` of the drawn resamples, and the scores of their winners."""
    known = np.isin(drawn.ordinals, ordinals)
    rows = np.searchsorted(ordinals, drawn.ordinals[known])
    weights = drawn.in_bag if in_bag else drawn.out_of_bag
    return rows, scorer.paired(weights[known], places[rows])
