"""Bootstrap resamples as rows of integer weights, and the rule by which some are drawn again.

Draws come in fixed blocks of `BLOCK` rows, each from its own generator, known from
the seed, the unit of resampling and the position of the block. So the first B resamples are the
same whatever is drawn after them, whatever the chunk size, and wherever a block is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache, reduce
from math import comb, factorial
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from bbccli.errors import UndefinedError
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import ordered_map
from bbccli.types import BoolArray, FloatArray, IntArray, distinct, readonly

BLOCK = 64
"""Rows per generator. Part of what a seed means: changing it changes every sampled number."""

KEPT_BYTES = 2**24
"""Memory for pages of draws that are kept for other matrices with as many units."""

PAGE = 16
"""Blocks that are kept side by side, about a thousand resamples; larger pages are not kept."""

FEW_CELLS = 2**13
"""Up to so many units a block is counted in one call."""

FEW_UNITS = int(np.iinfo(np.uint16).max)
"""Up to this many units are drawn with 16 bits. Of more, none is ever drawn 256 times: the chance
is below 1e-500, so counts take one byte.
"""

MOST_BLOCKS = 16
"""Blocks of resamples in one batch, at most: enough to amortise numpy's calls."""

MOST_SCORED = 2**18
"""Performances of one batch, 2 MB, where all configurations are scored at once."""

WEIGHT_BYTES = 32
"""Memory per weight: drawn numbers, counts, the form that the kernel wants, and what is between."""

BYTES_OF_MANY = 4
"""The same where each row of weights is drawn by itself, and made floats part by part."""

PATIENCE = 200
"""Draws per accepted resample after which none is expected to come."""


# Once such a block was freed, glibc reuses the memory of each batch for the next: fetching it from
# the system would take as long as scoring few samples.
np.empty(KEPT_BYTES, np.uint8)


