"""Threads, memory and engine, in force for a `with` body: they affect speed, never results."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from enum import StrEnum
from typing import TypeVar

from bbccli.errors import OptionError, parameter
from bbccli.platform.arguments import coerce_fields
from bbccli.platform.dataclass import dataclass

Value = TypeVar("Value")


@contextmanager
def in_force(variable: ContextVar[Value], value: Value) -> Iterator[Value]:
    """Put a value in force for the body, and the one before it afterwards."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


MEGABYTE = 10**6

MOST_JOBS = 4096
"""More than the cores of any machine."""

MOST_MEMORY = 2**60
"""More bytes than any machine has."""

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_UNITS |= {"k": 10**3, "m": 10**6, "g": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


class Engine(StrEnum):
    """Implementation of the inner loops; results are identical."""

    AUTO = "auto"
    NUMPY = "numpy"
    NUMBA = "numba"


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Resources:
    """Threads, working memory in bytes, and engine; an OptionError if they are out of range.

    Attributes
    ----------
    growing
        True if more memory may be used for large predictions, because no limit was given.
    """

    jobs: int = field(default_factory=available_cores)
    memory: int = 256 * MEGABYTE
    engine: Engine = Engine.AUTO
    growing: bool = False

    def __post_init__(self) -> None:
        coerce_fields(self)
        if self.jobs < 1:
            raise OptionError(f"{parameter('jobs')} is {self.jobs}", hint="at least 1 thread")
        if self.jobs > MOST_JOBS:
            raise OptionError(
                f"{parameter('jobs')} is over {MOST_JOBS}",
                hint="more threads than cores bring nothing",
            )
        if self.memory < 16 * MEGABYTE:
            raise OptionError(
                f"{parameter('memory')} is {self.memory:,} bytes",
                hint="at least 16MB; 256MB is usual",
            )

    def for_predictions(self, n_samples: int, n_bytes: int) -> Resources:
        """Return the resources for predictions (N, C) of `n_bytes`; an OptionError if they don't
        suffice.

        Growing memory is at least that of the predictions, and twice the minimum, so that columns
        are sorted less often.
        """
        least = PER_SAMPLE * n_samples
        if self.growing:
            return replace(self, memory=max(self.memory, n_bytes, 2 * least))
        if self.memory < least:
            needed = -(-least // MEGABYTE)
            raise OptionError(
                f"{parameter('memory')} is {self.memory / MEGABYTE:g} MB, and {n_samples} samples "
                f"need {needed} MB",
                hint=f"--memory {needed}MB, or leave it out",
            )
        return self


PER_SAMPLE = 600
"""Bytes per sample needed to score a block of resamples."""


def resources_of(jobs: int | None, memory: str, engine: Engine) -> Resources:
    """Return the resources of ``--jobs``, ``--memory`` and ``--engine``."""
    threads = available_cores() if jobs is None else jobs
    if memory == AUTO:
        return Resources(threads, engine=engine, growing=True)
    return Resources(threads, parse_memory(memory), engine)


AUTO = "auto"


def parse_memory(text: str, name: str = "memory") -> int:
    """Return the bytes of a size such as 256MB, 1GiB or 500000000.

    Examples
    --------
    >>> parse_memory("32MB")
    32000000
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text.lower())
    if not match or match[2] not in _UNITS:
        raise OptionError(
            f"{parameter(name)} is {text!r}, not a valid size", hint="for example 256MB"
        )
    size = float(match[1]) * _UNITS[match[2]]
    if size > MOST_MEMORY:
        raise OptionError(
            f"{parameter(name)} is more than any machine has", hint="for example 256MB"
        )
    return int(size)


_CURRENT: ContextVar[Resources] = ContextVar("resources")


def current() -> Resources:
    """Return the resources in force: those of `use`, or the defaults."""
    return _CURRENT.get(None) or Resources(growing=True)


def use(resources: Resources) -> AbstractContextManager[Resources]:
    """Put resources in force for the body of a `with` statement."""
    return in_force(_CURRENT, resources)


Progress = Callable[[int, int], None]
"""Called with the resamples done and wanted."""


def enter(progress: Progress, phase: str) -> None:
    """Name what is done next, such as `resampling bbc`, to one who shows it.

    Parameters
    ----------
    progress
        Any callable; one that shows phases has a method `enter(phase)`.
    phase
        In a word or two. What is called next counts from 0 again.
    """
    tell = getattr(progress, "enter", None)
    if tell is not None:
        tell(phase)


def silent(done: int, total: int) -> None:
    """Report no progress."""
