"""Notes on what columns, metadata, recordings and logs of evaluations declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bbccli.notes.note import CARE, DOUBT, HARMLESS, Texts, listing, note
from bbccli.platform.rounding import count, figure


@note(DOUBT, "outcome")
def classes_as_values(values: Sequence[str]) -> Texts:
    """The truth holds at most five whole numbers, not all from 0 to 1, and all predictions are from
    0 to 1. They are compared as numbers, which fits counts. If the truth holds classes, the
    predictions are probabilities, and the figure means nothing.

    Remedy: correct the truth if a number in it is a slip; `--task regression` if it is a count; a
    column `config::class` for each class if there are several.
    """
    return (
        f"the truth, {listing(values)}, is taken as values, not classes, but all predictions are "
        "from 0 to 1",
        "correct the truth if it holds two classes; --task regression if it is a count",
    )


@note(CARE, "roles")
def classes_in_order(classes: Sequence[str], *, spelling: bool = False) -> Texts:
    """Positions in lists, or in arrays, stand for classes, and nothing names these. They are taken
    in sorted order, as scikit-learn has them in `classes_`: numbers by their value, but text by its
    spelling, so that "10" is before "2"; arrays get this note only if that makes a difference. So
    does a truth of two such texts, the last of which is the positive class.

    Remedy: write one column `config::class` per class, if the models have another order; in Python
    `classes`, and `positive` for two classes.
    """
    order = "the order of their spelling" if spelling else "sorted order"
    return (
        f"probabilities are taken to be of the classes in {order}: {listing(classes, 4)}",
        "if the models have another order: one column 'config::class' per class",
    )


@classes_in_order.also
def positive_by_spelling(classes: Sequence[str]) -> Texts:
    """Two classes that are texts of numbers, in another order than these numbers."""
    return (
        f"the classes are text, in the order of their spelling: {classes[-1]} is the positive one",
        f"--positive {classes[0]} if the predictions are of that class",
    )


@note(CARE, "weights")
def weight_by_name(column: str) -> Texts:
    """A column called `weight`, `weights` or `sample_weight` weights the samples in every figure
    because of its name alone. It may be a body weight.

    Remedy: `--weight NAME`, or `"weight"` in the [metadata](formats.md#metadata), if it is meant;
    `--unweighted` if it is not.
    """
    return (
        f"samples are weighted by the column {column}, which was found by its name",
        f"--weight {column} if that is meant, --unweighted if not",
    )


@note(DOUBT, "weights")
def uneven_weights(n_effective: float, n_units: int, units: str, of_class: str) -> Texts:
    """Kish's effective number of samples (or groups), (Σ w)² / Σ w², is less than a third of their
    number, in some class if there are classes. A few heavy samples decide which configuration
    wins and how it scores. The [guard](methods.md#guard) counts the effective number, so guarded
    intervals are wide; without a guard, as in comparisons and for losses without a worst value,
    they may be too narrow.

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
    figures are for the largest training size; only [`ipl`](methods.md#ipl) reads the smaller
    ones.

    Remedy: nothing if the study is about the largest size. Else keep only the rows of the size that
    it is about.
    """
    return (
        f"models were trained on {listing([str(size) for size in sizes], 8)} samples; only those "
        f"of {sizes[-1]} count, except in ipl",
        "nothing, if the study is about that size; else keep only the rows of the size it is about",
    )


@note(CARE, "roles")
def columns_ignored(names: Sequence[str]) -> Texts:
    """A column has a name for a role that another column already plays, or is the first column and
    holds row numbers in another order. It is not treated as a configuration.

    Remedy: if it is a configuration, rename it, or name it with `--only`; else nothing.
    """
    return (
        f"ignored; not treated as configurations: {listing(names)}",
        "rename a column if it is a configuration",
    )


@columns_ignored.also
def columns_set_aside(names: Sequence[str]) -> Texts:
    """Columns of a long table that play no part."""
    return (
        f"ignored, as neither a role nor a prediction: {listing(names)}",
        "name the columns by options if one of them matters",
    )


@columns_ignored.also
def groups_of_one(name: str) -> Texts:
    """A column named as the groups has another value for every sample."""
    ignored = f"ignored: {name} has another value for every sample, so it groups none"
    return ignored, f"--row-id {name} if it is the key of the samples; else --group NAME"


@columns_ignored.also
def prediction_chosen(chosen: str, others: Sequence[str], option: str = "prediction") -> Texts:
    """A probability is used, and the columns beside it are not; an option takes another."""
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


@note(DOUBT, "groups")
def groups_likely(names: Sequence[str], best: str, rows: str, n_samples: int) -> Texts:
    """The values of a column recur as those of groups do: each in equally many rows, in rows that
    follow each other, or in one fold. It is no configuration. Every row counts as an independent
    sample. If rows of one value belong together, as trials of a subject do, the result is for new
    trials of these subjects at best, and the interval is too narrow for new subjects.

    Remedy: `--group NAME` resamples whole groups, for a result on new ones. Nothing, if rows are as
    independent as any.
    """
    others = [name for name in names if name != best]
    return (
        f"{best} has {rows}, and each of {n_samples} rows counts as a sample: if rows of one value "
        "belong together, as trials of a subject do, the interval is too narrow for new ones"
        + (f"; neither it nor {listing(others)} is a configuration" if others else ""),
        f"--group {best} resamples whole groups: an interval for new ones; nothing, if all rows "
        "are independent",
    )


@groups_likely.also
def keys_likely(name: str, rows: str, n_samples: int, n_values: int) -> Texts:
    """An excluded column that seems to be the key of samples which were predicted several times."""
    return (
        f"{name} has {rows}, with one truth each: if it is the key of the samples, N is {n_values} "
        f"instead of {n_samples}, and the interval is too narrow",
        f"--row-id {name} if these are repeats, told apart by a column 'repeat'; --group {name} if "
        "different samples belong together",
    )


@note(CARE, "stray columns")
def whole_numbers(names: Sequence[str]) -> Texts:
    """A column holds whole numbers where others hold fractions, such as probabilities, and has no
    name like theirs. If it predicts far less than they do when they are cut to the same values, it
    is taken for a feature, such as a sex or an age, and counts nowhere. Otherwise it may be labels
    of a classifier, and is a configuration. [Formats](formats.md#what-values-show) has the limits.

    Remedy: `--exclude NAME` if it is none; `--only '*'` makes every column a configuration.
    """
    verb = "holds" if len(names) == 1 else "hold"
    return (
        f"{listing(names)} {verb} whole numbers beside fractions, and predict"
        f"{'s' * (len(names) == 1)} far less than the other columns: left out, as features",
        f"{_excluding(names)} if so; --only '*' if every column is a configuration",
    )


@whole_numbers.also
def whole_numbers_kept(names: Sequence[str]) -> Texts:
    """Labels of a classifier, or points of a score, beside probabilities."""
    verb, counts = ("holds", "counts as a configuration, since it predicts")
    if len(names) > 1:
        verb, counts = "hold", "count as configurations, since they predict"
    return (
        f"{listing(names)} {verb} whole numbers beside fractions, and {counts} about as well",
        f"{_excluding(names)} if that is no prediction",
    )


def _excluding(names: Sequence[str]) -> str:
    return " ".join(f"--exclude {name!r}" for name in names[:5])


@note(DOUBT, "keys")
def scores_of_folds(n_folds: int) -> Texts:
    """Each row of scores without a truth (`--task score`) is of one fold. N is the number of folds,
    not of samples, and models of different folds share most of their training data: the interval
    is too narrow.

    Remedy: keep the predictions of every sample, with `bbccli.recording` or an option of the tool.
    """
    return (
        f"the rows are scores of {n_folds} folds, not of samples: folds are few, and share their "
        "training data, so the interval is too narrow",
        "keep the predictions of the samples, for example with bbccli.recording",
    )


@note(HARMLESS, "roles")
def row_numbers(names: Sequence[str]) -> Texts:
    """A column numbers or names the rows and is not a configuration: the index that pandas and R
    write beside the data, unnamed or as `Unnamed: 0` or `X`, or a first column that counts from
    0 or 1. Rows are matched by it only if `--row-id` names it.

    Remedy: nothing. `--only NAME --only '*'` makes it a configuration.
    """
    return (
        f"set aside as numbers or names of the rows: {listing(names)}",
        "nothing; or --row-id NAME if this is the key of the samples",
    )


@note(CARE, "metadata")
def metadata_contradicted(declared: str, actual: str) -> Texts:
    """The metadata declare a task that the truth does not allow. The truth counts.

    Remedy: give `--task`, or correct the metadata.
    """
    return (
        f"the metadata say {declared}, but the truth is {actual}",
        "give --task, or correct the metadata",
    )


@note(CARE, "folds")
def files_of_folds(n_files: int, n_models: int) -> Texts:
    """Several files are read as the folds of one or several configurations: no two files of one
    share a sample, and their names differ in the number of the fold; or `--fold-files` says so.

    Remedy: nothing if that is right; else give each experiment to `bbc batch`, or join the files.
    """
    many = f"{n_files // n_models} folds of each of {n_models} models"
    what = f"{n_files} folds of one model" if n_models == 1 else many
    return (
        f"{n_files} files are read as {what}",
        "nothing, if that is right; bbc batch if each is an experiment of its own",
    )


@note(CARE, "folds")
def averaged_repeats() -> Texts:
    """The predictions are means over the repeats of a cross-validation (flag
    `averaged_over_repeats`; mljar and AutoGluon keep nothing else). A sample was in several
    folds, so the folds are treated as unknown, and methods over folds cannot run. The estimate
    is for the mean of several models, which is usually better than one of them.

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
    `dummy` are left out, and so are [blends](formats.md#what-values-show), means of others. These
    and the first three were fitted to the labels that score their predictions, so as configurations
    they look too good; the last two are not candidates. `bbc convert` keeps them.

    Remedy: nothing; `--select greedy`, which makes an ensemble of the others anew in every
    resample; or `--include ensembles`, `stacked`, `calibrated`, `low-fidelity`, `dummies` or
    `all`, knowing that the figure is then too good.
    """
    names = [f"{name} ({flag})" for name, flag in flags.items()]
    verb, whose = ("is", "its") if len(names) == 1 else ("are", "their")
    return (
        f"{len(flags)} of {n_configurations} configurations {verb} left out for {whose} flags: "
        f"{listing(names)}",
        " ".join(f"--include {one}" for one in options),
    )


@flagged_left_out.also
def blends_left_out(found: Mapping[str, str], n_configurations: int) -> Texts:
    """Weighted means of other configurations, with their recipe; empty if only the name tells."""
    names = [f"{name} ({made or 'by its name'})" for name, made in found.items()]
    what = "is left out as a blend" if len(names) == 1 else "are left out as blends"
    return (
        f"{len(found)} of {n_configurations} configurations {what} of others, fitted to these "
        f"labels: {listing(names)}",
        "--select greedy blends the others anew; --include ensembles, if weights were fixed before",
    )


@note(DOUBT, "flags")
def validity_flags(counts: Mapping[str, int]) -> Texts:
    """The metadata flag configurations whose predictions may not be what they seem, such as
    `early_stopping_on_fold` or `averaged_over_repeats`, with the number of configurations behind
    each flag. See [formats](formats.md#metadata).

    Remedy: leave flagged configurations out if the flag makes their predictions too good.
    """
    flags = [f"{flag} ({count})" for flag, count in counts.items()]
    return (
        f"flags of the configurations: {listing(flags, 9)}",
        "leave out configurations whose flag makes them look too good",
    )


@note(DOUBT, "candidates")
def candidates_missing(n_candidates: int, n_configurations: int) -> Texts:
    """More configurations were tried than the file holds, according to the metadata or the folder
    of a run: failed fits, pruned trials, deleted models. The winner was the best of more, so the
    correction is too small. The answer and the sentence to report say how many were tried; in
    JSON it is `input.n_tried`.

    Remedy: add the others.
    """
    return (
        f"{n_candidates} candidates were tried, but the file holds {n_configurations}",
        "only candidates in the file are corrected for; add the others",
    )


@note(DOUBT, "candidates")
def best_alone() -> Texts:
    """caret's `savePredictions = "final"` keeps the predictions of the best configuration alone.
    Its figure is that of a winner, and the choice can't be corrected for.

    Remedy: train with `savePredictions = "all"`.
    """
    return (
        "only the best configuration is here: what else was tried, if anything, is not",
        'train with savePredictions = "all", which keeps the predictions of all',
    )


@note(CARE, "candidates")
def tried_again(names: Sequence[str]) -> Texts:
    """A recording has several predictions of the same configuration for the same rows: from other
    features, from a model without a seed, or from two models with one name. All were tried, so
    the correction is for choosing among all of them. Other features are named `X=2`, other tries
    `#2`.

    Remedy: if a try was a mistake that could not have been chosen, leave it out with `--exclude`.
    Record other studies in other folders.
    """
    return (
        f"tried before with other predictions, and each try counts: {listing(names)}",
        "to leave out a try that was a mistake: --exclude; record other studies in other folders",
    )


@note(HARMLESS, "candidates")
def recorded_again(names: Sequence[str]) -> Texts:
    """A search or a loop ran again in the folder of its recording, after it was killed, for
    instance, and made the same predictions. They count once.

    Remedy: nothing.
    """
    return (
        f"recorded again with the same predictions, which count once: {listing(names)}",
        "nothing to do",
    )


@note(DOUBT, "candidates")
def damaged_parts(names: Sequence[str]) -> Texts:
    """Files of a recording can't be read, after a power failure or on a full disk. A configuration
    that lost some of its files is incomplete; one that lost all of them is missing.

    Remedy: run the search again with a recorder on the same folder, and `finish`: intact files are
    kept, and count once.
    """
    return (
        f"{count(len(names), 'file')} of the recording can't be read: {listing(names)}",
        "run the search again with a recorder of the same folder; intact files are kept",
    )


@note(CARE, "labels file")
def rows_unlabelled(tool: str, n_missing: int, n_rows: int) -> Texts:
    """The labels file has no label for some rows of a tool's run. The tool could neither learn from
    them nor score them, so they are left out.

    Remedy: nothing if their labels are unknown.
    """
    verb = "has" if n_missing == 1 else "have"
    return (
        f"{n_missing} of {n_rows} rows {verb} no label; {tool} could not score them: left out",
        "nothing to do, unless the labels are known",
    )


@note(CARE, "readable")
def failed_runs(logs: Sequence[str]) -> Texts:
    """Logs of runs that failed, were cancelled, killed or invalidated are left out, because the
    part that they hold may differ from the rest. Unless another log has the same configuration,
    one that was tried can't win.

    Remedy: finish these runs, for instance with `inspect eval-retry`.
    """
    return (
        f"{count(len(logs), 'log')} of unsuccessful runs left out: {listing(logs, 3)}",
        "finish these runs",
    )


@note(CARE, "readable")
def run_again(logs: Sequence[str]) -> Texts:
    """Several logs are of one configuration on one task. The newest counts, whatever its score:
    taking the best of them would be a choice that nothing corrects. Logs are of one
    configuration if model, prompt, arguments, solver and settings are equal, as far as the logs
    tell.

    Remedy: if they were different prompts or settings, say so in the logs, with an argument of the
    task or a label of the prompt. Then each is a configuration.
    """
    return (
        f"{count(len(logs), 'log')} replaced by newer ones of the same configuration: "
        f"{listing(logs, 3)}",
        "if these are different configurations, give them different arguments or labels",
    )


@note(CARE, "readable")
def tasks_left_out(tasks: Sequence[str]) -> Texts:
    """Some configurations did not run a task, or it has no score of the chosen name. Its items are
    left out for all configurations, so that all are compared on the same items.

    Remedy: run the task for all configurations; or name the logs of fewer of them.
    """
    return (
        f"{count(len(tasks), 'task')} left out: {listing(tasks, 3)}",
        "run them for all configurations, or name the logs of fewer",
    )


@note(CARE, "readable")
def files_not_read(files: Sequence[str]) -> Texts:
    """Files beside the logs, or below them, that may be logs by their names: none of them is one of
    the framework, as far as it can be recognised. Settings are such files, and so are the results
    of a run without the scores of its items.

    Remedy: nothing if they are no logs; else write them again, with the scores of all items.
    """
    return (
        f"{count(len(files), 'file')} beside the logs not read: {listing(files, 3)}",
        "nothing, if they are no logs; else write them again",
    )


@note(CARE, "readable")
def first_score(score: str, others: Sequence[str]) -> Texts:
    """The logs hold several scores, and the framework does not say which of them counts, or that
    one is not in all logs. The first score that all logs have is used. Looking at several and
    reporting the best is another choice, which nothing corrects.

    Remedy: `--prediction NAME` for another one.
    """
    return (
        f"the score used is {score}, the first that all logs have; others are {listing(others)}",
        f"--prediction {others[0]} for another one",
    )


@note(DOUBT)
def failures_best(n_failed: int) -> Texts:
    """Failed requests have a score, from `--errors zero` or the framework, and lower scores are
    better: a failure may count as the best possible answer.

    Remedy: `--errors missing` leaves failed requests out, `--errors refuse` refuses them.
    """
    return (
        f"{count(n_failed, 'failed request')} with a score, though lower is better: failures may "
        "count as best",
        "--errors missing",
    )
