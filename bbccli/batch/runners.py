"""The registry of runners: tasks in, groups of what is done out, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bbccli.batch.cluster import run_dask
from bbccli.batch.local import run_local
from bbccli.batch.worker import Done, Task

Runner = Callable[[Iterable[Task], int, str | None, Callable[[str], None]], Iterator[list[Done]]]
"""Called with tasks, worker processes on this machine, the address of a scheduler, and what tells
the user something."""

RUNNERS: dict[str, Runner] = {"local": run_local, "dask": run_dask}
