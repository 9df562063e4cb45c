"""Notes on samples and predictions: what was left out, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes import CARE, DOUBT, HARMLESS, Texts, listing, note
from bbccli.platform.text import count, figure

ONE_UNIT = "give truth and predictions in one unit, and predictions rather than errors"
EXCLUDE = "if it is not a model's prediction, add --exclude NAME"


def exclude(names: Sequence[str]) -> str:
    """Return the remedy for columns that may be no configurations."""
    several = "if they are not models' predictions, add --exclude NAME for each"
    return EXCLUDE if len(names) == 1 else several


@note(CARE, "folds")
def folds_unknown(n_missing: int, n_rows: int, tool: str = "") -> Texts:
    """There is no fold column, or some samples have no fold. `tt` and `bbc-f` can't run; `bbc`
    needs no folds.

    Remedy: add a column `fold`, name it with `--fold`, or give `--folds FILE`.
    """
    verb = "has" if n_missing == 1 else "have"
    partly = f"{n_missing} of {n_rows} rows {verb} no fold; " if 0 < n_missing < n_rows else ""
    return (
        f"{partly}folds are unknown, so methods that need folds can't run"
        + (f"; {tool} selects by the mean over folds, which is not possible here" if tool else ""),
        "add a column 'fold', or give --folds FILE",
    )


@note(HARMLESS, "folds")
def folds_of_each() -> Texts:
    """Each configuration of the recording has folds of its own (`refold=True`), so the winner is
    selected on all samples, not by means over folds.

    Remedy: nothing.
    """
    return (
        "each configuration has folds of its own, so methods that need common folds can't run",
        "none is needed; bbc resamples the samples",
    )


@note(CARE, "outcome")
def bounds_unknown() -> Texts:
    """With `--task score`, scores are not all 0 or 1, and nothing gives their range. Intervals are
    not guarded, and may collapse.

    Remedy: give `--bounds LOW,HIGH`, such as `1,5` for marks from 1 to 5.
    """
    return (
        "the scores have no known bounds: nothing guards the intervals",
        "give --bounds LOW,HIGH, the smallest and the largest possible score; if less is better, "
        "give --metric mean-loss",
    )


@note(HARMLESS, "outcome")
def bounds_of_averages() -> Texts:
    """With `--task score`, all scores are shares i/k with k of at most 10: right or wrong, averaged
    over epochs. Their bounds are 0 and 1.

    Remedy: nothing; `--bounds LOW,HIGH` if a score can be outside.
    """
    return (
        "the scores from 0 to 1 are taken as right or wrong, averaged over a few epochs: their "
        "bounds are 0 and 1",
        "if a score can be lower than 0 or higher than 1, give --bounds LOW,HIGH",
    )


@note(DOUBT, "folds")
def folds_differ() -> Texts:
    """Samples are in different folds for different configurations, or files. Folds count as
    unknown: `bbc` runs, methods over folds can't.

    Remedy: cross-validate all configurations on the same folds.
    """
    return (
        "the folds differ between configurations and are taken as unknown",
        "cross-validate all configurations on the same folds, which makes them comparable",
    )


@folds_differ.also
def joined_folds_differ(names: Sequence[str]) -> Texts:
    """Files that were joined have other folds of the same samples."""
    return (
        f"{listing(list(names))} have different folds: they are compared by samples, not by folds",
        "use the same folds in both searches",
    )


@note(CARE, "keys")
def joined_by_position(files: Sequence[str]) -> Texts:
    """Rows of several files are matched by position. If one file is in another order, the figures
    are wrong, and nothing shows it.

    Remedy: give every file a column `row_id`, or name the key with `--row-id`; nothing, if you know
    that the order is the same.
    """
    return (
        f"rows are joined by position ({listing(files)}): a different order in one file would go "
        "unnoticed",
        "add the key of the sample to each file, in a column 'row_id'",
    )


@note(CARE, "labels file")
def unused_labels(what: str, n_labels: int, n_samples: int) -> Texts:
    """The file of labels, or of folds, has more samples than the predictions, like that of the
    training data.

    Remedy: nothing, if the others were not to be predicted; otherwise complete the predictions.
    """
    return (
        f"there are {what} for {n_labels} samples and predictions for {n_samples}: "
        f"{n_labels - n_samples} are not used",
        "complete the predictions, unless these samples were not meant to be predicted",
    )


@note(DOUBT)
def few_groups(n_groups: int) -> Texts:
    """`bbc` resamples whole groups, and there are fewer than 20: the interval is coarse and tends
    to be too narrow.

    Remedy: collect more groups, or read the interval with care.
    """
    return (
        f"only {n_groups} groups: a bootstrap over so few is imprecise, and its intervals are too "
        "narrow",
        "collect at least 20 groups",
    )


@note(DOUBT, "groups")
def group_spans_folds(n_spanning: int, n_groups: int, *, even: bool = False) -> Texts:
    """Samples of one group are in several folds: models were tested on groups that they had seen,
    so every score may be too good, and no method can correct that.

    Remedy: cross-validate again with whole groups in folds.
    """
    verb = "has" if n_spanning == 1 else "have"
    return (
        f"{n_spanning} of {n_groups} groups {verb} samples in more than one fold: this is "
        "leakage, and every performance may be too good",
        "keep each group in one fold when cross-validating"
        + "; if it is one sample in several repeats, name its column by --row-id, and add a column "
        "'repeat'" * even,
    )


@note(DOUBT, "keys")
def repeated_samples(what: str, period: int, times: int) -> Texts:
    """The truth, the folds or whole rows repeat, as if repeats were stacked. Each row counts as a
    sample, and k copies make an interval too narrow by √k.

    Remedy: name the columns of repeats and keys: `--repeat`, `--row-id`. Different samples in a
    fixed order, such as trials of several subjects, need `--group`.
    """
    verb, n_rows = "repeats" if what == "truth" else "repeat", period * times
    seen = f"the {what} {verb} every {period} samples, {times} times in all"
    if what == "values":
        seen = f"every value of the truth occurs {times} times or a multiple of that"
    return (
        f"{seen}: if these are repeats of a cross-validation, N is {period} instead of {n_rows}, "
        f"and the interval is too narrow by a factor of {times**0.5:.2f}",
        "distinguish the repeats by columns 'repeat' (or --repeat COLUMN) and 'row_id'",
    )


@note(HARMLESS, "keys")
def folds_of_repeats(n_folds: int, n_repeats: int) -> Texts:
    """Folds are numbered through the repeats of a cross-validation, as `enumerate` numbers those of
    `RepeatedKFold`. They are read as repeats, so that a sample counts once.

    Remedy: nothing.
    """
    return (
        f"the {n_folds} folds are those of {n_repeats} repeats of a cross-validation: the same "
        "samples are tested again",
        "nothing to do; or add a column 'repeat'",
    )


@repeated_samples.also
def alike_blocks(period: int, times: int) -> Texts:
    """Blocks of folds with the same truths and predictions that are alike, as if folds were
    numbered through repeats.
    """
    return (
        f"{times} blocks of folds have the same truths, and predictions as similar as in repeats "
        f"of a cross-validation: if they are repeats, N is {period} instead of {period * times}, "
        f"and the interval is too narrow by a factor of {times**0.5:.2f}",
        "give the key of the samples with --row-id COLUMN, or add columns 'repeat' and 'row_id'",
    )


@repeated_samples.also
def copied_rows(times: int, *, grouped: bool) -> Texts:
    """Rows that are there several times, under other ids."""
    unit = "group" if grouped else "row"
    return (
        f"every {unit} occurs {times} times or a multiple of that, with the same truth and "
        "predictions: if these are copies, the interval is too narrow by a factor of "
        f"{times**0.5:.2f}",
        "keep each sample once; rows of several repeats need columns 'repeat' (or --repeat COLUMN) "
        "and 'row_id'",
    )


@repeated_samples.also
def rows_again(n_again: int, n: int) -> Texts:
    """Some rows are copies of others, as where files overlap, a join found several rows for a key,
    or samples of a rare class were drawn again.
    """
    return (
        f"{n_again} of {n} rows repeat other rows, with the same truth and predictions: copies "
        "count as samples of their own, and make the interval too narrow",
        "keep each sample once; files that overlap need a column 'row_id'",
    )


@note(DOUBT, "outcome")
def unknown_labels(names: Sequence[str], n_predictions: int) -> Texts:
    """Some predictions are labels that the truth lacks, such as "abstain" or -1. They are wrong
    answers; means over classes leave out classes without a sample.

    Remedy: spell labels as in the truth; or list all `classes` in the
    [metadata](formats.md#metadata).
    """
    verb = "prediction is" if n_predictions == 1 else "predictions are"
    return (
        f"{n_predictions} {verb} {listing(names)}, which the truth lacks: wrong answers",
        "spell labels as in the truth, unless these are separate answers",
    )


@note(DOUBT, "polarity")
def polarity(
    auc: float, n_configurations: int, positive: str, other: str, *, told: bool = False
) -> Texts:
    """The predictions agree better with the truth, by 3.5 standard errors, if the classes are
    swapped or in another order; or are equally high in two classes. Nothing is flipped.

    Remedy: check which class they are of, and give `--positive`. Where predictions come with the
    names of their classes, that option changes nothing: names or labels are mixed up.
    """
    return (
        f"the median AUC of {n_configurations} configurations is {auc:.3f} with positive class "
        f"{positive}: the predictions may be for {other}",
        "check the names of the classes, and that rows and labels belong together"
        if told
        else f"--positive {other}",
    )


@polarity.also
def other_order(classes: Sequence[str], hits: float, others: float) -> Texts:
    """Labels, or probabilities of classes, of which few are right and most would be."""
    return (
        f"{others:.0%} of the predictions would be right if the classes were in the order "
        f"{listing(classes, 10)}; as they are, {hits:.0%}",
        "check how the classes are coded, or which column is whose: 'config::class' names it",
    )


@polarity.also
def alike_in_classes(low: float, high: float) -> Texts:
    """Predictions are as high in one class as in the other: they may be marks of answers."""
    return (
        f"predictions average {low:.2f} in one class and {high:.2f} in the other, of about the "
        "same size: they say nothing about the class, and may say how right an answer is",
        "if they are marks of answers, --task score",
    )


@note(DOUBT, "polarity")
def turned_round(names: Sequence[str], shown: str, likely: str) -> Texts:
    """A configuration contradicts the truth far beyond chance, while another agrees with it as
    much. It may hold the probability of the other class, swapped labels, or a loss.

    Remedy: correct its column, or `--exclude` it if it is not a configuration. A model that is
    worse than chance costs nothing.
    """
    leave_out = " ".join(f"--exclude {name!r}" for name in names[:5])
    return (
        f"{_with_verb(names, 'runs', 'run')} against the truth, far beyond chance, while others "
        f"agree with it{shown}",
        f"{likely} reverse {'it' if len(names) == 1 else 'them'}, or leave out what is not a "
        f"configuration: {leave_out}",
    )


@note(HARMLESS, "duplicates")
def duplicate_configurations(n_duplicates: int, example: tuple[str, str]) -> Texts:
    """Some columns are exact copies of others. The estimate is not affected.

    Remedy: check that the settings that should distinguish them take effect.
    """
    return (
        f"{n_duplicates} configurations repeat the predictions of another; {example[1]} repeats "
        f"those of {example[0]}, for instance"
        if n_duplicates > 1
        else f"{example[1]} repeats the predictions of {example[0]}",
        "check that these settings take effect; the estimate is not affected",
    )


@note(CARE, "choice")
def configurations_left_out(names: Sequence[str], n_configurations: int) -> Texts:
    """`--only` or `--exclude` leaves some configurations out.

    Remedy: leave out only what is not a candidate: without one that was tried and lost, the
    correction is too small.
    """
    return (
        f"{len(names)} of {n_configurations} configurations left out on request: {listing(names)}",
        "leave out only what is not a candidate: one that was tried and lost belongs to the "
        "selection",
    )


@note(DOUBT, "truth copies")
def equals_truth(names: Sequence[str]) -> Texts:
    """A configuration predicts the truth of every sample, like a copy of it.

    Remedy: `--exclude` it, unless it is a model that is always right.
    """
    return f"{_with_verb(names, 'equals', 'equal')} the truth in every row", exclude(names)


@note(CARE, "stray columns")
def constant_predictions(names: Sequence[str]) -> Texts:
    """A configuration is constant: a seed or a setting, or a model that learnt nothing.

    Remedy: `--exclude` what is not a configuration. A constant model is harmless.
    """
    return f"{_with_verb(names, 'is', 'are')} constant", exclude(names)


@note(DOUBT, "stray columns")
def fold_like(names: Sequence[str]) -> Texts:
    """A configuration has one value per fold, or whole numbers in the order of the rows: a fold, a
    row number, a time per fold.

    Remedy: `--exclude` what is not a configuration.
    """
    return (
        f"{_with_verb(names, 'depends', 'depend')} on the fold or the order of the rows alone, "
        "unlike a prediction",
        EXCLUDE,
    )


@note(DOUBT, "stray columns")
def off_scale(names: Sequence[str], spread: str, others: str, *, every: bool = False) -> Texts:
    """A configuration is on another scale: no probability among probabilities, or beyond all
    values of the truth. Or the truth is, in some rows, such as -999.

    Remedy: `--exclude` it if it is not a configuration, such as an age; else rescale its
    predictions. If all are, one unit may be a logarithm, or they may be errors.
    """
    text = f"{_with_verb(names, 'is', 'are')} off the scale: {names[0]} is {spread}, {others}"
    return text, ONE_UNIT if every else EXCLUDE


@off_scale.also
def truth_apart(value: str, n: int, others: str) -> Texts:
    """A value of the truth, such as -999, that may stand for a missing one."""
    return (
        f"the truth is {value} in {n} rows, and {others} in all others",
        "if it stands for a missing value there, remove these rows",
    )


@note(DOUBT, "stray columns")
def perfect_configuration(names: Sequence[str], other: str, performance: str, way: int) -> Texts:
    """A configuration orders all samples like the truth, or in reverse, or has a correlation of
    0.9999 with it, and no other comes near; or some err far more in one fold than in others, each
    fold being that of some, or in the first or last rows: leakage, or a copy of the outcome.

    Remedy: find out why: it may be a transformed copy of the truth, or a model that has seen it.
    """
    how = "as the truth does" if way > 0 else "against the truth"
    how += ", or nearly so" * performance.startswith("correlation")
    return (
        f"{_with_verb(names, 'ranks', 'rank')} all samples {how}; the best of the others, "
        f"{other}, has {performance}",
        f"this usually means leakage or a copy of the outcome; {EXCLUDE}",
    )


@perfect_configuration.also
def seen_in_training(names: Sequence[str], samples: str = "") -> Texts:
    """Configurations err far more in one fold than in all others, and each fold is that of some; or
    in the `samples` at one end than in all others.
    """
    rest = "" if samples else ", and every fold is the worst for some"
    return (
        f"{_with_verb(names, 'errs', 'err')} far more in {samples or 'one fold'} than in the "
        f"others{rest}, as for models that also predict rows they were fitted on",
        "keep only rows that no model was fitted on"
        if samples
        else "keep each model's predictions of its left-out fold only, joined into one column per "
        "configuration",
    )


@note(HARMLESS, "constant")
def truth_rounded(role: str, apart: float) -> Texts:
    """The truth, time or weight of a sample differs between files, configurations or repeats by
    rounding. The first value counts.

    Remedy: nothing; or write all digits.
    """
    return (
        f"{role} of the same sample differs by up to {apart:.1g} of its value or of the column's "
        "mean absolute value, whichever is larger, which looks like rounding; the first one "
        "counts",
        "write all digits",
    )


@note(HARMLESS, "constant")
def targets_scaled(of: str, scaled: Sequence[str], n_clipped: int, apart: float) -> Texts:
    """mljar scales the targets of some regression models, and clips small ones. The truth is taken
    from a model without scaling.

    Remedy: nothing.
    """
    clipped = (
        f", which raises those of {count(n_clipped, 'sample')} by up to {figure(apart)}; each "
        "model's score was checked on its own targets"
    )
    return (
        f"the run scales the targets of {listing(scaled)}{clipped if n_clipped else ''}: the "
        f"truth is taken from {of}",
        "nothing to do: figures use the original truth",
    )


@note(DOUBT, "constant")
def targets_clipped(n_unsure: int) -> Texts:
    """All models of an mljar run scale their targets, so the folder does not show the smallest ones
    before clipping.

    Remedy: train the `Baseline` too, which keeps the targets.
    """
    return (
        f"all models of the run scale their targets: the true value of "
        f"{count(n_unsure, 'sample')} may be smaller than the one that is used",
        "train the baseline too ('Baseline' in 'algorithms'), which keeps the targets",
    )


def _with_verb(names: Sequence[str], singular: str, several: str) -> str:
    """Names and a verb that agrees with their number."""
    return f"{listing(names)} {singular if len(names) == 1 else several}"
