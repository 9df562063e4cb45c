"""Nested cross-validations of a few populations: inner folds are the other outer folds.

As in Bates, Hastie & Tibshirani 2023: models without folds i and j predict both, fold j inside the
training samples of i and fold i inside those of j. Repeated, as their spread asks for. Learners are
the neighbours and the trees, from stable to unstable, in a search of few configurations.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from bbccli.domain.matrix import NestedFold, PredictionMatrix
from benchmarks.bank import learners
from benchmarks.bank.judging import Question, Subject
from benchmarks.bank.learners import fitted_by
from benchmarks.bank.populations import BY_NAME, Population
from benchmarks.bank.searches import search
from benchmarks.bank.studies import folds_of, matrix_of, population_rows, split, truth_scorer
from benchmarks.bank.tables import Array, Rows
from benchmarks.bank.training import training

NAMES, SIZES = ("cells", "pension"), (60, 150)
"""Populations of two classes of the half for development; numbers of samples."""

METRICS_OF_MEANS = ("accuracy", "brier")

N_CONFIGURATIONS = 12
N_REPEATS = 10

FILE = "nested"
"""Name of the file of the store, and what stands before the name of a population."""

UNIT = 2e-4


@dataclass(frozen=True, slots=True)
class OfNested:
    """A repetition of a nested cross-validation."""

    population: Population
    size: int
    repetition: int

    @property
    def file(self) -> str:
        return FILE

    def questions(self) -> list[Question]:
        name = f"{FILE} {self.population.name}"
        given = name, self.size, self.repetition, N_CONFIGURATIONS
        return [
            Question(*given, metric, n_repeats=N_REPEATS, nested=True)
            for metric in METRICS_OF_MEANS
        ]

    def subjects(self, matrices: Path) -> Iterator[Subject]:
        matrix, truths = nested_study(self.population, self.size, self.repetition)
        for question in self.questions():
            yield Subject(question, matrix, truths[question.metric], UNIT)


def nested_items(n_repetitions: int) -> Iterator[OfNested]:
    """Repetition 0 of all, then repetition 1, and so on."""
    for repetition in range(n_repetitions):
        for name in NAMES:
            for size in SIZES:
                yield OfNested(BY_NAME[name], size, repetition)


def nested_study(
    population: Population, size: int, repetition: int
) -> tuple[PredictionMatrix, dict[str, Array]]:
    """A matrix with its nested folds, and the truths (C,) by metric."""
    rows = population_rows(population.name)
    rng = np.random.default_rng([crc32(FILE.encode() + population.name.encode()), size, repetition])
    drawn, others = (rows.take(part) for part in split(population, rows, size, rng))
    folds = np.stack([folds_of(population, drawn, rng) for _ in range(N_REPEATS)])
    pairs = [_inside(drawn, of_repeat) for of_repeat in folds]
    names, fitted = _fitted(drawn, others)
    truth = matrix_of(population.task, names, outcome=others.outcome, predictions=fitted[None])
    everything = np.ones((1, len(others)), np.uint8)
    truths = {name: truth_scorer(name, truth, drawn)(everything)[0] for name in METRICS_OF_MEANS}
    arrays: dict[str, Any] = {"outcome": drawn.outcome, "folds": folds}
    arrays["predictions"] = np.stack([outer for outer, _ in pairs])
    nested = tuple(_folds(folds, [inner for _, inner in pairs]))
    return matrix_of(population.task, names, **arrays, nested=nested), truths


def _fitted(inside: Rows, new: Rows) -> tuple[tuple[str, ...], Array]:
    """Names of the configurations, and their probabilities (m, C) of the second class."""
    data = training(inside.features, inside.outcome.astype(int), new.features, 2)
    predicted = fitted_by((learners.neighbours, learners.trees), data)
    chosen = search(list(predicted), N_CONFIGURATIONS)
    names = tuple(np.array(list(predicted))[chosen])
    return names, np.stack([predicted[name][:, 1] for name in names], axis=1)


def _inside(drawn: Rows, folds: Array) -> tuple[Array, Array]:
    """Predictions (N, C) without the fold of a row, and (K, N, C) without another fold too."""
    n_folds = int(folds.max()) + 1
    parts = [np.flatnonzero(folds == fold) for fold in range(n_folds)]
    outer = inner = np.empty(0)
    for i, j in combinations(range(-1, n_folds), 2):  # -1: without fold j alone
        without = [k for k in (i, j) if k >= 0]
        rows = np.concatenate([parts[k] for k in without])
        inside = np.flatnonzero(~np.isin(folds, without))
        _, predicted = _fitted(drawn.take(inside), drawn.take(rows))
        if not outer.size:
            n_columns = predicted.shape[1]
            outer = np.empty((len(folds), n_columns))
            inner = np.empty((n_folds, len(folds), n_columns))
        if i < 0:
            outer[rows] = predicted
        else:
            n_first = len(parts[i])
            inner[j, parts[i]], inner[i, parts[j]] = predicted[:n_first], predicted[n_first:]
    return outer, inner


def _folds(folds: Array, inner: list[Array]) -> Iterator[NestedFold]:
    """The outer folds of all repeats with their inner predictions."""
    for repeat, (of_row, of_repeat) in enumerate(zip(folds, inner, strict=True)):
        for fold in range(len(of_repeat)):
            inside, test = (np.flatnonzero((of_row == fold) == is_test) for is_test in (0, 1))
            others = [k for k in range(len(of_repeat)) if k != fold]
            yield NestedFold(
                str(fold),
                repeat,
                inside,
                test,
                of_repeat[fold][inside],
                np.searchsorted(others, of_row[inside]),
                tuple(str(k) for k in others),
            )
