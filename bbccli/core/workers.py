"""Work side by side: in threads here, or by workers that take parts of the configurations."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, Protocol, TypeVar

import numpy as np

from bbccli.types import IntArray

Item = TypeVar("Item")
Made = TypeVar("Made")


class Workers(Protocol):
    """What works on parts of the configurations somewhere else."""

    @property
    def n_cores(self) -> int:
        """Tasks that run at the same time."""

    def parts(self, n_configurations: int) -> list[IntArray]:
        """Return the columns of each part: consecutive, and together all of C."""

    def map(self, function: Callable[..., Any], items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield `function(*item)` of each item, in order, under the resources in force."""


_CURRENT: ContextVar[Workers | None] = ContextVar("workers", default=None)


def current() -> Workers | None:
    """Return the workers in force; None where the work is done here."""
    return _CURRENT.get()


@contextmanager
def use(workers: Workers | None) -> Iterator[None]:
    """Let these workers take the parts of every matrix that is read meanwhile."""
    token = _CURRENT.set(workers)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def over_parts(function: Callable[[IntArray], Made], n_configurations: int) -> list[Made]:
    """Return what a function makes of all configurations, or of the parts that workers take."""
    workers = current()
    if workers is None:
        return [function(np.arange(n_configurations))]
    return list(workers.map(function, [(part,) for part in workers.parts(n_configurations)]))


def ordered_map(
    function: Callable[[Item], Made], items: Iterable[Item], jobs: int
) -> Iterator[Made]:
    """Yield `function(item)` for each item, in order, at most `jobs` at a time.

    numpy and compiled kernels release the interpreter lock, so threads share the matrix and still
    run side by side. An exception, Ctrl-C among them, cancels what has not started.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    errors = np.geterr()  # which a context holds from numpy 2 on

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
