"""Worker processes on this machine: started once, each with its own pipe."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, parent_process
from typing import Any

from bbccli.batch.worker import MORE_MEMORY, Done, FileTask, failure, work
from bbccli.errors import BbcError

AHEAD = 2
"""Tasks queued at a worker, so that it never waits for the parent's disk."""

LOSSES = 2
"""Processes that a file may cost: the first death may be bad luck, the second is not."""

FAILED_STARTS = 3
"""Failed starts in a row after which no worker is expected to start."""

EXIT = "exit status"

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""


def run_local(
    tasks: Iterable[FileTask],
    jobs: int,
    scheduler: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[list[Done]]:
    """Yield results in groups, in any order.

    A dead worker is replaced, and its file tried again; a file that costs two workers is a failure,
    and the others go on. A BbcError if many workers in a row end before they are ready.
    """
    pool = _Pool(iter(tasks), jobs)
    try:
        yield from pool.run()
    finally:
        pool.stop()


@dataclass(slots=True)
class _Worker:
    """A process, our end of its pipe, and its tasks, the first of which is running."""

    process: Any
    pipe: connection.Connection
    tasks: deque[FileTask] = field(default_factory=deque)
    ready: bool = False

    def give(self, task: FileTask) -> None:
        self.tasks.append(task)
        with suppress(OSError):  # it died, which we notice when we listen
            self.pipe.send(task)


class _Pool:
    def __init__(self, tasks: Iterator[FileTask], jobs: int) -> None:
        self._tasks, self._jobs = tasks, jobs
        self._again: deque[FileTask] = deque()
        self._losses: Counter[int] = Counter()
        self._failed_starts = 0  # in a row
        self._workers: dict[connection.Connection, _Worker] = {}
        # A restarted child inherits no lock and no end of another's pipe.
        self._context = get_context("spawn")

    def run(self) -> Iterator[list[Done]]:
        for task in self._next(self._jobs):
            self._start().give(task)
        for worker in list(self._workers.values()):
            self._fill(worker)
        while any(worker.tasks for worker in self._workers.values()):
            ready: Any = connection.wait(list(self._workers))
            if done := [result for pipe in ready for result in self._receive(self._workers[pipe])]:
                yield done

    def stop(self) -> None:
        for worker in self._workers.values():
            worker.pipe.close()
            if worker.tasks:
                worker.process.kill()
        for worker in self._workers.values():
            worker.process.join()

    def _next(self, count: int) -> Iterator[FileTask]:
        for _ in range(count):
            task = self._again.popleft() if self._again else next(self._tasks, None)
            if task is None:
                return
            yield task

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            process.start()
        except OSError as error:
            raise _no_worker(error.strerror or str(error)) from error
        theirs.close()
        worker = self._workers[ours] = _Worker(process, ours)
        return worker

    def _fill(self, worker: _Worker) -> None:
        for task in self._next(AHEAD - len(worker.tasks)):
            worker.give(task)

    def _receive(self, worker: _Worker) -> list[Done]:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            return self._replace_dead(worker)
        if message is None:
            worker.ready, self._failed_starts = True, 0
            return []
        worker.tasks.popleft()
        self._fill(worker)
        return [message]

    def _replace_dead(self, worker: _Worker) -> list[Done]:
        """Replace a dead process."""
        worker.pipe.close()
        del self._workers[worker.pipe]
        worker.process.join()
        how = _death(worker.process.exitcode)
        done = self._count_death(worker, how) if worker.ready else self._count_failed_start(how)
        self._again.extendleft(reversed(worker.tasks))
        for task in self._next(1):
            successor = self._start()
            successor.give(task)
            self._fill(successor)
        return done

    def _count_failed_start(self, how: str) -> list[Done]:
        """Count a process that ended before it was ready: no file is to blame."""
        self._failed_starts += 1
        if self._failed_starts >= FAILED_STARTS * self._jobs:
            if how.startswith(EXIT):
                raise _no_worker(how)
            # they can be started, but something else kills them
            times = f"{self._failed_starts} times in a row"
            raise BbcError(
                f"worker processes are killed before they start to work: {how}, {times}",
                hint="if memory is short, use --jobs 1; the same command continues where this one "
                "stopped",
            )
        return []

    def _count_death(self, worker: _Worker, how: str) -> list[Done]:
        """Count a death against the running file; give up a file that costs too many."""
        if not worker.tasks:
            return []
        lost = worker.tasks[0]
        self._losses[lost.position] += 1
        if self._losses[lost.position] < LOSSES:
            return []
        worker.tasks.popleft()
        return [lost_file(lost, how)]


def lost_file(task: FileTask, how: str, losses: int = LOSSES) -> Done:
    """Return the failure of a file that kills its workers."""
    problem = f"{task.source.path}: {losses} worker processes died on this file: {how}"
    return failure(task, problem, MORE_MEMORY)


def _no_worker(how: str) -> BbcError:
    return BbcError(
        f"worker processes can't be started: {how}", hint=("use --jobs 1, which needs none")
    )


def _death(status: int | None) -> str:
    if status is not None and status < 0:
        with suppress(ValueError):
            return signal.Signals(-status).name
    return f"{EXIT} {status}"


def _serve(pipe: connection.Connection) -> None:
    """Work until the parent has nothing more or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles it and ends us
    warnings.filterwarnings("ignore", category=RuntimeWarning, append=True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _keep_memory()
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            pipe.send(work(pipe.recv()))


def _keep_memory() -> None:
    """Have glibc reuse freed memory for the next file; fresh pages would take a tenth of the time.

    Up to 64 MB are kept; blocks of 32 MB and more are returned at once, as always.
    """
    with suppress(OSError, AttributeError, TypeError):  # not glibc
        c = ctypes.CDLL(None)
        c.mallopt(_MMAP_THRESHOLD, 2**25)
        c.mallopt(_TRIM_THRESHOLD, 2**26)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