class Unit(IntEnum):
    """A unit that is drawn; each has its own random stream."""

    SAMPLES = 0
    FOLDS = 1
    GROUPS = 2
    SPLIT = 3
    EVALUATION = 4
    SEEN = 5  # what is predicted so far, in samples or groups: the tests between folds
    TRUTH = 6  # the order in which samples meet the truth of others: no information
    MULTIPLIERS = 7  # normal numbers by which influence values are multiplied
    ORDERS = 8  # of configurations, to compare that of their trials with
    SWAPS = 20  # which samples, or groups, two configurations swap
    BELIEFS = 21  # weights of the Bayesian bootstrap


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Some resamples, in the order in which they were drawn.

    in_bag (B, U) uint16: how often each of U units was drawn.
    ordinals (B,) int: position of each in its stream, with the rejected draws counted.
    sizes (B,) int: units out of the bag; of groups, groups.
    """

    in_bag: IntArray
    ordinals: IntArray
    sizes: IntArray

    @property
    def out_of_bag(self) -> IntArray:
        """(B, U) 1 where a unit was not drawn, else 0."""
        return np.asarray(self.in_bag == 0).view(np.uint8)

    def __len__(self) -> int:
        return len(self.in_bag)


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Draws:
    """A seed's endless sequence of resamples, and a part of it to work on.

    n_units: U, samples or folds to draw from, with replacement, U times.
    seed: of the plan.
    stream: which of the seed's streams: the unit, and the repeat whose folds are drawn.
    leaving_out: True if a draw must leave some unit out of the bag; others are then drawn again.
    members (N,) int, optional: unit of each of N samples, if units are groups: a sample has the
        weight of its group, and a group is out of the bag as a whole.
    strata (U,) int, optional: stratum of each unit; each stratum keeps its size.
    blocks: the part: consecutive blocks of draws.
    used, optional: ordinals of the wanted resamples in the part, ascending; None for all.
    """

    n_units: int
    seed: int
    stream: tuple[int, ...]
    leaving_out: bool = True
    members: IntArray | None = None
    strata: IntArray | None = None
    blocks: range = range(0)
    used: IntArray | None = None

    @property
    def n_weights(self) -> int:
        """N, weights per resample."""
        return self.n_units if self.members is None else len(self.members)

    @property
    def count_type(self) -> np.dtype[np.unsignedinteger[Any]]:
        """Type of the weights."""
        return np.dtype(np.uint16 if self.n_units <= FEW_UNITS else np.uint8)

    def batch(self, first: int, n_blocks: int) -> Resamples:
        """Return the usable resamples of blocks `first`, ..., `first + n_blocks - 1`."""
        if self.strata is None and 2 * PAGE * BLOCK * self.n_units <= KEPT_BYTES:
            blocks = range(first, first + n_blocks)
            in_bag, sizes = _KEPT.rows(self.n_units, self.seed, self.stream, blocks)
        else:
            in_bag = np.zeros((n_blocks * BLOCK, self.n_units), self.count_type)
            strata = self.strata
            within = None if strata is None else [strata == k for k in distinct(strata)]
            for position, block in enumerate(in_bag.reshape(n_blocks, BLOCK, -1)):
                _draw(block, generator(self.seed, (*self.stream, first + position)), within)
            sizes = (in_bag == 0).sum(axis=1)
        if self.members is not None:
            # an index would not leave rows contiguous, and sums of reals depend on that
            in_bag = np.take(in_bag, self.members, axis=1)
        usable = sizes >= self.leaving_out
        ordinals = first * BLOCK + np.flatnonzero(usable)
        return Resamples(in_bag if usable.all() else in_bag[usable], ordinals, sizes[usable])

    def part(self, blocks: range, used: IntArray | None = None) -> Draws:
        """Return some blocks of the sequence, or the resamples with some ordinals in them."""
        return replace(self, blocks=blocks, used=used)

    def again(self, ordinals: IntArray) -> Draws:
        """Return the resamples with these ordinals, to be drawn again."""
        return self.part(range(int(ordinals[0]) // BLOCK, int(ordinals[-1]) // BLOCK + 1), ordinals)

    def over(
        self,
        function: Callable[[Resamples], Result],
        n_configurations: int = 0,
        *,
        one_thread: bool = False,
    ) -> Iterator[Result]:
        """Apply a function to the resamples of each batch; results in order.

        n_configurations: C, if all are scored at once: batches are then small enough for the cache.
        one_thread: True to work in one thread, in batches of its full size.
        """
        jobs = 1 if one_thread else resources.current().jobs
        most = MOST_BLOCKS
        if n_configurations and not one_thread:
            most = max(MOST_SCORED // (BLOCK * n_configurations), 1)
        batches = self.batches(jobs, most)
        return ordered_map(lambda batch: function(self._drawn(batch)), batches, jobs)

    def batches(self, jobs: int, most: int = MOST_BLOCKS) -> list[range]:
        """Split the blocks into even batches whose weights fit the memory in all threads."""
        block_bytes = BLOCK * self.n_weights
        block_bytes *= WEIGHT_BYTES if self.n_weights <= FEW_UNITS else BYTES_OF_MANY
        fitting = max(resources.current().memory // (2 * jobs * block_bytes), 1)
        return self._split(min(fitting, most, MOST_BLOCKS, -(-len(self.blocks) // jobs)))

    def spans(self) -> Iterator[Draws]:
        """Yield consecutive parts of the draws, whose weights together fit the memory."""
        block_bytes = BLOCK * self.n_weights * self.count_type.itemsize
        for blocks in self._split(max(resources.current().memory // (4 * block_bytes), 1)):
            yield replace(self, blocks=blocks)

    def drawn(self) -> list[Resamples]:
        """Return the resamples of all batches, in order."""
        return list(self.over(lambda drawn: drawn))

    def _split(self, size: int) -> list[range]:
        return [self.blocks[start : start + size] for start in range(0, len(self.blocks), size)]

    def _drawn(self, blocks: range) -> Resamples:
        drawn = self.batch(blocks.start, len(blocks))
        if self.used is None:
            return drawn
        used = np.isin(drawn.ordinals, self.used)
        if used.all():
            return drawn
        return Resamples(drawn.in_bag[used], drawn.ordinals[used], drawn.sizes[used])


def draws_of(
    n_samples: int, groups: IntArray | None, seed: int, *, leaving_out: bool = True
) -> Draws:
    """Return the resamples of N samples, or of the groups (N,) that they come in."""
    if groups is None:
        return Draws(n_samples, seed, (Unit.SAMPLES,), leaving_out)
    codes, members = np.unique(groups, return_inverse=True)
    return Draws(len(codes), seed, (Unit.GROUPS,), leaving_out, members)


def draws_of_seen(n_samples: int, groups: IntArray | None, seed: int) -> Draws:
    """Return the resamples of the samples (N,) predicted so far, or of their groups.

    Each number of units has its own stream, so that the tests after successive folds, and the
    estimate after the last one, do not share their luck.
    """
    draws = draws_of(n_samples, groups, seed, leaving_out=False)
    return replace(draws, stream=(Unit.SEEN, draws.n_units))


def generator(seed: int, key: tuple[int, ...]) -> np.random.Generator:
    """Return the generator of a seed at a place: of a unit, and of a block of draws."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


Page = tuple[IntArray, IntArray, set[int]]
"""Draws (1024, U), how many units each leaves out (1024,), and which blocks are there already."""


