"""Studies: rows drawn from a population, configurations cross-validated on them, and their truth.

1. Draw N rows: with the population's shares of the classes, or as many rows of each group.
2. Cross-validate every configuration: 5 or 10 folds, at most as many as the rarest class has rows;
   groups stay together. With repeats, again with other folds.
3. Truth: train every configuration on all N rows, and score it on other rows, at most 3,000
   (10,000 of values and of rare classes, 1,500 of survival), of other groups.

All of it depends on the population, N and the number of the repetition alone. Matrices are kept in
a cache, as training takes longer than judging.
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.metrics.base import Scorer
from bbccli.metrics.capped import cap_of
from bbccli.types import PredictionKind, Task
from benchmarks.bank.judged_by import CAP, is_capped, metric_of
from benchmarks.bank.learners import predictions
from benchmarks.bank.populations import BY_NAME, RARE, Population
from benchmarks.bank.tables import Array, Rows
from benchmarks.bank.training import training

MOST_OTHERS = {Task.REGRESSION: 10_000, Task.SURVIVAL: 1500}
"""Rows that measure the truth; of classes 3,000, or as many as of values where one is rare."""


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A trained study.

    Attributes
    ----------
    matrix
        Out-of-sample predictions of all configurations.
    truths
        Performances (C,) on other rows, by metric.
    """

    matrix: PredictionMatrix
    truths: dict[str, Array]


@cache
def population_rows(name: str) -> Rows:
    """All rows of a population, read once."""
    return BY_NAME[name].load()


def study(population: Population, size: int, repetition: int, folder: Path) -> Study:
    """Read the study of these numbers, or train and keep it."""
    path = folder / population.name / f"{size}-{repetition}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(unfinished, **trained(population, size, repetition))
        unfinished.replace(path)
    with np.load(path) as arrays:
        names = tuple(str(name) for name in arrays["names"])
        parts = {name: arrays[name] for name in PARTS if name in arrays}
        matrix = matrix_of(population.task, names, **parts)
        metrics = (*population.metrics, *population.more)
        return Study(matrix, {name: arrays[name] for name in metrics})


def trained(population: Population, size: int, repetition: int) -> dict[str, Any]:
    """The arrays of a study: predictions (R, N, C) or (R, N, C, K), folds (R, N), truths (C,)."""
    rows = population_rows(population.name)
    rng = np.random.default_rng([crc32(population.name.encode()), size, repetition])
    drawn, others = (rows.take(part) for part in split(population, rows, size, rng))
    folds = np.stack([folds_of(population, drawn, rng) for _ in range(population.repeats)])
    inside = np.stack([_cross_validated(population, drawn, of_repeat) for of_repeat in folds])
    fitted = _predicted(population, drawn, others)
    arrays = _outcome_arrays(others)
    arrays["predictions"] = _stacked(population, fitted)[None]
    truth = matrix_of(population.task, tuple(fitted), **arrays)
    everything = np.ones((1, len(others)), np.uint8)
    metrics = (*population.metrics, *population.more)
    scorers = {name: truth_scorer(name, truth, drawn) for name in metrics}
    return {
        "names": np.array(list(fitted)),
        "predictions": inside.astype(np.float32),
        "folds": folds.astype(np.int16),
        **_outcome_arrays(drawn),
        **{name: scorer(everything)[0] for name, scorer in scorers.items()},
    }


def truth_scorer(name: str, truth: PredictionMatrix, drawn: Rows) -> Scorer:
    """The scorer of the truth; the cap is that of the study."""
    metric = metric_of(name)
    predictions = truth.as_kind(metric.wants)[0]
    if is_capped(name):
        cap = cap_of(Outcome(Task.REGRESSION, drawn.outcome.astype(float)), CAP)
        values = truth.outcome.values[:, None]
        predictions = np.clip(predictions, values - cap, values + cap)
    return metric.bind(truth.outcome, predictions)


PARTS = ("outcome", "event", "groups", "folds", "predictions")


def _outcome_arrays(rows: Rows) -> dict[str, Any]:
    arrays = {"outcome": rows.outcome, "event": rows.event, "groups": rows.groups}
    return {name: one for name, one in arrays.items() if one is not None}


def split(population: Population, rows: Rows, size: int, rng: Generator) -> tuple[Array, Array]:
    """Positions of the rows of a study, and of those that measure the truth."""
    if population.per_group and rows.groups is not None:
        drawn, others = _of_groups(population, rows.groups, size, rng)
    elif population.task.is_classification:
        drawn = _stratified(rows.outcome.astype(int), size, rng)
        others = np.setdiff1d(np.arange(len(rows)), drawn)
    else:
        order = rng.permutation(len(rows))
        drawn, others = order[:size], order[size:]
    alike = Task.REGRESSION if population.metrics == RARE else population.task
    most = MOST_OTHERS.get(alike, 3000)
    if len(others) > most:
        others = rng.choice(others, most, replace=False)
    return np.sort(drawn), np.sort(others)


