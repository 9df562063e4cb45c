"""Notes on what columns, metadata and recordings declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bbccli.core.notes.note import CARE, DOUBT, HARMLESS, Texts, listing, note
from bbccli.core.rounding import count, figure


@note(CARE, "roles")
def classes_in_order(classes: Sequence[str]) -> Texts:
    """A column holds lists with one probability for each class, and nothing names the classes. They
    are taken in sorted order, as scikit-learn has them in `classes_`; numbers by their value.

    Remedy: write one column `config::class` per class, if the models have another order.
    """
    return (
        f"lists of probabilities are taken to hold the classes in sorted order: "
        f"{listing(classes, 4)}",
        "if the models have another order: one column `config::class` per class",
    )


@note(CARE, "weights")
def weight_by_name(column: str) -> Texts:
    """A column called `weight`, `weights` or `sample_weight` weights the samples in every figure,
    for no other reason than its name. It may be a body weight.

    Remedy: `--weight NAME`, or the [metadata](formats.md#metadata)'s `"weight"`, if it is meant;
    `--unweighted` if it is not.
    """
    return (
        f"samples are weighted by the column {column}, which was found by its name",
        f"--weight {column} if that is meant, --unweighted if not",
    )


@note(DOUBT, "weights")
def uneven_weights(n_effective: float, n_units: int, units: str, of_class: str) -> Texts:
    """The effective number of samples (or groups) under their weights, Kish's (Σ w)² / Σ w², is
    less than a third of their number, in some class where there are classes. A few heavy samples
    decide which configuration wins and what it scores. The [guard](methods.md#guard) counts the
    effective number, so guarded intervals are wide; without a guard, as in comparisons and for
    losses without a worst value, they may be too narrow.

    Remedy: check the weights, or cut the largest ones. `--unweighted` counts all samples alike.
    """
    return (
        f"the weights make {count(n_units, units)}{of_class} count as {figure(n_effective)}: a few "
        f"heavy {units}s decide the figures",
        "check the weights; --unweighted counts all samples alike",
    )


@note(CARE, "roles")
def smaller_sizes_unused(sizes: Sequence[int]) -> Texts:
    """A column `train_size` tells models trained on more samples from those trained on fewer. All
    figures are of the largest training size; only [`ipl`](methods.md#ipl) reads the smaller ones.

    Remedy: nothing if the largest size is the one that the study is about. Else keep the rows of
    the size that it is about.
    """
    return (
        f"models were trained on {listing([str(size) for size in sizes], 8)} samples; only those "
        f"of {sizes[-1]} count, except in ipl",
        "nothing, if that is the size that the study is about; else keep the rows of that size",
    )


@note(CARE, "roles")
def columns_ignored(names: Sequence[str]) -> Texts:
    """A column has a name that could play a role which another column plays, or is the first one
    and holds the numbers of the rows in another order. It is not taken for a configuration.

    Remedy: if it is a configuration, rename it, or name it by `--only`; else nothing.
    """
    return (
        f"ignored; not treated as configurations: {listing(names)}",
        "rename a column if it is a configuration",
    )


@columns_ignored.also
def columns_set_aside(names: Sequence[str]) -> Texts:
    """Columns of a long table that play no part."""
    return (
        f"ignored; neither a role nor a prediction: {listing(names)}",
        "name the columns by options if one of them matters",
    )


@columns_ignored.also
def prediction_chosen(chosen: str, others: Sequence[str], option: str = "prediction") -> Texts:
    """A probability is used, and what stands beside it is not; an option takes the other."""
    return (
        f"the predictions are {chosen}; ignored beside it: {listing(others)}",
        f"--{option} {others[0]} if that is meant",
    )


@columns_ignored.also
def shuffled_numbers(names: Sequence[str]) -> Texts:
    """A first column that could be row numbers of another order, or ranks."""
    return (
        f"set aside as row numbers in another order, each once: {listing(names)}",
        f"if it is a configuration, of ranks: --only {names[0]!r} --only '*'",
    )


@note(HARMLESS, "roles")
def row_numbers(names: Sequence[str]) -> Texts:
    """A column numbers or names the rows and is no configuration: the index that pandas and R write
    beside the data, without a name or as `Unnamed: 0` or `X`, or a first column with the numbers
    from 0 or 1 on. Rows are not matched by it unless `--row-id` names it.

    Remedy: nothing. `--only NAME --only '*'` takes it for a configuration.
    """
    return (
        f"set aside as numbers or names of the rows: {listing(names)}",
        "nothing; or --row-id NAME if this is the key of the samples",
    )


@note(CARE, "metadata")
def metadata_contradicted(declared: str, found: str) -> Texts:
    """The metadata declare another task than the truth allows. The truth counts.

    Remedy: give `--task`, or correct the metadata.
    """
    return (
        f"the metadata say {declared}, the truth is {found}",
        "give --task, or correct the metadata",
    )


@note(CARE, "folds")
def averaged_repeats() -> Texts:
    """The predictions are means over the repeats of a cross-validation (flag
    `averaged_over_repeats`; mljar and AutoGluon keep nothing else). A sample was in several folds,
    so the folds are taken as unknown, and methods over folds cannot run. The estimate is that of
    the mean of several models, which is usually better than one of them.

    Remedy: save the predictions of each repeat if you deploy one model.
    """
    return (
        "predictions are means over repeats of the cross-validation: folds are taken as unknown, "
        "and the result is that of the mean of several models",
        "save the predictions of each repeat",
    )


@note(CARE, "flags")
def flagged_left_out(
    flags: Mapping[str, str], n_configurations: int, options: Sequence[str]
) -> Texts:
    """Configurations with the flags `ensemble`, `stacked`, `calibrated_on_fold`, `low_fidelity` or
    `dummy` take no part. The first three were fitted to the labels that their predictions are
    scored with, so that no correction for the selection makes them honest; the last two are no
    candidates. `bbc convert` keeps them.

    Remedy: nothing, or `--include ensembles`, `stacked`, `calibrated`, `low-fidelity`, `dummies` or
    `all`, knowing that the figure is then too good.
    """
    names = [f"{name} ({flag})" for name, flag in flags.items()]
    verb = "is" if len(names) == 1 else "are"
    return (
        f"{len(flags)} of {n_configurations} configurations {verb} left out for their flags: "
        f"{listing(names)}",
        " ".join(f"--include {one}" for one in options),
    )


@note(DOUBT, "flags")
def validity_flags(counts: Mapping[str, int]) -> Texts:
    """The metadata flag configurations whose predictions may not be what they seem, such as
    `early_stopping_on_fold` or `averaged_over_repeats`. The number of configurations stands behind
    each flag. See [formats](formats.md#metadata).

    Remedy: leave flagged configurations out if the flag makes their predictions too good; `rounded`
    is harmless but for ties.
    """
    flags = [f"{flag} ({count})" for flag, count in counts.items()]
    return (
        f"flags of the configurations: {listing(flags, 9)}",
        "leave out configurations that a flag makes look too good; rounding only makes ties",
    )


@note(DOUBT, "candidates")
def candidates_missing(n_candidates: int, n_configurations: int) -> Texts:
    """More configurations were tried than the file holds, as the metadata or the folder of a run
    say: failed fits, pruned trials, models that were deleted. The winner was the best of more, so
    the correction is too small. The first line, the answer and the sentence to report say how many
    were tried; in JSON it is `input.n_tried`.

    Remedy: add the others.
    """
    return (
        f"{n_candidates} candidates were tried, the file holds {n_configurations}",
        "only candidates in the file are corrected for; add the others",
    )


@note(CARE, "candidates")
def tried_again(names: Sequence[str]) -> Texts:
    """A recording has several predictions of the same configuration for the same rows: of other
    features, of a model without a seed, or of two models by one name. All were tried, so the
    correction is for choosing among all of them. Other features are named `X=2`, other tries `#2`.

    Remedy: if a try was a mistake that could not have been chosen, leave it out by `--exclude`.
    Record other studies in other folders.
    """
    return (
        f"tried before with other predictions, and each try counts: {listing(names)}",
        "to leave out a try that was a mistake: --exclude; record other studies in other folders",
    )


@note(HARMLESS, "candidates")
def recorded_again(names: Sequence[str]) -> Texts:
    """A search or a loop ran again in the folder of its recording, and predicted the same: after it
    was killed, for instance. The same predictions count once.

    Remedy: nothing.
    """
    return (
        f"recorded again with the same predictions, which count once: {listing(names)}",
        "nothing to do",
    )


@note(DOUBT, "candidates")
def damaged_parts(names: Sequence[str]) -> Texts:
    """Files of a recording can't be read, after a loss of power or on a full disk. A configuration
    that lost one of several is incomplete; one that lost all is not here.

    Remedy: run the search again with a recorder of the same folder, and `finish`: what is whole is
    kept, and counts once.
    """
    return (
        f"{count(len(names), 'file')} of the recording can't be read: {listing(names)}",
        "run the search again with a recorder of the same folder; what is whole is kept",
    )