class KeptDraws:
    """Pages of draws that were made before: those used last, within `KEPT_BYTES`."""

    def __init__(self) -> None:
        self.pages: dict[tuple[Any, ...], Page] = {}
        self._lock = Lock()

    def rows(
        self, n_units: int, seed: int, stream: tuple[int, ...], blocks: range
    ) -> tuple[IntArray, IntArray]:
        """Return consecutive blocks of draws (B, U), read-only, with the units out of each (B,)."""
        parts = []
        for start in range(blocks.start // PAGE * PAGE, blocks.stop, PAGE):
            counts, sizes, drawn_before = self._page(n_units, seed, (*stream, start))
            needed = range(max(blocks.start - start, 0), min(blocks.stop - start, PAGE))
            for position in set(needed) - drawn_before:
                # drawn without the lock and written at once, so that threads draw side by side
                rows = slice(position * BLOCK, (position + 1) * BLOCK)
                drawn = np.zeros((BLOCK, n_units), np.uint16)
                _draw(drawn, generator(seed, (*stream, start + position)))
                counts[rows], sizes[rows] = drawn, (drawn == 0).sum(axis=1)
                drawn_before.add(position)
            rows = slice(needed.start * BLOCK, needed.stop * BLOCK)
            parts.append((readonly(counts[rows]), readonly(sizes[rows])))
        if len(parts) == 1:
            return parts[0]
        in_bag, sizes = map(np.concatenate, zip(*parts, strict=True))
        return in_bag, sizes

    def _page(self, *place: Any) -> Page:
        with self._lock:
            n_rows = PAGE * BLOCK
            stored = self.pages.pop(place, None)
            page = stored or (np.empty((n_rows, place[0]), np.uint16), np.empty(n_rows, int), set())
            self.pages[place] = page  # now the one used last
            while sum(counts.nbytes for counts, _, _ in self.pages.values()) > KEPT_BYTES:
                del self.pages[next(iter(self.pages))]
            return page


_KEPT = KeptDraws()


def _draw(
    counts: IntArray, rng: np.random.Generator, strata: Sequence[BoolArray] | None = None
) -> None:
    """Fill counts (BLOCK, U), all zero, with one block of draws, or one within each stratum (U,).

    Of many units row by row, for which less memory is enough.
    """
    for stratum in strata or ():
        inside = np.zeros((BLOCK, int(stratum.sum())), counts.dtype)
        _draw(inside, rng)
        counts[:, stratum] = inside
    if strata is not None:
        return
    n_units, a_draw = counts.shape[1], counts.dtype.type(1)
    if n_units > FEW_UNITS:
        for row in counts:
            np.add.at(row, rng.integers(0, n_units, n_units, np.uint32), a_draw)
        return
    # 16 random bits per draw are enough, and take half the time of 32
    drawn = rng.integers(0, n_units, size=counts.shape, dtype=np.uint16)
    if n_units > FEW_CELLS:
        for row, of_row in zip(counts, drawn, strict=True):
            np.add.at(row, of_row, a_draw)
        return
    cells = drawn + n_units * np.arange(BLOCK)[:, None]
    np.add.at(counts.reshape(-1), cells.reshape(-1), a_draw)


@lru_cache(maxsize=4)  # the files of a batch mostly have as many folds
def every_resample(n_units: int, *, leaving_out: bool = True) -> tuple[IntArray, FloatArray]:
    """Enumerate the usable resamples of U units, each with its probability.

    There are C(2U - 1, U) unordered draws of U from U units with replacement. By default the one
    with each unit once is left out. Probabilities add up to 1.

    Returns in_bag (M, U) uint8: multiplicities, in lexicographic order.
    Returns probabilities (M,): u! / (prod_i m_i! U^U), renormalised.
    """
    in_bag = _shared_out(n_units, n_units)
    factorials = np.array([factorial(m) for m in range(n_units + 1)], dtype=float)
    alike = reduce(np.multiply, (factorials[of_unit] for of_unit in in_bag.T))
    if leaving_out:
        once = alike.argmin()
        in_bag, alike = np.delete(in_bag, once, axis=0), np.delete(alike, once)
    ways = factorial(n_units) / alike
    probabilities = ways / ways.sum()
    for shared in (in_bag, probabilities):
        shared.setflags(write=False)
    return in_bag, probabilities


def _shared_out(n_draws: int, n_units: int) -> IntArray:
    """Every way (M, U) to share out draws among units, in lexicographic order."""
    left = np.array([n_draws])
    columns: list[IntArray] = []
    for _ in range(n_units - 1):
        # each partial row branches into one row per number of draws that its next unit may get
        branches = left + 1
        row = np.repeat(np.arange(len(left)), branches)
        first = np.cumsum(branches) - branches
        taken = np.arange(len(row)) - first[row]
        columns = [column[row] for column in columns]
        columns.append(taken.astype(np.uint8))
        left = left[row] - taken
    return np.stack([*columns, left.astype(np.uint8)], axis=1)


def count_every_resample(n_units: int) -> int:
    """Return C(2U - 1, U), the number of resamples of U units without regard to order."""
    return comb(2 * n_units - 1, n_units)


def too_few_usable(unit: Unit) -> UndefinedError:
    """Return the error for data on which almost no resample can be used."""
    return UndefinedError(
        f"almost no resample of the {unit.name.lower()} can be used: fewer than 1 in {PATIENCE}",
        hint=f"a bootstrap needs more {unit.name.lower()}, or a metric that is defined on fewer",
    )
