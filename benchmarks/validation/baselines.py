"""The winner against a baseline: which of three figures holds, and which shows the most.

- `corrected`: BBC of the difference, and percentiles of its resamples.
- `matched`: the same, with the spread of the estimate instead of that of a resample.
- `max-t`: the difference as measured, and the simultaneous interval of all configurations;
  `max-t, one side` are bounds that hold at the level each.

Where models are trained (as for learning curves, in 10 folds), the truth is that of the models
trained on all samples.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from zlib import crc32

import numpy as np
from numpy.random import Generator

from bbccli import METRICS, Plan, PredictionMatrix
from bbccli.comparisons.baseline import verdict_of
from bbccli.comparisons.influences import evidence_of
from bbccli.comparisons.records import Verdict
from bbccli.comparisons.simultaneous import against
from bbccli.domain.outcome import Outcome
from bbccli.planning.simulation import binormal, right_or_wrong
from bbccli.stats.bootstrap.differences import corrected_difference
from bbccli.stats.case import Case
from bbccli.types import IntervalKind, PredictionKind, Side, Task
from benchmarks.tables import Row
from benchmarks.validation.kept import Result
from benchmarks.validation.learning_curves import CANDIDATES, N_NEW, draw, predicted
from benchmarks.validation.summary import Figure, mean_of, rmse_of, share_of

PLAN = Plan(n_resamples=499)
FIGURES = ("corrected", "matched", "max-t", "max-t, one side")
N_FOLDS = 10
N_REPETITIONS = 600
PLAIN = CANDIDATES.index("ridge-1000-60")
"""Ridge regression on all variables: the baseline of trained studies."""

Drawn = tuple[PredictionMatrix, np.ndarray]
"""Predictions, and true performances (C,)."""


@dataclass(frozen=True, slots=True)
class Against:
    """A law of matrices with their truth, and the column of the baseline."""

    key: str
    metric: str
    row: dict[str, object]
    draw: Callable[[Generator], Drawn]
    baseline: int = 0
    n_repetitions: int = N_REPETITIONS


STEPS = "0.6 to 0.9, baseline 0.75"

LAWS: dict[str, Callable[[int], np.ndarray]] = {
    "all equal": lambda c: np.full(c, 0.8),
    "one as good, others 0.65": lambda c: np.append(np.full(2, 0.8), np.full(c - 2, 0.65)),
    "all better by 0.1": lambda c: np.append(0.7, np.full(c - 1, 0.8)),
    "one better by 0.1": lambda c: np.append(np.full(c - 1, 0.8), 0.9),
    STEPS: lambda c: np.append(0.75, np.linspace(0.6, 0.9, c - 1)),
}


def settings() -> list[Against]:
    """Fixed performances, then trained models with and without a signal."""
    cells = [
        *(("accuracy", "all equal", n, c, 0.0) for n in (40, 80, 300) for c in (2, 20, 100)),
        *(("auc", "all equal", 80, c, 0.0) for c in (2, 20, 100)),
        *(("accuracy", "all equal", n, 20, 0.8) for n in (80, 300)),
        *(("accuracy", "one as good, others 0.65", n, 20, 0.0) for n in (80, 200)),
        *(("accuracy", "all better by 0.1", n, c, 0.6) for n in (80, 300) for c in (2, 20, 100)),
        ("auc", "all better by 0.1", 80, 20, 0.6),
        *(("accuracy", "one better by 0.1", n, 20, 0.6) for n in (80, 300)),
        *(
            ("accuracy", "0.6 to 0.9, baseline 0.75", n, c, 0.6)
            for n in (80, 300)
            for c in (20, 100)
        ),
        ("auc", STEPS, 80, 20, 0.6),
    ]
    trained = [(n, gap) for gap in (0.0, 0.5) for n in (40, 80, 160)]
    return [*(_fixed(*cell) for cell in cells), *(_trained(*cell) for cell in trained)]


def _fixed(metric: str, law: str, n: int, c: int, alike: float) -> Against:
    make = binormal if metric == "auc" else right_or_wrong

    def drawn(rng: Generator) -> Drawn:
        simulated = make(LAWS[law](c), n, rng, correlation=alike)
        return simulated.matrix, simulated.performances

    row = {"metric": metric, "law": law, "N": n, "C": c, "r": alike}
    return Against(f"{metric} {law} N={n} C={c} r={alike:g}", metric, row, drawn)


def _trained(n: int, gap: float) -> Against:
    law = "trained, a signal" if gap else "trained, no signal"
    row = {"metric": "accuracy", "law": law, "N": n, "C": len(CANDIDATES), "r": "–"}  # noqa: RUF001
    return Against(f"{law} N={n}", "accuracy", row, partial(_cross_validated, n, gap), PLAIN, 300)


def _cross_validated(n: int, gap: float, rng: Generator) -> Drawn:
    """Labels of samples by models of the other folds, and accuracies of models of all samples."""
    x, classes = draw(rng, n, gap)
    folds = np.empty(n, int)
    folds[np.argsort(classes, kind="stable")] = np.arange(n) % N_FOLDS
    labels = np.empty((n, len(CANDIDATES)))
    for fold in range(N_FOLDS):
        inside = folds != fold
        labels[~inside] = predicted(x[inside], classes[inside], x[~inside])
    matrix = PredictionMatrix(
        *(Outcome(Task.BINARY, classes, ("0", "1")), labels[None], CANDIDATES),
        PredictionKind.LABEL,
        folds=folds[None],
        fold_names=tuple(str(fold) for fold in range(N_FOLDS)),
    )
    new, truth = draw(rng, N_NEW, gap)
    return matrix, (predicted(x, classes, new) == truth[:, None]).mean(axis=0)


def repetition(setting: Against, number: int) -> Result:
    """Tell of each figure whether its ends hold, what its verdict is, and how far off it is."""
    rng = np.random.default_rng([crc32(setting.key.encode()), number])
    matrix, truths = setting.draw(rng)
    plan, metric = replace(PLAN, seed=number), METRICS[setting.metric]
    case, other = Case(matrix, metric, metric, plan), setting.baseline
    winner = case.choice.winner
    if winner == other:
        return {"winner is baseline": True}
    truth = float(truths[winner] - truths[other])
    result: dict[str, float | bool] = {"winner is baseline": False}
    alone = matrix.of_configurations(np.array([other]))
    for name, kind in (("corrected", IntervalKind.PERCENTILE), ("matched", IntervalKind.MATCHED)):
        asked = replace(case, plan=replace(plan, interval=kind))
        found = corrected_difference(asked, asked.on(alone))
        ends = found.interval.lower, found.interval.upper
        result |= {**_of(name, ends, truth), "corrected: error": found.value - truth}
    for name, side in (("max-t", Side.TWO), ("max-t, one side", Side.LOWER)):
        of_all = against(evidence_of(matrix, metric, plan), other, replace(plan, side=side))
        ends = float(of_all.lower[winner]), float(of_all.upper[winner])
        result |= _of(name, ends, truth)
    return result | {"measured: error": float(of_all.differences[winner]) - truth}


def _of(name: str, ends: tuple[float, float], truth: float) -> Result:
    verdict = verdict_of(*ends, 0.0)
    better, worse = verdict is Verdict.BETTER, verdict is Verdict.WORSE
    return {
        f"{name}: holds": ends[0] <= truth + 1e-12 and ends[1] >= truth - 1e-12,
        f"{name}: better": better,
        f"{name}: wrong": (better and truth <= 0) or (worse and truth >= 0),
    }


def figures(results: list[Result]) -> Row:
    """Coverage of both ends, how often each says better and how often wrongly, bias and RMSE."""
    found = [one for one in results if not one["winner is baseline"]]
    row: Row = {}

    def share(name: str, among: list[Result]) -> Figure:
        return share_of(sum(one[name] for one in found), len(among))

    for name in FIGURES:
        row[f"{name}: both ends"] = share(f"{name}: holds", found)
    for name in FIGURES:
        said = (share(f"{name}: {what}", results) for what in ("better", "wrong"))
        row[f"{name}: better, wrong"] = ", ".join(map(str, said))
    for name in ("corrected", "measured"):
        errors = [one[f"{name}: error"] for one in found]
        row[f"{name}: bias, RMSE"] = f"{mean_of(errors)}, {rmse_of(errors)}"
    return row
