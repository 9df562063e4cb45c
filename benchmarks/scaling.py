"""Growth of time with N, C and B: the slope of log time on log size."""

import numpy as np

from bbccli.metrics.base import Metric
from bbccli.platform.resources import Engine
from benchmarks import subjects
from benchmarks.tables import Row, Section, Table, decimals
from benchmarks.timing import least

BASE = {"N": 500, "C": 50, "B": 256}
FACTORS = (1, 2, 4, 8, 16)
COLUMNS = {"metric": str, "engine": str, "N": decimals, "C": decimals, "B": decimals}
NOTE = (
    f"Slope of log time on log size of a whole run, one thread, from N = {BASE['N']}, "
    f"C = {BASE['C']}, B = {BASE['B']} up to {FACTORS[-1]} times one of them. Below 1: fixed "
    "costs still show at the small end."
)


def measure(**_: bool) -> Section:
    rows = [
        _exponents(metric, engine)
        for metric in subjects.measured()
        for engine in subjects.engines(metric)
    ]
    return Section([Table("scaling", "Exponents", COLUMNS, rows, NOTE)])


def _exponents(metric: Metric, engine: Engine) -> Row:
    return {
        "metric": metric.label,
        "engine": str(engine) if subjects.has_forms(metric) else "any",
        **{axis: _slope(metric, engine, axis) for axis in BASE},
    }


def _slope(metric: Metric, engine: Engine, axis: str) -> float:
    makers = {}
    for factor in FACTORS:
        size = BASE | {axis: BASE[axis] * factor}
        matrix = subjects.matrix_for(metric, size["N"], size["C"])
        makers[str(factor)] = subjects.whole_run(metric, matrix, size["B"], engine)
    spent = least(makers)
    return float(np.polyfit(np.log(FACTORS), np.log(list(spent.values())), 1)[0])
