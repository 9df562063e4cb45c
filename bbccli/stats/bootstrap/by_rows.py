"""Division of the samples into parts, and the totals of each part, for metrics that add samples up.

A task returns totals: for every configuration in the bag of every resample, or for each winner out
of its bag. Winners and their performances are known once the parts are joined.

Each part makes all draws of a resample, a stretch at a time, and discards those of other rows. So
it takes the time of all draws, but the memory of its own counts. Costs are in units of one random
draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from bbccli.core import resources
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.resources import PER_SAMPLE
from bbccli.metrics.base import Metric
from bbccli.metrics.statistic import Statistic
from bbccli.metrics.weighting import CHUNK
from bbccli.stats.resampling import BLOCK, FEW_UNITS, Draws, generator
from bbccli.stats.selection.candidates import Candidates
from bbccli.types import FloatArray, IntArray, Pooling, distinct

SHARE = 4
"""Parts of the memory, one each for counts, predictions, bound predictions, and floats."""


def possible(candidates: Candidates, draws: Draws) -> bool:
    """True if parts of the samples can be totalled separately, and draws judged by their parts."""
    return (
        addable(candidates.matrix, candidates.metric, candidates.pooling)
        and draws.leaving_out
        and draws.strata is None
    )


def addable(matrix: PredictionMatrix, metric: Metric, pooling: Pooling) -> bool:
    """True if a metric adds up samples apart, which are so many that it does so anyway."""
    return (
        metric.adds_up(matrix.outcome)
        and pooling is Pooling.POOLED
        and matrix.n_repeats == 1
        and matrix.available is None
        and matrix.outcome.weights is None
        and matrix.n_samples > CHUNK
    )


def totals_in_bags(
    candidates: Candidates, draws: Draws, rows: slice
) -> tuple[list[FloatArray], IntArray]:
    """Totals (B, C, ...) of all configurations in the bags, of some rows; units left out there."""
    counts, left_out = counts_of(draws, rows)
    every = np.arange(candidates.n_configurations)
    pieces = list(_pieces(candidates, every, rows))
    totals = [_of_piece(candidates, counts, rows, columns) for columns in pieces]
    joined: list[FloatArray] = []
    for parts in zip(*totals, strict=True):
        per_column = all(part.shape[1] == len(c) for part, c in zip(parts, pieces, strict=True))
        joined.append(np.concatenate(parts, axis=1) if per_column else parts[0])
    return joined, left_out


def totals_of_winners(
    candidates: Candidates,
    in_bag: bool,
    draws: Draws,
    rows: slice,
    places: IntArray,
    winners: IntArray,
) -> list[FloatArray]:
    """Totals (chunks, B', ...) of each winner (B',) out of its bag, or in it, chunk by chunk.

    places (B',) int: which of the draws selected them.
    """
    counts, _ = counts_of(draws, rows)
    n_chunks = -(-(rows.stop - rows.start) // CHUNK)
    totals: list[FloatArray] = []
    strip = _strip(1)
    for columns in _pieces(candidates, distinct(winners), rows):
        for position, (chunk, scorer) in enumerate(_bound(candidates, rows, columns)):
            for place, configuration in enumerate(columns):
                won = np.flatnonzero(winners == configuration)
                for start in range(0, len(won), strip):
                    some = won[start : start + strip]
                    weights = counts[places[some], chunk]
                    weights = weights if in_bag else (weights == 0).view(np.uint8)
                    of_chunk = scorer.totals(weights, np.array([place]))
                    totals = totals or [
                        np.empty((n_chunks, len(winners), *part.shape[2:])) for part in of_chunk
                    ]
                    for of_all, part in zip(totals, of_chunk, strict=True):
                        of_all[position, some] = part[:, 0]
    return totals


def empty_statistic(candidates: Candidates, n_configurations: int) -> Statistic:
    """Return the statistic bound to no sample, which knows the formula of the totals."""
    matrix = candidates.matrix
    empty = matrix.in_form(candidates.metric.wants, np.empty((1, 0, n_configurations)))
    return cast(Statistic, candidates.metric.bind(matrix.outcome.take(slice(0)), empty[0]))


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
        of_chunk = [np.concatenate(parts) for parts in zip(*strips, strict=True)]
        sums = [a + b for a, b in zip(sums, of_chunk, strict=True)] if sums else of_chunk
    return sums


def _bound(
    candidates: Candidates, rows: slice, columns: IntArray
) -> Iterator[tuple[slice, Statistic]]:
    """Yield each chunk, counted among the rows, and the scorer of some columns on it."""
    matrix, metric = candidates.matrix, candidates.metric
    predictions = matrix.predictions[:, rows, columns]
    for start in range(0, rows.stop - rows.start, CHUNK):
        chunk = slice(start, min(start + CHUNK, rows.stop - rows.start))
        here = slice(rows.start + chunk.start, rows.start + chunk.stop)
        formed = matrix.in_form(metric.wants, predictions[:, chunk])
        yield chunk, cast(Statistic, metric.bind(matrix.outcome.take(here), formed[0]))


def _pieces(candidates: Candidates, columns: IntArray, rows: slice) -> Iterator[IntArray]:
    """Yield blocks of columns that fit the memory, read for all rows and bound to one chunk."""
    room = resources.current().memory // SHARE
    read = (rows.stop - rows.start) * candidates.matrix.predictions.dtype.itemsize
    bound = CHUNK * candidates.metric.cell_bytes(CHUNK, len(candidates.matrix.outcome.classes))
    width = max(room // max(read, bound), 1)
    for start in range(0, len(columns), width):
        yield columns[start : start + width]


def _strip(least: int) -> int:
    """Number of resamples whose weights on a chunk, as floats and times losses, fit the memory."""
    return max(resources.current().memory // SHARE // (16 * CHUNK), least)


STRETCH = 2**16
"""Draws that are made at a time. A generator gives the same ones in stretches of any length."""


def counts_of(draws: Draws, rows: slice) -> tuple[IntArray, IntArray]:
    """Return the multiplicities of some consecutive samples in every draw, usable or not.

    draws: without strata.
    rows: a slice with both ends.
    Returns counts (B, n): how often each of the n samples is drawn.
    Returns left_out (B,) int: units among them that are not drawn. A group may have samples in
        several parts of the rows, so all groups are counted in the part that starts at the first
        sample.

    Time O(B U), memory O(B n + U) with groups and O(B n) without.
    """
    counts = np.zeros((len(draws.blocks) * BLOCK, rows.stop - rows.start), draws.count_type)
    left_out = np.zeros(len(counts), np.int64)
    grouped = draws.members is not None
    of_units = slice(0, draws.n_units) if grouped else rows
    every = (drawn for block in draws.blocks for drawn in each_of(draws, block, of_units))
    for row, drawn in enumerate(every):
        if not grouped or rows.start == 0:
            left_out[row] = np.count_nonzero(drawn == 0)
        counts[row] = drawn if draws.members is None else drawn[draws.members[rows]]
    return counts, left_out


def each_of(draws: Draws, block: int, units: slice) -> Iterator[IntArray]:
    """Yield the multiplicities of some consecutive units in each resample of a block."""
    if draws.n_units <= FEW_UNITS:
        every = replace(draws, members=None, leaving_out=False).batch(block, 1)
        yield from every.in_bag[:, units]
        return
    rng = generator(draws.seed, (*draws.stream, block))
    one, start = draws.count_type.type(1), np.uint32(units.start)
    for _ in range(BLOCK):
        counts = np.zeros(units.stop - units.start, draws.count_type)
        for made in range(0, draws.n_units, STRETCH):
            length = min(STRETCH, draws.n_units - made)
            drawn = rng.integers(0, draws.n_units, length, np.uint32)
            if len(counts) < draws.n_units:
                drawn -= start  # unsigned: units before the start wrap around to large numbers
                drawn = drawn[drawn < len(counts)]
            np.add.at(counts, drawn, one)
        yield counts


AT_ONCE = 2
"""Tasks per core, at least."""

COUNTED = 3.0
"""Cost of a draw that is counted too: the counts of all samples fit no cache."""

READ = 1.0
"""Cost of reading and decoding a prediction."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """The division of samples and draws.

    height: samples of a part, in whole chunks.
    n_blocks: blocks of draws in a span.
    time: on one core, per sample and resample.
    """

    height: int
    n_blocks: int
    time: float

    def rows(self, n_samples: int) -> list[slice]:
        """Return the samples of each part."""
        starts = range(0, n_samples, self.height)
        return [slice(start, min(start + self.height, n_samples)) for start in starts]

    def spans(self, blocks: range) -> list[range]:
        """Return the parts of some blocks of draws."""
        starts = range(0, len(blocks), self.n_blocks)
        return [blocks[start : start + self.n_blocks] for start in starts]


@dataclass(frozen=True, slots=True)
class Work:
    """The work to divide.

    n_samples, n_blocks, n_configurations: N, blocks of draws, C.
    n_cores: of all workers.
    memory: of each, in bytes.
    count_bytes: of one count.
    """

    n_samples: int
    n_blocks: int
    n_configurations: int
    n_cores: int
    memory: int
    count_bytes: int = 1

    @property
    def fits(self) -> bool:
        """True if a block of resamples of all samples fits the memory."""
        return self.memory >= PER_SAMPLE * self.n_samples

    def by_rows_pays(self, n_parts: int) -> bool:
        """True if parts of the samples take less time than so many parts of the configurations."""
        return not self.fits or self.by_rows().time < self.by_configurations(n_parts)

    def by_rows(self) -> Sharing:
        """Return the fastest division into parts of the samples and spans of the resamples.

        Larger parts draw less often and larger spans read less often, but both have to fit the
        memory, and every core needs tasks.
        """
        least = BLOCK * CHUNK * self.count_bytes
        most = max(min(self.memory // SHARE // least, self.n_blocks), 1)
        divisions = (self._by_rows(n_blocks) for n_blocks in range(1, most + 1))
        return min(divisions, key=lambda sharing: sharing.time)

    def winners(self) -> Sharing:
        """Return the parts for blocks of resamples, each of which has one configuration."""
        return self._by_rows(1)

    def by_configurations(self, n_parts: int) -> float:
        """Time of one core, per sample and resample, where each part has some configurations."""
        span = min(max(self.memory // (4 * BLOCK * self.n_samples), 1), self.n_blocks)
        n_tasks = n_parts * -(-self.n_blocks // span)
        reading = READ * self.n_configurations / (BLOCK * span)
        return float((COUNTED * n_parts + reading) / min(n_tasks, self.n_cores))

    def _by_rows(self, n_blocks: int) -> Sharing:
        chunks = -(-self.n_samples // CHUNK)
        fitting = max(self.memory // SHARE // (n_blocks * BLOCK * CHUNK * self.count_bytes), 1)
        n_spans = -(-self.n_blocks // n_blocks)
        n_parts = max(-(-chunks // fitting), min(-(-AT_ONCE * self.n_cores // n_spans), chunks))
        of_part = -(-chunks // n_parts)
        n_parts = -(-chunks // of_part)
        reading = READ * self.n_configurations / (BLOCK * n_blocks)
        time = (n_parts + COUNTED - 1 + reading) / min(n_parts * n_spans, self.n_cores)
        return Sharing(of_part * CHUNK, n_blocks, time)
