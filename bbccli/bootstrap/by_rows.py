"""Selection and scoring where each task has some of the samples, of metrics that add them up.

What a task returns are totals: of every configuration in the bag of every resample, or of each
winner out of its bag. Which wins, and how well it does, is known when the parts are joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bbccli import resources
from bbccli.bootstrap.row_counts import counts_of
from bbccli.matrix import PredictionMatrix
from bbccli.metrics.base import Additive, Metric
from bbccli.metrics.weighting import CHUNK
from bbccli.resampling import Draws, leaves_some_out
from bbccli.selection.candidates import Candidates
from bbccli.types import FloatArray, IntArray, Pooling, distinct

SHARE = 4
"""Parts of the memory, one each for counts, predictions, bound predictions, and floats."""

Span = tuple[int, int]
"""First block of draws, and number of blocks."""


@dataclass(frozen=True, slots=True)
class Some:
    """Some draws of some rows: what a task is about."""

    draws: Draws
    span: Span
    rows: slice

    def counts(self) -> tuple[IntArray, IntArray]:
        """Return what `counts_of` does."""
        return counts_of(self.draws, *self.span, self.rows)


def possible(candidates: Candidates, draws: Draws) -> bool:
    """Whether samples can be added up apart, and draws be judged by what each part leaves out."""
    return (
        addable(candidates.matrix, candidates.metric, candidates.pooling)
        and draws.accept is leaves_some_out
        and draws.strata is None
    )


def addable(matrix: PredictionMatrix, metric: Metric, pooling: Pooling) -> bool:
    """Whether a metric adds up samples apart, which are so many that it does so anyway."""
    return (
        metric.adds_up(matrix.outcome)
        and pooling is Pooling.POOLED
        and matrix.n_repeats == 1
        and matrix.available is None
        and matrix.outcome.weights is None
        and matrix.n_samples > CHUNK
    )


def totals_in_bags(candidates: Candidates, some: Some) -> tuple[list[FloatArray], IntArray]:
    """Totals (B, C, ...) of all configurations in the bags, of some rows; units left out there."""
    counts, left_out = some.counts()
    every = np.arange(candidates.n_configurations)
    pieces = list(_pieces(candidates, every, some.rows))
    found = [_of_piece(candidates, counts, some.rows, columns) for columns in pieces]
    joined: list[FloatArray] = []
    for parts in zip(*found, strict=True):
        own = all(part.shape[1] == len(c) for part, c in zip(parts, pieces, strict=True))
        joined.append(np.concatenate(parts, axis=1) if own else parts[0])
    return joined, left_out


def totals_of_winners(
    candidates: Candidates, in_bag: bool, some: Some, places: IntArray, winners: IntArray
) -> list[FloatArray]:
    """Totals (chunks, B', ...) of each winner (B',) out of its bag, or in it, chunk by chunk.

    Parameters
    ----------
    places : (B',) int
        Which of the draws selected them.
    """
    counts, _ = some.counts()
    found: list[FloatArray] = []
    strip = _strip(1)
    for columns in _pieces(candidates, distinct(winners), some.rows):
        for position, (chunk, scorer) in enumerate(_bound(candidates, some.rows, columns)):
            for place, configuration in enumerate(columns):
                mine = np.flatnonzero(winners == configuration)
                for start in range(0, len(mine), strip):
                    rows = mine[start : start + strip]
                    weights = counts[places[rows], chunk]
                    weights = weights if in_bag else (weights == 0).view(np.uint8)
                    own = scorer.totals(weights, np.array([place]))
                    found = found or _room(own, some.rows, len(winners))
                    for of_all, part in zip(found, own, strict=True):
                        of_all[position, rows] = part[:, 0]
    return found


def of_nothing(candidates: Candidates, n_configurations: int) -> Additive:
    """Return what is bound to no sample: it knows the formula of the totals."""
    matrix = candidates.matrix
    empty = matrix.in_form(candidates.metric.wants, np.empty((1, 0, n_configurations)))
    scorer: Any = candidates.metric.bind(matrix.outcome.take(slice(0)), empty[0])
    found: Additive = scorer
    return found


def _of_piece(
    candidates: Candidates, counts: IntArray, rows: slice, columns: IntArray
) -> list[FloatArray]:
    """Totals (B, C', ...) of some configurations under all counts (B, n)."""
    sums: list[FloatArray] = []
    strip = _strip(16)
    for chunk, scorer in _bound(candidates, rows, columns):
        strips = [
            scorer.totals(counts[start : start + strip, chunk])
            for start in range(0, len(counts), strip)
        ]
        own = [np.concatenate(parts) for parts in zip(*strips, strict=True)]
        sums = [a + b for a, b in zip(sums, own, strict=True)] if sums else own
    return sums


def _bound(
    candidates: Candidates, rows: slice, columns: IntArray
) -> Iterator[tuple[slice, Additive]]:
    """Yield each chunk, counted among the rows, and the scorer of some columns on it."""
    matrix, metric = candidates.matrix, candidates.metric
    predictions = matrix.predictions[:, rows, columns]
    for start in range(0, rows.stop - rows.start, CHUNK):
        chunk = slice(start, min(start + CHUNK, rows.stop - rows.start))
        here = slice(rows.start + chunk.start, rows.start + chunk.stop)
        formed = matrix.in_form(metric.wants, predictions[:, chunk])
        scorer: Any = metric.bind(matrix.outcome.take(here), formed[0])
        yield chunk, scorer


def _pieces(candidates: Candidates, columns: IntArray, rows: slice) -> Iterator[IntArray]:
    """Yield columns, as many at a time as fit the memory: read of all rows, bound of a chunk."""
    room = resources.current().memory // SHARE
    read = (rows.stop - rows.start) * candidates.matrix.predictions.dtype.itemsize
    bound = CHUNK * candidates.metric.cell_bytes(CHUNK, len(candidates.matrix.outcome.classes))
    width = max(room // max(read, bound), 1)
    for start in range(0, len(columns), width):
        yield columns[start : start + width]


def _strip(least: int) -> int:
    """Resamples whose weights on a chunk, as floats and times losses, fit the memory."""
    return max(resources.current().memory // SHARE // (16 * CHUNK), least)


def _room(own: list[FloatArray], rows: slice, n_winners: int) -> list[FloatArray]:
    n_chunks = -(-(rows.stop - rows.start) // CHUNK)
    return [np.empty((n_chunks, n_winners, *part.shape[2:])) for part in own]
