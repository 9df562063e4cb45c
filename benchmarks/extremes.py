"""Cost per element from small sizes to the largest: linear, or not.

Time is that of the processor, in one thread: what else runs on the machine hardly changes it.
"""

import time
from dataclasses import replace

import numpy as np

from bbccli.domain.plan import Plan
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.platform.resources import Engine, resources_of, use
from bbccli.types import Task
from benchmarks import subjects
from benchmarks.tables import Row, Section, Table, decimals, digits, whole

BASE = {"N": 200, "C": 20, "B": 256}
AXES = {
    "N": (5_000, 50_000, 200_000, 1_000_000),
    "C": (200, 2_000, 20_000),
    "B": (1_000, 10_000, 100_000),
}
FOLDS = (20, 200, 2_000, 10_000)
"""Folds of as many samples: leave-one-out."""

COLUMNS = {
    "method": str,
    "metric": str,
    "axis": str,
    "size": whole,
    "seconds": digits,
    "ns": digits,
    "exponent": decimals,
}
NOTE = (
    f"N = {BASE['N']}, C = {BASE['C']}, B = {BASE['B']} but for the axis named; F folds are "
    "leave-one-out over F samples. ns: processor time per sample, configuration and resample, in "
    "one thread; exponent: slope of log time on log size since the size before."
)


def measure(*, quick: bool = False) -> Section:
    rows = [
        row for name in ("accuracy", "auc") for axis in AXES for row in _axis(name, axis, quick)
    ]
    rows += _folds(quick)
    return Section([Table("extremes", "From small to the largest", COLUMNS, rows, NOTE)])


def _axis(name: str, axis: str, quick: bool) -> list[Row]:
    """One row per size of an axis."""
    rows: list[Row] = []
    for value in AXES[axis][: 2 if quick else None]:
        size = BASE | {axis: value}
        matrix = subjects.matrix_of(Task.BINARY, size["N"], size["C"])
        rows.append(_row("bbc", name, axis, value, replace(matrix), size["B"], rows))
    return rows


def _folds(quick: bool) -> list[Row]:
    rows: list[Row] = []
    for n_folds in FOLDS[: 2 if quick else None]:
        matrix = subjects.matrix_of(Task.BINARY, n_folds, BASE["C"])
        each = replace(
            matrix,
            folds=np.arange(n_folds)[None],
            fold_names=tuple(str(fold) for fold in range(n_folds)),
        )
        rows.append(_row("bbc-f", "accuracy", "F", n_folds, each, BASE["B"], rows))
    return rows


def _row(
    method: str,
    metric: str,
    axis: str,
    value: int,
    matrix: object,
    n_resamples: int,
    rows: list[Row],
) -> Row:
    limits = resources_of(1, "auto", Engine.AUTO).for_predictions(*matrix.size)
    with use(limits):
        start = time.process_time()
        METHODS[method].run(matrix, METRICS[metric], Plan(n_resamples))
        spent = time.process_time() - start
    elements = matrix.n_samples * matrix.n_configurations * n_resamples
    before = rows[-1] if rows else None
    slope = before and np.log(spent / before["seconds"]) / np.log(value / before["size"])
    return {
        "method": method,
        "metric": metric,
        "axis": axis,
        "size": value,
        "seconds": spent,
        "ns": 1e9 * spent / elements,
        "exponent": slope,
    }
