"""Notes on what columns are by their values: classes, bounds, probabilities of a prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bbccli.notes import CARE, HARMLESS, Texts, listing, note
from bbccli.notes.of_metadata import classes_in_order, columns_ignored
from bbccli.platform.text import count


@classes_in_order.also
def classes_of_numbers(pairs: Sequence[str]) -> Texts:
    """Columns that sum to 1 in every row, whose names number the classes."""
    return (
        "columns that sum to 1 in every row are taken as the classes of one model, in sorted "
        f"order: {listing(pairs, 4)}",
        "if the models use another order, write one column 'config::class' per class",
    )


@classes_in_order.also
def classes_of_axis(classes: Sequence[str], n_configurations: int) -> Texts:
    """The last axis of arrays sums to 1 in every row."""
    return (
        "the last axis sums to 1 in every row, so it holds the classes, in sorted order: "
        f"{listing(classes, 4)}; of {count(n_configurations, 'configuration')}",
        "give classes=[...] for another order, or configurations=[...] if it holds configurations",
    )


@note(HARMLESS, "roles")
def classes_of_one_model(pairs: Sequence[str]) -> Texts:
    """Columns that sum to 1 in every row are named after classes: the probabilities of one model.

    Remedy: nothing; `--only '*'` if each is a configuration.
    """
    return (
        f"columns that sum to 1 in every row are the classes of one model: {listing(pairs, 4)}",
        "nothing to do; if each is a configuration, give --only '*'",
    )


@note(CARE, "roles")
def scores_of_classes(pairs: Sequence[str]) -> Texts:
    """Columns are named after the classes, and each is higher for its own class: scores of one
    model, such as logits. It predicts the class of the highest score; of two classes the difference
    counts.

    Remedy: nothing; `--only '*'` if each is a configuration.
    """
    return (
        "columns that each rise with one class are taken as the scores of one model: "
        f"{listing(pairs, 4)}",
        "nothing to do; if each is a configuration, give --only '*'",
    )


@note(CARE, "roles")
def confidence(column: str, label: str, positive: str | None, option: str = "only") -> Texts:
    """A column holds the probability of the predicted class, beside the predicted labels. Of two
    classes it was turned into the probability of the positive one; else the labels count.

    Remedy: nothing; `--only NAME` if the column is the probability of one class.
    """
    done = "ignored" if positive is None else f"turned into the probability of {positive}"
    return (
        f"{column} is the probability of the predicted class, {label}: {done}",
        f"if it is the probability of one class, give --{option} {column!r}",
    )


@columns_ignored.also
def labels_at_cut(label: str, probability: str, cut: float) -> Texts:
    """Labels are those of a probability above another cut than 0.5, such as H2O's."""
    return (
        f"{label} is {probability} cut at {cut:.3g}: ignored next to it",
        f"give --threshold {cut:.3g} to score its labels by a metric of classes; or --only '*' if "
        "both are configurations",
    )


@note(CARE, "roles")
def positive_by_scores(positive: str, tool: str) -> Texts:
    """Nothing names the positive class, and the run's own scores match its predictions only if it
    is not the last in sorted order.

    Remedy: check the labels if the run was not given a positive class: swapped ones would look the
    same.
    """
    return (
        f"the positive class is {positive}, judging by the scores of {tool}",
        "check the labels unless the run was given this positive class",
    )


@columns_ignored.also
def bounds_left_out(names: Sequence[str]) -> Texts:
    """Bounds of intervals, and quantiles, around the predictions."""
    return (
        "left out as bounds or quantiles, by their order or the share of the truth below them: "
        f"{listing(names)}",
        f"if they are configurations, give --only {names[0]!r} --only '*'",
    )


@columns_ignored.also
def uncertainty(names: Sequence[str], why: str) -> Texts:
    """Columns that say how sure others are, by what follows from these or by their names."""
    return (
        f"left out, because {why}: {listing(names)}",
        f"if it is a configuration, give --only {names[0]!r} --only '*'",
    )


@columns_ignored.also
def nested_set_aside(names: Sequence[str]) -> Texts:
    """Columns of objects, lists or bytes."""
    return (
        f"ignored, because they hold objects, lists or bytes: {listing(names)}",
        "write what matters of them as columns of numbers or text, such as one config::class per "
        "class (Spark: vector_to_array)",
    )


@columns_ignored.also
def copies(by_name: Mapping[str, str]) -> Texts:
    """Columns that are another one, by its name, on another scale."""
    names, first = [f"{name} (of {other})" for name, other in by_name.items()], next(iter(by_name))
    return (
        f"left out, because in every row it is another column on another scale: {listing(names)}",
        f"if it is a configuration, give --only {first!r} --only '*'",
    )


@note(CARE, "stray columns")
def whole_numbers(names: Sequence[str], *, recurring: str = "") -> Texts:
    """A column holds whole numbers where others hold fractions, or numbers beside labels.
    If it predicts far less, it is left out as a feature, such as an age; else it is a
    [configuration](formats.md#rules-on-columns-and-rows).

    Remedy: `--exclude NAME` if it is not; `--only '*'` makes every column a configuration.
    """
    verb = "holds" if len(names) == 1 else "hold"
    return (
        f"{listing(names)} {verb} whole numbers beside fractions, and "
        f"predict{'s' * (len(names) == 1)} far less well than the other columns: left out as "
        "features",
        f"confirm with {_excluding(names)}, or give --only '*' if every column is a configuration"
        + f", --group {recurring!r} if rows with one value of it belong together" * bool(recurring),
    )


@whole_numbers.also
def equal_parts(names: Sequence[str]) -> Texts:
    """Columns that cut the samples into equal parts, as folds do, under another name."""
    verb = "holds" if len(names) == 1 else "hold"
    return (
        f"{listing(names)} {verb} a few whole numbers, all equally often, as folds do: left out",
        f"give --fold {names[0]!r} if these are the folds, else --exclude {names[0]!r}",
    )


@whole_numbers.also
def indicators(names: Sequence[str], *, folds: bool) -> Texts:
    """Columns that are 1 in turn, for each value of what was one column."""
    meant = "the folds" if folds else "left out as features"
    return (
        f"in every row one of {listing(names)} is 1, and the others are 0: {meant}",
        f"nothing to do; if they are configurations, give --only {names[0]!r} --only '*'",
    )


@whole_numbers.also
def numbers_beside(names: Sequence[str], classes: Sequence[str]) -> Texts:
    """Numbers beside labels that can be none."""
    verb = "holds" if len(names) == 1 else "hold"
    return (
        f"{listing(names)} {verb} numbers, not labels ({listing(classes)}): left out as features",
        f"confirm with {_excluding(names)}; if it is a prediction, write its labels",
    )


@whole_numbers.also
def whole_numbers_kept(names: Sequence[str]) -> Texts:
    """Labels of a classifier, or points of a score, beside probabilities."""
    verb, counts = ("holds", "counts as a configuration, since it predicts")
    if len(names) > 1:
        verb, counts = "hold", "count as configurations, since they predict"
    return (
        f"{listing(names)} {verb} whole numbers beside fractions, and {counts} about as well",
        f"if that is not a prediction, give {_excluding(names)}",
    )


def _excluding(names: Sequence[str]) -> str:
    return " ".join(f"--exclude {name!r}" for name in names[:5])


@note(HARMLESS, "flags")
def rounded_predictions(n_rounded: int) -> Texts:
    """The metadata flag configurations as `rounded`. That only makes ties.

    Remedy: nothing.
    """
    return f"predictions of {count(n_rounded, 'configuration')} are rounded, which creates ties", ""
