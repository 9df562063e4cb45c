"""The parts of a document, as types: what the records of a result are in JSON.

A test holds them to the records, which are the schema.
"""

from __future__ import annotations

from typing import TypedDict


class NoteJson(TypedDict):
    """A `Note`."""

    code: str
    text: str
    remedy: str


class LeftOutJson(TypedDict):
    """A `LeftOut`."""

    name: str
    reason: str


class RunJson(TypedDict):
    """A `Run`."""

    tool: str
    n_models: int
    left_out: list[LeftOutJson]
    metric: str | None
    metric_name: str | None


class TwoFiguresJson(TypedDict):
    """A `TwoFigures`."""

    name: str
    metric: str
    tool: float
    tool_clip: float
    here: float
    here_clip: float


class VerificationJson(TypedDict):
    """A `Verification`."""

    n_scores: int
    n_checked: int
    largest_difference: float | None
    tolerance: float | None
    reason: str | None
    otherwise: list[TwoFiguresJson]


class WeightsJson(TypedDict):
    """The `Weights` of the samples."""

    column: str | None
    n_effective: float


class InputJson(TypedDict):
    """An `Input`."""

    path: str
    sha256: str
    task: str
    kind: str
    classes: list[str]
    positive_class: str | None
    n_samples: int
    n_configurations: int
    n_folds: int | None
    n_repeats: int
    n_groups: int | None
    weighted: bool
    threshold: float | None
    risk_direction: str | None
    bounds: list[float] | None
    configurations: list[str]
    run: RunJson | None
    verification: VerificationJson | None
    weights: WeightsJson | None
    n_samples_read: int | None
    n_tried: int | None


class PlanJson(TypedDict):
    """A `Plan`."""

    n_resamples: int
    level: float
    side: str
    pooling: str
    select: str
    interval: str
    guard: bool
    seed: int
    tolerance: float | None
    clip: float
    evaluation_share: float
    models: str | None
    cap: float | None


class IntervalJson(TypedDict):
    """An `Interval`."""

    lower: float | None
    upper: float | None
    level: float
    side: str


class ErrorJson(TypedDict):
    """A `MonteCarloError`."""

    value: float | None
    lower: float | None
    upper: float | None


class ShareJson(TypedDict):
    """A `SelectionShare`."""

    configuration: str
    share: float


class StepJson(TypedDict):
    """A `DropStep`."""

    fold: str
    n_samples: int
    n_raced: int
    n_models: int
    dropped: list[str]


class TraceJson(TypedDict):
    """A `DropTrace`."""

    rule: str
    threshold: float
    min_samples: int
    steps: list[StepJson]
    n_models: int
    n_trained: int
    speed_up: float


class EstimateJson(TypedDict):
    """An `Estimate`."""

    method: str
    metric: str
    selected_by: str
    direction: str
    winner: str
    naive: float | None
    value: float | None
    optimism: float | None
    interval: IntervalJson | None
    n_resamples: int | None
    exact: bool
    error: ErrorJson | None
    selection: list[ShareJson]
    ignores_selection: bool
    experimental: bool
    n_evaluation: int | None
    n_preselected: int | None
    drop_trace: TraceJson | None
    notes: list[NoteJson]
    n_predicted: int | None


class TriedJson(TypedDict):
    """A `TriedOrder`."""

    naive: list[float | None]
    corrected: list[float | None]


class SearchCostJson(TypedDict):
    """A `SearchCost`."""

    metric: str
    direction: str
    counts: list[int]
    naive: list[float | None]
    corrected: list[float | None]
    error: list[float | None]
    enough: int
    n_resamples: int
    tried: TriedJson | None


class GateJson(TypedDict):
    """A `Gate`."""

    threshold: float
    direction: str
    on: str
    metric: str | None
    method: str | None
    value: float | None
    margin: float | None
    outcome: str
    reason: str
