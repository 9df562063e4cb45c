"""Small files one after the other in a worker of `bbc batch`: reading, estimating, the record."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bbccli.analysis import Analysis
from bbccli.batch import Source, key_of
from bbccli.batch.worker import Task, work
from bbccli.resources import Resources
from benchmarks.tables import Section, Table, Target, digits, whole
from benchmarks.timing import least, ready

N_SAMPLES, N_CONFIGURATIONS, N_FOLDS = 200, 50, 10
LIMIT = 40
METHODS = {"bbc": ("bbc",), "cvt, tt, bbc": ("cvt", "tt", "bbc"), "default": None}
"""By default BBC-F takes all 92,377 resamples of ten folds, which costs more than all the rest."""


def measure(*, quick: bool) -> Section:
    with tempfile.TemporaryDirectory() as folder:
        paths = [_written(Path(folder) / f"{i:02}.parquet", seed=i) for i in range(10)]
        makers = {name: ready(partial(_all, paths, methods)) for name, methods in METHODS.items()}
        least(makers, rounds=1)  # imports
        spent = least(makers, rounds=3 if quick else 7)
    rates = {name: len(paths) / seconds for name, seconds in spent.items()}
    rows = [
        {"methods": name, "files/s": rate, "ms per file": 1e3 / rate}
        for name, rate in rates.items()
    ]
    size = f"N = {N_SAMPLES}, C = {N_CONFIGURATIONS}, accuracy, B = 1,000"
    columns = {"methods": str, "files/s": digits, "ms per file": digits}
    return Section(
        [Table("files", f"Small files in one worker, {size}", columns, rows)],
        [Target(f"bbc batch, {size}, BBC: files/s", LIMIT, rates["bbc"], whole, at_least=True)],
    )


def _all(paths: list[str], methods: tuple[str, ...] | None) -> None:
    analysis = Analysis(metric=("accuracy",), method=methods)
    for position, path in enumerate(paths):
        source = Source(path, analysis)
        task = Task(position, key_of(source), source, Resources(jobs=1), str(Path.cwd()))
        done = work(task)
        assert done.problem is None, done.problem


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
