"""Selection and scoring on workers, each with some of the configurations.

Each part of the predictions is sent once. A worker draws the resamples from the seed and their
positions, and returns the best of its part in each, by the functions that work in one process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise, product

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.platform import resources
from bbccli.platform.resources import Workers
from bbccli.stats.bootstrap import in_process
from bbccli.stats.bootstrap.in_process import Selections
from bbccli.stats.resampling import BLOCK, Draws
from bbccli.stats.selection.candidates import Candidates, cached
from bbccli.types import Direction, FloatArray, IntArray

FEW = 64
"""Least number of configurations in a part: each part draws the resamples itself."""

EACH = 2
"""Parts per core."""

Part = tuple[Candidates, int]
"""Consecutive configurations, and the column of the first."""


def select(
    workers: Workers, candidates: Candidates, draws: Draws, direction: Direction
) -> Iterator[Selections]:
    """Yield the winners of each span of resamples, as the loop does here."""
    parts = _parts(workers, candidates)
    with resources.use(workers.limits.for_predictions(draws.n_weights, 0)):
        spans = list(draws.spans())
    leads = workers.map(partial(_lead, direction), product(spans, parts))
    for span in spans:
        of_parts = list(islice(leads, len(parts)))
        winners, _ = in_process.leading((best for best, _, _ in of_parts), direction)
        *_, (_, ordinals, sizes) = of_parts
        values = score_winners(workers, candidates, span.part(span.blocks, ordinals), winners)
        yield Selections(ordinals, winners, values, sizes)


def score_winners(
    workers: Workers,
    candidates: Candidates,
    draws: Draws,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it: (B,), NaN if undefined."""
    assert draws.used is not None
    values, tasks, places = np.full(len(winners), np.nan), [], []
    for part, first in _parts(workers, candidates):
        won = np.flatnonzero((winners >= first) & (winners < first + part.n_configurations))
        for rows in np.array_split(won, min(workers.n_cores, -(-len(won) // BLOCK)) or 1):
            if len(rows):
                tasks.append((part, draws.again(draws.used[rows]), winners[rows] - first))
                places.append(rows)
    scored = workers.map(partial(in_process.score_winners, in_bag=in_bag), tasks)
    for rows, scores in zip(places, scored, strict=True):
        values[rows] = scores
    return values


def _parts(workers: Workers, candidates: Candidates) -> list[Part]:
    """Return the parts of the configurations, the same for all metrics."""
    matrix, n = candidates.matrix, candidates.n_configurations

    def cut() -> list[tuple[PredictionMatrix, int]]:
        edges = np.linspace(0, n, min(EACH * workers.n_cores, -(-n // FEW)) + 1).astype(int)
        return [(matrix.of_configurations(slice(a, b)), a) for a, b in pairwise(edges.tolist())]

    parts = cached(matrix, "on workers", cut)
    return [(replace(candidates, matrix=part), first) for part, first in parts]


def _lead(
    direction: Direction, draws: Draws, part: Part
) -> tuple[in_process.Best, IntArray, IntArray]:
    """Return the leader of a part in each resample, and the ordinals and sizes of these."""
    candidates, first = part
    drawn = draws.drawn()
    best, tops = in_process.best_among(candidates, drawn, direction)
    return (np.where(best < 0, -1, first + best), tops), *in_process.ordinals_and_sizes(drawn)
