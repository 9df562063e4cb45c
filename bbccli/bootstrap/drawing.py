"""Resamples drawn batch by batch: in threads, within the memory, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from bbccli import resources
from bbccli.resampling import BLOCK, Draws, Resamples
from bbccli.resources import Resources
from bbccli.threads import ordered_map

MOST_BLOCKS = 16
"""Blocks of resamples in one batch, at most: enough to amortise numpy's calls."""

WEIGHT_BYTES = 32
"""Memory per weight: drawn numbers, counts, the form that the kernel wants, and what is between."""

Batch = tuple[int, int]
"""First block, and number of blocks."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Drawing:
    """Some consecutive blocks of draws.

    Attributes
    ----------
    draws
        The sequence that they are part of.
    batches
        Blocks that are drawn and scored at once.
    jobs
        Threads.
    kept : optional
        Batches that were drawn before, where they are kept.
    """

    draws: Draws
    batches: list[Batch]
    jobs: int
    kept: dict[Batch, Resamples] | None = None

    @classmethod
    def of(cls, draws: Draws, first: int, n_blocks: int) -> Drawing:
        """Split blocks `first`, ... into even batches, by the resources in force."""
        settled = resources.current()
        return cls(draws, _batches(first, n_blocks, draws.n_weights, settled), settled.jobs)

    def over(self, function: Callable[[Resamples], Result]) -> Iterator[Result]:
        """Apply a function to the resamples of each batch; results in order."""
        return ordered_map(lambda batch: function(self._draw(batch)), self.batches, self.jobs)

    def keeping(self) -> Drawing:
        """Return the same draws, made once and kept, if they fit into the memory."""
        n_draws = sum(n_blocks for _, n_blocks in self.batches) * BLOCK
        n_bytes = n_draws * self.draws.n_weights * np.dtype(np.uint16).itemsize
        return replace(self, kept={}) if n_bytes <= resources.current().memory // 2 else self

    def _draw(self, batch: Batch) -> Resamples:
        if self.kept is None:
            return self.draws.batch(*batch)
        if batch not in self.kept:
            self.kept[batch] = self.draws.batch(*batch)
        return self.kept[batch]


def _batches(first: int, n_blocks: int, n_units: int, settled: Resources) -> list[Batch]:
    """Split blocks into even batches whose weights fit the memory in all threads."""
    block_bytes = BLOCK * n_units * WEIGHT_BYTES
    fitting = max(settled.memory // (2 * settled.jobs * block_bytes), 1)
    size = min(fitting, MOST_BLOCKS, -(-n_blocks // settled.jobs))
    end = first + n_blocks
    return [(start, min(size, end - start)) for start in range(first, end, size)]
