"""How the samples of a large file are shared out in parts, and whether they are.

All is counted in draws of one resample, made and let go: what takes every part, for each resample.
"""

from __future__ import annotations

from dataclasses import dataclass

from bbccli.bootstrap.by_rows import SHARE, Span
from bbccli.metrics.weighting import CHUNK
from bbccli.resampling import BLOCK
from bbccli.resources import PER_SAMPLE

AT_ONCE = 2
"""Tasks per core, at least."""

COUNTED = 3.0
"""What a draw takes that is counted, and not only made: the counts of all samples fit no cache."""

READ = 1.0
"""What a prediction takes to be read and decoded."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Parts of the samples, and spans of blocks of draws.

    Attributes
    ----------
    height
        Samples of a part: whole chunks.
    n_blocks
        Blocks of draws in a span.
    time
        Of one core, per sample and resample.
    """

    height: int
    n_blocks: int
    time: float

    def rows(self, n_samples: int) -> list[slice]:
        """Return the samples of each part."""
        starts = range(0, n_samples, self.height)
        return [slice(start, min(start + self.height, n_samples)) for start in starts]

    def spans(self, first: int, n_blocks: int) -> list[Span]:
        """Return the parts of some blocks of draws."""
        end = first + n_blocks
        starts = range(first, end, self.n_blocks)
        return [(start, min(self.n_blocks, end - start)) for start in starts]


@dataclass(frozen=True, slots=True)
class Work:
    """What is shared out.

    Attributes
    ----------
    n_samples, n_blocks, n_configurations
        N, blocks of draws, C.
    n_cores
        Of all workers.
    memory
        Of each, in bytes.
    count_bytes
        Of one count.
    """

    n_samples: int
    n_blocks: int
    n_configurations: int
    n_cores: int
    memory: int
    count_bytes: int = 1

    @property
    def fits(self) -> bool:
        """Whether a block of resamples of all samples fits the memory."""
        return self.memory >= PER_SAMPLE * self.n_samples

    def by_rows_pays(self, n_parts: int) -> bool:
        """Whether parts of the samples take less time than so many parts of the configurations."""
        return not self.fits or self.by_rows().time < self.by_configurations(n_parts)

    def by_rows(self) -> Sharing:
        """Return the parts of the samples, and of the resamples, that take the least time.

        Larger parts are fewer, and draw less; larger spans are fewer, and read less; both have to
        fit the memory, and there have to be tasks for all cores.
        """
        least = BLOCK * CHUNK * self.count_bytes
        most = max(min(self.memory // SHARE // least, self.n_blocks), 1)
        found = (self._by_rows(n_blocks) for n_blocks in range(1, most + 1))
        return min(found, key=lambda sharing: sharing.time)

    def winners(self) -> Sharing:
        """Return the parts for one block of resamples, of which each has one configuration."""
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
