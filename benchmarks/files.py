"""Small files one after the other, as a worker of `bbc batch` takes them, and a large one.

`python -m benchmarks.files CSV` reads a CSV with pyarrow, and runs BBC on what it holds;
`python -m benchmarks.files CSV N C` writes one. A process of its own does: the peak of a child is
never below what its parent held.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from bbccli import types
from bbccli.batch.sources import BatchFile
from bbccli.batch.worker import FileTask, key_of, work
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.plan import Plan
from bbccli.methods.base import METHODS as KNOWN
from bbccli.metrics import METRICS
from bbccli.platform.resources import Resources, use
from bbccli.use_cases import Analysis
from benchmarks import subjects, timing
from benchmarks.tables import Row, Section, Table, Target, decimals, digits, times, whole

N_SAMPLES, N_CONFIGURATIONS, N_FOLDS = 200, 50, 10
ROLES = ("row_id", "fold", "truth")
ONE = Resources(jobs=1, growing=True)
ALONE = "pyarrow and BBC alone"
METHODS = {"bbc": ("bbc",), "cvt, tt, bbc": ("cvt", "tt", "bbc"), "default": None}
"""By default BBC-F takes all 92,377 resamples of ten folds."""
MOST_OF_ALONE = {"bbc": 2, "default": 8}
"""Time of a file as a multiple of what reading and resampling take without any check: 180 files a
second, and 24 ms a file, where that takes 3 ms.
"""

LARGE, QUICK = 10**6, 10**5
"""Rows of the large file."""

MOST_TIME, MOST_MEMORY = 1.5, 2


def measure(*, quick: bool) -> Section:
    with tempfile.TemporaryDirectory() as folder:
        paths = [_written(Path(folder) / f"{i:02}.parquet", seed=i) for i in range(10)]
        makers = {name: _worker(paths, methods) for name, methods in METHODS.items()}
        alone = timing.ready(
            lambda: [_alone(pq.read_table(path), "accuracy", ONE) for path in paths]
        )
        spent = timing.least(
            {ALONE: alone, **makers}, rounds=3 if quick else 7, clock=time.process_time
        )
    rows = [
        {
            "methods": name,
            "files/s": len(paths) / seconds,
            "ms per file": 1e3 * seconds / len(paths),
        }
        for name, seconds in spent.items()
    ]
    size = f"N = {N_SAMPLES}, C = {N_CONFIGURATIONS}, accuracy, B = 1,000"
    columns = {"methods": str, "files/s": digits, "ms per file": digits}
    small = Table("files", f"Small files in one process, {size}", columns, rows)
    of_alone = [
        Target(
            f"bbc batch, {size}, {name}: time of a file, of {ALONE}",
            most,
            spent[name] / spent[ALONE],
            times,
            at_least=False,
        )
        for name, most in MOST_OF_ALONE.items()
    ]
    large, limits = _large(QUICK if quick else LARGE)
    return Section([small, large], [*of_alone, *limits])


def _large(n_samples: int) -> tuple[Table, list[Target]]:
    """Whole processes on large files: processor time, as ratios need, and peak memory."""
    rows: list[Row] = []
    targets = []
    for n_configurations in (20, 2):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "large.csv")
            child("-m", "benchmarks.files", path, str(n_samples), str(n_configurations))
            alone = child("-m", "benchmarks.files", path)
            correct, inspect = (
                child("-m", "bbccli", name, path) for name in ("correct", "inspect")
            )
        size = f"{n_samples:,} x {n_configurations}"
        named = {ALONE: alone, "bbc correct": correct, "bbc inspect": inspect}
        rows += [{"N x C": size, "process": name} | spent for name, spent in named.items()]
        time, peak = correct["cpu s"] / alone["cpu s"], inspect["peak MB"] / correct["peak MB"]
        label = f"CSV, {size}, AUC"
        targets += [
            Target(
                f"{label}: bbc correct, of pyarrow and BBC alone",
                MOST_TIME,
                time,
                times,
                at_least=False,
            ),
            Target(
                f"{label}: peak of bbc inspect, of bbc correct",
                MOST_MEMORY,
                peak,
                times,
                at_least=False,
            ),
        ]
    columns = {"N x C": str, "process": str, "cpu s": decimals, "peak MB": whole}
    return Table("large files", "Large CSV files, AUC, B = 1,000", columns, rows), targets


def processor_time(*arguments: str) -> float:
    """Processor time of a Python process, in seconds."""
    return float(child(*arguments)["cpu s"])


def child(*arguments: str) -> Row:
    """Processor time and peak memory of a Python process."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    unit = 1 if sys.platform == "darwin" else 1024
    return {"cpu s": used.ru_utime + used.ru_stime, "peak MB": unit * used.ru_maxrss / 1e6}


def _write(path: str, n_samples: int, n_configurations: int) -> None:
    """Write a file of probabilities."""
    matrix = subjects.matrix_for(METRICS["auc"], n_samples, n_configurations)
    columns = {"truth": matrix.outcome.values, "fold": np.arange(n_samples) // 2 % 5}
    shares = matrix.predictions[0].T.round(6)
    columns |= dict(zip(matrix.configurations, shares, strict=True))
    pc.write_csv(pa.table(columns), path)


def _alone(table: pa.Table, metric: str, limits: Resources) -> None:
    """Run BBC on what pyarrow read, unchecked."""
    names = tuple(name for name in table.column_names if name not in ROLES)
    predictions = np.stack([table[name].to_numpy() for name in names], axis=1)[None]
    whole = np.issubdtype(predictions.dtype, np.integer)
    kind = types.PredictionKind.LABEL if whole else types.PredictionKind.PROBABILITY
    outcome = Outcome(types.Task.BINARY, table["truth"].to_numpy(), ("0", "1"))
    matrix = PredictionMatrix(outcome, predictions, names, kind)
    with use(limits.for_predictions(*matrix.size)):
        KNOWN["bbc"].run(matrix, METRICS[metric], Plan(1000))


def _worker(paths: list[str], methods: tuple[str, ...] | None) -> timing.Maker:
    """What a worker does with some files."""

    def run() -> None:
        done = [work(_task(path, methods)) for path in paths]
        assert all(one.problem is None for one in done), done

    run()  # imports
    return timing.ready(run)


def _task(path: str, methods: tuple[str, ...] | None) -> FileTask:
    source = BatchFile(path, Analysis(metric=("accuracy",), method=methods))
    return FileTask(0, key_of(source), source, Resources(jobs=1), str(Path.cwd()))


def _written(path: Path, seed: int) -> str:
    """A file of class labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, N_SAMPLES)
    right = rng.random((N_SAMPLES, N_CONFIGURATIONS)) < np.linspace(0.6, 0.75, N_CONFIGURATIONS)
    labels = np.where(right, truth[:, None], 1 - truth[:, None])
    columns = {"row_id": np.arange(N_SAMPLES), "fold": np.arange(N_SAMPLES) % N_FOLDS}
    columns |= {"truth": truth} | {f"c{c}": column for c, column in enumerate(labels.T)}
    pq.write_table(pa.table(columns), path)
    return str(path)


if __name__ == "__main__":
    file, *sizes = sys.argv[1:]
    if sizes:
        _write(file, *map(int, sizes))
    else:
        _alone(pc.read_csv(file), "auc", Resources(growing=True))
