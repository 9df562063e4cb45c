"""Notes on intervals and estimates: without width, out of range, uncertain, or missing."""

from __future__ import annotations

from bbccli.notes.note import Note
from bbccli.rounding import digits_for, figure


def matched_interval() -> Note:
    """The spread of the resamples was shrunk to that of the estimate."""
    return Note(
        "matched-interval",
        "matched intervals are experimental: with trained models, and for bbc-f even without "
        "training, they contained the truth less often than percentile intervals",
        "--interval percentile, the default and the papers' choice",
    )


def guard_without_bound(label: str) -> Note:
    """An interval has no width, and the metric has no worst value to guard it with."""
    return Note(
        "guard-without-bound",
        f"{label} has no worst value, so nothing keeps its interval from collapsing",
        "a metric with a worst value, or more samples",
    )


def collapsed_interval(method: str, value: str, remedy: str) -> Note:
    """A pessimistic bound equals the best possible performance."""
    return Note(
        "collapsed-interval",
        f"the interval of {method} has collapsed onto the best possible value, {value}: nothing "
        "is that certain",
        remedy,
    )


def beyond_bounds(method: str, value: float, label: str, low: float, high: float) -> Note:
    """A correction leads to a figure that the metric can't have."""
    return Note(
        "beyond-bounds",
        f"the estimate of {method}, {figure(value, (low, high))}, is outside the range of {label}, "
        f"{low:g} to {high:g}: the folds are too small for its correction",
        "bbc, whose estimate is always a possible value; or fewer, larger folds",
    )


def no_interval(
    method: str, why: str, remedy: str = "use bbc, which evaluates on all samples"
) -> Note:
    """A method that gives intervals has none on this input."""
    return Note("no-interval", f"{method} has no interval: {why}", remedy)


def no_variance(value: float) -> Note:
    """An interval from a variance has no width."""
    return Note(
        "no-variance",
        f"the variance at {figure(value)} is 0, so the interval has no width and says nothing of "
        "the uncertainty",
        "use bbc, or collect more samples",
    )


def resamples_alike(method: str, value: float) -> Note:
    """An interval of resamples has no width."""
    return Note(
        "no-variance",
        f"nearly all resamples of {method} give {figure(value)}, so the interval has no width and "
        "says nothing of the uncertainty",
        "check that the predictions vary",
    )


def few_evaluated(n_units: int, what: str) -> Note:
    """A normal interval rests on a handful of samples."""
    return Note(
        "few-evaluated",
        f"only {n_units} {what} to evaluate on: normal intervals contain the truth too rarely",
        "a larger --evaluation-share, or bbc, which evaluates on all samples",
    )


def tilting_infeasible(method: str, end: str, instead: str) -> Note:
    """No tilt makes the observed figure as unlikely as the level wants."""
    return Note(
        "tilting-infeasible",
        f"{method} finds no tilt for its {end} end, which is {instead} instead",
        "more samples to evaluate on; or bbc, which uses all of them",
    )


def clipped_probabilities(
    winner: str, label: str, n_below: int, n_all: int, clip: float, held: float, unclipped: float
) -> Note:
    """The log-loss depends on the least probability that counts."""
    digits = digits_for([held, unclipped])
    without = digits.performance(unclipped, missing="infinite")
    return Note(
        "clipped-probabilities",
        f"the {label} of {winner} is {digits.performance(held)} with probabilities clipped at "
        f"{clip:.2g}, and {without} without: {n_below} of {n_all} predictions give the true class "
        "less",
        "state --clip in the paper, or report brier, which no single prediction decides",
    )
