"""Everything that dropping may return. These records are the schema of its JSON output."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from bbccli.domain.estimate import DropTrace
from bbccli.domain.plan import Plan
from bbccli.notes import Note
from bbccli.platform.arguments import choice, coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.types import Direction


class Fate(StrEnum):
    """The fate of a configuration."""

    KEEP = "keep"
    DROP = "drop"
    EARLIER = "dropped earlier"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one configuration after the folds so far.

    configuration: name of the configuration
    fate: whether it is trained on the next fold
    performance: on the samples predicted so far; null where dropped earlier
    probability: share of draws in which it is worse than the best; null without such
    p_value: of the rule's test against the best; null where it has none
    n_models: folds it was trained on so far; null when folds are unknown
    """

    configuration: str
    fate: Fate
    performance: float | None
    probability: float | None
    p_value: float | None
    n_models: int | None

    def __post_init__(self) -> None:
        coerce_fields(self, "fate")


@dataclass(frozen=True, slots=True)
class DropDecision:
    """The configurations to train on the next fold, and those to drop.

    rule: name of the rule
    threshold: confidence above which the rule drops, in (0, 1)
    min_samples: samples predicted before the first drop
    metric: name of the metric
    direction: whether higher or lower values are better
    best: the best so far; null where it is undefined
    n_samples: samples predicted so far
    n_folds_seen: folds predicted so far, of all repeats; null when unknown
    n_folds_to_come: folds to come, of all repeats; null when unknown
    n_models: models of the full grid on all folds; null when unknown
    n_trained: models trained so far; null when folds are unknown
    n_saved: models of the full grid not trained on the folds so far; null likewise
    n_to_save: models that need not be trained on the folds to come; null when unknown
    decisions: one per configuration, in order
    """

    rule: str
    threshold: float
    min_samples: int
    metric: str
    direction: Direction
    best: str | None
    n_samples: int
    n_folds_seen: int | None
    n_folds_to_come: int | None
    n_models: int | None
    n_trained: int | None
    n_saved: int | None
    n_to_save: int | None
    decisions: tuple[Decision, ...]
    plan: Plan = field(default_factory=Plan, metadata={"json": False})
    notes: tuple[Note, ...] = field(default=(), metadata={"json": False})

    def __post_init__(self) -> None:
        coerce_fields(self, "direction")

    def named(self, *fates: Fate | str) -> tuple[str, ...]:
        """Names of the configurations with one of these fates."""
        members = [choice(Fate, fate, "fates") for fate in fates]
        return tuple(d.configuration for d in self.decisions if d.fate in members)

    @property
    def keep(self) -> tuple[str, ...]:
        """Names to train on the next fold."""
        return self.named(Fate.KEEP)

    @property
    def drop(self) -> tuple[str, ...]:
        """Names not to train any more, those dropped earlier among them."""
        return self.named(Fate.DROP, Fate.EARLIER)


@dataclass(frozen=True, slots=True)
class ReplayRun:
    """One rule, walked through the folds in one order.

    order: names of the folds, in the order walked
    trace: what was trained and dropped, fold by fold
    winner: best of the survivors
    kept_winner: whether the winner of the full run is among the survivors
    loss: naive performance lost by dropping, by direction; 0 for the same winner
    value: BBC estimate on the survivors
    shift: value minus the BBC estimate of the full run
    """

    order: tuple[str, ...]
    trace: DropTrace
    winner: str
    kept_winner: bool
    loss: float
    value: float
    shift: float


@dataclass(frozen=True, slots=True)
class Replay:
    """The saving and the cost of one rule.

    rule: name of the rule
    threshold: confidence above which the rule drops, in (0, 1)
    min_samples: samples predicted before the first drop
    metric: name of the metric
    direction: whether higher or lower values are better
    winner: winner of the full run
    naive: its naive performance
    value: BBC estimate of the full run
    runs: one per order of the folds
    """

    rule: str
    threshold: float
    min_samples: int
    metric: str
    direction: Direction
    winner: str
    naive: float
    value: float
    runs: tuple[ReplayRun, ...]

    def __post_init__(self) -> None:
        coerce_fields(self, "direction")
