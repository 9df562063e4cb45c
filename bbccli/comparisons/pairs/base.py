"""A test of fixed configurations: its input, its requirements, and its run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from bbccli.comparisons.adjustment import verdict_by_p
from bbccli.comparisons.records import Comparison
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import BbcError, OptionError, UndefinedError, UnsupportedError, parameter
from bbccli.metrics.base import MeanScorer, Metric, Scorer
from bbccli.metrics.capped import attainable, check_below_range, measuring, with_plan
from bbccli.metrics.ranking import AUC
from bbccli.notes import Note, listing
from bbccli.notes.comparisons import identical_predictions, undefined_test
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress, silent
from bbccli.platform.text import count
from bbccli.stats.bootstrap.differences import as_difference
from bbccli.stats.selection.candidates import by_repeat, candidates, folds_of
from bbccli.stats.selection.pooling import mean_behind
from bbccli.types import TIE_TOLERANCE, BoolArray, FloatArray, IntArray, Pooling, Task, distinct

EVERY_TASK = frozenset(Task)

LABELLED = frozenset({Task.BINARY, Task.MULTICLASS, Task.SCORE})
"""Tasks whose samples can be right or wrong."""


@dataclass(frozen=True, eq=False)
class PairCase:
    """Input of a test: M configurations, two of them unless it compares several.

    matrix: out-of-sample predictions of C configurations on N samples.
    metric, plan: measures; level, side, pooling, resamples and seed.
    configurations: M columns of the matrix, all different.
    rope: differences up to this count as none, >= 0; for Bayesian tests.
    test: name of the test, for its messages.
    progress: called with the draws done and wanted.
    """

    matrix: PredictionMatrix
    metric: Metric
    plan: Plan
    configurations: tuple[int, ...]
    rope: float = 0.0
    test: str = ""
    progress: Progress = silent

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the M configurations."""
        return tuple(self.matrix.configurations[c] for c in self.configurations)

    @property
    def columns(self) -> IntArray:
        """Columns to bind, each once and ascending: the first ones of a matrix are then views."""
        return np.unique(self.configurations)

    @property
    def places(self) -> IntArray:
        """(M,) place of each configuration among `columns`."""
        return np.searchsorted(self.columns, np.array(self.configurations))

    @property
    def unit(self) -> str:
        """Word for the independent units of the matrix."""
        return "sample" if self.matrix.groups is None else "group"

    @cached_property
    def scorer(self) -> Scorer:
        """Scores the `columns`, under the pooling of the plan."""
        return candidates(self.matrix, self.metric, self.plan.pooling).bind(self.columns)

    @cached_property
    def correct(self) -> MeanScorer | None:
        """Scorer of the `columns` in the first repeat, if it is the mean of a yes or no."""
        mean = mean_behind(by_repeat(self.matrix, self.metric, self.columns)[0])
        return mean if mean is not None and mean.share else None

    @property
    def in_common(self) -> BoolArray:
        """(N,) samples that all M configurations predict in the first repeat."""
        available = self.matrix.available
        if available is None:
            return np.ones(self.matrix.n_samples, bool)
        return np.asarray(available[0][:, self.configurations].all(axis=1))

    def score(self, weights: IntArray | FloatArray) -> FloatArray:
        """Score weights (B, N) on the M configurations, in their order: (B, M).

        A scorer that is given all of its columns takes them in its own order.
        """
        scores: FloatArray = self.scorer(weights)[:, self.places]  # type: ignore[arg-type]
        return scores

    @cached_property
    def values(self) -> FloatArray:
        """(M,) performances as measured.

        Raises UndefinedError: one of them is undefined.
        """
        values: FloatArray = self.score(np.ones((1, self.matrix.n_samples), np.uint8))[0]
        undefined = np.flatnonzero(np.isnan(values))
        if len(undefined):
            raise UndefinedError(
                f"{self.metric.label} of {self.names[undefined[0]]} is undefined on these samples",
                hint="give another --metric; see bbc metrics",
            )
        return values

    @property
    def difference(self) -> float:
        """Return the measured lead of the first over the second."""
        return self.gain(self.values)

    @property
    def rounding(self) -> float:
        """Differences up to this are rounding."""
        return TIE_TOLERANCE * float(np.abs(self.values).max())

    @property
    def bounded(self) -> Metric:
        """The metric of differences, whose side and bounds their intervals take."""
        return as_difference(self.metric.within(self.matrix.outcome))

    @cached_property
    def identical(self) -> bool:
        """True if all make the same predictions, wherever they predict."""
        predictions = self.matrix.as_kind(self.metric.wants, self.columns)
        available = self.matrix.available
        there = np.ones(predictions.shape[:3], bool)
        if available is not None:
            there = available[:, :, self.columns]
        if not np.equal(there, there[:, :, :1]).all():
            return False
        same = predictions == predictions[:, :, :1]
        same = same.all(axis=-1) if same.ndim == 4 else same
        return bool((same | ~there).all())

    def gain(self, values: FloatArray) -> float:
        """Return the lead of the first of some performances (M,) over the second."""
        return float(self.metric.direction.gain(values[0], values[1])) + 0.0

    def gains(self, values: FloatArray) -> FloatArray:
        """The same of performances (B, 2): (B,), 0 where it is rounding."""
        gains = np.asarray(self.metric.direction.gain(values[:, 0], values[:, 1]))
        return np.where(np.abs(gains) <= self.rounding, 0.0, gains)

    def result(
        self, *, values: FloatArray | None = None, notes: tuple[Note, ...] = (), **fields: Any
    ) -> Comparison:
        """Return the result of a test, from its `fields` of a `Comparison`.

        values (M,), optional: performances if not those of the case, such as on the common samples.
        """
        values = self.values if values is None else values
        two = len(self.configurations) == 2
        difference = self.gain(values) if two else None
        if two and self.identical:
            notes = (*notes, identical_predictions(*self.names))
        p, beliefs = fields.get("p"), fields.get("beliefs")
        return Comparison(
            first=self.names[0] if two else ", ".join(self.names),
            second=self.names[1] if two else "",
            metric=self.metric.name,
            test=self.test,
            first_value=float(values[0]) if two else None,
            second_value=float(values[1]) if two else None,
            difference=difference,
            ignores_selection=True,
            verdict=verdict_by_p(difference, p, 1 - self.plan.level, beliefs),
            notes=notes,
            compared=() if two else self.names,
            **fields,
        )

    def undefined(self, why: str, remedy: str = "", **fields: Any) -> Comparison:
        """Return a result without a p-value, and the reason."""
        return self.result(notes=(undefined_test(self.test, why, remedy),), **fields)


