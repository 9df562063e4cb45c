"""Judge variants on matrices whose truth is known."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError, UnsupportedError
from bbccli.methods import METHODS
from bbccli.methods.base import Need
from bbccli.types import Direction, Interval, MetricKind, Models, Side
from benchmarks.bank.judged_by import changes_of, metric_of
from benchmarks.bank.results import ENDS, MISSING, Key, encoded
from benchmarks.bank.tables import Array
from benchmarks.bank.variants import ON_NESTED, ON_TEN_FOLDS, Variant

N_RESAMPLES = 500

ONE_LEVEL = (0.95,)

SLOW_FOR_SURVIVAL = ("bbc-632plus", "bbcd")
"""They take seconds there, and are judged on the other tasks."""


@dataclass(frozen=True, slots=True)
class Question:
    """A metric of a search of a study.

    Attributes
    ----------
    population, size, repetition, search, metric
        As in the store.
    main
        Whether every variant is judged on it, or those alone that are judged everywhere.
    levels
        Of the intervals of those that are judged at every level.
    n_repeats
        Repeats of the cross-validation.
    models
        Whether models are trained between selection and use, or fixed as in simulations.
    nested
        Whether the cross-validation was a nested one.
    ten_folds
        Whether it has 10 folds instead of 5.
    few
        Whether a few variants alone are judged on it.
    """

    population: str
    size: int
    repetition: int
    search: int
    metric: str
    main: bool = True
    levels: tuple[float, ...] = ONE_LEVEL
    n_repeats: int = 1
    models: Models = Models.TRAINED
    nested: bool = False
    ten_folds: bool = False
    few: bool = False

    def key(self, variant: Variant) -> Key:
        """The key of a row in the store."""
        study = (self.population, self.size, self.repetition, self.search)
        return (*study, self.metric, *variant.key)

    @property
    def seed(self) -> int:
        """Seed of the resamples."""
        return crc32(f"{self.population} {self.size} {self.repetition}".encode())

    def missing(self, every: Sequence[Variant], stored: set[Key]) -> list[Variant]:
        """Variants that fit and are not in the store."""
        return [one for one in every if self._fits(one) and self.key(one) not in stored]

    def _fits(self, variant: Variant) -> bool:
        needs, metric = METHODS[variant.runs].needs, metric_of(self.metric)
        if self.nested or Need.NESTED in needs:
            return self.nested and variant.key in ON_NESTED
        unfit = (
            ("pooling" in variant.changes and not metric.of_pairs)
            or (Need.REPEATS in needs and self.n_repeats < 2)
            or (variant.simulated and self.models is not Models.FIXED)
            or (variant.method in SLOW_FOR_SURVIVAL and self.metric == "concordance")
            or (variant.sized and metric.kind is not MetricKind.OTHER)
        )
        if unfit:
            return False
        if self.ten_folds:
            return variant.key in ON_TEN_FOLDS
        return variant.always if self.few else variant.everywhere or self.main


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A question with the predictions of the search, and its truth.

    Attributes
    ----------
    truths : (C,)
        True performances.
    unit
        Of distances in the store.
    """

    question: Question
    matrix: PredictionMatrix
    truths: Array
    unit: float


def judged(subject: Subject, missing: Sequence[Variant]) -> Iterator[dict[str, Any]]:
    """One row for each variant."""
    for variant in missing:
        one = subject.question
        row: dict[str, Any] = {
            "population": one.population,
            "size": one.size,
            "repetition": one.repetition,
            "search": one.search,
            "metric": one.metric,
            "method": variant.method,
            "interval": variant.interval,
            "unit": subject.unit,
            "truth": np.nan,
            "estimate": MISSING,
        }
        row |= dict.fromkeys(ENDS, MISSING)
        with suppress(UndefinedError, UnsupportedError):  # a row without an estimate says so
            row |= _result(subject, variant)
        yield row


def _result(subject: Subject, variant: Variant) -> dict[str, Any]:
    """Truth of the variant's winner, estimate, and ends at all levels."""
    question, matrix = subject.question, subject.matrix
    method, metric = METHODS[variant.runs], metric_of(question.metric)
    plan = Plan(n_resamples=N_RESAMPLES, seed=question.seed, models=question.models)
    plan = replace(plan, **variant.changes, **changes_of(question.metric))
    row: dict[str, Any] = {}
    for level in question.levels if variant.every_level else ONE_LEVEL:
        for side in (Side.TWO, metric.direction.pessimistic()):
            estimate = method.run(matrix, metric, replace(plan, level=level, side=side))
            truth = float(subject.truths[matrix.configurations.index(estimate.winner)])
            row["truth"] = truth
            row["estimate"] = encoded(estimate.value - truth, subject.unit)
            if estimate.interval is None:
                return row
            row |= _ends(estimate.interval, metric.direction, truth, subject.unit)
    return row


def _ends(interval: Interval, direction: Direction, truth: float, unit: float) -> dict[str, int]:
    """The ends that were estimated, as distances from the truth."""
    percent = f"{interval.level:.0%}".rstrip("%")
    if interval.side is Side.TWO:
        ends = {f"lower_{percent}": interval.lower, f"upper_{percent}": interval.upper}
    else:
        lower = direction.pessimistic() is Side.LOWER
        ends = {f"one_{percent}": interval.lower if lower else interval.upper}
    return {name: encoded(end - truth, unit) for name, end in ends.items()}
