"""Workers that take parts of the configurations, where a matrix is not worked on here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

import numpy as np

from bbccli.types import IntArray

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
