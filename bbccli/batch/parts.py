"""One large file on workers of dask.distributed, in parts of the configurations."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import numpy as np

from bbccli.batch.cluster import client_of, lost
from bbccli.core import resources
from bbccli.core.resources import Resources
from bbccli.core.workers import Workers
from bbccli.errors import BbcError, OptionError
from bbccli.types import IntArray

FEW = 64
"""Least number of configurations in a part: each part draws the resamples itself."""

EACH = 2
"""Parts per core, and tasks per core at the scheduler."""

SHARED = 2**16
"""Arrays from this many bytes on are sent to the workers once, not with every task."""

SHARE = 0.4
"""Fraction of a worker's memory for the work; the rest is for Python, libraries and reading."""

STAY = ", and have to stay; then run it again"

WAIT = 180
"""Seconds to wait for the first worker."""


@contextmanager
def workers_of_dask(jobs: int, scheduler: str | None) -> Iterator[DaskWorkers]:
    """Yield the workers of a scheduler, or of a cluster on this machine.

    Raises as `client_of`, and if no worker comes, or one is lost with its part.
    """
    with client_of(jobs, scheduler) as (client, _):
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise BbcError(
                f"the scheduler at {client.scheduler.address} has had no worker for {WAIT} s",
                hint="start workers: dask worker ADDRESS --nthreads 1",
            ) from None
        yield DaskWorkers(client)


class DaskWorkers(Workers):
    """Workers behind a client of dask."""

    def __init__(self, client: Any) -> None:
        self._client = client
        # futures by id, with the arrays, so that no id is reused
        self._sent: dict[int, tuple[np.ndarray[Any, Any], Any]] = {}

    @property
    def n_cores(self) -> int:
        """Threads of all workers; at least 1."""
        n_threads: int = sum(self._client.ncores().values())
        return max(n_threads, 1)

    def memory(self) -> int | None:
        """Memory of one thread of the smallest worker; None if unknown."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [w["memory_limit"] // w["nthreads"] for w in workers if w["memory_limit"]]
        return int(SHARE * min(limits)) if limits else None

    def parts(self, n_configurations: int) -> list[IntArray]:
        """Return the columns of each part."""
        n_parts = min(EACH * self.n_cores, -(-n_configurations // FEW))
        return np.array_split(np.arange(n_configurations), n_parts)

    def map(self, function: Callable[..., Any], items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield `function(*item)` for each item, in order; a few tasks are ahead of the answers.

        Raises what the function raises, and a BbcError if a worker or the scheduler is lost.
        """
        return self._answers(function, items, resources.current())

    def _answers(
        self, function: Callable[..., Any], items: Iterable[tuple[Any, ...]], limits: Resources
    ) -> Iterator[Any]:
        ahead: deque[Any] = deque()
        most = EACH * self.n_cores
        for item in items:
            ahead.append(self._submit((function, item), limits))
            if len(ahead) > most:
                yield _outcome(ahead.popleft())
        while ahead:
            yield _outcome(ahead.popleft())

    def _submit(self, call: tuple[Any, Any], limits: Resources) -> Any:
        shared: dict[int, Any] = {}
        packed = pack(call, lambda array: shared.setdefault(id(array), self._send(array)))
        return self._client.submit(work, packed, shared, limits, pure=False)

    def _send(self, array: np.ndarray[Any, Any]) -> Any:
        """Return the reference to an array on the workers."""
        if id(array) not in self._sent:
            sent = self._client.scatter(array, broadcast=True, hash=False)
            self._sent[id(array)] = array, sent
        return self._sent[id(array)][1]


def work(packed: bytes, shared: dict[int, Any], limits: Resources) -> Any:
    """Run a packed call on a worker; errors of ours are returned, not raised."""
    function, item = unpack(packed, shared)
    with resources.use(limits), np.errstate(over="ignore"):
        try:
            return function(*item)
        except BbcError as error:
            return error


def pack(call: Any, share: Callable[[np.ndarray[Any, Any]], Any]) -> bytes:
    """Pickle a call without its large arrays, each of which is given to `share`."""
    from cloudpickle import Pickler

    class Packer(Pickler):  # type: ignore[misc]
        def persistent_id(self, one: Any) -> int | None:
            if not isinstance(one, np.ndarray) or one.nbytes < SHARED:
                return None
            share(one)
            return id(one)

    stream = BytesIO()
    Packer(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(call)
    return stream.getvalue()


def unpack(packed: bytes, shared: dict[int, Any]) -> Any:
    """Return a packed call with the shared arrays."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, key: int) -> Any:
            return shared[key]

    return Unpacker(BytesIO(packed)).load()


def _outcome(future: Any) -> Any:
    """Return the result of a task, or raise its error."""
    from dask.distributed import KilledWorker

    try:
        result = future.result()
    except KilledWorker:
        raise BbcError(
            "a worker died on its part: killed, or out of memory",
            hint="give workers more memory, or lower --memory",
        ) from None
    except (OSError, ImportError, AttributeError, pickle.UnpicklingError) as error:
        raise lost(error, STAY) from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] in ("distributed", "asyncio", "concurrent"):
            raise lost(error, STAY) from error
        raise
    if isinstance(result, BbcError):
        raise result
    return result


def limits_of(limits: Resources, workers: DaskWorkers) -> Resources:
    """Return the resources of one task: the memory given, else a share of a worker's."""
    memory = workers.memory() if limits.growing else None
    try:
        return Resources(1, memory or limits.memory, limits.engine)
    except OptionError as error:
        raise OptionError(
            f"the workers have too little memory: {error.told()[0]}", hint="give each 1 GB or more"
        ) from None
