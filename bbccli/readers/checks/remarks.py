"""What is worth saying about the predictions themselves: one function per note."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes import Note, listing

EXCLUDE = "leave out what is not a configuration: --exclude NAME"


def polarity(auc: float, n_configurations: int, positive: str, other: str) -> Note:
    """Predictions that seem to be of the other class."""
    return Note(
        "polarity",
        f"median AUC of {n_configurations} configurations is {auc:.3f} with positive class "
        f"{positive}: the predictions may be of {other}",
        f"--positive {other}",
    )


def constant_predictions(names: Sequence[str]) -> Note:
    """Configurations that can't tell samples apart."""
    return Note(
        "constant-predictions",
        f"{_with_verb(names, 'has', 'have')} one and the same value for every sample",
        EXCLUDE,
    )


def fold_like(names: Sequence[str]) -> Note:
    """Configurations that hold a number of the fold or of the row."""
    return Note(
        "fold-like",
        f"{_with_verb(names, 'follows', 'follow')} from the fold or the order of the rows alone: "
        "unlikely to be a prediction",
        EXCLUDE,
    )


def off_scale(names: Sequence[str], spread: str, others: str) -> Note:
    """Configurations that lie elsewhere than the others or the truth."""
    return Note(
        "off-scale",
        f"{_with_verb(names, 'is', 'are')} off the scale: {names[0]} is {spread}, {others}",
        EXCLUDE,
    )


def perfect_configuration(names: Sequence[str], other: str, performance: str, way: int) -> Note:
    """Configurations that are always right, or always wrong, where no other comes near."""
    how = "as the truth does" if way > 0 else "against the truth"
    return Note(
        "perfect-configuration",
        f"{_with_verb(names, 'orders', 'order')} all samples {how}; the best of the others, "
        f"{other}, has {performance}",
        f"a leak, or no prediction at all? {EXCLUDE}",
    )


def turned_round(names: Sequence[str], shown: str, likely: str) -> Note:
    """Configurations that go against the truth where others go with it."""
    leave_out = " ".join(f"--exclude {name!r}" for name in names[:5])
    return Note(
        "turned-round",
        f"{_with_verb(names, 'goes', 'go')} against the truth, far beyond chance, where others go "
        f"with it{shown}",
        f"{likely} turn {'it' if len(names) == 1 else 'them'} round, or leave out what is not a "
        f"configuration: {leave_out}",
    )


def equals_truth(names: Sequence[str]) -> Note:
    """Configurations that are the truth, and were named by hand or may be so by luck."""
    return Note(
        "equals-truth",
        f"{_with_verb(names, 'equals', 'equal')} the truth in every row",
        EXCLUDE,
    )


def duplicate_configurations(n_duplicates: int, example: tuple[str, str]) -> Note:
    """Configurations with the same predictions as another one."""
    return Note(
        "duplicate-configurations",
        f"{n_duplicates} configurations repeat the predictions of another, "
        f"such as {example[1]} those of {example[0]}"
        if n_duplicates > 1
        else f"{example[1]} repeats the predictions of {example[0]}",
        "harmless for the estimate; check that these settings differ in effect",
    )


def _with_verb(names: Sequence[str], one: str, several: str) -> str:
    """Names and a verb that agrees with their number."""
    return f"{listing(names)} {one if len(names) == 1 else several}"
