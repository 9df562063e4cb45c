"""Resamples drawn batch by batch: in threads, within the memory, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from bbccli.core import resources
from bbccli.core.resources import Engine, Resources
from bbccli.core.threads import ordered_map
from bbccli.stats.resampling import BLOCK, FEW_UNITS, Draws, Resamples
from bbccli.types import IntArray

MOST_BLOCKS = 16
"""Blocks of resamples in one batch, at most: enough to amortise numpy's calls."""

MOST_SCORED = 2**18
"""Performances of one batch, 2 MB, where all configurations are scored at once."""

WEIGHT_BYTES = 32
"""Memory per weight: drawn numbers, counts, the form that the kernel wants, and what is between."""

BYTES_OF_MANY = 4
"""The same where each row of weights is drawn by itself, and made floats part by part."""

Batch = tuple[int, int]
"""First block, and number of blocks."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Drawing:
    """Some consecutive blocks of draws, in batches that fit the memory.

    Attributes
    ----------
    draws
        The sequence that they are part of.
    batches
        Blocks that are drawn and scored at once.
    jobs
        Threads.
    used : optional
        Ordinals of the resamples that are wanted of them, ascending; None for all.
    """

    draws: Draws
    batches: list[Batch]
    jobs: int
    used: IntArray | None = None

    @classmethod
    def of(cls, draws: Draws, first: int, n_blocks: int) -> Drawing:
        """Split blocks `first`, ... into even batches, by the resources in force."""
        settled = resources.current()
        return cls(draws, _batches(first, n_blocks, draws.n_weights, settled), settled.jobs)

    @classmethod
    def again(cls, draws: Draws, ordinals: IntArray) -> Drawing:
        """Return the resamples with these ordinals, to be drawn again."""
        return replace(cls.of(draws, 0, int(ordinals[-1]) // BLOCK + 1), used=ordinals)

    def fit_for(self, n_configurations: int, *, swept: bool) -> Drawing:
        """Return the same in batches whose performances stay in the cache.

        And for one thread where pairs are swept in many short calls of numpy: these wait for the
        interpreter's lock, so that threads take longer than one.
        """
        if swept and resources.current().engine is Engine.NUMPY:
            return self.in_one_thread()
        most = MOST_SCORED // (BLOCK * max(n_configurations, 1)) or 1
        batches = [
            (start, min(most, first + n_blocks - start))
            for first, n_blocks in self.batches
            for start in range(first, first + n_blocks, most)
        ]
        return replace(self, batches=batches)

    def in_one_thread(self) -> Drawing:
        """Return the same draws for one thread, in batches as large as one thread alone has."""
        first, n_blocks = self.batches[0][0], sum(size for _, size in self.batches)
        alone = replace(resources.current(), jobs=1)
        batches = _batches(first, n_blocks, self.draws.n_weights, alone)
        return replace(self, batches=batches, jobs=1)

    def over(self, function: Callable[[Resamples], Result]) -> Iterator[Result]:
        """Apply a function to the resamples of each batch; results in order."""
        return ordered_map(lambda batch: function(self._draw(batch)), self.batches, self.jobs)

    def spans(self) -> Iterator[Drawing]:
        """Yield consecutive parts of the draws, whose weights together fit the memory."""
        block_bytes = BLOCK * self.draws.n_weights * self.draws.count_type.itemsize
        most = resources.current().memory // (4 * block_bytes)
        span: list[Batch] = []
        for batch in self.batches:
            if span and sum(n_blocks for _, n_blocks in (*span, batch)) > most:
                yield replace(self, batches=span)
                span = []
            span.append(batch)
        yield replace(self, batches=span)

    def drawn(self) -> list[Resamples]:
        """Return the resamples of all batches, in order."""
        return list(self.over(lambda drawn: drawn))

    def _draw(self, batch: Batch) -> Resamples:
        drawn = self.draws.batch(*batch)
        if self.used is None:
            return drawn
        wanted = np.isin(drawn.ordinals, self.used)
        if wanted.all():
            return drawn
        return Resamples(drawn.in_bag[wanted], drawn.ordinals[wanted], drawn.sizes[wanted])


def _batches(first: int, n_blocks: int, n_units: int, settled: Resources) -> list[Batch]:
    """Split blocks into even batches whose weights fit the memory in all threads."""
    block_bytes = BLOCK * n_units * (WEIGHT_BYTES if n_units <= FEW_UNITS else BYTES_OF_MANY)
    fitting = max(settled.memory // (2 * settled.jobs * block_bytes), 1)
    size = min(fitting, MOST_BLOCKS, -(-n_blocks // settled.jobs))
    end = first + n_blocks
    return [(start, min(size, end - start)) for start in range(first, end, size)]
