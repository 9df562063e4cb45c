"""Parallel work: threads of this process, or remote workers that take parts of the
configurations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from contextvars import ContextVar, copy_context
from typing import Any, Protocol, TypeVar

import numpy as np

from bbccli.platform.in_force import in_force
from bbccli.platform.resources import Resources

Item = TypeVar("Item")
Made = TypeVar("Made")


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


_CURRENT: ContextVar[Workers | None] = ContextVar("workers", default=None)


def current() -> Workers | None:
    """Return the workers in force; None if the work is done here."""
    return _CURRENT.get()


def use(workers: Workers | None) -> AbstractContextManager[Workers | None]:
    """Let these workers select and score in the body."""
    return in_force(_CURRENT, workers)


def ordered_map(
    function: Callable[[Item], Made], items: Iterable[Item], jobs: int
) -> Iterator[Made]:
    """Yield `function(item)` for each item, in order, at most `jobs` at a time.

    numpy and compiled kernels release the interpreter lock, so threads run in parallel and share
    the matrix. Any exception, including Ctrl-C, cancels what has not started.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    errors = np.geterr()  # part of the context from numpy 2 on

    def apply(item: Item) -> Made:
        with np.errstate(**errors):
            return function(item)

    pool = ThreadPoolExecutor(jobs)
    pending: deque[Future[Made]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(copy_context().run, apply, item))
            if len(pending) > jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
