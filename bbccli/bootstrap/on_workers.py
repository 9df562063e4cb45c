"""Selection and scoring on workers, each of which has some configurations and some resamples.

Nothing that has a size of N is sent: a worker draws its resamples from the seed and their position,
and reads its configurations from the file. What comes back is one winner per resample and part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product

import numpy as np

from bbccli.bootstrap import by_columns
from bbccli.bootstrap.by_columns import Blocks, Selected
from bbccli.bootstrap.drawing import Drawing
from bbccli.elsewhere import Workers
from bbccli.resampling import BLOCK
from bbccli.types import Direction, FloatArray, IntArray

Led = tuple[IntArray, FloatArray, IntArray, IntArray]
"""Best column in each of B resamples, its performance, the ordinals and the sizes of these."""

AT_ONCE = 2
"""Tasks per core that are asked for before the first answers count."""


def select(
    workers: Workers, candidates: Blocks, drawing: Drawing, direction: Direction
) -> Iterator[Selected]:
    """Yield the winners of each span of resamples, as `by_columns.select` does."""
    parts = workers.parts(candidates.n_configurations)
    together = -(-AT_ONCE * workers.n_cores // len(parts))
    spans = drawing.spans()
    while some := list(islice(spans, together)):
        found = workers.map(partial(_lead, candidates, direction), product(some, parts))
        led = [_first_of_all(parts, list(islice(found, len(parts))), direction) for _ in some]
        winners, _, ordinals, sizes = (np.concatenate(column) for column in zip(*led, strict=True))
        batches = [batch for span in some for batch in span.batches]
        of_these = replace(drawing, batches=batches)
        values = score_winners(workers, candidates, of_these, ordinals, winners)
        yield Selected(ordinals, winners, values, sizes)


def score_winners(
    workers: Workers,
    candidates: Blocks,
    drawing: Drawing,
    ordinals: IntArray,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it, a batch per task."""
    values = np.full(len(winners), np.nan)
    places, tasks = [], []
    for first, n_blocks in drawing.batches:
        rows = slice(*np.searchsorted(ordinals, (first * BLOCK, (first + n_blocks) * BLOCK)))
        one = replace(drawing, batches=[(first, n_blocks)], drawn_before=None)
        places.append(rows)
        tasks.append((one, ordinals[rows], winners[rows]))
    score = partial(by_columns.score_winners, candidates, in_bag=in_bag)
    for rows, scores in zip(places, workers.map(score, tasks), strict=True):
        values[rows] = scores
    return values


def _lead(candidates: Blocks, direction: Direction, span: Drawing, columns: IntArray) -> Led:
    """What leads among some columns in each resample of a span: what a worker does."""
    drawn = span.drawn()
    found, tops = by_columns.best_among(candidates, drawn, span.jobs, direction, columns)
    ordinals, sizes = by_columns.ordinals_and_sizes(drawn)
    return found, tops, ordinals, sizes


def _first_of_all(parts: Sequence[IntArray], led: Sequence[Led], direction: Direction) -> Led:
    """Join what leads in each part: a later part has to be better."""
    best = by_columns.leading(((one[0], one[1]) for one in led), direction)
    return *best, *led[0][2:]
