"""What `bbc correct` is asked for, and how it is answered: the same for one file and for many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bbccli import resources
from bbccli.documents import Document
from bbccli.errors import UndecidedError, UndefinedError, UnsupportedError
from bbccli.gate import Rule, judged, left_undecided, rule_of
from bbccli.matrix import PredictionMatrix
from bbccli.methods import ALL, choose_methods, estimate
from bbccli.metrics import choose_metrics, custom, metric_named
from bbccli.plan import CLIP, Plan, pooling_of, resamples_of
from bbccli.progress import Progress, silent
from bbccli.readers import Paths, Roles, read
from bbccli.results import Estimate
from bbccli.schema import document
from bbccli.types import (
    GateOn,
    IntervalKind,
    Missing,
    Pooling,
    RiskDirection,
    Select,
    Side,
    Task,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The document of a file, and what it was made from."""

    matrix: PredictionMatrix
    estimates: Sequence[Estimate]
    document: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything that a document depends on besides the files: the options of `bbc correct`.

    Names and defaults are those of the command line. What only changes the speed is no part of it.
    """

    metric: Sequence[str] | None = None
    method: Sequence[str] | None = None
    n_resamples: str = "1000"
    tolerance: float | None = None
    level: float = 0.95
    side: Side = Side.TWO
    pooling: Pooling | None = None
    select: Select = Select.BEST
    interval: IntervalKind = IntervalKind.PERCENTILE
    guard: bool = True
    clip: float = CLIP
    evaluation_share: float = 0.25
    seed: int = 0
    fail_under: float | None = None
    fail_over: float | None = None
    gate_on: GateOn | None = None
    gate_method: str | None = None
    truth: str | None = None
    fold: str | None = None
    repeat: str | None = None
    group: str | None = None
    row_id: str | None = None
    time: str | None = None
    event: str | None = None
    weight: str | None = None
    positive: str | None = None
    task: Task | None = None
    labels: str | None = None
    folds: str | None = None
    missing: Missing = Missing.DROP
    strict: bool = False
    threshold: float | None = None
    risk_direction: RiskDirection | None = None
    dialect: str | None = None
    outer_fold: str | None = None
    configuration: str | None = None
    prediction: str | None = None
    only: Sequence[str] | None = None
    exclude: Sequence[str] | None = None

    @property
    def plan(self) -> Plan:
        """Resamples, selection, intervals and seed, before the metadata have their say."""
        count, tolerance = resamples_of(self.n_resamples, self.tolerance)
        return Plan(
            n_resamples=count,
            level=self.level,
            side=self.side,
            pooling=pooling_of(self.pooling, {}),
            select=self.select,
            interval=self.interval,
            guard=self.guard,
            clip=self.clip,
            evaluation_share=self.evaluation_share,
            seed=self.seed,
            tolerance=tolerance,
        )

    @property
    def rule(self) -> Rule | None:
        """The gate, if one is asked for."""
        return rule_of(self.fail_under, self.fail_over, self.gate_on, self.gate_method)

    @property
    def roles(self) -> Roles:
        """Columns that are named by hand."""
        columns = (self.truth, self.fold, self.repeat, self.group, self.row_id)
        survival = (self.time, self.event, self.weight)
        return Roles(*columns, *survival, self.outer_fold, self.configuration, self.prediction)

    def check(self) -> None:
        """Find out what is wrong with the options whatever the file.

        Raises
        ------
        OptionError
            An option out of range, options that contradict each other, or an unknown name.
        """
        _ = self.plan, self.roles
        choose_methods([name for name in self.method or () if name != ALL])
        for position, name in enumerate(self.metric or ()):
            metric = metric_named(name)
            if position == 0 and self.rule is not None:
                self.rule.check(metric.label, metric.direction, metric.bounds)
        _ = self.rule

    def read(self, path: Paths) -> PredictionMatrix:
        """Read a file as the options say.

        Raises
        ------
        BbcError
            As `bbccli.readers.read`, `with_threshold` and `with_risk_direction`.
        """
        matrix = read(
            path,
            roles=self.roles,
            task=self.task,
            positive=self.positive,
            labels=self.labels,
            folds=self.folds,
            missing=Missing.ERROR if self.strict else self.missing,
            dialect=self.dialect,
            only=self.only or (),
            exclude=self.exclude or (),
        )
        if self.threshold is not None:
            matrix = matrix.with_threshold(self.threshold)
        if self.risk_direction is not None:
            matrix = matrix.with_risk_direction(self.risk_direction)
        return matrix

    def run(self, path: Paths, *, progress: Progress = silent) -> Answer:
        """Read a file, estimate, and judge the result.

        Raises
        ------
        UndecidedError
            What a gate judges can't be computed; carries the document.
        BbcError
            Whatever else keeps the file from having a result.
        """
        matrix, rule = self.read(path), self.rule
        plan = replace(self.plan, pooling=pooling_of(self.pooling, matrix.source.metadata))
        metrics = choose_metrics(self.metric, matrix)
        if rule is not None:
            judging = metrics[0].within(matrix.outcome)
            rule.check(judging.label, judging.direction, judging.bounds)
        try:
            with (
                resources.use(resources.current().for_predictions(*matrix.size)),
                custom.blamed(self.metric or (), matrix.source.path),
                np.errstate(over="ignore"),
            ):
                estimates, notes = estimate(matrix, metrics, plan, self.method, progress=progress)
        except (UndefinedError, UnsupportedError) as error:
            if rule is None:
                raise
            empty = document(matrix, [], plan=plan)
            found = left_undecided(empty, rule, metrics[0].name, error.problem)
            raise UndecidedError(error.problem, found, hint=error.hint) from error
        return Answer(matrix, estimates, judged(document(matrix, estimates, notes), rule))
