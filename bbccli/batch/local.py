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
"""Tasks that a worker has at hand, so that it never waits for the parent's disk."""

LOSSES = 2
"""Processes that a file may cost: the first may have been unlucky, the second was not."""

FAILED_STARTS = 3
"""Times that a worker's place is filled in vain, before it is plain that no worker can start."""

EXIT = "exit status"

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""


def run_local(
    tasks: Iterable[FileTask],
    jobs: int,
    scheduler: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[list[Done]]:
    """Yield what is done, in groups, in any order; one job works in this process.

    A worker that dies is replaced, and its file is tried again; one that dies while it starts has
    no file yet. A file that costs two workers is a failure, and the others go on.

    Raises
    ------
    BbcError
        Worker processes can't be started: many in a row end before they are ready.
    """
    if jobs == 1:
        yield from ([work(task)] for task in tasks)
        return
    pool = _Pool(iter(tasks), jobs)
    try:
        yield from pool.run()
    finally:
        pool.stop()


@dataclass(slots=True)
class _Worker:
    """A process, our end of its pipe, and what it has to do: the first task is under way."""

    process: Any
    pipe: connection.Connection
    tasks: deque[FileTask] = field(default_factory=deque)
    ready: bool = False

    def give(self, task: FileTask) -> None:
        self.tasks.append(task)
        with suppress(OSError):  # it died; that shows when we listen
            self.pipe.send(task)


class _Pool:
    def __init__(self, tasks: Iterator[FileTask], jobs: int) -> None:
        self._tasks, self._jobs = tasks, jobs
        self._again: deque[FileTask] = deque()
        self._losses: Counter[int] = Counter()
        self._failed_starts = 0  # in a row
        self._workers: dict[connection.Connection, _Worker] = {}
        # A child that is restarted holds no lock and no end of another's pipe.
        self._context = get_context("spawn")

    def run(self) -> Iterator[list[Done]]:
        for task in self._next(self._jobs):
            self._start().give(task)
        for worker in list(self._workers.values()):
            self._fill(worker)
        while any(worker.tasks for worker in self._workers.values()):
            ready: Any = connection.wait(list(self._workers))
            if done := [one for pipe in ready for one in self._listen(self._workers[pipe])]:
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

    def _listen(self, worker: _Worker) -> list[Done]:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            return self._bury(worker)
        if message is None:
            worker.ready, self._failed_starts = True, 0
            return []
        worker.tasks.popleft()
        self._fill(worker)
        return [message]

    def _bury(self, worker: _Worker) -> list[Done]:
        """Put another process in the place of one that died."""
        worker.pipe.close()
        del self._workers[worker.pipe]
        worker.process.join()
        how = _death(worker.process.exitcode)
        done = self._blame(worker, how) if worker.ready else self._start_again(how)
        self._again.extendleft(reversed(worker.tasks))
        for task in self._next(1):
            successor = self._start()
            successor.give(task)
            self._fill(successor)
        return done

    def _start_again(self, how: str) -> list[Done]:
        """Count a process that ended before it was ready: no file is to blame."""
        self._failed_starts += 1
        if self._failed_starts >= FAILED_STARTS * self._jobs:
            if how.startswith(EXIT):
                raise _no_worker(how)
            # something else ends processes: nothing keeps them from being started
            times = f"{self._failed_starts} times in a row"
            raise BbcError(
                f"worker processes are killed before they get to work: {how}, {times}",
                hint="if memory is short, --jobs 1; the same command goes on where this one "
                "stopped",
            )
        return []

    def _blame(self, worker: _Worker, how: str) -> list[Done]:
        """Count a death against the file that was under way; give up one that costs too many."""
        if not worker.tasks:
            return []
        lost = worker.tasks[0]
        self._losses[lost.position] += 1
        if self._losses[lost.position] < LOSSES:
            return []
        worker.tasks.popleft()
        return [lost_file(lost, how)]


def lost_file(task: FileTask, how: str, losses: int = LOSSES) -> Done:
    """Return the failure of a file that no process survives."""
    problem = f"{task.source.path}: {losses} worker processes ended while they had it: {how}"
    return failure(task, problem, MORE_MEMORY)


def _no_worker(how: str) -> BbcError:
    return BbcError(f"worker processes can't be started: {how}", hint="--jobs 1 works without any")


def _death(status: int | None) -> str:
    if status is not None and status < 0:
        with suppress(ValueError):
            return signal.Signals(-status).name
    return f"{EXIT} {status}"


def _serve(pipe: connection.Connection) -> None:
    """Work until the parent has nothing more, or is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it and ends us
    warnings.filterwarnings("ignore", category=RuntimeWarning, append=True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _keep_memory()
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            pipe.send(work(pipe.recv()))


def _keep_memory() -> None:
    """Have glibc keep what one file frees for the next; else its pages come anew, a tenth of all.

    Up to 64 MB are kept; blocks of 32 MB and more go back at once, as they do anyway.
    """
    with suppress(OSError, AttributeError, TypeError):  # another C library
        c = ctypes.CDLL(None)
        c.mallopt(_MMAP_THRESHOLD, 2**25)
        c.mallopt(_TRIM_THRESHOLD, 2**26)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
