"""Notes on resamples: too few, undefined, drawn again, or of too few folds, groups and samples."""

from __future__ import annotations

import math

from bbccli.notes.note import Note
from bbccli.rounding import count, digits_for, figure, short


def redrawn_resamples(n_redrawn: int, n_resamples: int, label: str) -> Note:
    """The metric that selects is undefined in some resamples."""
    verb = "was" if n_redrawn == 1 else "were"
    return Note(
        "redrawn-resamples",
        f"{label} is undefined in {count(n_redrawn, 'resample')}, which {verb} drawn again "
        f"({n_resamples} were used)",
        "few samples, or a rare class: collect more, or read the interval with care",
    )


def undefined_resamples(n_undefined: int, n_resamples: int, label: str) -> Note:
    """A metric that did not select is undefined in some resamples."""
    return Note(
        "undefined-resamples",
        f"{label} is undefined in {n_undefined} of {n_resamples} resamples, which are left out",
        "read its interval with care",
    )


def undefined_repeats(n_undefined: int, n_repeats: int, label: str) -> Note:
    """A performance is missing in some repeats of a repeated hold-out."""
    return Note(
        "undefined-repeats",
        f"{label} of the winner is undefined in {n_undefined} of {n_repeats} repeats, which are "
        "left out",
        "hold out more samples at a time, or the same share of each class",
    )


def few_resamples(n_resamples: int, level: float, least: int) -> Note:
    """An end of the interval is the smallest or largest resample for want of others."""
    text = (
        "a single resample has no spread, so nothing says how far off the estimate is"
        if n_resamples == 1
        else f"{n_resamples} resamples are too few for a bound at level {level:g}: the most "
        "extreme of them stands in, too close to the estimate"
    )
    return Note("few-resamples", text, f"--n-resamples {least} or more; the papers use 1000")


def tolerance_not_reached(tolerance: float | None, error: float) -> Note:
    """The largest number of resamples was used up."""
    wanted = 0.0 if tolerance is None else tolerance
    reached = digits_for([error], [error], (wanted, math.inf)).performance(error)
    return Note(
        "tolerance-not-reached",
        f"the largest Monte-Carlo standard error is {reached}, above the tolerance {short(wanted)}",
        "raise --tolerance; the error shrinks with the square root of the resamples",
    )


def few_folds(n_folds: int) -> Note:
    """Fold methods rest on a handful of folds."""
    return Note(
        "few-folds",
        f"only {n_folds} folds: methods that compare or resample folds are coarse",
        "use 10 folds, or rely on bbc, which resamples samples",
    )


def few_groups(n_groups: int) -> Note:
    """A bootstrap over groups rests on a handful of them."""
    return Note(
        "few-groups",
        f"only {n_groups} groups: a bootstrap over groups is coarse, its intervals too narrow",
        "20 groups or more",
    )


def partial_folds(n_repeats: int) -> Note:
    """With repeats, fold-level draws stay within one repeat."""
    return Note(
        "folds-within-repeats",
        f"bbc-f resamples the folds of one repeat at a time and averages over {n_repeats} repeats",
        "",
    )


def wide_fold_mean(per_fold: float, words: str) -> Note:
    """Means over folds rest on very few samples out of the bag."""
    return Note(
        "wide-fold-mean",
        f"a fold holds {figure(per_fold)} of {words}, and fewer out of the bag: resampled means "
        "over folds spread two to three times as far as the standard error",
        "--pooling within-folds, or --pooling pooled where the folds share one scale",
    )
