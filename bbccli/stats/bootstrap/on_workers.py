"""Selection and scoring on workers, each of which has some configurations, or some samples.

Nothing that has a size of N is sent: a worker draws its resamples from the seed and their position,
and reads its part of the predictions from the file. What comes back of a part of the configurations
is one winner per resample; of a part of the samples, what its rows add to every configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, product
from typing import TypeGuard

import numpy as np

from bbccli.core import resources
from bbccli.core.workers import Workers
from bbccli.stats.bootstrap import by_rows, here
from bbccli.stats.bootstrap.by_rows import Some, Work
from bbccli.stats.bootstrap.here import Blocks, Selections
from bbccli.stats.resampling import BLOCK, Draws
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import Direction, FloatArray, IntArray

Led = tuple[IntArray, FloatArray, IntArray, IntArray]
"""Best column in each of B resamples, its performance, the ordinals and the sizes of these."""

AT_ONCE = 2
"""Tasks per core that are asked for before the first answers count."""


def select(
    workers: Workers, candidates: Blocks, draws: Draws, direction: Direction
) -> Iterator[Selections]:
    """Yield the winners of each span of resamples, as the loop does here."""
    parts = workers.parts(candidates.n_configurations)
    work = _work(workers, candidates, draws)
    if _addable(candidates, draws) and work.by_rows_pays(len(parts)):
        yield from _select_by_rows(workers, candidates, draws, direction)
        return
    together = -(-AT_ONCE * workers.n_cores // len(parts))
    spans = draws.spans()
    while some := list(islice(spans, together)):
        found = workers.map(partial(_lead, candidates, direction), product(some, parts))
        led = [_first_of_all(parts, list(islice(found, len(parts))), direction) for _ in some]
        winners, _, ordinals, sizes = (np.concatenate(column) for column in zip(*led, strict=True))
        of_these = draws.part(range(some[0].blocks.start, some[-1].blocks.stop), ordinals)
        values = _score_by_batches(workers, candidates, of_these, winners)
        yield Selections(ordinals, winners, values, sizes)


def score_winners(
    workers: Workers,
    candidates: Blocks,
    draws: Draws,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it: (B,), NaN if undefined."""
    if _addable(candidates, draws) and not _work(workers, candidates, draws).fits:
        return _score_by_rows(workers, candidates, draws, winners, in_bag=in_bag)
    return _score_by_batches(workers, candidates, draws, winners, in_bag=in_bag)


def _addable(candidates: Blocks, draws: Draws) -> TypeGuard[Candidates]:
    """True if parts of the samples can be added up."""
    return isinstance(candidates, Candidates) and by_rows.possible(candidates, draws)


def _work(workers: Workers, candidates: Blocks, draws: Draws) -> Work:
    """Return what there is to do, and who does it."""
    n_configurations, memory = candidates.n_configurations, resources.current().memory
    of_counts = draws.count_type.itemsize
    return Work(
        draws.n_weights, len(draws.blocks), n_configurations, workers.n_cores, memory, of_counts
    )


def _score_by_batches(
    workers: Workers,
    candidates: Blocks,
    draws: Draws,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Return what `score_winners` does, a batch of resamples of all samples per task."""
    values, ordinals = np.full(len(winners), np.nan), _used(draws)
    places, tasks = [], []
    for blocks in draws.batches(resources.current().jobs):
        rows = slice(*np.searchsorted(ordinals, (blocks.start * BLOCK, blocks.stop * BLOCK)))
        places.append(rows)
        tasks.append((draws.part(blocks, ordinals[rows]), winners[rows]))
    score = partial(here.score_winners, candidates, in_bag=in_bag)
    for rows, scores in zip(places, workers.map(score, tasks), strict=True):
        values[rows] = scores
    return values


def _select_by_rows(
    workers: Workers, candidates: Candidates, draws: Draws, direction: Direction
) -> Iterator[Selections]:
    """Add up what the parts of the samples tell, span by span."""
    sharing = _work(workers, candidates, draws).by_rows()
    spans, rows = sharing.spans(draws.blocks), sharing.rows(draws.n_weights)
    tasks = ((Some(draws, span, part),) for span in spans for part in rows)
    found = workers.map(partial(by_rows.totals_in_bags, candidates), tasks)
    scorer = by_rows.of_nothing(candidates, candidates.n_configurations)
    for span in spans:
        totals, sizes = next(found)
        for more, left_out in islice(found, len(rows) - 1):
            totals, sizes = [a + b for a, b in zip(totals, more, strict=True)], sizes + left_out
        usable = np.flatnonzero(sizes)
        winners = direction.best(scorer.of_totals([total[usable] for total in totals]))
        ordinals = span[0] * BLOCK + usable
        of_span = draws.part(range(span[0], sum(span)), ordinals)
        values = _score_by_rows(workers, candidates, of_span, winners)
        yield Selections(ordinals, winners, values, sizes[usable])


def _score_by_rows(
    workers: Workers,
    candidates: Candidates,
    draws: Draws,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Return what `score_winners` does, a block of resamples and a part of the samples per task.

    Chunks of samples are added up one after another, as a `Sum` does: to the same bytes.
    """
    values, ordinals = np.full(len(winners), np.nan), _used(draws)
    sharing = _work(workers, candidates, draws).winners()
    rows, asked = sharing.rows(draws.n_weights), []
    for span in sharing.spans(draws.blocks):
        start, end = np.searchsorted(ordinals, (span[0] * BLOCK, sum(span) * BLOCK))
        mine = start + np.flatnonzero(winners[start:end] >= 0)
        if len(mine):
            asked.append((span, mine))
    found = workers.map(
        partial(by_rows.totals_of_winners, candidates, in_bag),
        (
            (Some(draws, span, part), ordinals[mine] - span[0] * BLOCK, winners[mine])
            for span, mine in asked
            for part in rows
        ),
    )
    scorer = by_rows.of_nothing(candidates, 1)
    for _, mine in asked:
        chunks = zip(*islice(found, len(rows)), strict=True)
        totals = [_in_order(parts) for parts in chunks]
        values[mine] = scorer.of_totals([total[:, None] for total in totals])[:, 0]
    return values


def _in_order(parts: Sequence[FloatArray]) -> FloatArray:
    """Sum of chunks (P arrays (chunks, B, ...)), each added to that of those before it."""
    total = np.zeros(parts[0].shape[1:])
    for part in parts:
        for chunk in part:
            total += chunk
    return total


def _used(draws: Draws) -> IntArray:
    """Ordinals of the resamples that have winners."""
    assert draws.used is not None
    return draws.used


def _lead(candidates: Blocks, direction: Direction, span: Draws, columns: IntArray) -> Led:
    """Return what leads among some columns in each resample of a span: what a worker does."""
    drawn = span.drawn()
    found, tops = here.best_among(candidates, drawn, direction, columns)
    ordinals, sizes = here.ordinals_and_sizes(drawn)
    return found, tops, ordinals, sizes


def _first_of_all(parts: Sequence[IntArray], led: Sequence[Led], direction: Direction) -> Led:
    """Join what leads in each part: a later part has to be better."""
    best = here.leading(((one[0], one[1]) for one in led), direction)
    return *best, *led[0][2:]
