"""What was read, in the same words in every report: how much took part, of how much there was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bbccli.notes import listing
from bbccli.rounding import count
from bbccli.schema import Input
from bbccli.text import visible

if TYPE_CHECKING:
    from bbccli.reports.base import Result


HELD_OUT = "one held-out set"


def of_all(number: int, total: int, noun: str) -> str:
    """Return a number of things, and of how many where that is more.

    Examples
    --------
    >>> of_all(30, 60, "sample"), of_all(60, 60, "sample"), of_all(1, 1, "fold")
    ('30 of 60 samples', '60 samples', '1 fold')
    """
    return count(number, noun) if total == number else f"{number} of {total} {noun}s"


def samples(read: Input) -> str:
    """Return the samples used, of those that were read."""
    return of_all(read.n_samples, n_samples_read(read), "sample")


def n_samples_read(read: Input) -> int:
    """Return how many samples there were before any was left out."""
    used: int = read.n_samples
    return max(read.n_samples_read or 0, used)


def configurations(read: Input) -> str:
    """Return the configurations that take part, of those that were tried."""
    used: int = read.n_configurations
    tried = n_tried(read)
    return of_all(used, tried, "configuration") + " tried" * (tried > used)


def n_tried(read: Input) -> int:
    """Return how many configurations were tried, as far as anything tells."""
    used: int = read.n_configurations
    return max(read.n_tried or 0, used)


def folds(read: Input) -> str:
    """Return the folds; empty where they are unknown."""
    if is_split(read):
        return HELD_OUT
    return count(read.n_folds, "fold") if read.n_folds else ""


def is_split(read: Input) -> bool:
    """Whether one part of the data was held out, in place of a cross-validation."""
    return bool(read.n_folds == 1 and read.n_repeats == 1)


def alone(document: Result) -> bool:
    """Whether there was a single configuration to begin with, so that nothing was chosen."""
    read = document.input
    codes = [note.code for note in document.notes]
    return n_tried(read) == 1 and "configurations-left-out" not in codes


def only_one(document: Result) -> str:
    """Return what a configuration is that takes part alone.

    It is one of several that were tried, or what an option leaves, or the only one there was.
    """
    if (tried := n_tried(document.input)) > 1:
        return f"the only one of {tried} configurations tried that could be used"
    return "the only configuration" if alone(document) else "the only configuration asked for"


def task(read: Input) -> str:
    """Return the task, and its classes."""
    if read.positive_class is not None:
        return f"{read.task} (positive: {visible(read.positive_class)})"
    classes = [visible(name) for name in read.classes]
    return f"{read.task} ({listing(classes)})" if classes else str(read.task)


def weighting(read: Input) -> list[str]:
    """Return by which column the samples are weighted, where they are."""
    weights = read.weights
    column = weights.column if weights else None
    found = "weighted" if column is None else f"weighted by {visible(column)}"
    return [found] if read.weighted else []
