"""Two families of configurations, and whether intervals of corrected differences hold the truth.

The first tenth of the configurations is the family `few`, the others are `many`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from bbccli.domain.plan import Plan
from bbccli.metrics import Metric
from bbccli.planning.simulation import Simulated, binormal, right_or_wrong
from bbccli.stats.bootstrap.differences import corrected_difference
from bbccli.stats.case import Case
from bbccli.types import IntervalKind
from benchmarks.validation.settings import Setting

BASE = 0.8
"""True performance of most configurations."""

SLACK = 1e-12

Truth = Callable[[int, int], tuple[np.ndarray, np.ndarray]]
"""True performances of both families, from their sizes."""


def sizes(n_configurations: int) -> tuple[int, int]:
    """Return how many configurations each of the two families has."""
    few = n_configurations // 10
    return few, n_configurations - few


def family_settings() -> list[Setting]:
    """Return settings in which the families differ, or the configurations within them."""
    laws: list[tuple[str, str, Truth, int, float]] = [
        (metric, law, truth, n, 0.0)
        for law, truth in (("few +0.05", _few_better), ("many +0.05", _many_better))
        for metric, n in (("accuracy", 80), ("accuracy", 300), ("auc", 80))
    ]
    laws += [(metric, "one of 0.9 in each", _one_each, 150, 0.0) for metric in ("accuracy", "auc")]
    laws += [("accuracy", "many: one of 0.8, others 0.6", _one_as_good, 80, 0.0)]
    laws += [(metric, "all equal, alike", _equal, 80, 0.7) for metric in ("accuracy", "auc")]
    return [_setting(*law) for law in laws]


def statements(simulated: Simulated, metric: Metric, plan: Plan) -> Mapping[str, bool]:
    """Return whether the intervals hold the truth, and which family is said to be better."""
    matrix = simulated.matrix
    few = sizes(matrix.n_configurations)[0]
    columns = np.arange(matrix.n_configurations)
    both = [
        Case(matrix.of_configurations(part), metric, metric, plan)
        for part in (columns[:few], columns[few:])
    ]
    lower, upper = _ends(both, IntervalKind.PERCENTILE)
    truth = _truth(simulated, both)
    return {
        "percentile": _holds((lower, upper), truth),
        "matched": _holds(_ends(both, IntervalKind.MATCHED), truth),
        "few better": lower > 0,
        "many better": upper < 0,
        "wrong": (lower > 0 and truth <= 0) or (upper < 0 and truth >= 0),
    }


def _ends(cases: list[Case], kind: IntervalKind) -> tuple[float, float]:
    first, second = (replace(one, plan=replace(one.plan, interval=kind)) for one in cases)
    interval = corrected_difference(first, second).interval
    return float(interval.lower), float(interval.upper)  # type: ignore[arg-type]  # of two sides


def _truth(simulated: Simulated, cases: list[Case]) -> float:
    """The true difference of the two that are selected on all samples."""
    first, second = (simulated.truth(one.matrix.configurations[one.choice.winner]) for one in cases)
    return first - second


def _holds(ends: tuple[float, float], truth: float) -> bool:
    return ends[0] - SLACK <= truth <= ends[1] + SLACK


def _setting(metric: str, law: str, truth: Truth, n: int, alike: float) -> Setting:
    c = 100

    def draw(rng: Generator) -> Simulated:
        make = binormal if metric == "auc" else right_or_wrong
        return _joined([make(part, n, rng, correlation=alike) for part in truth(*sizes(c))])

    row: dict[str, Any] = {"metric": metric, "law": law, "N": n, "C": c, "positives": n // 2}
    return Setting(f"families, {metric} {law} N={n} C={c}", metric, draw, row)


def _joined(parts: list[Simulated]) -> Simulated:
    """Configurations of both, of the same samples, in one matrix; they err independently."""
    first, performances = parts[0], np.concatenate([one.performances for one in parts])
    matrix = replace(
        first.matrix,
        predictions=np.concatenate([one.matrix.predictions for one in parts], axis=2),
        configurations=tuple(f"c{c}" for c in range(len(performances))),
    )
    return Simulated(matrix, performances, first.metric, first.draw)


def _few_better(few: int, many: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(few, BASE + 0.05), np.full(many, BASE)


def _many_better(few: int, many: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(few, BASE), np.full(many, BASE + 0.05)


def _equal(few: int, many: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(few, BASE), np.full(many, BASE)


def _one_each(few: int, many: int) -> tuple[np.ndarray, np.ndarray]:
    return np.append(0.9, np.full(few - 1, BASE)), np.append(np.full(many - 1, BASE), 0.9)


def _one_as_good(few: int, many: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(few, BASE), np.append(np.full(many - 1, BASE - 0.2), BASE)
