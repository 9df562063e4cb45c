"""Everything worth saying about a file that could be read: one function per note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bbccli.notes import Note, listing
from bbccli.rounding import count, figure

EXCLUDE = "leave out what is not a configuration: --exclude NAME"


def columns_ignored(names: Sequence[str]) -> Note:
    """Columns whose name could play a role that another column plays."""
    return Note(
        "columns-ignored",
        f"ignored; not treated as configurations: {listing(names)}",
        "rename a column if it is a configuration",
    )


def columns_set_aside(names: Sequence[str]) -> Note:
    """Columns of a long table that play no part."""
    return Note(
        "columns-ignored",
        f"ignored; neither a role nor a prediction: {listing(names)}",
        "name the columns by options if one of them matters",
    )


def joined_by_position(files: Sequence[str]) -> Note:
    """Files whose rows are those of the same samples if their order is the same."""
    return Note(
        "joined-by-position",
        f"rows are joined by position ({listing(files)}): another order in one file would go "
        "unnoticed",
        "give each file the key of the sample, in a column `row_id`",
    )


def weight_by_name(column: str) -> Note:
    """A column weights the samples because of its name."""
    return Note(
        "weight-by-name",
        f"samples are weighted by the column {column}, which was found by its name",
        f"--weight {column} if that is meant, --unweighted if not",
    )


def uneven_weights(n_effective: float, n_units: int, units: str, of_class: str) -> Note:
    """A few heavy samples decide everything."""
    return Note(
        "uneven-weights",
        f"the weights make {count(n_units, units)}{of_class} count as {figure(n_effective)}: a few "
        f"heavy {units}s decide the figures",
        "check the weights; --unweighted counts all samples alike",
    )


def classes_in_order(classes: Sequence[str]) -> Note:
    """Lists of probabilities whose classes are those of the truth in sorted order."""
    return Note(
        "classes-in-order",
        f"lists of probabilities are taken to hold the classes in sorted order: "
        f"{listing(classes, 4)}",
        "if the models have another order: one column `config::class` per class",
    )


def prediction_chosen(chosen: str, others: Sequence[str], option: str = "prediction") -> Note:
    """A probability is used, and what stands beside it is not; an option takes the other."""
    return Note(
        "columns-ignored",
        f"the predictions are {chosen}; ignored beside it: {listing(others)}",
        f"--{option} {others[0]} if that is meant",
    )


def row_numbers(names: Sequence[str]) -> Note:
    """Columns that number or name the rows."""
    return Note(
        "row-numbers",
        f"set aside as numbers or names of the rows: {listing(names)}",
        "nothing; or --row-id NAME if this is the key of the samples",
    )


def shuffled_numbers(names: Sequence[str]) -> Note:
    """A first column that could be row numbers of another order, or ranks."""
    return Note(
        "columns-ignored",
        f"set aside as row numbers in another order, each once: {listing(names)}",
        f"if it is a configuration, of ranks: --only {names[0]!r} --only '*'",
    )


def folds_differ() -> Note:
    """Samples lie in different folds for different configurations."""
    return Note(
        "folds-differ",
        "the folds differ between configurations and are taken as unknown",
        "cross-validate all configurations on the same folds: it makes them comparable",
    )


def metadata_contradicted(declared: str, found: str) -> Note:
    """The declared task does not fit the truth."""
    return Note(
        "metadata-contradicted",
        f"the metadata say {declared}, the truth is {found}",
        "give --task, or correct the metadata",
    )


def samples_left_out(n_left_out: int, n_samples: int, n_repeats: int) -> Note:
    """Samples that no configuration predicts in some repeat."""
    where = " in every repeat" if n_repeats > 1 else ""
    return Note(
        "samples-left-out",
        f"{n_left_out} of {n_samples} samples have no prediction{where}; left out",
        "complete the predictions",
    )


def samples_of_dropped(n_left_out: int, n_samples: int) -> Note:
    """Samples that none of the configurations predicts that are kept."""
    verb = "is" if n_left_out == 1 else "are"
    return Note(
        "samples-left-out",
        f"{n_left_out} of {n_samples} samples {verb} predicted only by configurations that lack "
        "too many others; left out",
        "complete the predictions",
    )


def repeated_holdout(n_repeats: int, n_samples: int, fewest: int, most: int) -> Note:
    """Each repeat predicts another part of the samples."""
    size = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return Note(
        "repeated-holdout",
        f"repeated hold-out: each of {n_repeats} repeats predicts {size} of {n_samples} samples "
        "and is scored on those; methods over folds cannot run",
        "if the repeats are cross-validations, give every sample the same row_id in each",
    )


def configurations_dropped(
    names: Sequence[str], n_configurations: int, *, stopped: bool = False
) -> Note:
    """Configurations that lack predictions other configurations have: some, or whole folds."""
    return Note(
        "configurations-dropped",
        f"{len(names)} of {n_configurations} configurations lack predictions and cannot win: "
        f"{listing(names)}",
        "if they were pruned or failed: nothing, but the correction, which leaves them out, is "
        "slightly too small"
        if stopped
        else "complete their predictions, or --missing common-rows to compare all on fewer samples",
    )


def common_rows(n_common: int, n_samples: int) -> Note:
    """Only samples that every configuration predicts are used."""
    return Note(
        "common-rows",
        f"{n_common} of {n_samples} samples have a prediction by every configuration; only these "
        "are used",
        "complete the predictions: samples are rarely missing by chance",
    )


def available_cases(share: float) -> Note:
    """Each configuration is scored on the samples that it predicts."""
    return Note(
        "available-cases",
        f"{share:.0%} of the predictions are missing: each configuration is scored on the samples "
        "that it predicts",
        "complete the predictions: configurations scored on easier samples look better",
    )


def gaps_within_folds(names: Sequence[str]) -> Note:
    """Configurations that predict some samples of a fold and not others that are predicted."""
    verbs = ("lacks", "counts") if len(names) == 1 else ("lack", "count")
    return Note(
        "gaps-within-folds",
        f"{count(len(names), 'configuration')} {verbs[0]} predictions within a fold, and "
        f"{verbs[1]} as dropped: {listing(names)}",
        "complete these folds if they should stay in",
    )


def folds_unknown(n_missing: int, n_rows: int, tool: str = "") -> Note:
    """No folds, or folds of some rows only; a tool that selects by their mean can't be followed."""
    partly = f"{n_missing} of {n_rows} rows have no fold; " if 0 < n_missing < n_rows else ""
    return Note(
        "folds-unknown",
        f"{partly}folds are unknown, methods over folds cannot run"
        + (f"; {tool} selects by the mean over folds, which can't be done here" if tool else ""),
        "add a column `fold`, or give --folds FILE",
    )


