"""Time of one unit of work on a large file: the letters of the formulas in docs/scale.md."""

import hashlib
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from bbccli import METRICS
from bbccli.core import resources
from bbccli.core.outcome import Outcome
from bbccli.metrics.kernels import decide
from bbccli.metrics.weighting import CHUNK
from bbccli.readers.column_file import ColumnFile
from bbccli.stats.bootstrap.by_rows import each_of
from bbccli.stats.resampling import BLOCK, Draws, Unit
from bbccli.types import Task

COLUMNS = 64
"""Configurations that are scored, and read, at a time."""

RESAMPLES = 4
"""Resamples that are drawn."""

MOST_READ = 10**6
"""Rows of the file that is read: 256 MB."""


def units(n_samples: int, write: Callable[[Path, int, int], None]) -> None:
    """Print the units of N samples, in processor time of one core.

    Parameters
    ----------
    write
        ``write(path, N, C)`` makes a file of predictions.
    """
    few, many = slice(0, CHUNK), slice(0, n_samples)
    draws = Draws(n_samples, 0, (Unit.SAMPLES,), leaving_out=False)
    made, counted = (
        spent(lambda units=units: list(islice(each_of(draws, 0, units), RESAMPLES)))
        / (RESAMPLES * n_samples)
        for units in (few, many)
    )
    weights = np.random.default_rng(0).poisson(1, (BLOCK, CHUNK)).astype(np.uint8)
    measured = [("a", f"a draw of {n_samples} samples that is let go", made, "ns")]
    measured += [("e", "a draw that is counted among all samples", counted, "ns")]
    for name in ("accuracy", "brier", "auc"):
        measured.append(("b", f"a multiplication, {name}", product(name, weights), "ns"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "units.parquet")
        n_read = min(n_samples, MOST_READ)
        write(path, n_read, COLUMNS)
        names = tuple(f"c{c:05}" for c in range(COLUMNS))
        file = ColumnFile(str(path), path.stat().st_size, names, n_read, True)
        read = spent(lambda: file[:, :, np.arange(COLUMNS)])
        measured.append(("d", "bytes read and decoded", file.nbytes / read, "GB/s"))
        hashed = spent(lambda: digest(path))
        measured.append(("h", "bytes hashed", path.stat().st_size / hashed, "GB/s"))
    for letter, meaning, value, unit in measured:
        print(f"{letter}  {meaning}: {value * 1e9 if unit == 'ns' else value / 1e9:.3g} {unit}")


def product(name: str, weights: np.ndarray) -> float:
    """Seconds per resample, sample and configuration in the bags, of a chunk of samples."""
    rng, metric = np.random.default_rng(0), METRICS[name]
    outcome = Outcome(Task.BINARY, rng.integers(0, 2, CHUNK), ("0", "1"))
    chances = rng.random((CHUNK, COLUMNS))
    labels = name == "accuracy"
    scorer = metric.bind(outcome, (chances > 0.5).astype(np.int64) if labels else chances)
    with resources.use(resources.Resources(jobs=1)), resources.use(decide(10**12)):
        return spent(lambda: scorer(weights)) / (weights.size * COLUMNS)


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def spent(work: Callable[[], object]) -> float:
    """Processor time of the second of two runs: nothing is read or compiled for the first time."""
    work()
    start = time.process_time()
    work()
    return time.process_time() - start
