"""Peak memory of a run above the matrix that it works on, each in a process of its own.

`python -m benchmarks.memory METRIC ENGINE N C B` prints what one run takes.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.tables import Row, Section, Table, Target, decimals, whole

LIMIT = 1000
"""MB above the matrix."""

CASES = (
    ("accuracy", "numpy", 50_000, 1_000, 1_000),
    ("auc", "numpy", 50_000, 100, 64),
    ("auc", "numba", 50_000, 100, 256),
)

COLUMNS = {
    "metric": str,
    "engine": str,
    "N": whole,
    "C": whole,
    "B": whole,
    "matrix MB": whole,
    "extra MB": whole,
    "s": decimals,
}


def measure(**_: bool) -> Section:
    if not Path("/proc/self/clear_refs").exists():
        return Section([])
    rows = [_in_a_process(*case) for case in CASES]
    targets = [
        Target(
            f"{row['metric']}, {row['engine']}, N = {row['N']:,}, C = {row['C']:,}, "
            f"B = {row['B']:,}: MB above the matrix",
            LIMIT,
            row["extra MB"],
            whole,
            at_least=False,
        )
        for row in rows
    ]
    title = "Peak memory above the matrix, whole run, --memory 256MB, all cores"
    note = "With the compiled engine, extra MB counts numba itself."
    return Section([Table("memory", title, COLUMNS, rows, note)], targets)


def _in_a_process(*case: object) -> Row:
    command = [sys.executable, "-m", "benchmarks.memory", *map(str, case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def _run(metric_name: str, engine: str, *sizes: str) -> Row:
    from bbccli.metrics import METRICS
    from bbccli.platform.resources import Engine, available_cores
    from benchmarks import subjects
    from benchmarks.timing import seconds

    n_samples, n_configurations, n_resamples = map(int, sizes)
    metric = METRICS[metric_name]
    matrix = subjects.matrix_for(metric, n_samples, n_configurations)
    run = subjects.whole_run(metric, matrix, n_resamples, Engine(engine), available_cores())()
    before = _forget_peak()
    spent = seconds(run)
    return {
        "metric": metric.label,
        "engine": engine,
        "N": n_samples,
        "C": n_configurations,
        "B": n_resamples,
        "matrix MB": matrix.predictions.nbytes / 1e6,
        "extra MB": _status("VmHWM") - before,
        "s": spent,
    }


def _forget_peak() -> float:
    """Set the recorded peak to what is in use now, and return that in MB."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str) -> float:
    """A memory figure of this process in MB."""
    match = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert match
    return 1024 * int(match[1]) / 1e6


if __name__ == "__main__":
    print(json.dumps(_run(*sys.argv[1:])))
