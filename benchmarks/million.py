"""A million samples: the AUC of a hundred configurations, beside sorting each of them once.

`python -m benchmarks.million PARQUET` reads the file with pyarrow and sorts each column;
`python -m benchmarks.million PARQUET N C` writes one.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks import large
from benchmarks.files import child
from benchmarks.tables import Row, Section, Table, Target, decimals, times, whole

N_SAMPLES, N_CONFIGURATIONS, N_RESAMPLES = 10**6, 100, 64
QUICK = 10**5
SORTED = "pyarrow and numpy.argsort of each column alone"

MOST_TIME = {"bbc": 3, "cvt": 2}
"""Processor time as a multiple of that: half of the 6 times that `bbc` once took."""

MOST_MEMORY = 3.0
"""Peak of `bbc` as a multiple of the predictions: it was 3.05 before compiled code sorted them."""


def measure(*, quick: bool) -> Section:
    n_samples = QUICK if quick else N_SAMPLES
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "million.parquet")
        child("-m", "benchmarks.million", path, str(n_samples), str(N_CONFIGURATIONS))
        spent: dict[str, Row] = {SORTED: child("-m", "benchmarks.million", path)}
        for method in MOST_TIME:
            words = ["--metric", "auc", "--method", method, "--fold", "fold", "--format", "json"]
            words += ["--quiet", "--n-resamples", str(N_RESAMPLES)]
            spent[method] = child("-m", "bbccli", "correct", path, *words)
    label = f"Parquet, {n_samples:,} x {N_CONFIGURATIONS}, AUC, B = {N_RESAMPLES}"
    targets = [
        Target(
            f"{label}: {method}, processor time, of {SORTED}",
            most,
            spent[method]["cpu s"] / spent[SORTED]["cpu s"],
            times,
            at_least=False,
        )
        for method, most in MOST_TIME.items()
    ]
    predictions = 4e-6 * n_samples * N_CONFIGURATIONS
    of_predictions = spent["bbc"]["peak MB"] / predictions
    what = f"{label}: bbc, peak memory, of the predictions"
    targets += [Target(what, MOST_MEMORY, of_predictions, times, at_least=False)]
    rows = [{"process": name} | of_one for name, of_one in spent.items()]
    columns = {"process": str, "cpu s": decimals, "peak MB": whole}
    return Section([Table("million", label, columns, rows)], [] if quick else targets)


if __name__ == "__main__":
    file, *sizes = sys.argv[1:]
    if sizes:
        large.write(Path(file), *map(int, sizes))
    else:
        for name in pq.read_schema(file).names:
            np.argsort(pq.read_table(file, columns=[name])[name].to_numpy())
