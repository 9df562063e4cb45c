"""The records of a plan; they are the schema of its JSON output."""

from __future__ import annotations

from enum import StrEnum

from bbccli.notes import Note
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import doc
from bbccli.types import Direction


class Target(StrEnum):
    """The quantity that rows are planned for."""

    WIDTH = "width"
    OPTIMISM = "optimism"
    DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True)
class Cell:
    """Expected results for a number of rows and configurations."""

    n_samples: int = doc("rows, N")
    n_configurations: int = doc("configurations, C")
    naive: float = doc("expected naive figure of the winner")
    honest: float = doc("expected true performance of the winner")
    optimism: float = doc("how much too good the naive figure is expected")
    optimism_lower: float = doc("if the contenders differ more than the pilot shows")
    optimism_upper: float = doc("if the contenders are equally good")
    width: float = doc("expected width of the winner's interval")
    near_best: float = doc(
        "probability that the winner is truly within reach of the best; null where it is not known"
    )
    near_best_lower: float | None = doc(
        "the lesser of what both truths say of it", default=None, since="1.0"
    )
    near_best_upper: float | None = doc("the greater", default=None, since="1.0")
    difference: float | None = doc(
        "smallest detectable difference between two configurations; null unless one is asked for",
        default=None,
        since="1.0",
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The target, and the rows that it takes."""

    target: Target = doc("width, optimism or difference")
    value: float = doc("the largest that is wanted, > 0")
    n_samples: int | None = doc("fewest rows that reach it; null where none of those looked at do")
    attainable: float = doc("what the chosen rows give")
    n_samples_lower: int | None = doc(
        "fewest rows that it may truly take; null where they are not known",
        default=None,
        since="1.0",
    )
    n_samples_upper: int | None = doc("most rows", default=None, since="1.0")
    assurance: float | None = doc(
        "share of the studies in which a width is to be reached, null for the mean width; or in "
        "which a difference is to be told",
        default=None,
        since="1.0",
    )


@dataclass(frozen=True, slots=True)
class Epochs:
    """The rows needed if each item is run in a number of epochs."""

    n_epochs: int | None = doc("how often each item is asked; null for any number of times")
    n_samples: int | None = doc("rows, which are items, that tell the difference then")


@dataclass(frozen=True, slots=True)
class Halved:
    """The effect of half as many configurations."""

    n_configurations: int = doc("half of them, rounded up")
    n_samples: int | None = doc(
        "rows that what is wanted takes then; null where nothing is, or none do"
    )
    honest_change: float = doc("change of the expected true performance at the same rows")
    optimism_change: float = doc("change of the expected optimism at the same rows")


@dataclass(frozen=True, slots=True)
class Check:
    """The chosen cell again, by simulated matrices; with Monte Carlo standard errors."""

    law: str = doc("how studies were drawn")
    n_repeats: int = doc("simulated studies")
    naive: float = doc("mean naive figure of the winner")
    honest: float = doc("mean true performance of the winner")
    optimism: float = doc("mean optimism")
    optimism_error: float = doc("its Monte Carlo standard error")
    width: float = doc("mean width of BBC's interval")
    width_error: float = doc("its Monte Carlo standard error")
    near_best: float = doc("share of winners within reach of the best")
    near_best_error: float = doc("its Monte Carlo standard error")
    width_assured: float | None = doc(
        "width that the share of --assurance does not exceed; null without one",
        default=None,
        since="1.0",
    )
    width_met: float | None = doc(
        "share of intervals as narrow as wanted; null where no width is", default=None, since="1.0"
    )


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan: its basis, its results, and its assumptions."""

    metric: str = doc("name of the metric", json=False)
    direction: Direction = doc("whether higher or lower values are better", json=False)
    within: float = doc("how far from the best still counts as near it")
    n_samples: int | None = doc("rows of the pilot; null without one")
    n_configurations: int = doc("of the pilot, or those that the expected value is stated for")
    expected: float = doc("true performance expected of the winner: of the pilot by BBC, or stated")
    noise: float = doc("standard deviation by chance relative to the others, in the chosen rows")
    noise_of_best: float = doc("the same over the best quarter")
    noise_at_top: float = doc("the same over the best tenth")
    error: float = doc("standard error of a single performance, in the chosen rows")
    spread: float = doc("standard deviation of the true performances")
    spread_of_best: float = doc("the same over the best quarter")
    correlation: float = doc("of what chance does to two configurations, 0 to 1")
    prevalence: float | None = doc("share of the positive class; null where it plays no part")
    wanted: Wanted | None = doc("what was asked for; null if nothing was")
    chosen: Cell = doc("the cell that the answer is about")
    halved: Halved | None = doc(
        "with --details, what half as many configurations change; null of a single one"
    )
    cells: tuple[Cell, ...] = doc("rows by configurations, in that order, rising")
    check: Check | None = doc("with --check; else null")
    assumptions: tuple[str, ...] = doc("what all of it takes for granted")
    notes: tuple[Note, ...] = doc("what to know about it", json=False)
    contenders: int | None = doc(
        "configurations of the pilot within three standard errors of the best; null without",
        default=None,
        since="1.0",
    )
    details: bool = doc("whether details were asked for", default=False, since="1.0")
    epochs: tuple[Epochs, ...] = doc(
        "items against epochs for a difference of scores, of a pilot with several; else empty",
        default=(),
        since="1.0",
    )
