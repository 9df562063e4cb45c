"""Notes on comparisons: after selection, of fixed pairs, and across data sets."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes import CARE, DOUBT, HARMLESS, Texts, listing, note


@note(CARE)
def winner_is_baseline(name: str) -> Texts:
    """The baseline of `bbc compare` is itself the best, so nothing is corrected.

    Remedy: take the baseline; or leave out `--baseline` for the confidence set of the best.
    """
    return (
        f"the baseline, {name}, is itself the winner, so nothing is compared with it",
        "name another baseline, or leave out --baseline to see the confidence set of the best",
    )


@note(CARE)
def no_influence(names: Sequence[str], label: str) -> Texts:
    """The metric is undefined for a configuration on the samples, or when one of them is left out.
    It has no bound, p-value or interval.

    Remedy: another metric, or leave the configuration out with `--exclude`.
    """
    return (
        f"{label} of {listing(list(names))} is undefined on all samples, or without one of them, "
        "so it has no simultaneous bound",
        "use another --metric, or collect more samples",
    )


@note(CARE)
def unequal_budgets(first: str, second: str, n_first: int, n_second: int) -> Texts:
    """Of two families that are compared by their best configurations, one had more to choose from,
    so the observed difference favours it.

    Remedy: report the corrected difference.
    """
    return (
        f"{first} had {n_first} configurations to choose from and {second} {n_second}: the "
        "observed difference favours the one with more",
        "read the corrected difference",
    )


@note(HARMLESS)
def screened_rivals(n_rivals: int, n_configurations: int) -> Texts:
    """There are more than 1,000 configurations, so each was tested only against those close to the
    winner. The set hardly changes.

    Remedy: nothing.
    """
    return (
        f"each of {n_configurations} configurations was tested against the {n_rivals} that are "
        "close to the winner",
        "",
    )


@note(CARE)
def further_families(n_compared: int, n_families: int) -> Texts:
    """There are too many pairs of families to read, so only the ten best families are compared.

    Remedy: leave configurations out with `--exclude`, or choose a coarser `--by`.
    """
    return (
        f"only the {n_compared} best of {n_families} families are compared in pairs",
        "to compare others, leave configurations out with --exclude, or choose a coarser --by",
    )


@note(DOUBT)
def undefined_test(test: str, why: str, remedy: str = "") -> Texts:
    """A test can't decide: all differences are equal, there are fewer than two of something, or the
    metric jumps.

    Remedy: use the test that the note names, or collect more samples.
    """
    return f"{test} is undefined: {why}", remedy


@note(HARMLESS)
def test_left_out(test: str, problem: str, remedy: str) -> Texts:
    """With all tests asked for, this one does not fit the metric, the task or the data.

    Remedy: nothing; or what the note says.
    """
    return f"{test} is left out: {problem}", remedy


@note(CARE)
def identical_predictions(first: str, second: str) -> Texts:
    """Two configurations make the same predictions on all samples, so p is 1, and Bayesian tests
    are undefined.

    Remedy: compare configurations that differ.
    """
    return (
        f"{first} and {second} make the same predictions for all samples",
        "compare configurations that differ",
    )


@note(DOUBT)
def selected_pair(winner: str, n_configurations: int) -> Texts:
    """One of the compared configurations is the best of all, which tests of pairs ignore: if none
    is better than another, a paired test of the winner says "better" in 25 to 63 of 100 studies
    ([tables](../benchmarks/validation-tables.md#comparisons)).

    Remedy: name pairs beforehand, or compare the winner with a baseline.
    """
    return (
        f"{winner} is the best of {n_configurations} on these samples: tests of pairs ignore that "
        "it was selected, so they find differences that do not exist",
        "name pairs before seeing results, or compare with --baseline",
    )


@note(DOUBT)
def unpaired() -> Texts:
    """`two-proportions` treats the two sets of predictions as if they were of different samples. It
    exists to check published figures.

    Remedy: `mcnemar`.
    """
    return (
        "two-proportions ignores that both configurations predict the same samples; use it only "
        "to check published figures",
        "mcnemar",
    )


@note(DOUBT)
def too_liberal(test: str) -> Texts:
    """`k-fold-t` treats folds as independent. Their models share training samples, so it finds
    differences that are not there.

    Remedy: `corrected-t`, which costs the same.
    """
    return (
        f"{test} treats the folds as independent, but their models share training samples: it "
        "finds differences that do not exist",
        "corrected-t",
    )


@note(CARE)
def samples_in_common(n_used: int, n_samples: int) -> Texts:
    """Not all compared configurations predict every sample. They are compared on the samples that
    all of them predict.

    Remedy: complete the predictions.
    """
    return (
        f"the comparison uses only the {n_used} of {n_samples} samples that all of them predict",
        "complete the predictions",
    )


@note(CARE)
def undefined_swaps(n_undefined: int, n_swaps: int, label: str) -> Texts:
    """In a permutation test, the metric is undefined after some swaps. These count against a
    difference.

    Remedy: use a metric that is always defined, or collect more samples.
    """
    return (
        f"{label} is undefined after {n_undefined} of {n_swaps} swaps, which count as if they "
        "showed a difference as large as the observed one",
        "use a metric that is always defined, or collect more samples",
    )


@note(CARE)
def few_data_sets(test: str, n_data_sets: int, least: float) -> Texts:
    """Even if all data sets agree, a signed-rank test of so few can't reach the level: with five
    the smallest p-value is 0.0625.

    Remedy: add data sets.
    """
    return (
        f"with {n_data_sets} data sets the p-value of {test} can't be below {least:.2g}, even if "
        "all agree",
        "more data sets",
    )


@note(CARE)
def incomplete_data_sets(left_out: Sequence[str], n_data_sets: int) -> Texts:
    """Some data sets lack the score of a family, and are left out of the ranks.

    Remedy: complete them: scores are rarely missing by chance.
    """
    verbs = ("lacks", "is") if len(left_out) == 1 else ("lack", "are")
    return (
        f"{len(left_out)} of {n_data_sets} data sets {verbs[0]} a performance and {verbs[1]} left "
        f"out: {listing(left_out)}",
        "complete them: results are rarely missing at random",
    )
