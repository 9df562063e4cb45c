"""Workers of dask.distributed, on this machine or a cluster."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from bbccli.batch.local import lost_file
from bbccli.batch.worker import Done, FileTask, work
from bbccli.errors import BbcError, OptionError

AHEAD = 4
"""Tasks per core at the scheduler: enough to keep it busy, few to move when workers come and go."""

PATIENCE = "20s"

FETCHED_WITHIN = 10.0
"""Seconds to fetch a result before asking again, since it may be lost."""

LOOKS_EVERY = 1.0
"""Seconds between checks of the workers."""

TOLD_AFTER = 30.0
"""Seconds without any worker before the user is told."""

GIVEN_UP_AFTER = 180.0
"""Seconds without any worker before our own cluster is given up."""

NO_DASHBOARD = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
"""Scheduler settings: the dashboard goes to any free port, not to 8787."""

UNDER_WAY = {"pending", "lost"}
"""States of a future that is yet to come: the scheduler repeats lost work."""


Say = Callable[[str], None]

_SILENT = logging.CRITICAL + 1


def run_dask(
    tasks: Iterable[FileTask], jobs: int, scheduler: str | None, say: Say = lambda _: None
) -> Iterator[list[Done]]:
    """Yield results in groups, in any order.

    The scheduler gives the files of a lost worker to another, including those done but not fetched.
    Workers may come and go.

    On our own cluster, the first death of a worker sets aside all files it held. At the end each is
    retried alone, so that another death is its own fault. A named scheduler counts for itself
    (``distributed.scheduler.allowed-failures``).

    Our own workers are restarted if they are lost and not replaced. While a named scheduler has no
    worker, tell the user through `say` and wait: workers may be queued.

    Parameters
    ----------
    tasks
        Sent as there is room, so that a million of them need little memory.
    jobs
        Processes of a cluster on this machine, if no scheduler is named.
    scheduler
        Its address, such as tcp://host:8786.
    say
        Tells the user something while we wait.

    Raises
    ------
    OptionError, BbcError
        dask is not installed, no scheduler answers, it is lost, or none of our workers starts.
    """
    with client_of(jobs, scheduler) as (client, cluster):
        look = _Workers(client, cluster, jobs, say).look
        aside: list[FileTask] = []
        try:
            if scheduler is not None:
                yield from _answers(client, look, tasks, jobs, _given_up)
                return
            yield from _answers(client, look, tasks, jobs, lambda task, _: aside.append(task))
            for task in aside:
                yield from _answers(
                    client, look, [task], jobs, lambda task, n: _given_up(task, n + 1)
                )
        except OSError as error:
            raise lost(error) from error


def _answers(
    client: Any,
    look: Callable[[], None],
    tasks: Iterable[FileTask],
    jobs: int,
    killer: Callable[[FileTask, int], Done | None],
) -> Iterator[list[Done]]:
    """Yield results; `killer` makes the failure of a file that killed several workers."""
    from dask.distributed import KilledWorker, as_completed

    remaining, sent = iter(tasks), {}
    completed = as_completed(loop=client.loop)

    def send(count: int) -> None:
        for task in islice(remaining, max(count, 0)):
            future = client.submit(work, task, pure=False)
            sent[future] = task
            completed.add(future)

    send(_room(client, jobs))
    while sent:
        done = []
        for future in _batch(completed, look):
            try:
                result = _outcome(future)
            except KilledWorker as error:
                result = killer(sent.pop(future), error.allowed_failures + 1)
            else:
                if result is None:
                    completed.add(future)
                    continue
                del sent[future]
            if result is not None:
                done.append(result)
        send(_room(client, jobs) - len(sent))
        if done:
            yield done


def _batch(completed: Any, look: Callable[[], None]) -> list[Any]:
    """Wait for completed futures, and check the workers meanwhile."""
    look()
    while not completed.has_ready():
        with completed.thread_condition:
            completed.thread_condition.wait(0.1)
        look()
    batch: list[Any] = completed.next_batch(block=False)
    return batch


class _Workers:
    """Watch over the workers."""

    def __init__(self, client: Any, cluster: Any, jobs: int, say: Say) -> None:
        self._client, self._cluster, self._jobs, self._say = client, cluster, jobs, say
        self._looked = self._seen = time.monotonic()
        self._told = False

    def look(self) -> None:
        """Restart missing workers of our own; tell the user, or raise, if there are none for
        long.
        """
        now = time.monotonic()
        if now - self._looked < LOOKS_EVERY:
            return
        self._looked, number = now, len(self._client.ncores())
        if self._cluster is not None and number < self._jobs:
            # dask gives up on a worker whose successor takes long (``lost-worker-timeout``)
            self._cluster.scale(self._jobs)
        if number:
            self._seen, self._told = now, False
            return
        without = now - self._seen
        if self._cluster is not None and without > GIVEN_UP_AFTER:
            raise BbcError(
                f"no worker process has started for {without:.0f} s",
                hint="continue with --resume, which keeps finished files, or with --runner local",
            )
        if self._cluster is None and without > TOLD_AFTER and not self._told:
            self._told = True
            address = self._client.scheduler.address
            self._say(f"waiting: the scheduler at {address} has no workers; Ctrl-C ends the batch")


def _given_up(task: FileTask, losses: int) -> Done:
    return lost_file(task, "killed, or out of memory", losses)


@contextmanager
def client_of(jobs: int, scheduler: str | None) -> Iterator[tuple[Any, Any]]:
    """Yield a client of the scheduler and None, or of a cluster on this machine and that cluster.

    Raises OptionError or BbcError if dask is not installed, no scheduler answers, or no worker
    process can be started.
    """
    try:
        from dask.distributed import Client
    except ImportError as error:
        raise OptionError(
            "--runner dask needs dask, which is not installed", hint="pip install 'bbccli[dask]'"
        ) from error
    for name in ("client", "core", "utils", "comm", "batched"):
        # it would log a lost scheduler with a traceback; our message is one line
        logging.getLogger(f"distributed.{name}").setLevel(_SILENT)
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            raise OptionError(
                f"no scheduler answers at {scheduler}",
                hint="start one with 'dask scheduler', which prints its address",
            ) from error
        with client:
            yield client, None
        return
    with _cluster(jobs) as cluster, Client(cluster, set_as_default=False) as client:
        yield client, cluster


@contextmanager
def _cluster(jobs: int) -> Iterator[Any]:
    """Return a cluster of our own that reports losses to us."""
    from dask.distributed import LocalCluster

    for name in ("distributed.scheduler", "distributed.nanny", "tornado.application"):
        logging.getLogger(name).setLevel(_SILENT)
    options: dict[str, Any] = {
        "threads_per_worker": 1,
        "host": "127.0.0.1",
        "silence_logs": _SILENT,
        "scheduler_kwargs": {"allowed_failures": 0, **NO_DASHBOARD},  # see `run_dask`
    }
    try:
        cluster = LocalCluster(n_workers=jobs, processes=True, **options)
    except (OSError, RuntimeError) as error:
        raise BbcError(
            f"worker processes can't be started: {' '.join(str(error).split())}",
            hint="use --runner local --jobs 1, which needs none",
        ) from error
    try:
        yield cluster
    finally:
        with suppress(Exception):  # all results are here; leftovers of dask end with us
            cluster.close(timeout=PATIENCE)


def _room(client: Any, jobs: int) -> int:
    """Number of tasks that the scheduler should have."""
    n_cores: int = sum(client.ncores().values())
    return AHEAD * max(n_cores, jobs)


def _outcome(future: Any) -> Done | None:
    """Return the result of a future; None if it is lost and will come again; raise if it won't."""
    from dask.distributed import KilledWorker

    if future.status in UNDER_WAY:
        return None
    try:
        result: Done = future.result(FETCHED_WITHIN)
    except TimeoutError:  # its worker was lost just now
        return None
    except (KilledWorker, OSError):
        raise
    except Exception as error:
        raise lost(error) from error
    return result


def lost(reason: object, then: str = "; then continue with --resume") -> BbcError:
    """Return the error about a scheduler or workers that are no more, and what to do then."""
    return BbcError(
        f"the scheduler is lost, or a worker can't work: {' '.join(str(reason).split())}",
        hint=f"check that workers have the same version of bbccli{then}",
    )
