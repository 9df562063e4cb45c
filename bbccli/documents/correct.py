"""Documents of `bbc correct`, the records that are their schema, and the notes of any result.

`as_json` walks a record's fields, `json_schema` their types and docstrings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from math import inf, isfinite
from typing import Any, TypeGuard

import numpy as np

from bbccli.domain.estimate import Axis, Estimate, Gate, Made, MonteCarloError, SearchCost
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.outcome import Outcome, Weights
from bbccli.domain.plan import Plan
from bbccli.domain.source import Evaluation, LeftOut, Verification
from bbccli.metrics import METRICS, canonical
from bbccli.metrics.capped import attainable, with_clip
from bbccli.notes import Note, Severity, severity_of
from bbccli.notes.lacking import stopped_on_fold, winner_stopped
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import Document, Json, settled
from bbccli.stats.selection import MOST_SHARES
from bbccli.stats.stopping import Stopped, axis_of
from bbccli.types import (
    TIE_TOLERANCE,
    GateOutcome,
    Interval,
    PredictionKind,
    RiskDirection,
    Side,
    Task,
)
from bbccli.version import __version__

SCHEMA_VERSION = "bbc/1"
ERROR_SCHEMA = "bbc-error/1"
"""Marks the line of a file that has no result."""

WITHOUT_WIDTH = frozenset({"collapsed-interval", "no-variance"})
"""Codes of notes on an interval that has no width."""


@dataclass(frozen=True, slots=True)
class Run:
    """The run of a tool that the predictions come from.

    tool: name of the tool
    n_models: models of the run, those left out included
    left_out: models that take no part
    metric: metric that the run optimised; null where it does not say, or bbc lacks it
    metric_name: what the tool calls its metric, where bbc has none of that name
    evaluation: what an evaluation framework ran; null of other tools
    """

    tool: str
    n_models: int
    left_out: tuple[LeftOut, ...]
    metric: str | None
    metric_name: str | None = field(default=None, metadata={"since": "1.0"})
    evaluation: Evaluation | None = field(default=None, metadata={"since": "1.0"})

    @classmethod
    def of(cls, matrix: PredictionMatrix) -> Run | None:
        """Describe the run behind a matrix, if there is one."""
        run, source = matrix.source.run, matrix.source
        if not run:
            return None
        configs = source.metadata.get("configs")
        taken = max(source.n_tried, matrix.n_configurations) + len(source.left_out)
        metric = canonical(str(run.metric), METRICS)
        known = metric in METRICS
        return cls(
            tool=run.tool,
            # a run without a list of its models leaves out files
            n_models=max(len(configs) + len(run.left_out), taken) if configs else taken,
            left_out=(*source.left_out, *run.left_out),
            metric=metric if known else None,
            metric_name=run.metric_name or (None if known else run.metric),
            evaluation=run.evaluation,
        )


@dataclass(frozen=True, slots=True)
class Input:
    """The input, and how it was understood.

    path: path as given; <stdin> for standard input
    sha256: hash of the file's bytes
    task: what is predicted
    kind: what a prediction is
    classes: class names, in code order
    positive_class: binary tasks only
    n_samples: samples used, N
    n_configurations: configurations compared, C
    n_folds: folds of a repeat, F; null when unknown
    n_repeats: cross-validation passes, R
    n_groups: groups, G; null without groups
    weighted: whether samples have weights
    threshold: where scores were cut into classes; null where no cut was asked for
    risk_direction: survival only: what higher predictions were taken to mean
    bounds: scores only: the smallest and the largest possible; null where unknown
    configurations: names of the configurations compared, in their order
    run: the run of a tool; null where a file was read
    verification: whether the run's own scores were found again; null without a run
    weights: of the samples; null without weights
    n_samples_read: samples of the file, those left out included
    n_tried: configurations tried, used or not, where that is known
    """

    path: str
    sha256: str
    task: Task
    kind: PredictionKind
    classes: tuple[str, ...]
    positive_class: str | None
    n_samples: int
    n_configurations: int
    n_folds: int | None
    n_repeats: int
    n_groups: int | None
    weighted: bool = False
    threshold: float | None = None
    risk_direction: RiskDirection | None = None
    bounds: tuple[float, float] | None = None
    configurations: tuple[str, ...] = ()
    run: Run | None = None
    verification: Verification | None = None
    weights: Weights | None = field(default=None, metadata={"since": "1.0"})
    n_samples_read: int | None = field(default=None, metadata={"since": "1.0"})
    n_tried: int | None = field(default=None, metadata={"since": "1.0"})

    @classmethod
    def of(cls, matrix: PredictionMatrix) -> Input:
        """Describe a matrix."""
        source, outcome = matrix.source, matrix.outcome
        alike = "task", "kind", "n_samples", "n_configurations", "configurations", "threshold"
        return cls(
            **{name: getattr(matrix, name) for name in alike},
            n_folds=matrix.n_folds,
            n_repeats=matrix.n_repeats,
            n_groups=matrix.n_groups,
            path=source.path,
            sha256=source.sha256,
            classes=outcome.classes,
            positive_class=outcome.classes[-1] if matrix.task is Task.BINARY else None,
            weighted=outcome.weights is not None,
            risk_direction=matrix.risk_direction if matrix.task is Task.SURVIVAL else None,
            bounds=outcome.bounds,
            run=Run.of(matrix),
            verification=source.verification,
            weights=Weights.of(outcome, matrix.groups, source.weight),
            n_samples_read=max(source.n_samples, matrix.n_samples),
            n_tried=max(source.n_tried, matrix.n_configurations),
        )

    @property
    def outcome(self) -> Outcome:
        """An outcome without samples, for its bounds."""
        given = [end for end in self.bounds or () if end is not None]
        bounds = (given[0], given[1]) if len(given) == 2 else None
        return Outcome(self.task, np.empty(0), self.classes, bounds=bounds)


@dataclass(frozen=True, slots=True)
class Reported:
    """The one estimate of a metric to report.

    metric: name of the metric
    method: name of the method
    """

    metric: str
    method: str


@dataclass(frozen=True, slots=True)
class MadeGain:
    """What is made gains over the best configuration used as it is, from the same resamples.

    metric: name of the metric
    looked: difference of the naive figures; positive: what is made looked better
    value: difference to expect; positive: what is made is better
    interval: of the difference
    wins: share of the resamples in which what was made was better
    monte_carlo_error: of the difference and its interval
    """

    metric: str
    looked: float
    value: float
    interval: Interval
    wins: float
    monte_carlo_error: MonteCarloError | None = field(default=None, metadata={"since": "1.0"})

    @property
    def shown(self) -> bool:
        """True if the samples show that one of them is better."""
        return not self.interval.lower <= 0 <= self.interval.upper

    @property
    def on_edge(self) -> bool:
        """True if other resamples may well say otherwise: 0 is within two errors of an end."""
        error, ends = self.monte_carlo_error, self.interval
        pairs = ((ends.lower, error.lower), (ends.upper, error.upper)) if error else ()
        return any(abs(end) <= 2 * off for end, off in pairs if off is not None)


@dataclass(frozen=True, slots=True)
class AnyEnvelope:
    """The first keys of every result.

    schema: always bbc/1
    version: version of bbc that wrote this
    command: the command that made it
    """

    schema: str
    version: str
    command: str


@dataclass(frozen=True, slots=True)
class Envelope(AnyEnvelope):
    """The envelope of every result.

    input: what was read
    plan: what the numbers depend on
    estimates: one per method, in order
    notes: what to know about the input and all methods
    gate: verdict on the result; null where none was asked for
    report: the estimate to report of each metric; the others are for comparison
    search_cost: what the search cost; null where it was not asked for
    capped: of each error without a worst value, the estimate to report with --cap 0.95, which gives
        it one
    single: of each metric, the best single configuration where the estimates are of an ensemble
    stopping: the winner, or members of the ensemble, that stopped by the folds that score them
    gains: of each metric, what the ensemble gains over the best single configuration
    """

    input: Input
    plan: Plan
    estimates: tuple[Estimate, ...]
    notes: tuple[Note, ...]
    gate: Gate | None = None
    report: tuple[Reported, ...] = ()
    search_cost: SearchCost | None = None
    capped: tuple[Estimate, ...] = field(default=(), metadata={"since": "1.0"})
    single: tuple[Estimate, ...] = field(default=(), metadata={"since": "1.1"})
    stopping: tuple[Stopped, ...] = field(default=(), metadata={"since": "1.1"})
    gains: tuple[MadeGain, ...] = field(default=(), metadata={"since": "1.1"})

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, the one that selects first."""
        return list(dict.fromkeys(estimate.metric for estimate in self.estimates))

    @property
    def made(self) -> Made | None:
        """What is made of the configurations; None where one is selected as it is."""
        return next(
            (estimate.made for estimate in self.estimates if estimate.made is not None), None
        )

    def of_metric(self, metric: str) -> list[Estimate]:
        """Return the estimates of a metric, in order."""
        return [estimate for estimate in self.estimates if estimate.metric == metric]

    def reported(self, metric: str = "") -> Estimate | None:
        """Return the estimate to report of a metric, by default of the first, if there is one."""
        return reported_estimate(self.of_metric(metric or next(iter(self.metrics), "")))


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why there is no result.

    problem: what is wrong, in one line
    hint: what to do about it; may be empty
    status: exit status of the error: 1 a bug, 2 bad input, 4 an undecided gate
    """

    problem: str
    hint: str
    status: int


@dataclass(frozen=True, slots=True)
class ErrorEnvelope:
    """The line of a file of a batch that has no result.

    schema: always bbc-error/1
    version: version of bbc that wrote this
    path: path as given
    error: why there is no result
    """

    schema: str
    version: str
    path: str
    error: Failure


def document(
    matrix: PredictionMatrix,
    estimates: Sequence[Estimate],
    notes: Sequence[Note] = (),
    *,
    plan: Plan | None = None,
    command: str = "correct",
    search_cost: SearchCost | None = None,
) -> Document[Envelope]:
    """Return the document of some estimates of one matrix.

    Notes of the matrix come first, then `notes`; those of a single estimate stay with it.
    """
    more: Json = {"plan": plan, "command": command, "search_cost": search_cost}
    return Document.of(envelope(matrix, estimates, notes, **more))


def envelope(
    matrix: PredictionMatrix,
    estimates: Sequence[Estimate],
    notes: Sequence[Note] = (),
    *,
    plan: Plan | None = None,
    command: str = "correct",
    **more: Any,
) -> Envelope:
    """Return the record of a document; `more` are fields of it."""
    whole = Envelope(
        *(SCHEMA_VERSION, __version__, command, Input.of(matrix)),
        plan=plan or (estimates[0].plan if estimates else Plan()),
        estimates=tuple(with_most(e, axis=axis_of(matrix, e)) for e in estimates),
        notes=(*of_file(matrix, notes), *notes),
        **more,
    )
    best = filter(None, map(whole.reported, whole.metrics))
    report = tuple(Reported(estimate.metric, estimate.method) for estimate in best)
    return settled(replace(whole, report=report))


def with_most(estimate: Estimate, axis: Axis | None = None) -> Estimate:
    """Return an estimate with the configurations that are selected most often, and its axis."""
    return replace(estimate, selection=estimate.selection[:MOST_SHARES], axis=axis)


def of_file(matrix: PredictionMatrix, notes: Sequence[Note]) -> list[Note]:
    """Return the notes of a matrix, less that on early stopping if those on the answer have one."""
    is_said = any(note.code in (stopped_on_fold.code, winner_stopped.code) for note in notes)
    return [note for note in matrix.notes if not (is_said and note.code == stopped_on_fold.code)]


def is_single(document: Envelope) -> bool:
    """True if one configuration takes part as it is, so that nothing is chosen here."""
    return document.input.n_configurations == 1 and not document.plan.makes


def reported_estimate(estimates: Sequence[Estimate]) -> Estimate | None:
    """Return the one of a metric's estimates to report: the first whose interval counts.

    An interval that ignores the selection, or has no width, does not; one of an experimental method
    does where there is no other. One on rows that the search never saw comes before all.
    """
    fitting = [
        estimate
        for estimate in estimates
        if estimate.interval is not None
        and _is_defined(estimate.value)
        and not estimate.ignores_selection
        and not has_no_width(estimate)
    ]
    fitting.sort(key=lambda estimate: (estimate.opened is None, estimate.experimental))
    return fitting[0] if fitting else None


def _is_defined(value: float | None) -> TypeGuard[float]:
    """True for a finite number; methods may give NaN or infinity."""
    return value is not None and isfinite(value)


def has_no_width(estimate: Estimate) -> bool:
    """Return whether an interval has no width, and so shows no uncertainty.

    Where one end was estimated, it is the estimate itself.
    """
    interval = estimate.interval
    if interval is None:
        return False
    if not WITHOUT_WIDTH.isdisjoint(note.code for note in estimate.notes):
        return True
    one_sided = interval.side in (Side.LOWER, Side.UPPER)
    end = interval.lower if interval.side is Side.LOWER else interval.upper
    other = estimate.value if one_sided else interval.lower
    if not (_is_defined(end) and _is_defined(other)):
        return False
    # sums of equal losses in another order differ in the last bits
    return abs(end - other) <= TIE_TOLERANCE * abs(end)


def bounds_in(document: Any, name: str) -> tuple[float, float]:
    """Return the bounds of a metric, as far as a document has them (a cap is not in it)."""
    metric, plan = METRICS.get(name), document.plan
    if metric is None or plan is None:  # of its own, or in a table that lacks the rest
        return metric.bounds if metric else (-inf, inf)
    return attainable(with_clip(metric, plan.clip), document.input.outcome)


def error_envelope(path: str, problem: str, hint: str, status: int) -> ErrorEnvelope:
    """Return the record of a file of a batch that has no result."""
    return ErrorEnvelope(ERROR_SCHEMA, __version__, path, Failure(problem, hint, status))


def notes_of(document: Any) -> list[Note]:
    """Return every note in a document and its parts, each once."""
    ranks = getattr(document, "ranks", None)
    parts = [*getattr(document, "estimates", ()), *getattr(document, "comparisons", ())]
    parts += [part for name in WHOLE if (part := getattr(document, name, None))]
    parts += ranks.pairs if ranks else ()
    return _each_once([document, *parts])


def doubts_of(document: Any) -> list[Note]:
    """Return the notes by which the figures of the answer may be wrong.

    All surfaces show them above the answer, and --fail-on doubt goes by them. A doubt about a
    figure that is there for comparison alone is a note of that figure.
    """
    notes = _each_once([document, *_answering(document)])
    return [note for note in notes if severity_of(note.code) is Severity.DOUBT]


def gate_outcome(document: Any) -> str:
    """Return the outcome of a gate; one that is met over a doubt says so. Empty without a gate."""
    gate = getattr(document, "gate", None)
    if gate is None:
        return ""
    met = gate.outcome == GateOutcome.MET
    word = "failed" if gate.outcome == GateOutcome.MISSED else gate.outcome
    return f"{word}{', with doubts' * (met and bool(doubts_of(document)))}"


WHOLE = ("corrected", "best_set", "ranks")
"""Parts of a document of which there is one."""


def _answering(document: Any) -> Iterator[Any]:
    """Yield the parts whose figures are the answer: those to report, and the one that is judged."""
    estimates = getattr(document, "estimates", ())
    judged = getattr(getattr(document, "gate", None), "method", None)
    for metric in dict.fromkeys(estimate.metric for estimate in estimates):
        of_metric = [estimate for estimate in estimates if estimate.metric == metric]
        reported = reported_estimate(of_metric)
        for figure in of_metric:
            if figure is (reported or of_metric[0]) or figure.method == judged:
                yield figure
    yield from getattr(document, "comparisons", ())[:1]
    yield from (part for name in WHOLE if (part := getattr(document, name, None)))


def _each_once(parts: Iterable[Any]) -> list[Note]:
    notes = [note for part in parts for note in getattr(part, "notes", ())]
    return list({(note.code, note.text): note for note in notes}.values())