def _of_groups(
    population: Population, groups: Array, size: int, rng: Generator
) -> tuple[Array, Array]:
    """Some rows of each of some groups; and all rows of the other groups."""
    large = np.flatnonzero(np.bincount(groups) >= population.per_group)
    chosen = rng.choice(large, size // population.per_group, replace=False)
    drawn = [
        rng.choice(np.flatnonzero(groups == group), population.per_group, replace=False)
        for group in chosen
    ]
    return np.concatenate(drawn), np.flatnonzero(~np.isin(groups, chosen))


def _stratified(classes: Array, size: int, rng: Generator) -> Array:
    """Rows with the shares of the classes, rounded so that they add up; two of each at least."""
    ideal = np.bincount(classes) * size / len(classes)
    counts = np.maximum(np.floor(ideal).astype(int), 2)
    while counts.sum() < size:
        counts[np.argmax(ideal - counts)] += 1
    while counts.sum() > size:
        counts[np.argmax(counts)] -= 1
    parts = [
        rng.choice(np.flatnonzero(classes == k), count, replace=False)
        for k, count in enumerate(counts)
    ]
    return np.concatenate(parts)


def folds_of(population: Population, drawn: Rows, rng: Generator) -> Array:
    """Fold of each row (N,): of whole groups, or of each class in turn."""
    size = len(drawn)
    n_folds = population.n_folds
    if drawn.groups is not None:
        units, of_row = np.unique(drawn.groups, return_inverse=True)
        return np.asarray((rng.permutation(len(units)) % n_folds)[of_row])
    order = rng.permutation(size)
    if population.task.is_classification:
        classes = drawn.outcome.astype(int)
        n_folds = min(n_folds, int(np.bincount(classes).min()))
        order = order[np.argsort(classes[order], kind="stable")]
    folds = np.empty(size, int)
    folds[order] = np.arange(size) % n_folds
    return folds


def _cross_validated(population: Population, drawn: Rows, folds: Array) -> Array:
    """Out-of-sample predictions (N, C) or (N, C, K)."""
    predictions: Any = None
    for fold in range(int(folds.max()) + 1):
        held_out = np.flatnonzero(folds == fold)
        inside = drawn.take(np.flatnonzero(folds != fold))
        fold_predictions = _stacked(
            population, _predicted(population, inside, drawn.take(held_out))
        )
        predictions = (
            np.empty((len(drawn), *fold_predictions.shape[1:]))
            if predictions is None
            else predictions
        )
        predictions[held_out] = fold_predictions
    return np.asarray(predictions)


def _predicted(population: Population, inside: Rows, new: Rows) -> dict[str, Array]:
    """Predictions of every configuration for some rows, trained on others."""
    target, n_classes = inside.outcome, 0
    if population.task.is_classification:
        n_classes = 1 + int(population_rows(population.name).outcome.max())
        target = target.astype(int)
    elif inside.event is not None:
        target = martingale_residuals(inside.outcome, inside.event)
    return predictions(training(inside.features, target, new.features, n_classes))


def martingale_residuals(times: Array, event: Array) -> Array:
    """Events seen minus events expected of everybody alike (n,): what a risk explains.

    Regressions of them rank risks without a model of survival (Therneau, Grambsch & Fleming 1990).
    """
    order = np.argsort(times, kind="stable")
    at_risk = len(times) - np.searchsorted(times[order], times[order], side="left")
    hazard = np.cumsum(event[order] / at_risk)
    last = np.searchsorted(times[order], times[order], side="right") - 1
    expected = np.empty(len(times))
    expected[order] = hazard[last]
    return np.asarray(event - expected)


def _stacked(population: Population, fitted: dict[str, Array]) -> Array:
    """Predictions (m, C) or (m, C, K); of two classes those of the second."""
    stacked = np.stack(list(fitted.values()), axis=1)
    return stacked[..., 1] if population.task is Task.BINARY else stacked


def matrix_of(task: Task, names: tuple[str, ...], **arrays: Any) -> PredictionMatrix:
    """The matrix of the arrays of a study."""
    outcome, folds, groups = arrays["outcome"], arrays.get("folds"), arrays.get("groups")
    classes: tuple[str, ...] = ()
    if task.is_classification:
        outcome = outcome.astype(np.int64)
        classes = tuple(str(k) for k in range(int(outcome.max()) + 1))
    else:
        outcome = outcome.astype(float)
    kinds = {Task.REGRESSION: PredictionKind.VALUE, Task.SURVIVAL: PredictionKind.SCORE}
    return PredictionMatrix(
        Outcome(task, outcome, classes, arrays.get("event")),
        arrays["predictions"],
        names,
        kinds.get(task, PredictionKind.PROBABILITY),
        folds=None if folds is None else folds.astype(np.int64),
        fold_names=() if folds is None else tuple(str(f) for f in range(int(folds.max()) + 1)),
        groups=None if groups is None else np.unique(groups, return_inverse=True)[1],
        nested=arrays.get("nested"),
    )
