"""Everything that dropping may return. These records are the schema of its JSON output."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from bbccli.domain.estimate import DropTrace
from bbccli.domain.plan import Plan
from bbccli.notes import Note
from bbccli.platform.arguments import choice, coerce_fields
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import doc
from bbccli.types import Direction


class Fate(StrEnum):
    """The fate of a configuration."""

    KEEP = "keep"
    DROP = "drop"
    EARLIER = "dropped earlier"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on one configuration after the folds so far."""

    configuration: str = doc("name of the configuration")
    fate: Fate = doc("whether it is trained on the next fold")
    performance: float | None = doc("on the samples predicted so far; null where dropped earlier")
    probability: float | None = doc(
        "share of draws in which it is worse than the best; null without such"
    )
    p_value: float | None = doc("of the rule's test against the best; null where it has none")
    n_models: int | None = doc("folds it was trained on so far; null when folds are unknown")

    def __post_init__(self) -> None:
        coerce_fields(self, "fate")


@dataclass(frozen=True, slots=True)
class DropDecision:
    """The configurations to train on the next fold, and those to drop."""

    rule: str = doc("name of the rule")
    threshold: float = doc("confidence above which the rule drops, in (0, 1)")
    min_samples: int = doc("samples predicted before the first drop")
    metric: str = doc("name of the metric")
    direction: Direction = doc("whether higher or lower values are better")
    best: str | None = doc("the best so far; null where it is undefined")
    n_samples: int = doc("samples predicted so far")
    n_folds_seen: int | None = doc("folds predicted so far, of all repeats; null when unknown")
    n_folds_to_come: int | None = doc("folds to come, of all repeats; null when unknown")
    n_models: int | None = doc("models of the full grid on all folds; null when unknown")
    n_trained: int | None = doc("models trained so far; null when folds are unknown")
    n_saved: int | None = doc(
        "models of the full grid not trained on the folds so far; null likewise"
    )
    n_to_save: int | None = doc(
        "models that need not be trained on the folds to come; null when unknown"
    )
    decisions: tuple[Decision, ...] = doc("one per configuration, in order")
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
    """One rule, walked through the folds in one order."""

    order: tuple[str, ...] = doc("names of the folds, in the order walked")
    trace: DropTrace = doc("what was trained and dropped, fold by fold")
    winner: str = doc("best of the survivors")
    kept_winner: bool = doc("whether the winner of the full run is among the survivors")
    loss: float = doc("naive performance lost by dropping, by direction; 0 for the same winner")
    value: float = doc("BBC estimate on the survivors")
    shift: float = doc("value minus the BBC estimate of the full run")


@dataclass(frozen=True, slots=True)
class Replay:
    """The saving and the cost of one rule."""

    rule: str = doc("name of the rule")
    threshold: float = doc("confidence above which the rule drops, in (0, 1)")
    min_samples: int = doc("samples predicted before the first drop")
    metric: str = doc("name of the metric")
    direction: Direction = doc("whether higher or lower values are better")
    winner: str = doc("winner of the full run")
    naive: float = doc("its naive performance")
    value: float = doc("BBC estimate of the full run")
    runs: tuple[ReplayRun, ...] = doc("one per order of the folds")

    def __post_init__(self) -> None:
        coerce_fields(self, "direction")
