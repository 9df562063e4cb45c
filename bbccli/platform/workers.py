"""Parallel work: threads of this process, or remote workers that take parts of the
configurations.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from contextvars import ContextVar, copy_context
from functools import cache
from typing import Any, Protocol, TypeVar

import numpy as np

from bbccli.platform.resources import Resources, in_force

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
    the matrix. The calling thread is one of them: while it would wait, it takes what none has
    begun. Any exception, including Ctrl-C, cancels what has not started.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    errors = np.geterr()  # part of the context from numpy 2 on

    def apply(item: Item) -> Made:
        with np.errstate(**errors):
            return function(item)

    pool = _helpers(jobs - 1, os.getpid())
    pending: deque[tuple[Item, Future[Made]]] = deque()

    def oldest() -> Made:
        for place, (item, future) in enumerate(pending):
            if pending[0][1].done():
                break
            if future.cancel():
                pending[place] = item, _done(apply, item)
            done = pending[place][1]
            if done.done() and done.exception():
                break  # what follows an exception is of no use
        return pending.popleft()[1].result()

    try:
        for item in items:
            pending.append((item, pool.submit(copy_context().run, apply, item)))
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
    return ThreadPoolExecutor(n_threads)


def _done(function: Callable[[Item], Made], item: Item) -> Future[Made]:
    """Return what a function made of an item, or raised, to be had in its turn."""
    done: Future[Made] = Future()
    try:
        done.set_result(function(item))
    except Exception as error:
        done.set_exception(error)
    return done