class PairNeed(StrEnum):
    """Requirements of a test beside predictions and outcome."""

    YES_OR_NO = "yes-or-no"
    """A metric that is the share of samples that are right, or wrong."""
    AUC = "auc"
    """The AUC of two classes."""
    ONE_REPEAT = "one-repeat"
    IN_COMMON = "in-common"
    """Samples that all of the configurations predict."""
    UNGROUPED = "ungrouped"
    UNWEIGHTED = "unweighted"
    FOLDS = "folds"
    """Parts of the samples: folds, or what the repeats of a hold-out hold out."""
    FIVE_BY_TWO = "five-by-two"
    """Exactly five repeats of two folds."""


OF_SHARES = frozenset(
    {
        PairNeed.YES_OR_NO,
        PairNeed.ONE_REPEAT,
        PairNeed.IN_COMMON,
        PairNeed.UNGROUPED,
        PairNeed.UNWEIGHTED,
    }
)
"""What tests of shares require."""

WHATEVER = f"{parameter('test')} wald or permutation"


def unmet(need: PairNeed, pair: PairCase) -> tuple[type[BbcError], str, str] | None:
    """Return the error, its text and its hint where a case does not meet a test's needs."""
    matrix, metric, n_folds = pair.matrix, pair.metric.label, pair.matrix.n_folds or 0
    lack: tuple[type[BbcError], str, str] | None = None
    match need:
        case PairNeed.YES_OR_NO if pair.correct is None:
            of_shares = "is for shares of samples, such as accuracy and error"
            text = f"{of_shares}; {metric} is not one of them"
            lack = UnsupportedError, text, f"{WHATEVER}, which take every metric"
        case PairNeed.AUC if pair.metric.name != AUC.name:
            text = f"is for the AUC of two classes, not for {metric}"
            lack = UnsupportedError, text, f"{WHATEVER}, which take every metric"
        case PairNeed.ONE_REPEAT if matrix.n_repeats > 1:
            text = f"takes one prediction per sample, but there are {matrix.n_repeats} repeats"
            lack = UnsupportedError, text, f"{WHATEVER}, which average over repeats"
        case PairNeed.IN_COMMON if not pair.in_common.any():
            none = f"{listing(pair.names)} have none in common"
            text = f"compares the samples that all of its configurations predict; {none}"
            hint = f"{WHATEVER}, which score each on the samples that it predicts"
            lack = UndefinedError, text, hint
        case PairNeed.UNGROUPED if matrix.groups is not None:
            text = "assumes independent samples, but these come in groups"
            lack = UnsupportedError, text, f"{WHATEVER}, which take whole groups"
        case PairNeed.UNWEIGHTED if matrix.outcome.weights is not None:
            lack = UnsupportedError, "takes no sample weights", f"{WHATEVER}, which take them"
        case PairNeed.FOLDS if matrix.folds is None and not matrix.repeated_holdout:
            hint = "add a fold column (--fold NAME) or a folds file (--folds FILE)"
            lack = UndefinedError, "needs to know the fold of each sample", hint
        case PairNeed.FOLDS if n_folds < 2 and not matrix.repeated_holdout:
            lack = UndefinedError, "needs at least two folds; there is one", WHATEVER
        case PairNeed.FIVE_BY_TWO:
            holdout = matrix.repeated_holdout
            if holdout or [len(distinct(row)) for row in folds_of(matrix)] != [2] * 5:
                design = f"of {'a hold-out' if holdout else count(n_folds, 'fold')}"
                there = f"{count(matrix.n_repeats, 'repeat')} {design}"
                verb = "is" if matrix.n_repeats == 1 else "are"
                text = f"needs exactly 5 repeats of 2 folds; there {verb} {there}"
                lack = UndefinedError, text, "corrected-t, for any number of repeats and folds"
    return lack


