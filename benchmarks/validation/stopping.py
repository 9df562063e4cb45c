"""Errors of estimates of boosting that stopped where the fold that scores it was best.

A repetition draws N samples of a population and boosts in 5 folds, in 4 configurations of at most
60 stages, by LightGBM. Each model stops at its best stage in the fold that scores it. The truth is
that of the models of single folds on 4000 new samples. Beside it stand the mean over folds, less
what stopping added by the choice of the other folds, and two ways that are honest: all stages as
configurations, and stopping on a fifth of the training samples. Last, one that isn't: the best
stage of each configuration alone.
"""

import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from bbccli import METHODS, Plan, PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.source import FoldCurves, Source, ToolRun
from bbccli.errors import UndefinedError
from bbccli.types import PredictionKind, Task
from benchmarks.tables import Row
from benchmarks.validation.kept import Kept, Result, Study
from benchmarks.validation.made import (
    N_FOLDS,
    N_NEW,
    N_RESAMPLES,
    POPULATIONS,
    Draw,
    friedman,
    means_of,
)
from benchmarks.validation.page import table

METRICS = ("log-loss", "auc")
N_STAGES = 60
CONFIGURATIONS = ((0.1, 1), (0.1, 3), (0.3, 1), (0.3, 2))
"""Learning rate and depth."""