def bounds_unknown() -> Note:
    """Scores without a truth, of which it is not said how bad they could be."""
    return Note(
        "bounds-unknown",
        "the scores have no known bounds: nothing guards the intervals",
        "--bounds LOW,HIGH, the worst and the best that a score can be, in increasing order",
    )


def group_spans_folds(n_spanning: int, n_groups: int) -> Note:
    """Groups with samples in more than one fold."""
    return Note(
        "group-spans-folds",
        f"{n_spanning} of {n_groups} groups have samples in more than one fold: leakage, "
        "every performance may be too good",
        "keep each group in one fold when cross-validating",
    )


def flagged_left_out(
    flags: Mapping[str, str], n_configurations: int, options: Sequence[str]
) -> Note:
    """Configurations that take no part because of a flag."""
    names = [f"{name} ({flag})" for name, flag in flags.items()]
    verb = "is" if len(names) == 1 else "are"
    return Note(
        "flagged-left-out",
        f"{len(flags)} of {n_configurations} configurations {verb} left out for their flags: "
        f"{listing(names)}",
        " ".join(f"--include {one}" for one in options),
    )


def averaged_repeats() -> Note:
    """Predictions are means over repeats."""
    return Note(
        "averaged-repeats",
        "predictions are means over repeats of the cross-validation: folds are taken as unknown, "
        "and the result is that of the mean of several models",
        "save the predictions of each repeat",
    )


