"""Workers of dask.distributed: on this machine, or on as many as there are."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from bbccli.batch.local import lost_file
from bbccli.batch.worker import Done, Task, work
from bbccli.errors import BbcError, OptionError

AHEAD = 4
"""Tasks at the scheduler per core: enough to keep it busy, few to move when workers come and go."""

PATIENCE = "20s"

UNDER_WAY = {"pending", "lost"}
"""States of a future that is yet to come: the scheduler has what was lost done anew."""


def run_dask(tasks: Iterable[Task], jobs: int, scheduler: str | None) -> Iterator[list[Done]]:
    """Yield what is done, in groups, in any order.

    The scheduler gives the files of a worker that is lost to another, those too that were done and
    not yet fetched. Workers may come and go.

    On a cluster of our own the first death of a worker puts all files aside that it had at hand.
    At the end each is tried again with no other beside it: that death is its own. A scheduler that
    is named counts for itself (``distributed.scheduler.allowed-failures``).

    Parameters
    ----------
    tasks
        Sent as there is room, so that a million of them need little memory.
    jobs
        Processes of a cluster on this machine, where no scheduler is named.
    scheduler
        Its address, such as tcp://host:8786.

    Raises
    ------
    OptionError, BbcError
        dask is not installed, no scheduler answers, or it is lost.
    """
    try:
        import dask.distributed  # noqa: F401
    except ImportError as error:
        raise OptionError(
            "--runner dask needs dask, which is not installed", hint="pip install 'bbccli[dask]'"
        ) from error
    with _client(jobs, scheduler) as client:
        aside: list[Task] = []
        try:
            if scheduler is not None:
                yield from _answers(client, tasks, jobs, _given_up)
                return
            yield from _answers(client, tasks, jobs, lambda task, _: aside.append(task))
            for task in aside:
                yield from _answers(client, [task], jobs, lambda task, n: _given_up(task, n + 1))
        except OSError as error:
            raise _lost(error) from error


def _answers(
    client: Any, tasks: Iterable[Task], jobs: int, killer: Callable[[Task, int], Done | None]
) -> Iterator[list[Done]]:
    """Yield what is done; `killer` says what becomes of a file that several workers died of."""
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
        for future in completed.next_batch():
            if future.status in UNDER_WAY:
                completed.add(future)
                continue
            task = sent.pop(future)
            try:
                found: Done | None = _outcome(future)
            except KilledWorker as error:
                found = killer(task, error.allowed_failures + 1)
            if found is not None:
                done.append(found)
        send(_room(client, jobs) - len(sent))
        if done:
            yield done


def _given_up(task: Task, losses: int) -> Done:
    return lost_file(task, "killed, or out of memory", losses)


@contextmanager
def _client(jobs: int, scheduler: str | None) -> Iterator[Any]:
    """A client of the scheduler, or of a cluster on this machine that ends with it."""
    from dask.distributed import Client, LocalCluster

    for name in ("client", "core", "utils", "comm", "batched"):
        # what it logs of a lost scheduler is a traceback; we say it in a line
        logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL + 1)
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            raise OptionError(
                f"no scheduler answers at {scheduler}",
                hint="dask scheduler starts one and prints its address",
            ) from error
        with client:
            yield client
        return
    options: dict[str, Any] = {
        "threads_per_worker": 1,
        "dashboard_address": None,
        "host": "127.0.0.1",
        "scheduler_kwargs": {"allowed_failures": 0},  # see `run_dask`
    }
    with (
        LocalCluster(n_workers=jobs, processes=True, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _room(client: Any, jobs: int) -> int:
    """Tasks that the scheduler should have."""
    n_cores: int = sum(client.ncores().values())
    return AHEAD * max(n_cores, jobs)


def _outcome(future: Any) -> Done:
    """What a future that is done holds.

    Raises
    ------
    KilledWorker
        Workers died of it.
    BbcError
        It is cancelled, or no worker can do it.
    """
    from dask.distributed import KilledWorker

    try:
        found: Done = future.result()  # waits, where the worker that had it is lost just now
    except (KilledWorker, OSError):
        raise
    except Exception as error:
        raise _lost(error) from error
    return found


def _lost(reason: object) -> BbcError:
    return BbcError(
        f"the scheduler is lost, or a worker can't work: {' '.join(str(reason).split())}",
        hint="workers need the same version of bbccli; --resume goes on where this ended",
    )
