"""What a command may use: threads, workers, memory, engine; and how much it may read.

They are in force for the body of a `with` statement, and affect speed, never results. Work runs in
threads of this process, or on remote workers that take parts of the configurations each.
"""

from __future__ import annotations

import math
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import field, replace
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bbccli.errors import InputError, OptionError, parameter
from bbccli.platform.arguments import Panel, coerce_fields, option
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


if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Item = TypeVar("Item")
Made = TypeVar("Made")

Task = Callable[[], Any]


class Workers(Protocol):
    """Remote processes that work on parts of the configurations."""

    @property
    def n_cores(self) -> int:
        """Return the number of tasks that run at the same time."""

    @property
    def limits(self) -> Resources:
        """Return the resources of a task."""

    def map(self, function: Callable[..., Any], items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield `function(*item)` for each item, in order."""


_WORKERS: ContextVar[Workers | None] = ContextVar("workers", default=None)


def current_workers() -> Workers | None:
    """Return the workers in force; None if the work is done here."""
    return _WORKERS.get()


def use_workers(workers: Workers | None) -> AbstractContextManager[Workers | None]:
    """Let these workers select and score in the body."""
    return in_force(_WORKERS, workers)


def ordered_map(
    function: Callable[[Item], Made], items: Iterable[Item], jobs: int
) -> Iterator[Made]:
    """Yield `function(item)` for each item, in order, at most `jobs` at a time.

    numpy and compiled kernels release the interpreter lock, so threads run in parallel and share
    the matrix. The calling thread is one of them: while it would wait, it takes what none has
    begun. Any exception, including Ctrl-C, cancels what has not started.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    from concurrent.futures import wait  # takes as long to import as a small block to score

    import numpy as np

    errors = np.geterr()  # part of the context from numpy 2 on

    def apply(item: Item) -> Made:
        with np.errstate(**errors):
            return function(item)

    pool = _helpers(jobs - 1, os.getpid())
    pending: deque[tuple[list[Task], Future[Made]]] = deque()

    def oldest() -> Made:
        for place, (task, future) in enumerate(pending):
            if pending[0][1].done():
                break
            if future.cancel():
                pending[place] = task, _done(task)
            done = pending[place][1]
            if done.done() and done.exception():
                break  # what follows an exception is of no use
        return pending.popleft()[1].result()

    try:
        for item in items:
            task: list[Task] = [partial(copy_context().run, apply, item)]
            pending.append((task, pool.submit(_begin, task)))
            if len(pending) >= 2 * jobs:
                yield oldest()
        while pending:
            yield oldest()
    finally:
        wait(future for _, future in pending if not future.cancel())


@cache
def _helpers(n_threads: int, _process: int) -> ThreadPoolExecutor:
    """Return threads that stay, since it takes as long to start one as to score a small block.

    Those of another process did not survive its fork.
    """
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(n_threads)


def _begin(task: list[Task]) -> Any:
    """Run a task, and keep it no longer: a pool holds what was cancelled until a thread is free."""
    return task.pop()()


def _done(task: list[Task]) -> Future[Any]:
    """Return what a task made, or raised, to be had in its turn."""
    from concurrent.futures import Future

    done: Future[Any] = Future()
    try:
        done.set_result(_begin(task))
    except Exception as error:
        done.set_exception(error)
    return done


TIMEOUT = 30.0
"""Seconds to wait for a silent server."""

MAX_INPUT = 4 * 2**30
"""Largest unpacked size of one input, in bytes."""

_LEAST = 2**20

RATIO = 200
"""Largest compression ratio; tables of numbers reach about ten."""

HARMLESS = 2**26
"""Up to this many bytes any ratio is allowed: a column of zeros compresses well."""

RUNS = 2**28
"""The same for Parquet, which always packs runs: sorted labels with few errors reach 600 times."""

_PIECE = 2**24
_TOOLS = {"gzip": "gzip -d", "zstd": "zstd -d", "zip": "unzip, or inspect log convert"}
AGAIN = "copy or write the file again"
"""Remedy for a damaged file."""
OF_ITS_FORMAT = "give the file the suffix of its format, such as .csv"
"""Remedy for a file of another format."""


def _size(text: str) -> int:
    return parse_memory(text, "max_input")


@dataclass(frozen=True, slots=True)
class Reading:
    """Limits for every file that is read; no result depends on them.

    Parameters
    ----------
    timeout
        Seconds to wait for each answer of a server.
    quoted_newlines
        True if quoted values of CSV or TSV may contain line breaks.
    max_input
        Largest unpacked size of one input, in bytes.
    follow_links
        True if links in the folder of a run may lead out of it.

    Raises
    ------
    OptionError
        `timeout` is not positive and finite, or `max_input` is less than 1 MiB.
    """

    timeout: float = option(
        TIMEOUT, "Seconds to wait for each answer of a server.", "S", panel=Panel.INPUT
    )
    quoted_newlines: bool = option(
        False,
        "Allow line breaks in quoted values of CSV and TSV. Otherwise each row is one line, "
        "and an unclosed quote is an error.",
        panel=Panel.INPUT,
        flags=("--quoted-newlines",),
    )
    max_input: int = option(
        MAX_INPUT,
        "Largest size of one input, unpacked.",
        "SIZE",
        panel=Panel.INPUT,
        parse=_size,
        default="4GiB",
    )
    follow_links: bool = option(
        False,
        "Follow links that lead out of the folder of a run, and let ** in a batch follow "
        "links to folders.",
        panel=Panel.INPUT,
        flags=("--follow-links",),
    )

    def __post_init__(self) -> None:
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise OptionError(
                f"{parameter('timeout')} is {self.timeout:g}", hint="seconds, for example 30"
            )
        if self.max_input < _LEAST:
            raise OptionError(
                f"{parameter('max_input')} is {in_words(self.max_input)}",
                hint="at least 1 MiB; 4GiB is usual",
            )


def in_words(size: int) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> in_words(4 * 2**30), in_words(5 * 10**8)
    ('4 GiB', '500 MB')
    """
    for name, unit in (("GiB", 2**30), ("MiB", 2**20)):
        if size and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size / 10**6:g} MB"


_READING: ContextVar[Reading] = ContextVar("reading")


def reading_limits() -> Reading:
    """Return the limits in force: those of `use`, or the defaults."""
    return _READING.get(None) or Reading()


def use_reading(reading: Reading) -> AbstractContextManager[Reading]:
    """Put limits in force for the body of a `with` statement."""
    return in_force(_READING, reading)


def read_within(stream: Any, check: Callable[[int], None] | None = None) -> bytes:
    """Return all of a stream, at most `--max-input`; `check` looks at what has been read."""
    pieces, size = [], 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        (check or check_size)(size)
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def unpack_within(stream: Any, packing: str, packed: int) -> bytes:
    """Return all of a decompressing stream, at most `--max-input` and `RATIO` times `packed`
    bytes.
    """

    def check(size: int) -> None:
        check_ratio(size, packed, packing, f"unpack the file first: {_TOOLS[packing]}")
        check_size(size)

    return read_within(stream, check)


def check_size(size: int, path: str = "") -> None:
    """Refuse a size over `--max-input`."""
    if size > reading_limits().max_input:
        raise InputError(
            f"holds more than {in_words(reading_limits().max_input)}, unpacked",
            path=path,
            hint="use --max-input 16GiB or the like, if the machine has enough memory",
        )


def check_ratio(size: int, packed: int, what: str, remedy: str, harmless: int = HARMLESS) -> None:
    """Refuse data that unpack to over `RATIO` times their size, if that is over `harmless`
    bytes.
    """
    if size > max(RATIO * packed, harmless):
        raise InputError(
            f"{packed / 1e6:.3g} MB of {what} data unpack to more than {RATIO} times as much",
            hint=f"if that is intended, {remedy}",
        )
