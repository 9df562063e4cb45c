"""What a plan is told by; these records are the schema of the JSON output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bbccli.core.documents.values import doc
from bbccli.core.notes import Note
from bbccli.types import Direction


class Target(StrEnum):
    """What rows are asked for."""

    WIDTH = "width"
    OPTIMISM = "optimism"


@dataclass(frozen=True, slots=True)
class Cell:
    """What is to be expected of so many rows and configurations."""

    n_samples: int = doc("rows, N")
    n_configurations: int = doc("configurations, C")
    naive: float = doc("expected naive figure of the winner")
    honest: float = doc("expected true performance of the winner")
    optimism: float = doc("how much too good the naive figure is expected")
    optimism_lower: float = doc("if the contenders differ more than the pilot shows")
    optimism_upper: float = doc("if the contenders are equally good")
    width: float = doc("expected width of the winner's interval")
    near_best: float | None = doc(
        "probability that the winner is truly within reach of the best; null where it is not known"
    )
    near_best_lower: float = doc("the lesser of what both truths say of it")
    near_best_upper: float = doc("the greater")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for, and the rows that it takes."""

    target: Target = doc("width or optimism")
    value: float = doc("the largest that is wanted, > 0")
    n_samples: int | None = doc("fewest rows that reach it; null where none of those looked at do")
    n_samples_lower: int | None = doc("the fewest that may do, as far as the pilot tells")
    n_samples_upper: int | None = doc("the fewest that do whatever the pilot leaves open")
    attainable: float = doc("what the chosen rows give")
    assurance: float | None = doc(
        "share of the studies in which a width is to be reached; null for the mean width"
    )


@dataclass(frozen=True, slots=True)
class Halved:
    """What half as many configurations would change."""

    n_configurations: int = doc("half of them, rounded up")
    n_samples: int | None = doc(
        "rows that what is wanted takes then; null where nothing is, or none do"
    )
    honest_change: float = doc("change of the expected true performance at the same rows")
    optimism_change: float = doc("change of the expected optimism at the same rows")


@dataclass(frozen=True, slots=True)
class Check:
    """The chosen cell again, by simulated matrices; with Monte-Carlo standard errors."""

    law: str = doc("how studies were drawn")
    n_repeats: int = doc("simulated studies")
    naive: float = doc("mean naive figure of the winner")
    honest: float = doc("mean true performance of the winner")
    optimism: float = doc("mean optimism")
    optimism_error: float = doc("its Monte-Carlo standard error")
    width: float = doc("mean width of BBC's interval")
    width_error: float = doc("its Monte-Carlo standard error")
    near_best: float = doc("share of winners within reach of the best")
    near_best_error: float = doc("its Monte-Carlo standard error")


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan: what it rests on, what it says, and what it takes for granted."""

    metric: str = doc("name of the metric", json=False)
    direction: Direction = doc("which way it is better", json=False)
    within: float = doc("how far from the best still counts as near it")
    n_samples: int | None = doc("rows of the pilot; null without one")
    n_configurations: int = doc("of the pilot, or those that the expected value is stated for")
    expected: float = doc("true performance expected of the winner: of the pilot by BBC, or stated")
    error: float = doc("standard error of a single performance, in the chosen rows")
    contenders: int | None = doc("configurations of the pilot that may be the best; null without")
    spread: float | None = doc("standard deviation of the true performances, as stated; else null")
    correlation: float = doc("of what chance does to two configurations, 0 to 1")
    prevalence: float | None = doc("share of the positive class; null where it plays no part")
    wanted: Wanted | None = doc("what was asked for; null if nothing was")
    chosen: Cell = doc("the cell that the answer is about")
    halved: Halved | None = doc(
        "with --details, what half as many configurations change; null of a single one"
    )
    cells: tuple[Cell, ...] = doc("rows by configurations, in that order, rising")
    check: Check | None = doc("with --check; else null")
    details: bool = doc("whether details were asked for")
    assumptions: tuple[str, ...] = doc("what all of it takes for granted")
    notes: tuple[Note, ...] = doc("what to know of it", json=False)