def losses(metric: str, truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Loss of each row of predictions (..., n): less is better."""
    match metric:
        case "log-loss":
            p = np.clip(predicted, 2**-23, 1 - 2**-23)
            return -np.log(np.where(truth == 1, p, 1 - p)).mean(axis=-1)
        case _:
            ranks, n = stats.rankdata(predicted, axis=-1), int(truth.sum())
            above = ranks[..., truth == 1].sum(axis=-1) - n * (n + 1) / 2
            return 1 - above / (n * (len(truth) - n))


def boosted(x: np.ndarray, y: np.ndarray, rate: float, depth: int, seed: int) -> Any:
    """Return a booster of all stages."""
    import lightgbm

    options = {
        "objective": "binary",
        "learning_rate": rate,
        "max_depth": depth,
        "num_leaves": 2**depth,
        "min_data_in_leaf": 5,
        "seed": seed,
        "num_threads": 1,
        "verbosity": -1,
    }
    data = lightgbm.Dataset(x, y, params={"min_data_in_bin": 1, "verbosity": -1})
    return lightgbm.train(options, data, N_STAGES)


def staged(booster: Any, x: np.ndarray) -> np.ndarray:
    """Predictions (S, n) after each stage; a booster that can't go on stays where it is."""
    leaves = booster.predict(x, pred_leaf=True).reshape(len(x), -1)
    grown = [
        np.array([booster.get_leaf_output(tree, leaf) for leaf in range(of.max() + 1)])[of]
        for tree, of in enumerate(leaves.T)
    ]
    raw = np.cumsum(grown, axis=0)
    raw = raw[np.minimum(np.arange(N_STAGES), len(raw) - 1)]
    return 1 / (1 + np.exp(-raw))


def trained(setting: Draw, number: int) -> dict[str, Any]:
    """Return stages of each configuration in each fold (C, F, S, n): of the fold, of new samples;
    and those of models without a fifth of their samples, of that fifth too.
    """
    from sklearn.model_selection import StratifiedKFold, train_test_split

    rng = np.random.default_rng([POPULATIONS.index(setting.population), setting.n, number, 52])
    x, y = setting.population(rng, setting.n)
    new, truth = setting.population(rng, N_NEW)
    folds = [*StratifiedKFold(N_FOLDS, shuffle=True, random_state=number).split(x, y)]
    parts = [
        train_test_split(train, test_size=0.2, random_state=number, stratify=y[train])
        for train, _ in folds
    ]
    found: dict[str, Any] = {"y": y, "truth": truth, "tests": [t for _, t in folds]}
    found |= {"parts": parts} | {name: [] for name in ("fold", "new", "less", "less new", "part")}
    for rate, depth in CONFIGURATIONS:
        rows: dict[str, list[np.ndarray]] = {
            name: [] for name in ("fold", "new", "less", "less new", "part")
        }
        for (train, test), (most, part) in zip(folds, parts, strict=True):
            model = boosted(x[train], y[train], rate, depth, number)
            rows["fold"].append(staged(model, x[test]))
            rows["new"].append(staged(model, new))
            model = boosted(x[most], y[most], rate, depth, number)
            rows["less"].append(staged(model, x[test]))
            rows["part"].append(staged(model, x[part]))
            rows["less new"].append(staged(model, new))
        for name, one in rows.items():
            found[name].append(one)
    return found


def matrix_of(
    found: dict[str, Any], columns: list[list[np.ndarray]], curves: tuple[FoldCurves, ...] = ()
) -> PredictionMatrix:
    """Return the matrix of columns, each given by fold."""
    y, tests = found["y"], found["tests"]
    out, fold = np.zeros((len(y), len(columns))), np.zeros(len(y), int)
    for f, test in enumerate(tests):
        fold[test] = f
        for c, column in enumerate(columns):
            out[test, c] = column[f]
    return PredictionMatrix(
        outcome=Outcome(Task.BINARY, y, ("0", "1")),
        predictions=out[None],
        configurations=tuple(f"model {c}" for c in range(len(columns))),
        kind=PredictionKind.PROBABILITY,
        folds=fold[None],
        fold_names=tuple(map(str, range(N_FOLDS))),
        source=Source(run=ToolRun(tool="study", curves=curves)),
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """Winner, and losses of `bbc`; what it took off for the stopping."""

    winner: int
    naive: float
    value: float
    lower: float
    upper: float
    off: float

    @classmethod
    def of(cls, matrix: PredictionMatrix, metric: str, pooling: str = "pooled") -> "Judged":
        """Run `bbc`; an area is turned into a loss."""
        plan = Plan(n_resamples=N_RESAMPLES, pooling=pooling)
        estimate = METHODS["bbc"].run(matrix, metric, plan)
        figures = (estimate.naive, estimate.value, estimate.interval.lower, estimate.interval.upper)
        naive, value, *ends = (1 - one if metric == "auc" else one for one in figures)
        winner = int(estimate.winner.split()[1])
        return cls(winner, naive, value, min(ends), max(ends), estimate.stopping or 0.0)


def stated(found: dict[str, Any], metric: str) -> dict[str, Any]:
    """Return the errors of all ways for a metric, too good is positive."""
    y, tests, truth = found["y"], found["tests"], found["truth"]
    models, folds = range(len(CONFIGURATIONS)), range(N_FOLDS)

    def chosen(of: Any) -> np.ndarray:
        return np.asarray(of).argmin(axis=2)

    of = np.array(
        [[losses(metric, y[tests[f]], found["fold"][c][f]) for f in folds] for c in models]
    )
    others = [[np.delete(of[c], f, 0).mean(axis=0) for f in folds] for c in models]
    in_part = [
        [losses(metric, y[found["parts"][f][1]], found["part"][c][f]) for f in folds]
        for c in models
    ]
    own, told, inner = chosen(of), chosen(others), chosen(in_part)
    shared = [np.full(N_FOLDS, s) for s in range(N_STAGES)]
    ways = {
        "stopped": ("fold", "new", [(c, own[c]) for c in models]),
        "told": ("fold", "new", [(c, told[c]) for c in models]),
        "inner": ("less", "less new", [(c, inner[c]) for c in models]),
        "fixed": ("fold", "new", [(c, s) for c in models for s in shared]),
        "kept": ("fold", "new", [(c, shared[of[c].mean(axis=0).argmin()]) for c in models]),
    }
    result: dict[str, Any] = {}
    for way, (out, new, columns) in ways.items():

        def true(
            winner: int, new: str = new, columns: list[tuple[int, np.ndarray]] = columns
        ) -> float:
            c, stage = columns[winner]
            return float(
                np.mean([losses(metric, truth, found[new][c][f][stage[f]]) for f in folds])
            )

        parts = [[found[out][c][f][s[f]] for f in folds] for c, s in columns]
        at = Judged.of(matrix_of(found, parts), metric)
        result |= {
            f"{way} naive": true(at.winner) - at.naive,
            f"{way} bbc": true(at.winner) - at.value,
            f"{way} in": at.lower <= true(at.winner) <= at.upper,
            f"{way} true": true(at.winner),
        }
        if way != "stopped":
            continue
        scores = 1 - of if metric == "auc" else of
        curves = tuple(
            FoldCurves(id=f"model {c}", metric=metric, folds=tuple(map(tuple, scores[c].tolist())))
            for c in models
        )
        at = Judged.of(matrix_of(found, parts, curves), metric, "fold-mean")
        result |= {
            "added": at.off,
            "folds": true(at.winner) - at.value + at.off,
            "folds in": at.lower - at.off <= true(at.winner) <= at.upper - at.off,
            "less": true(at.winner) - at.value,
            "less in": at.lower <= true(at.winner) <= at.upper,
        }
    return {f"{metric} {name}": one for name, one in result.items()}


def repetition(setting: Draw, number: int) -> Result:
    """Return what is stated of each metric."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, result = trained(setting, number), dict[str, Any]()
        for metric in METRICS:
            with suppress(UndefinedError):  # an area in a fold of one class
                result |= stated(found, metric)
        return result


def settings() -> list[Draw]:
    """The populations of two classes, in three sizes."""
    return [Draw(one, n) for n in (60, 150, 400) for one in POPULATIONS if one is not friedman]


COLUMNS = {
    "naive": "stopped naive",
    "bbc": "stopped bbc",
    "inclusion": "stopped in",
    "mean over folds": "folds",
    "its inclusion": "folds in",
    "less the stopping": "less",
    "then inclusion": "less in",
    "stages as configurations": "fixed bbc",
    "of these": "fixed in",
    "best stage alone": "kept bbc",
    "of that": "kept in",
    "stopped inside": "inner bbc",
    "of this": "inner in",
}
"""Columns of the table, and what each states."""


def block(store: Kept) -> str:
    """Bias and inclusion of each metric, over the populations."""
    rows: list[Row] = []
    for metric in METRICS:
        for n in (60, 150, 400):
            of_size = (one for one in settings() if one.n == n)
            row = means_of(store, of_size, metric, "less in", COLUMNS)
            del row["populations"]
            rows.append({"metric": metric, "N": n} | row)
    title = "Early stopping on the scoring fold: too good by, and inclusion of 95% intervals"
    return table(title, ("metric", "N", "studies"), rows)


STUDY = Study("stopping", settings, repetition, statement=2)
