"""The bootstrap of the selection itself: select in the bag, score the selected out of it.

BBC and BBC-F differ only in what is drawn: samples, or folds.
"""

from __future__ import annotations

import numpy as np

from bbccli.methods.base import Progress, silent
from bbccli.metrics.base import Scorer
from bbccli.resampling import BLOCK, PATIENCE, Resamples, ResampleStream, Unit, hopeless
from bbccli.results import Distribution
from bbccli.types import Direction, FloatArray, IntArray

CHUNK_ELEMENTS = 2**23
"""Weights, and performances, held at once: bounds the memory, changes no number."""


def winners_out_of_bag(
    scorer: Scorer,
    stream: ResampleStream,
    direction: Direction,
    n_resamples: int,
    *,
    progress: Progress = silent,
    chunk: int | None = None,
) -> Distribution:
    """Score each resample's winner on the units that the resample left out.

    Parameters
    ----------
    scorer
        Performances of C configurations under weights of U units.
    stream
        Where the in-bag weights come from. A resample whose winner is undefined out of the bag
        is drawn again.
    direction
        Which way is better.
    n_resamples
        B, resamples wanted.
    chunk
        Resamples held at once; by default as many as `CHUNK_ELEMENTS` allow.

    Returns
    -------
    Distribution
        B out-of-bag performances, and the winners that they belong to.

    Raises
    ------
    UndefinedError
        Hardly any resample can be used.
    """
    rows = chunk or max(CHUNK_ELEMENTS // max(stream.n_units, scorer.n_configurations), BLOCK)
    values, winners = np.empty(n_resamples), np.empty(n_resamples, np.int64)
    done, n_drawn = 0, 0
    while done < n_resamples:
        drawn = stream.take(min(rows, n_resamples - done))
        selected, scored = select_and_score(scorer, drawn, direction)
        usable = ~np.isnan(scored) & (selected >= 0)
        kept = slice(done, done + int(usable.sum()))
        values[kept], winners[kept] = scored[usable], selected[usable]
        done, n_drawn = kept.stop, int(drawn.ordinals[-1]) + 1
        if n_drawn > PATIENCE * (done + BLOCK):
            raise hopeless(Unit.SAMPLES)
        progress(done, n_resamples)
    return Distribution(values, winners, n_drawn - n_resamples)


def select_and_score(
    scorer: Scorer, drawn: Resamples, direction: Direction
) -> tuple[IntArray, FloatArray]:
    """Return the winner (B,) of each resample in the bag, and its performance (B,) out of it."""
    selected = direction.best(scorer(drawn.in_bag))
    return selected, scorer.paired(drawn.out_of_bag, selected)
