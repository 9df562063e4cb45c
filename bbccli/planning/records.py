"""The records of a plan; they are the schema of its JSON output."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from bbccli.notes import Note
from bbccli.platform.dataclass import dataclass
from bbccli.types import Direction


class Target(StrEnum):
    """The quantity that rows are planned for."""

    WIDTH = "width"
    OPTIMISM = "optimism"
    DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True)
class Cell:
    """Expected results for a number of rows and configurations.

    n_samples: rows, N
    n_configurations: configurations, C
    naive: expected naive figure of the winner
    honest: expected true performance of the winner
    optimism: how much too good the naive figure is expected
    optimism_lower: if the contenders differ more than the pilot shows
    optimism_upper: if the contenders are equally good
    width: expected width of the winner's interval
    near_best: probability that the winner is truly within reach of the best; null where it is not
        known
    near_best_lower: the lesser of what both truths say of it
    near_best_upper: the greater
    difference: smallest detectable difference between two configurations; null unless one is asked
        for
    """

    n_samples: int
    n_configurations: int
    naive: float
    honest: float
    optimism: float
    optimism_lower: float
    optimism_upper: float
    width: float
    near_best: float
    near_best_lower: float | None = field(default=None, metadata={"since": "1.0"})
    near_best_upper: float | None = field(default=None, metadata={"since": "1.0"})
    difference: float | None = field(default=None, metadata={"since": "1.0"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """The target, and the rows that it takes.

    target: width, optimism or difference
    value: the largest that is wanted, > 0
    n_samples: fewest rows that reach it; null where none of those looked at do
    attainable: what the chosen rows give
    n_samples_lower: fewest rows that it may truly take; null where they are not known
    n_samples_upper: most rows
    assurance: share of the studies in which a width is to be reached, null for the mean width; or
        in which a difference is to be told
    """

    target: Target
    value: float
    n_samples: int | None
    attainable: float
    n_samples_lower: int | None = field(default=None, metadata={"since": "1.0"})
    n_samples_upper: int | None = field(default=None, metadata={"since": "1.0"})
    assurance: float | None = field(default=None, metadata={"since": "1.0"})


@dataclass(frozen=True, slots=True)
class Epochs:
    """The rows needed if each item is run in a number of epochs.

    n_epochs: how often each item is asked; null for any number of times
    n_samples: rows, which are items, that tell the difference then
    """

    n_epochs: int | None
    n_samples: int | None


@dataclass(frozen=True, slots=True)
class Halved:
    """The effect of half as many configurations.

    n_configurations: half of them, rounded up
    n_samples: rows that what is wanted takes then; null where nothing is, or none do
    honest_change: change of the expected true performance at the same rows
    optimism_change: change of the expected optimism at the same rows
    """

    n_configurations: int
    n_samples: int | None
    honest_change: float
    optimism_change: float


@dataclass(frozen=True, slots=True)
class Check:
    """The chosen cell again, by simulated matrices; with Monte Carlo standard errors.

    law: how studies were drawn
    n_repeats: simulated studies
    naive: mean naive figure of the winner
    honest: mean true performance of the winner
    optimism: mean optimism
    optimism_error: its Monte Carlo standard error
    width: mean width of BBC's interval
    width_error: its Monte Carlo standard error
    near_best: share of winners within reach of the best
    near_best_error: its Monte Carlo standard error
    width_assured: width that the share of --assurance does not exceed; null without one
    width_met: share of intervals as narrow as wanted; null where no width is
    """

    law: str
    n_repeats: int
    naive: float
    honest: float
    optimism: float
    optimism_error: float
    width: float
    width_error: float
    near_best: float
    near_best_error: float
    width_assured: float | None = field(default=None, metadata={"since": "1.0"})
    width_met: float | None = field(default=None, metadata={"since": "1.0"})


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan: its basis, its results, and its assumptions.

    metric: name of the metric
    direction: whether higher or lower values are better
    within: how far from the best still counts as near it
    n_samples: rows of the pilot; null without one
    n_configurations: of the pilot, or those that the expected value is stated for
    expected: true performance expected of the winner: of the pilot by BBC, or stated
    noise: standard deviation by chance relative to the others, in the chosen rows
    noise_of_best: the same over the best quarter
    noise_at_top: the same over the best tenth
    error: standard error of a single performance, in the chosen rows
    spread: standard deviation of the true performances
    spread_of_best: the same over the best quarter
    correlation: of what chance does to two configurations, 0 to 1
    prevalence: share of the positive class; null where it plays no part
    wanted: what was asked for; null if nothing was
    chosen: the cell that the answer is about
    halved: with --details, what half as many configurations change; null of a single one
    cells: rows by configurations, in that order, rising
    check: with --check; else null
    assumptions: what all of it takes for granted
    notes: what to know about it
    contenders: configurations of the pilot within three standard errors of the best; null without
    details: whether details were asked for
    epochs: items against epochs for a difference of scores, of a pilot with several; else empty
    """

    metric: str = field(metadata={"json": False})
    direction: Direction = field(metadata={"json": False})
    within: float
    n_samples: int | None
    n_configurations: int
    expected: float
    noise: float
    noise_of_best: float
    noise_at_top: float
    error: float
    spread: float
    spread_of_best: float
    correlation: float
    prevalence: float | None
    wanted: Wanted | None
    chosen: Cell
    halved: Halved | None
    cells: tuple[Cell, ...]
    check: Check | None
    assumptions: tuple[str, ...]
    notes: tuple[Note, ...] = field(metadata={"json": False})
    contenders: int | None = field(default=None, metadata={"since": "1.0"})
    details: bool = field(default=False, metadata={"since": "1.0"})
    epochs: tuple[Epochs, ...] = field(default=(), metadata={"since": "1.0"})
