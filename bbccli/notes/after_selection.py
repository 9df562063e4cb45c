"""Notes on comparisons of what was selected."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes.note import Note, listing
from bbccli.rounding import figure


def winner_is_baseline(name: str) -> Note:
    """Nothing is better on the data than the baseline."""
    return Note(
        "winner-is-baseline",
        f"the baseline, {name}, is itself the winner: nothing is compared with it",
        "name another baseline, or ask which configurations may be the best",
    )


def paired_test_alone(bound: float, p: float) -> Note:
    """What a test of two configurations named beforehand would have said."""
    return Note(
        "paired-test-alone",
        "a paired test of the winner alone would ignore that it was selected: at least "
        f"{figure(bound)}, p {figure(p)}",
        "report the simultaneous bound, which holds for whichever configuration wins",
    )


def constant_difference(names: Sequence[str], other: str) -> Note:
    """Two performances differ by the same on every sample."""
    return Note(
        "no-variance",
        f"the difference between {other} and {listing(list(names))} is the same on every sample, "
        "so nothing is known of its variance",
        "check whether the predictions vary",
    )


def no_influence(names: Sequence[str], label: str) -> Note:
    """A performance is undefined on all samples, or once a sample is left out."""
    return Note(
        "no-influence",
        f"{label} of {listing(list(names))} is undefined on the samples, or once one of them is "
        "left out: nothing simultaneous is said of it",
        "another --metric; or more samples of the rarest class",
    )


def unequal_budgets(first: str, second: str, n_first: int, n_second: int) -> Note:
    """The best of many was compared with the best of few."""
    return Note(
        "unequal-budgets",
        f"{first} had {n_first} configurations to choose from and {second} {n_second}: the "
        "difference as measured favours the one with more",
        "read the corrected difference",
    )


def screened_rivals(n_rivals: int, n_configurations: int) -> Note:
    """Each configuration was tested against some of the others."""
    return Note(
        "screened-rivals",
        f"each of {n_configurations} configurations was tested against the {n_rivals} that are not "
        "far behind the winner",
        "",
    )


def further_families(n_compared: int, n_families: int) -> Note:
    """Not all pairs of families were compared."""
    return Note(
        "further-families",
        f"the {n_compared} best of {n_families} families are compared in pairs",
        "leave configurations out, or choose a coarser --by, to compare others",
    )


def folds_differ(names: Sequence[str]) -> Note:
    """Files that were joined have other folds of the same samples."""
    return Note(
        "folds-differ",
        f"{listing(list(names))} do not share their folds: rows are compared, and no folds",
        "give both searches the same folds",
    )
