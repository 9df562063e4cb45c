"""Workers of dask.distributed: on this machine, or on as many as there are."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from bbccli.batch.local import lost_file
from bbccli.batch.worker import Done, Task, work
from bbccli.errors import BbcError, OptionError

AHEAD = 4
"""Tasks at the scheduler per core: enough to keep it busy, few to move when workers come and go."""

PATIENCE = "20s"


def run_dask(tasks: Iterable[Task], jobs: int, scheduler: str | None) -> Iterator[list[Done]]:
    """Yield what is done, in groups, in any order.

    The scheduler gives the files of a worker that is lost to another. Workers may come and go.

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
        from dask.distributed import as_completed
    except ImportError as error:
        raise OptionError(
            "--runner dask needs dask, which is not installed", hint="pip install 'bbccli[dask]'"
        ) from error
    with _client(jobs, scheduler) as client:
        remaining, sent = iter(tasks), {}
        completed = as_completed(loop=client.loop)

        def send(count: int) -> None:
            for task in islice(remaining, max(count, 0)):
                future = client.submit(work, task, pure=False)
                sent[future] = task
                completed.add(future)

        try:
            send(_room(client, jobs))
            while sent:
                done = [_outcome(future, sent.pop(future)) for future in completed.next_batch()]
                send(_room(client, jobs) - len(sent))
                yield done
        except OSError as error:
            raise _lost(error) from error


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
    options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with (
        LocalCluster(n_workers=jobs, processes=True, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _room(client: Any, jobs: int) -> int:
    """Tasks that the scheduler should have."""
    n_cores: int = sum(client.ncores().values())
    return AHEAD * max(n_cores, jobs)


def _outcome(future: Any, task: Task) -> Done:
    """What a future holds, however it ended."""
    from dask.distributed import KilledWorker

    error = future.exception() if future.status == "error" else None
    if isinstance(error, KilledWorker):
        return lost_file(task, "killed, or out of memory")
    if future.status != "finished":
        raise _lost(error or future.status)
    found: Done = future.result()
    return found


def _lost(reason: object) -> BbcError:
    return BbcError(
        f"the scheduler is lost, or a worker can't work: {' '.join(str(reason).split())}",
        hint="workers need the same version of bbccli; --resume goes on where this ended",
    )
