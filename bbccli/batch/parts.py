"""The workers of a dask.distributed scheduler, for one file: calls and arrays are sent to them."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np

from bbccli.batch.cluster import client_of, lost
from bbccli.errors import BbcError, OptionError
from bbccli.platform import resources
from bbccli.platform.resources import Resources

AHEAD = 2
"""Tasks per core at the scheduler."""

SHARED = 2**16
"""Arrays from this many bytes on are sent once, not with every task."""

SHARE = 0.4
"""Fraction of a worker's memory for the work; the rest is for predictions and libraries."""

TRIES = 4
"""Times that arrays are sent which are lost with their worker."""

STAY = ", and have to stay; then run it again"

WAIT = 180
"""Seconds to wait for the first worker."""


@contextmanager
def workers_of_dask(asked: Resources, scheduler: str | None) -> Iterator[DaskWorkers]:
    """Yield the workers of a scheduler, or of a cluster on this machine.

    Raises as `client_of`, and if no worker comes, or one is lost with its part.
    """
    with client_of(asked.jobs, scheduler) as (client, _):
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise BbcError(
                f"the scheduler at {client.scheduler.address} has had no worker for {WAIT} s",
                hint="start workers: dask worker ADDRESS --nthreads 1",
            ) from None
        yield DaskWorkers(client, asked)


class DaskWorkers:
    """Workers behind a client of dask; `asked` are the resources of the command."""

    def __init__(self, client: Any, asked: Resources) -> None:
        self._client = client
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [w["memory_limit"] // w["nthreads"] for w in workers if w["memory_limit"]]
        memory = int(SHARE * min(limits)) if limits and asked.growing else asked.memory
        try:
            self.limits = Resources(1, memory, asked.engine)
        except OptionError as error:
            raise OptionError(
                f"the workers have too little memory: {error.told()[0]}",
                hint="give each 1 GB or more",
            ) from None
        # futures by id, with the arrays, so that no id is reused
        self._sent: dict[int, tuple[np.ndarray[Any, Any], Any]] = {}

    @property
    def n_cores(self) -> int:
        """Threads of all workers; at least 1."""
        n_threads: int = sum(self._client.ncores().values())
        return max(n_threads, 1)

    def map(self, function: Callable[..., Any], items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield `function(*item)` for each item, in order; a few tasks are ahead of the answers.

        Raises what the function raises, and a BbcError if a worker or the scheduler is lost.
        """
        limits = replace(self.limits, engine=resources.current().engine)
        ahead: deque[tuple[Any, Any]] = deque()
        for item in items:
            call = function, item, limits
            ahead.append((call, self._submit(call)))
            if len(ahead) > AHEAD * self.n_cores:
                yield self._answer(*ahead.popleft())
        while ahead:
            yield self._answer(*ahead.popleft())

    def _submit(self, call: Any) -> Any:
        shared: dict[int, Any] = {}
        packed = pack(call, lambda array: shared.setdefault(id(array), self._send(array)))
        return self._client.submit(run_packed, packed, shared, pure=False)

    def _send(self, array: np.ndarray[Any, Any]) -> Any:
        """Return the reference to an array on a worker, from which others get it."""
        if id(array) not in self._sent or self._sent[id(array)][1].status != "finished":
            self._sent[id(array)] = array, self._client.scatter(array, hash=False)
        return self._sent[id(array)][1]

    def _answer(self, call: Any, future: Any) -> Any:
        """Return the result of a task, or raise its error; send again what a worker has lost."""
        for _ in range(TRIES):
            try:
                return _outcome(future)
            except CancelledError as error:
                cause = error
                future = self._submit(call)
        raise lost(cause, STAY) from cause


def run_packed(packed: bytes, shared: dict[int, Any]) -> Any:
    """Run a packed call on a worker; errors of ours are returned, not raised."""
    function, item, limits = unpack(packed, shared)
    with resources.use(limits), np.errstate(over="ignore"):
        try:
            return function(*item)
        except BbcError as error:
            return error


def pack(call: Any, share: Callable[[np.ndarray[Any, Any]], Any]) -> bytes:
    """Pickle a call without its large arrays, each of which is given to `share`."""
    from cloudpickle import Pickler

    class Packer(Pickler):  # type: ignore[misc]
        def persistent_id(self, item: Any) -> int | None:
            if not isinstance(item, np.ndarray) or item.nbytes < SHARED:
                return None
            share(item)
            return id(item)

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
    from dask.distributed import KilledWorker

    try:
        result = future.result()
    except KilledWorker:
        raise BbcError(
            "a worker died on its part: killed, or out of memory",
            hint="give workers more memory, or lower --memory",
        ) from None
    except CancelledError:
        raise
    except (OSError, ImportError, AttributeError, pickle.UnpicklingError) as error:
        raise lost(error, STAY) from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] in ("distributed", "asyncio"):
            raise lost(error, STAY) from error
        raise
    if isinstance(result, BbcError):
        raise result
    return result
