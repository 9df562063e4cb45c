"""Selection and scoring on workers, each with some configurations or some samples.

Nothing of size N is sent: a worker draws its resamples from the seed and their position, and reads
its part of the predictions from the file. A part of the configurations returns one winner per
resample, a part of the samples its totals for every configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice, product

import numpy as np

from bbccli.core import resources
from bbccli.core.workers import Workers
from bbccli.stats.bootstrap import by_rows, here
from bbccli.stats.bootstrap.by_rows import Work
from bbccli.stats.bootstrap.here import Selections
from bbccli.stats.resampling import BLOCK, Draws
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import Direction, FloatArray, IntArray

Led = tuple[IntArray, FloatArray, IntArray, IntArray]
"""Best column in each of B resamples, its performance, the ordinals and the sizes of these."""

AT_ONCE = 2
"""Tasks per core that are asked for before the first answers count."""


def select(
    workers: Workers, candidates: Candidates, draws: Draws, direction: Direction
) -> Iterator[Selections]:
    """Yield the winners of each span of resamples, as the loop does here."""
    parts, work = workers.parts(candidates.n_configurations), _work(workers, candidates, draws)
    if by_rows.possible(candidates, draws) and work.by_rows_pays(len(parts)):
        yield from _select_by_rows(workers, candidates, draws, direction)
        return
    together = -(-AT_ONCE * workers.n_cores // len(parts))
    spans = draws.spans()
    while some := list(islice(spans, together)):
        leads = workers.map(partial(_lead, candidates, direction), product(some, parts))
        led = []
        for _ in some:
            of_parts = list(islice(leads, len(parts)))
            best = here.leading((one[:2] for one in of_parts), direction)
            led.append((best[0], *of_parts[0][2:]))
        winners, ordinals, sizes = (np.concatenate(column) for column in zip(*led, strict=True))
        of_span = draws.part(range(some[0].blocks.start, some[-1].blocks.stop), ordinals)
        values = _score_by_batches(workers, candidates, of_span, winners)
        yield Selections(ordinals, winners, values, sizes)


def _lead(candidates: Candidates, direction: Direction, span: Draws, columns: IntArray) -> Led:
    """Return the leader among some columns in each resample of a span: one worker's task."""
    drawn = span.drawn()
    return *here.best_among(candidates, drawn, direction, columns), *here.ordinals_and_sizes(drawn)


def score_winners(
    workers: Workers,
    candidates: Candidates,
    draws: Draws,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """Score each winner (B,) out of the bag of its resample, or in it: (B,), NaN if undefined."""
    fits = _work(workers, candidates, draws).fits
    by_samples = by_rows.possible(candidates, draws) and not fits
    score = _score_by_rows if by_samples else _score_by_batches
    return score(workers, candidates, draws, winners, in_bag=in_bag)


def _work(workers: Workers, candidates: Candidates, draws: Draws) -> Work:
    return Work(
        draws.n_weights,
        len(draws.blocks),
        candidates.n_configurations,
        workers.n_cores,
        resources.current().memory,
        draws.count_type.itemsize,
    )


def _score_by_batches(
    workers: Workers,
    candidates: Candidates,
    draws: Draws,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """As `score_winners`, with a batch of resamples on all samples per task."""
    values, tasks = np.full(len(winners), np.nan), []
    batches = draws.batches(resources.current().jobs)
    places = [_among(draws, blocks) for blocks in batches]
    for blocks, rows in zip(batches, places, strict=True):
        tasks.append((draws.part(blocks, _used(draws)[rows]), winners[rows]))
    score = partial(here.score_winners, candidates, in_bag=in_bag)
    for rows, scores in zip(places, workers.map(score, tasks), strict=True):
        values[rows] = scores
    return values


def _select_by_rows(
    workers: Workers, candidates: Candidates, draws: Draws, direction: Direction
) -> Iterator[Selections]:
    """Add up the totals of the parts of the samples, span by span."""
    sharing = _work(workers, candidates, draws).by_rows()
    spans, rows = sharing.spans(draws.blocks), sharing.rows(draws.n_weights)
    tasks = product(map(draws.part, spans), rows)
    answers = workers.map(partial(by_rows.totals_in_bags, candidates), tasks)
    scorer = by_rows.empty_statistic(candidates, candidates.n_configurations)
    for span in spans:
        totals, sizes = next(answers)
        for more, left_out in islice(answers, len(rows) - 1):
            totals, sizes = [a + b for a, b in zip(totals, more, strict=True)], sizes + left_out
        usable = np.flatnonzero(sizes)
        winners = direction.best(scorer.of_totals([total[usable] for total in totals]))
        ordinals = span.start * BLOCK + usable
        values = _score_by_rows(workers, candidates, draws.part(span, ordinals), winners)
        yield Selections(ordinals, winners, values, sizes[usable])


def _score_by_rows(
    workers: Workers,
    candidates: Candidates,
    draws: Draws,
    winners: IntArray,
    *,
    in_bag: bool = False,
) -> FloatArray:
    """As `score_winners`, with a block of resamples and a part of the samples per task.

    Chunks of samples are added up one after another, as a `Sum` does: to the same bytes.
    """
    values, ordinals = np.full(len(winners), np.nan), _used(draws)
    sharing = _work(workers, candidates, draws).winners()
    rows, todo = sharing.rows(draws.n_weights), []
    for span in sharing.spans(draws.blocks):
        inside = _among(draws, span)
        scorable = inside.start + np.flatnonzero(winners[inside] >= 0)
        if len(scorable):
            todo.append((span, scorable))
    tasks = (
        (draws.part(span), part, ordinals[scorable] - span.start * BLOCK, winners[scorable])
        for span, scorable in todo
        for part in rows
    )
    answers = workers.map(partial(by_rows.totals_of_winners, candidates, in_bag), tasks)
    scorer = by_rows.empty_statistic(candidates, 1)
    for _, scorable in todo:
        chunks = zip(*islice(answers, len(rows)), strict=True)
        totals = [_in_order(parts) for parts in chunks]
        values[scorable] = scorer.of_totals([total[:, None] for total in totals])[:, 0]
    return values


def _in_order(parts: Sequence[FloatArray]) -> FloatArray:
    """Sum of chunks (P arrays (chunks, B, ...)), each added to that of those before it."""
    total = np.zeros(parts[0].shape[1:])
    for chunk in chain.from_iterable(parts):
        total += chunk
    return total


def _used(draws: Draws) -> IntArray:
    assert draws.used is not None
    return draws.used


def _among(draws: Draws, blocks: range) -> slice:
    return slice(*np.searchsorted(_used(draws), (blocks.start * BLOCK, blocks.stop * BLOCK)))
