"""One thread beside two."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from bbccli.metrics.base import Metric
from bbccli.platform.resources import Engine, available_cores
from benchmarks import subjects
from benchmarks.tables import Row, Section, Table, Target, decimals, digits
from benchmarks.timing import least, ready

N_SAMPLES, N_CONFIGURATIONS, N_RESAMPLES = 500, 500, 1_000
ROUNDS = 15
"""Short ones: the least of few is that of a moment at which something else ran on a core."""

LEAST_GAIN = 1.6 / 1.9
"""Of the compiled AUC, times that of two bare products."""
COLUMNS = {"work": str, "1 thread ms": digits, "2 threads ms": digits, "gain": decimals}
NOTE = (
    "The two products are independent: their gain is what the machine gives to two threads that "
    "need nothing from each other."
)


def measure(**_: bool) -> Section:
    bare, targets = _two_products(), []
    rows = [bare]
    for metric in subjects.measured():
        for engine in subjects.engines(metric):
            rows.append(_row(metric, engine))
            if metric.name == "auc" and engine is Engine.NUMBA:
                label = f"{rows[-1]['work']}, 2 threads: gain, times that of bare products"
                gain = rows[-1]["gain"] / bare["gain"]
                targets.append(Target(label, LEAST_GAIN, gain, decimals, at_least=True))
    size = f"N = {N_SAMPLES:,}, C = {N_CONFIGURATIONS}, B = {N_RESAMPLES:,}"
    title = f"Whole run in one and two threads on {available_cores()} cores, {size}"
    return Section([Table("threads", title, COLUMNS, rows, NOTE)], targets)


def _two_products() -> Row:
    factor = np.ones((1_500, 1_500), np.float32)

    def run(jobs: int) -> None:
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda _: factor @ factor, range(2)))

    makers = {jobs: ready(partial(run, jobs)) for jobs in (1, 2)}
    return _compared("two bare products", least(makers, ROUNDS))


def _row(metric: Metric, engine: Engine) -> Row:
    matrix = subjects.matrix_for(metric, N_SAMPLES, N_CONFIGURATIONS)
    makers = {
        jobs: subjects.whole_run(metric, matrix, N_RESAMPLES, engine, jobs=jobs) for jobs in (1, 2)
    }
    name = "" if subjects.is_product(metric) else f", {engine}"
    return _compared(f"bbc, {metric.label}{name}", least(makers, ROUNDS))


def _compared(work: str, spent: dict[int, float]) -> Row:
    return {
        "work": work,
        "1 thread ms": 1e3 * spent[1],
        "2 threads ms": 1e3 * spent[2],
        "gain": spent[1] / spent[2],
    }
