"""Work in threads, results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
Result = TypeVar("Result")


def ordered_map(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    """Yield `function(item)` for each item, in order, at most `jobs` at a time.

    numpy and compiled kernels release the interpreter lock, so threads share the matrix and still
    run side by side. An exception, Ctrl-C among them, cancels what has not started.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    errors = np.geterr()  # which a context holds from numpy 2 on

    def apply(item: Item) -> Result:
        with np.errstate(**errors):
            return function(item)

    pool = ThreadPoolExecutor(jobs)
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(copy_context().run, apply, item))
            if len(pending) > jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