def configurations_left_out(names: Sequence[str], n_configurations: int) -> Note:
    """Configurations that take no part by the user's wish."""
    return Note(
        "configurations-left-out",
        f"{len(names)} of {n_configurations} configurations are left out as asked: "
        f"{listing(names)}",
        "leave out only what is not a candidate: one that was tried and lost counts",
    )


def truth_rounded(role: str, apart: float) -> Note:
    """A value of one sample differs in the last digits."""
    return Note(
        "truth-rounded",
        f"{role} of the same sample differs by up to {apart:.1g} of its value or of the column's "
        "mean absolute value, whichever is larger, as by rounding; the first one counts",
        "write all digits",
    )


def validity_flags(counts: Mapping[str, int]) -> Note:
    """Threats to validity that the metadata declare."""
    flags = [f"{flag} ({count})" for flag, count in counts.items()]
    return Note(
        "validity-flags",
        f"flags of the configurations: {listing(flags, 9)}",
        "leave out configurations that a flag makes look too good; rounding only makes ties",
    )


def candidates_missing(n_candidates: int, n_configurations: int) -> Note:
    """More configurations were tried than the file holds."""
    return Note(
        "candidates-missing",
        f"{n_candidates} candidates were tried, the file holds {n_configurations}",
        "only candidates in the file are corrected for; add the others",
    )


def tried_again(names: Sequence[str]) -> Note:
    """Configurations of a recording that were tried before, with other predictions."""
    return Note(
        "tried-again",
        f"tried before with other predictions, and each try counts: {listing(names)}",
        "to leave out a try that was a mistake: --exclude; record other studies in other folders",
    )


def recorded_again(names: Sequence[str]) -> Note:
    """The same, with equal predictions."""
    return Note(
        "recorded-again",
        f"recorded again with the same predictions, which count once: {listing(names)}",
        "nothing to do",
    )


def targets_scaled(of: str, scaled: Sequence[str], n_clipped: int, apart: float) -> Note:
    """Models that were trained and scored on scaled targets; the truth is that of another one."""
    clipped = (
        f", which raises those of {count(n_clipped, 'sample')} by up to {figure(apart)}; each "
        "model's score was checked on its own targets"
    )
    return Note(
        "targets-scaled",
        f"the run scales the targets of {listing(scaled)}{clipped if n_clipped else ''}: the truth "
        f"is that of {of}",
        "nothing to do: figures are of the truth as it was given",
    )


def targets_clipped(n_unsure: int) -> Note:
    """All models scaled their targets, so that the truth itself may be clipped."""
    return Note(
        "targets-clipped",
        f"all models of the run scale their targets: the true value of "
        f"{count(n_unsure, 'sample')} may be smaller than the one that is used",
        "train the baseline too (`Baseline` in `algorithms`), which keeps the targets",
    )


def damaged_parts(names: Sequence[str]) -> Note:
    """Files of a recording that can't be read."""
    return Note(
        "damaged-parts",
        f"{count(len(names), 'file')} of the recording can't be read: {listing(names)}",
        "run the search again with a recorder of the same folder; what is whole is kept",
    )


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


def repeating_rows(what: str, period: int, times: int) -> Note:
    """Rows that seem to be repeats of a cross-validation under one another."""
    verb, n_rows = "repeats" if what == "truth" else "repeat", period * times
    return Note(
        "repeated-samples",
        f"the {what} {verb} every {period} samples, {times} times in all: if these are repeats of "
        f"a cross-validation, N is {period} instead of {n_rows}, and the interval is too narrow by "
        f"a factor of {times**0.5:.2f}",
        "tell the repeats apart by columns `repeat` (or --repeat COLUMN) and `row_id`",
    )


def copied_rows(times: int, *, grouped: bool) -> Note:
    """Rows that are there several times, under other ids."""
    unit = "group" if grouped else "row"
    return Note(
        "repeated-samples",
        f"every {unit} is there {times} times or a multiple of that, with the same truth and "
        f"predictions: if these are copies, the interval is too narrow by a factor of "
        f"{times**0.5:.2f}",
        "keep each sample once; rows of several repeats need columns `repeat` (or --repeat COLUMN) "
        "and `row_id`",
    )