@dataclass(frozen=True, slots=True)
class PairTest:
    """A test of whether configurations that were named beforehand perform alike.

    name: name on the command line.
    answer: the function: a case in, its `PairCase.result` out.
    reference: for the page of a comparison; the documentation is the docstring of the module.
    for_tasks: tasks it is for.
    needs: its needs of the data, checked before the run.
    several: True if it compares any number at once, instead of two.
    pooling: pooling of its performances, whatever the plan says; None for the plan's.
    of_influence: True if `max-t` can adjust it: a statistic of influence values.
    bayesian: True if it gives beliefs instead of a p-value.
    """

    name: str
    answer: Callable[[PairCase], Comparison]
    reference: str
    for_tasks: frozenset[Task] = EVERY_TASK
    needs: frozenset[PairNeed] = frozenset()
    several: bool = False
    pooling: Pooling | None = None
    of_influence: bool = False
    bayesian: bool = False

    def run(self, case: PairCase) -> Comparison:
        """Compare the configurations of a case.

        Raises UnsupportedError: a metric, a task or a kind of data that the test is not for.
        Raises UndefinedError: the matrix lacks what the test needs, or the metric is undefined.
        Raises OptionError: a rope that is negative, or as wide as any difference.
        """
        case = self.prepared(case)
        self.check(case)
        return self.answer(case)

    def prepared(self, case: PairCase) -> PairCase:
        """Return the case as this test takes it: pooling, clipping, and its name."""
        pooling = self.pooling or measuring(case.metric, case.plan)
        metric = with_plan(case.metric, case.plan)
        plan = replace(case.plan, pooling=pooling, selection=None)
        return replace(case, test=self.name, metric=metric, plan=plan)

    def check(self, case: PairCase) -> None:
        """Raise unless the test fits the data; see `run`."""
        if not case.rope >= 0:
            raise OptionError(
                f"{parameter('rope')} is {case.rope:g}", hint="0 or more, in the metric's unit"
            )
        bounds = attainable(case.metric, case.matrix.outcome)
        check_below_range("rope", case.rope, case.metric.label, bounds)
        if case.matrix.task not in self.for_tasks:
            tasks = ", ".join(sorted(self.for_tasks))
            raise UnsupportedError(
                f"{self.name} is for {tasks} tasks; this one is {case.matrix.task}",
                hint=f"{WHATEVER}, which take every metric",
            )
        for need in PairNeed:  # in their order, whatever that of the set
            if need in self.needs and (lack := unmet(need, case)):
                error, text, hint = lack
                raise error(f"{self.name} {text}", hint=hint)
