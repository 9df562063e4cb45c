"""Notes on intervals and estimates: without width, out of range, uncertain, or missing."""

from __future__ import annotations

from bbccli.notes.note import Note
from bbccli.rounding import count, digits_for, figure, short


def matched_interval() -> Note:
    """The spread of the resamples was shrunk to that of the estimate."""
    return Note(
        "matched-interval",
        "matched intervals are experimental: with trained models, and for bbc-f even without "
        "training, they contained the truth less often than percentile intervals",
        "--interval percentile, the default and the papers' choice",
    )


def not_calibrated(method: str, kind: str) -> Note:
    """The factor of the interval was measured for other methods."""
    return Note(
        "not-calibrated",
        f"the spread of {kind} intervals was measured for bbc, bbc-632 and bbc-eb, not for "
        f"{method}",
        "--method bbc-eb, or --interval percentile",
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


def unbounded_loss(label: str, of_outcome: float, of_losses: float) -> Note:
    """Squared errors have no worst value, and their tails may not be in the sample."""
    return Note(
        "unbounded-loss",
        f"the {label} has no worst value: bounds of level 0.95 held the truth in 37 to 97 % of "
        f"studies, by population (tail index {_index(of_outcome)} of the outcome, "
        f"{_index(of_losses)} of the winner's squared errors)",
        "--cap 0.95, mae or medae, beside it or instead",
    )


def nested_spread(ratio: float, n_folds: int) -> Note:
    """How much the training adds to the spread, by a nested cross-validation."""
    return Note(
        "nested-spread",
        f"by {n_folds} outer folds the standard error is {ratio:.2f} times that of independent "
        "losses",
        "more repeats make that ratio steadier; Bates et al. take 200",
    )


def large_losses(label: str, n_large: int, n_sure: int, of_losses: float) -> Note:
    """A few confident mistakes decide the log-loss, or would if they were in the sample."""
    said = f"the truth of {count(n_large, 'sample')} a chance under 1 in 1000" if n_large else ""
    sure = f"some class in {count(n_sure, 'sample')} a chance under 1 in 10,000" if n_sure else ""
    return Note(
        "unbounded-loss",
        f"the winner gives {' and '.join(part for part in (said, sure) if part)}: one "
        f"such mistake outweighs many good samples. Where winners were so sure, bounds of the "
        f"{label} of level 0.95 held the truth in 61 % of studies, else in 99 % (tail index "
        f"{_index(of_losses)} of the losses)",
        "brier, beside it or instead; or --clip 0.001, decided beforehand",
    )


def capped_errors(label: str, cap: float, share: float) -> Note:
    """No error counts as more than the cap."""
    return Note(
        "capped-errors",
        f"{label}: no error counts as more than {short(cap)}, the {short(share)} quantile of the "
        "outcome's distances from its median",
        "state --cap in the paper, and choose it before seeing results",
    )


def _index(value: float) -> str:
    return "unknown" if value != value else f"{value:.2f}"  # noqa: PLR0124 a NaN


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
