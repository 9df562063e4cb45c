"""Notes on comparisons: tests that are undefined, left out, too liberal or unpaired."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes.note import Note, listing


def undefined_test(test: str, why: str, remedy: str = "") -> Note:
    """The data give a test nothing to decide by."""
    return Note("undefined-test", f"{test} is undefined: {why}", remedy)


def test_left_out(test: str, problem: str, remedy: str) -> Note:
    """One of all tests does not fit this input."""
    return Note("test-left-out", f"{test} is left out: {problem}", remedy)


def identical_predictions(first: str, second: str) -> Note:
    """Nothing tells two configurations apart."""
    return Note(
        "identical-predictions",
        f"{first} and {second} predict the same on all samples",
        "compare configurations that differ",
    )


def selected_pair(winner: str, n_configurations: int) -> Note:
    """One of a pair is the winner of the same samples."""
    return Note(
        "selected-pair",
        f"{winner} is the best of {n_configurations} on these samples: tests of pairs ignore that "
        "it was selected, and find differences that are not there",
        "name pairs before seeing results, or compare with --baseline",
    )


def unpaired() -> Note:
    """A test takes the two for predictions of different samples."""
    return Note(
        "unpaired",
        "two-proportions ignores that both predict the same samples; it is for comparison only",
        "mcnemar",
    )


def too_liberal(test: str) -> Note:
    """A test takes folds for independent."""
    return Note(
        "too-liberal",
        f"{test} takes the folds for independent, but their models share training samples: it "
        "finds differences that are not there",
        "corrected-t",
    )


def samples_in_common(n_used: int, n_samples: int) -> Note:
    """Not every sample is predicted by all that are compared."""
    verb = "is" if n_used == 1 else "are"
    return Note(
        "samples-in-common",
        f"only the {n_used} of {n_samples} samples that all of them predict {verb} compared",
        "complete the predictions",
    )


def undefined_swaps(n_undefined: int, n_swaps: int, label: str) -> Note:
    """A performance is undefined after some swaps."""
    return Note(
        "undefined-swaps",
        f"{label} is undefined after {n_undefined} of {n_swaps} swaps, which count as if they "
        "were as far apart as what was measured",
        "a metric that is always defined; or more samples",
    )


def few_data_sets(test: str, n_data_sets: int, least: float) -> Note:
    """Agreement of all data sets would not be enough."""
    return Note(
        "few-data-sets",
        f"of {n_data_sets} data sets {test} has no p-value under {least:.2g}, even where all agree",
        "more data sets",
    )


def incomplete_data_sets(left_out: Sequence[str], n_data_sets: int) -> Note:
    """Some data sets lack a performance."""
    verbs = ("lacks", "is") if len(left_out) == 1 else ("lack", "are")
    return Note(
        "incomplete-data-sets",
        f"{len(left_out)} of {n_data_sets} data sets {verbs[0]} a performance and {verbs[1]} left "
        f"out: {listing(left_out)}",
        "complete them: what is missing is rarely missing by chance",
    )
