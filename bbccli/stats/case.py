"""The input and the output of a method: a case and an answer."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from bbccli.domain.estimate import (
    Distribution,
    DropTrace,
    Interval,
    MonteCarloError,
    SelectionShare,
)
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.domain.source import Opened
from bbccli.metrics.base import Metric
from bbccli.metrics.capped import measuring
from bbccli.notes import Note
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress, enter, silent
from bbccli.stats.selection import Choice, SelectionRule, choose, rule_of
from bbccli.stats.selection.candidates import Candidates, cached, candidates
from bbccli.types import FloatArray, Pooling

if TYPE_CHECKING:
    from bbccli.stats.making.made import Maker


@dataclass(frozen=True, eq=False)
class Case:
    """The question put to a method; what methods share is computed when first needed.

    matrix: out-of-sample predictions of C configurations on N samples.
    metric, selector: measures; selects. They are the same object unless two metrics are asked for.
    plan: resamples, interval, pooling, seed. Threads and memory are those in force (`resources`).
    method: name of the method, for its messages.
    progress: called with the resamples done and wanted.
    maker: of what is made in each bag; the matrix is then what it made of all samples, of one
        configuration.
    """

    matrix: PredictionMatrix
    metric: Metric
    selector: Metric
    plan: Plan
    method: str = ""
    progress: Progress = silent
    maker: Maker | None = None

    def enter(self, work: str) -> None:
        """Say that the method comes to some work, such as `resampling`."""
        enter(self.progress, f"{work} {self.method}".rstrip())

    @cached_property
    def choice(self) -> Choice:
        """The winner on all samples, and its naive figure: the same for all methods of a plan."""
        asked = self.metric, self.selector, self.plan
        return cached(self.matrix, ("choice", *asked), lambda: choose(self.matrix, *asked))

    @cached_property
    def rule(self) -> SelectionRule:
        """The rule of selection."""
        return rule_of(self.matrix, self.selector, self.plan)

    @property
    def judged(self) -> Candidates:
        """The configurations under the metric that selects."""
        return candidates(self.matrix, self.selector, self.plan.pooling)

    @property
    def measured(self) -> Candidates:
        """The configurations under the metric that measures."""
        return candidates(self.matrix, self.metric, self.measuring)

    @property
    def one_scale(self) -> bool:
        """True if the figures that select are those that measure."""
        return self.metric is self.selector and self.measuring is self.plan.pooling

    @property
    def measuring(self) -> Pooling:
        """The pooling of the metric that measures."""
        return measuring(self.metric, self.plan)

    @property
    def bounded(self) -> Metric:
        """The metric with the bounds that this outcome gives it."""
        return self.metric.within(self.matrix.outcome)

    def on(self, matrix: PredictionMatrix) -> Case:
        """Ask the same of another matrix."""
        return replace(self, matrix=matrix)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A method's result, from which the runner makes the `Estimate`.

    value, interval, distribution, notes: as in `Estimate`, without the notes on the choice.
    choice: winner and naive figure, if not those of all samples.
    error, n_resamples, selection, n_evaluation, n_preselected, drop_trace, size_correction,
        opened: as in `Estimate`.
    shares (B, C), optional: of the configurations in what was made in each bag.
    """

    value: float
    interval: Interval | None = None
    distribution: Distribution | None = None
    notes: tuple[Note, ...] = ()
    choice: Choice | None = None
    error: MonteCarloError | None = None
    n_resamples: int | None = None
    selection: tuple[SelectionShare, ...] = ()
    n_evaluation: int | None = None
    n_preselected: int | None = None
    drop_trace: DropTrace | None = None
    size_correction: float | None = None
    shares: FloatArray | None = None
    opened: Opened | None = None


def maker_of(matrix: PredictionMatrix, metric: Metric, plan: Plan) -> Maker | None:
    """Return what makes the predictions that a plan asks for; None where one is only selected.

    metric: that selects.
    Raises UnsupportedError: predictions of which no mean can be taken, or that have no cut.
    """
    if not plan.makes:
        return None
    from bbccli.stats.making.rules import maker

    key = ("made", metric, plan.rule, plan.pooling, plan.calibrate, plan.cut)
    return cached(matrix, key, lambda: maker(matrix, metric, plan))
