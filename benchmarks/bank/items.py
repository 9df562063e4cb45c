"""Items to judge: repetitions of populations at each size, and of simulated settings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from bbccli.types import Models, Task
from benchmarks.bank.judged_by import CAPPED
from benchmarks.bank.judging import ONE_LEVEL, Question, Subject
from benchmarks.bank.populations import Population
from benchmarks.bank.results import LEVELS
from benchmarks.bank.searches import MAIN, SIZES, search
from benchmarks.bank.studies import population_rows, study
from benchmarks.validation.settings import Setting

TEN = "ten-folds"
"""Name of the file of all studies of 10 folds."""

SIMULATIONS = "simulations"
"""Name of the file of all simulated settings."""

UNIT = 2e-4
"""Unit of distances in the store, of figures between 0 and 1."""

SMALL = 40
"""Size of studies on which a few variants alone are judged."""

LOSS = 5e-4
"""The same of a loss, as a share of that of predicting the mean."""


POWERS = {"mse": 2, "rmse": 1, "mae": 1, "medae": 1}
"""Metrics in a power of the outcome's unit."""


class Item(Protocol):
    """A repetition."""

    @property
    def file(self) -> str:
        """Name of the file of the store."""

    def questions(self) -> list[Question]:
        """Its questions; nothing is trained or drawn for them."""

    def subjects(self, matrices: Path) -> Iterator[Subject]:
        """The questions with their predictions and truth."""


@dataclass(frozen=True, slots=True)
class OfPopulation:
    """A repetition of a size of a population."""

    population: Population
    size: int
    repetition: int

    @property
    def file(self) -> str:
        return TEN if self.population.n_folds == 10 else self.population.name

    def questions(self) -> list[Question]:
        population = self.population
        first = Question(
            population.name,
            self.size,
            self.repetition,
            MAIN,
            metric=population.metrics[0],
            n_repeats=population.repeats,
        )
        every = (*population.metrics, *population.more)
        if population.n_folds == 10:
            return [replace(first, metric=metric, ten_folds=True) for metric in every]
        if self.size == SMALL:
            return [replace(first, metric=metric, few=True) for metric in every]
        return [
            *(
                replace(
                    first,
                    search=n_configurations,
                    metric=metric,
                    main=n_configurations == MAIN,
                    levels=LEVELS if self._every_level(n_configurations) else ONE_LEVEL,
                )
                for n_configurations in SIZES
                for metric in population.metrics
            ),
            *(replace(first, metric=metric, few=True) for metric in population.more),
        ]

    def _every_level(self, n_configurations: int) -> bool:
        """Levels differ little in what they tell: a quarter of the repetitions will do."""
        return n_configurations == MAIN and self.repetition % 4 == 0

    def subjects(self, matrices: Path) -> Iterator[Subject]:
        trained = study(self.population, self.size, self.repetition, matrices)
        every = trained.matrix
        searches = {}
        for question in self.questions():
            columns = search(every.configurations, question.search)
            if question.search not in searches:
                searches[question.search] = replace(
                    every,
                    predictions=every.predictions[:, :, columns],
                    configurations=tuple(every.configurations[c] for c in columns),
                )
            yield Subject(
                question,
                searches[question.search],
                trained.truths[question.metric][columns],
                unit_of(self.population, question.metric),
            )


def unit_of(population: Population, metric: str) -> float:
    """Unit of distances in the store."""
    if population.task is not Task.REGRESSION:
        return LOSS if metric == "log-loss" else UNIT
    power = POWERS.get(metric.removeprefix(CAPPED))
    if power is None:
        return UNIT
    return LOSS * float(population_rows(population.name).outcome.std()) ** power


@dataclass(frozen=True, slots=True)
class OfSetting:
    """A repetition of a simulated setting; those of 2018 have few variants."""

    setting: Setting
    repetition: int

    @property
    def file(self) -> str:
        return SIMULATIONS

    def questions(self) -> list[Question]:
        one = self.setting
        size, search = one.row["N"], one.row["C"]
        question = Question(one.key, size, self.repetition, search, one.metric, not one.of_2018)
        return [replace(question, models=Models.FIXED)]

    def subjects(self, matrices: Path) -> Iterator[Subject]:
        simulated = self.setting.simulated(self.repetition)
        truths = np.asarray(simulated.performances)
        for question in self.questions():
            yield Subject(question, simulated.matrix, truths, UNIT)


def items(
    populations: Sequence[Population],
    settings: Sequence[Setting],
    n_repetitions: int,
    n_simulated: int,
) -> Iterator[Item]:
    """Repetition 0 of everything, then repetition 1, and so on; the many settings of 2018 last."""
    parts = [[one for one in settings if one.of_2018 == last] for last in (False, True)]
    for repetition in range(max(n_repetitions, n_simulated)):
        if repetition < n_repetitions:
            for population in populations:
                for size in population.sizes:
                    yield OfPopulation(population, size, repetition)
        if repetition < n_simulated:
            yield from (OfSetting(setting, repetition) for setting in parts[0])
    for repetition in range(n_simulated):
        yield from (OfSetting(setting, repetition) for setting in parts[1])
