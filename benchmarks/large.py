"""A large file on workers: time, and the peak memory of every process.

`python -m benchmarks.large` makes a Parquet file of N x C probabilities (float32), has two workers
of a cluster on this machine correct it within a limit of memory each, and deletes the file. With
`--check` one process does the same, and the results are compared byte for byte.
"""

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

GROUP = 2**16
"""Rows written at a time."""


def main() -> None:
    options = parse()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = options.file or Path(folder, "large.parquet")
        if options.file is None:
            start = time.perf_counter()
            write(path, options.samples, options.configurations)
            print(f"file: {path.stat().st_size / 1e9:.2f} GB, {time.perf_counter() - start:.0f} s")
        for metric in options.metric or ["accuracy"]:
            measure(options, metric, path, Path(folder))


def measure(options: argparse.Namespace, metric: str, path: Path, folder: Path) -> None:
    words = ["correct", str(path), "--metric", metric, "--n-resamples", str(options.resamples)]
    words += ["--quiet", "--format", "json"]
    words += ["--method", "bbc", *(("--only", options.only) if options.only else ())]
    from_workers = folder / "workers.json"
    with cluster(options.workers, options.limit) as (address, pids), peaks(pids) as highest:
        start = time.perf_counter()
        remote = ["--runner", "dask", "--scheduler", address, "--memory", options.memory]
        remote += ["--output", str(from_workers)]
        correct([*words, *remote])
        spent = time.perf_counter() - start
    print(f"{metric}: {spent:.0f} s; peak MB of the workers, then of the client:", *highest())
    if options.check:
        alone = folder / "alone.json"
        start = time.perf_counter()
        correct([*words, "--output", str(alone)])
        equal = (
            "the same bytes" if alone.read_bytes() == from_workers.read_bytes() else "OTHER BYTES"
        )
        print(f"{metric}: one process {time.perf_counter() - start:.0f} s: {equal}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("--samples", type=int, default=10**6)
    parser.add_argument("--configurations", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--metric", action="append", help="repeatable; one run each")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", default="2GB", help="memory of each worker")
    parser.add_argument("--only", help="pattern of the configurations that take part")
    parser.add_argument("--file", type=Path, help="one that is there already, and stays")
    parser.add_argument("--folder", type=Path, help="where the file is put, for a while")
    parser.add_argument("--check", action="store_true", help="compare with one process")
    parser.add_argument("--memory", default="auto", help="of each task, as of bbc correct")
    return parser.parse_args()


def write(path: Path, n_samples: int, n_configurations: int) -> None:
    """Write probabilities of a class, a few thousand rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    skill = np.linspace(0.5, 1.5, n_configurations, dtype=np.float32)[:, None]
    names = [f"c{c:05}" for c in range(n_configurations)]
    kinds = [("truth", pa.int8()), ("fold", pa.int8()), *((name, pa.float32()) for name in names)]
    with pq.ParquetWriter(path, pa.schema(kinds), compression="none", use_dictionary=False) as file:
        for start in range(0, n_samples, GROUP):
            n = min(GROUP, n_samples - start)
            truth = (rng.random(n) < 0.3).astype(np.int8)
            scores = rng.standard_normal((n_configurations, n), np.float32)
            scores += skill * (truth - np.float32(0.5))
            chances = np.reciprocal(1 + np.exp(-scores, out=scores), out=scores)
            columns = [truth, rng.integers(0, 5, n, np.int8), *chances]
            file.write_table(pa.table([pa.array(one) for one in columns], pa.schema(kinds)))


@contextmanager
def cluster(n_workers: int, limit: str) -> Iterator[tuple[str, list[int]]]:
    """Start a cluster; its address, and the processes of its workers and of this client."""
    from dask.distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with (
        LocalCluster(n_workers=n_workers, memory_limit=limit, **options) as local,
        Client(local, set_as_default=False) as client,
    ):
        pids = list(client.run(os.getpid).values())
        yield local.scheduler_address, [*pids, os.getpid()]


@contextmanager
def peaks(pids: list[int]) -> Iterator[Callable[[], list[int]]]:
    """Sample the resident memory of processes; what is yielded tells the most of each."""
    highest, ended = dict.fromkeys(pids, 0), threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            for pid in pids:
                highest[pid] = max(highest[pid], resident(pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield lambda: [size // 10**6 for size in highest.values()]
    finally:
        ended.set()
        thread.join()


def resident(pid: int) -> int:
    """Bytes in memory; 0 of a process that has ended."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def correct(words: list[str]) -> None:
    from bbccli.cli.app import main as run

    status = run(words)
    if status:
        raise SystemExit(status)


if __name__ == "__main__":
    main()
