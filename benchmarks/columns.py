"""Many configurations: the whole file read and inspected, and each compared with all that may be
the best.
"""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bbccli.comparisons.possible_best import best_set
from bbccli.domain.plan import Plan
from bbccli.metrics import METRICS
from bbccli.platform.resources import Resources, use
from benchmarks import subjects
from benchmarks.files import processor_time
from benchmarks.tables import Section, Table, Target, decimals, times, whole
from benchmarks.timing import least, ready

N_SAMPLES = 200
MANY, FEW, MOST = 5_000, 500, 20_000
MOST_GROWTH = 30
"""Time of ten times the configurations, a hundred times the pairs."""

MOST_READ = 8
"""Time of `bbc inspect` as a multiple of pyarrow's, which only reads."""


def measure(*, quick: bool) -> Section:
    few, many, most = (n // 5 if quick else n for n in (FEW, MANY, MOST))
    metric, makers = METRICS["auc"], {}
    for size in (few, many):
        matrix = subjects.matrix_for(metric, N_SAMPLES, size)
        makers[size] = ready(lambda matrix=matrix: _compared(matrix))
    spent = least(makers, 2)  # the first run of all imports what it needs
    rows = [{"C": size, "s": seconds} for size, seconds in spent.items()]
    growth = spent[many] / spent[few]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "columns.parquet")
        _write(path, most)
        program = f"import pyarrow.parquet as pq; pq.read_table({path!r})"
        bare = processor_time("-c", program)
        inspect = processor_time("-m", "bbccli", "inspect", path)
    columns = {"C": whole, "s": decimals}
    title = f"bbc compare without a clear leader, N = {N_SAMPLES}, AUC, B = 1,000, one thread"
    label = f"bbc compare, C = {many:,}: C = {few:,}"
    read = f"bbc inspect of {N_SAMPLES} x {most:,}: pyarrow alone"
    return Section(
        [Table("columns", title, columns, rows)],
        [
            Target(label, MOST_GROWTH, growth, times, at_least=False),
            Target(read, MOST_READ, inspect / bare, times, at_least=False),
        ],
    )


def _compared(matrix):
    with use(Resources(jobs=1)):
        best_set(matrix, METRICS["auc"], Plan(n_resamples=1_000))


def _write(path: str, n_configurations: int) -> None:
    matrix = subjects.matrix_for(METRICS["auc"], N_SAMPLES, n_configurations)
    shares = matrix.predictions[0].T.round(6)
    columns = {"truth": matrix.outcome.values}
    pq.write_table(pa.table(columns | dict(zip(matrix.configurations, shares, strict=True))), path)
