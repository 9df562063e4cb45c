"""Notes on what columns, metadata, recordings and logs of evaluations declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bbccli.notes import CARE, DOUBT, HARMLESS, Texts, listing, note
from bbccli.platform.text import count, figure


@note(DOUBT, "outcome")
def classes_as_values(values: Sequence[str], other: str = "") -> Texts:
    """The truth holds at most five whole numbers, and all predictions are from 0 to 1, or other
    whole numbers. They are compared as numbers, which means nothing if the truth holds classes.

    Remedy: correct the truth if a number is a slip; `--task regression` if it is a count; a column
    `config::class` for each of several classes.
    """
    what, remedy = ("from 0 to 1", "correct the truth if it holds two classes")
    if other:
        what, remedy = (f"whole numbers too, such as {other}", "number classes alike in both")
    return (
        f"the truth, {listing(values)}, is taken as values, not classes, but all predictions are "
        f"{what}",
        f"{remedy}, or give --task regression if it is a count",
    )


@note(CARE, "roles")
def classes_in_order(classes: Sequence[str], *, spelling: bool = False) -> Texts:
    """Positions in lists or arrays stand for classes, and nothing names these. They are taken in
    sorted order, like scikit-learn's `classes_`; of text, "10" is before "2".

    Remedy: for another order, write one column `config::class` per class; in Python, give `classes`
    and `positive`.
    """
    order = "alphabetical order" if spelling else "sorted order"
    return (
        f"probabilities are taken to belong to the classes in {order}: {listing(classes, 4)}",
        "if the models use another order, write one column 'config::class' per class",
    )


@classes_in_order.also
def positive_by_spelling(classes: Sequence[str]) -> Texts:
    """Two classes that are texts of numbers, in another order than these numbers."""
    return (
        f"the classes are text, in alphabetical order: {classes[-1]} is the positive one",
        f"if the predictions are for {classes[0]}, give --positive {classes[0]}",
    )


@note(CARE, "weights")
def weight_by_name(column: str) -> Texts:
    """A column called `weight`, `weights` or `sample_weight` weights the samples because of its
    name alone. It may be a body weight.

    Remedy: `--weight NAME` if it is meant, `--unweighted` if not.
    """
    return (
        f"samples are weighted by the column {column}, which was found by its name",
        f"give --weight {column} if that is intended, --unweighted if not",
    )


@note(DOUBT, "weights")
def uneven_weights(n_effective: float, n_units: int, units: str, of_class: str) -> Texts:
    """Kish's effective sample size, (Σ w)² / Σ w², is less than a third of the number of samples,
    so a few heavy ones decide. Intervals that are not [guarded](methods.md#guard) may be too
    narrow.

    Remedy: check the weights, or give `--unweighted`.
    """
    return (
        f"because of the weights, {count(n_units, units)}{of_class} count like "
        f"{figure(n_effective)}: a few heavy {units}s decide the figures",
        "check the weights, or give --unweighted for equal weights",
    )


@note(CARE, "roles")
def smaller_sizes_unused(sizes: Sequence[int]) -> Texts:
    """A column `train_size` distinguishes models by their number of training samples. All figures
    are for the largest; only [`ipl`](methods.md#ipl) reads the others.

    Remedy: if the study is about another size, keep only that one.
    """
    return (
        f"models were trained on {listing([str(size) for size in sizes], 8)} samples; only those "
        f"of {sizes[-1]} count, except in ipl",
        "if the study is about another size, keep only the rows of that size",
    )


@note(CARE, "roles")
def columns_ignored(names: Sequence[str]) -> Texts:
    """A column is not treated as a configuration: another one already has the role that it is named
    for, or its values show [what it is](formats.md#rules-on-columns-and-rows).

    Remedy: if it is a configuration, rename it, or name it with `--only`.
    """
    return (
        f"ignored, not treated as configurations: {listing(names)}",
        "if one is a configuration, rename it",
    )


@columns_ignored.also
def columns_set_aside(names: Sequence[str]) -> Texts:
    """Columns of a long table that play no part."""
    return (
        f"ignored, because they hold neither predictions nor a known role: {listing(names)}",
        "if one of them matters, name it with an option such as --group or --weight",
    )


@columns_ignored.also
def groups_of_one(name: str) -> Texts:
    """A column named as the groups has another value for every sample."""
    ignored = f"ignored: {name} has a different value for every sample, so it groups nothing"
    return ignored, (
        f"give --row-id {name} if it is the key of the samples; otherwise name the groups with "
        "--group NAME"
    )


@columns_ignored.also
def prediction_chosen(chosen: str, others: Sequence[str], option: str = "prediction") -> Texts:
    """A probability is used, and the columns beside it are not; an option takes another."""
    return (
        f"the predictions are {chosen}; ignored next to it: {listing(others)}",
        f"to use another one, give --{option} {others[0]}",
    )


@columns_ignored.also
def shuffled_numbers(names: Sequence[str]) -> Texts:
    """A first column that could be row numbers of another order, or ranks."""
    return (
        f"set aside as shuffled row numbers, each occurring once: {listing(names)}",
        f"if it is a configuration that predicts ranks, give --only {names[0]!r} --only '*'",
    )


@note(DOUBT, "groups")
def groups_likely(names: Sequence[str], best: str, rows: str, n_samples: int) -> Texts:
    """The values of a column recur like those of groups, but every row counts as an independent
    sample. If rows of one value belong together, the interval is too narrow for new subjects.

    Remedy: `--group NAME`; nothing, if the rows are independent.
    """
    others = [name for name in names if name != best]
    return (
        f"{best} has {rows}, and each of {n_samples} rows counts as a sample: if rows with one "
        "value belong together, like trials of a subject, the interval is too narrow for new ones"
        + (f"; neither it nor {listing(others)} is a configuration" if others else ""),
        f"give --group {best} to resample whole groups, unless all rows are independent",
    )


@groups_likely.also
def keys_likely(name: str, rows: str, n_samples: int, n_values: int) -> Texts:
    """An excluded column that seems to be the key of samples which were predicted several times."""
    return (
        f"{name} has {rows}, with one truth each: if it is the key of the samples, N is {n_values} "
        f"instead of {n_samples}, and the interval is too narrow",
        f"give --row-id {name} if these are repeats, with a column 'repeat' to distinguish them, "
        f"or --group {name} if different samples belong together",
    )


@note(DOUBT, "keys")
def scores_of_folds(n_folds: int) -> Texts:
    """With `--task score`, each row is a fold. N is the number of folds, and their models share
    training samples: the interval is too narrow.

    Remedy: keep the predictions of every sample, with `bbccli.recording` or an option of the tool.
    """
    return (
        f"the rows are scores of {n_folds} folds, not of samples: there are few folds, and they "
        "share training data, so the interval is too narrow",
        "keep the predictions of the samples, for example with bbccli.recording",
    )


@note(HARMLESS, "roles")
def row_numbers(names: Sequence[str]) -> Texts:
    """A column numbers or names the rows, like an index written by pandas or R, and is not a
    configuration. Rows are matched by it only if `--row-id` names it.

    Remedy: nothing. `--only NAME --only '*'` makes it a configuration.
    """
    return (
        f"set aside as numbers or names of the rows: {listing(names)}",
        "nothing to do; if this is the key of the samples, give --row-id NAME",
    )


@row_numbers.also
def texts_of_rows(names: Sequence[str]) -> Texts:
    """Columns of text that say what each row is of, or when."""
    return (
        f"set aside as times, names or texts of the rows: {listing(names)}",
        "nothing to do; if one is the key of the samples, give --row-id NAME",
    )


@row_numbers.also
def origins(origin: str, later: str) -> Texts:
    """Forecasts, with the time up to which their models were trained."""
    return (
        f"the folds are the origins of forecasts, {origin}; {later}, their time, is set aside",
        f"nothing to do; --exclude {origin} if it has no meaning",
    )


@note(CARE, "metadata")
def metadata_contradicted(declared: str, actual: str) -> Texts:
    """The metadata declare a task that the truth does not allow. The truth counts.

    Remedy: give `--task`, or correct the metadata.
    """
    problem = f"the metadata say {declared}, but the truth is {actual}"
    return problem, "give --task, or correct the metadata"


@note(CARE, "folds")
def files_of_folds(n_files: int, n_models: int) -> Texts:
    """Several files are read as the folds of one or several configurations: they share no sample,
    and their names differ in the number of the fold.

    Remedy: nothing if that is right; else give each experiment to `bbc batch`.
    """
    many = f"{n_files // n_models} folds of each of {n_models} models"
    what = f"{n_files} folds of one model" if n_models == 1 else many
    return (
        f"{n_files} files are read as {what}",
        "nothing to do if that is right; if each is a separate experiment, use bbc batch",
    )


@note(CARE, "folds")
def averaged_repeats() -> Texts:
    """The predictions are means over the repeats of a cross-validation, as mljar and AutoGluon keep
    them. Methods over folds can't run, and the estimate is for the mean of several models.

    Remedy: save the predictions of each repeat if you deploy one model.
    """
    return (
        "predictions are means over repeats of the cross-validation: folds are treated as "
        "unknown, and the result holds for the mean of several models",
        "save the predictions of each repeat",
    )


@note(CARE, "flags")
def flagged_left_out(
    flags: Mapping[str, str],
    n_configurations: int,
    options: Sequence[str],
    *,
    by_tool: bool = False,
    lost: Sequence[str] = (),
) -> Texts:
    """Configurations flagged `ensemble`, `stacked` or `calibrated_on_fold`, and
    [blends](formats.md#rules-on-columns-and-rows), are left out, because they were fitted to the
    labels that score them; so are `low_fidelity` and `dummy` ones, which are not candidates.

    Remedy: nothing; `--select greedy`, or `tool` for mljar and AutoGluon, makes an ensemble anew in
    every resample. `--include ensembles` takes theirs as it is: its figure is too good.
    """
    names = [f"{name} ({flag})" for name, flag in flags.items()]
    verb, whose = ("is", "its") if len(names) == 1 else ("are", "their")
    return (
        f"{len(flags)} of {n_configurations} configurations {verb} left out because of {whose} "
        f"flags: {listing(names)}",
        f"to correct the ensemble, {f'keep {listing(lost)}' if lost else 'give --select tool'}"
        if by_tool
        else " ".join(f"--include {option}" for option in options),
    )


@flagged_left_out.also
def blends_left_out(recipes: Mapping[str, str], n_configurations: int) -> Texts:
    """Weighted means of other configurations, with their recipe; empty if only the name tells."""
    names = [f"{name} ({made or 'by its name'})" for name, made in recipes.items()]
    what = "is left out as a blend" if len(names) == 1 else "are left out as blends"
    return (
        f"{len(recipes)} of {n_configurations} configurations {what} of others, fitted to these "
        f"labels: {listing(names)}",
        "give --select greedy to blend the others anew, or --include ensembles if the weights "
        "were fixed in advance",
    )


@note(DOUBT, "candidates")
def candidates_missing(n_candidates: int, n_configurations: int) -> Texts:
    """More configurations were tried than the file holds: failed fits, pruned trials, deleted
    models. The correction is too small.

    Remedy: add the others.
    """
    return (
        f"{n_candidates} candidates were tried, but the file holds {n_configurations}",
        "add the others: only candidates in the file are corrected for",
    )


@note(DOUBT, "candidates")
def best_alone() -> Texts:
    """caret's `savePredictions = "final"` keeps the predictions of the best configuration alone, so
    the choice can't be corrected for.

    Remedy: train with `savePredictions = "all"`.
    """
    return (
        "the file holds only the best configuration: whatever else was tried is missing",
        'train with savePredictions = "all", which keeps the predictions of all',
    )


@note(CARE, "candidates")
def tried_again(names: Sequence[str]) -> Texts:
    """A recording has several predictions of a configuration for the same samples: from other
    features (`X=2`), or another try (`#2`). The correction is for choosing among all.

    Remedy: `--exclude` a try that could not have been chosen. Record other studies in other
    folders.
    """
    return (
        f"recorded before with other predictions, and each try counts: {listing(names)}",
        "leave out a mistaken try with --exclude, and record other studies in other folders",
    )


@note(HARMLESS, "candidates")
def recorded_again(names: Sequence[str]) -> Texts:
    """A search ran again in the folder of its recording, and made the same predictions. They count
    once.

    Remedy: nothing.
    """
    return (
        f"recorded again with the same predictions, which count once: {listing(names)}",
        "nothing to do",
    )


@note(DOUBT, "candidates")
def damaged_parts(names: Sequence[str]) -> Texts:
    """Files of a recording can't be read, after a power failure for example. Their configurations
    are incomplete or missing.

    Remedy: run the search again with a recorder on the same folder: intact files are kept.
    """
    return (
        f"{count(len(names), 'file')} of the recording can't be read: {listing(names)}",
        "run the search again with a recorder on the same folder; intact files are kept",
    )


@note(CARE, "labels file")
def rows_unlabelled(tool: str, n_missing: int, n_rows: int) -> Texts:
    """The labels file has no label for some samples of a tool's run, so they are left out.

    Remedy: nothing if their labels are unknown.
    """
    verb = "has" if n_missing == 1 else "have"
    return (
        f"{n_missing} of {n_rows} rows {verb} no label: left out, because {tool} could "
        "not score them",
        "add the labels if they are known",
    )


@note(HARMLESS, "weights")
def rows_idle(tool: str, n_idle: int, n_rows: int) -> Texts:
    """Some rows of a tool's run have the weight 0, and no score of the run uses them. They are left
    out.

    Remedy: nothing; `--unweighted` if the column does not hold sample weights.
    """
    verb = "has" if n_idle == 1 else "have"
    return (
        f"{n_idle} of {n_rows} rows {verb} the weight 0, and do not count in {tool}: left out",
        "nothing to do; --unweighted if the column does not hold sample weights",
    )


@note(CARE, "readable")
def failed_runs(logs: Sequence[str]) -> Texts:
    """Logs of runs that failed, were cancelled, killed or invalidated are left out.

    Remedy: finish these runs, for instance with `inspect eval-retry`.
    """
    left_out = f"{count(len(logs), 'log')} of unsuccessful runs left out: {listing(logs, 3)}"
    return left_out, "finish these runs"


@note(CARE, "readable")
def run_again(logs: Sequence[str]) -> Texts:
    """Several logs are of one configuration on one task. The newest counts, whatever its score.

    Remedy: if prompts or settings differed, say so in the logs, with an argument of the task or a
    label of the prompt.
    """
    return (
        f"{count(len(logs), 'log')} replaced by newer ones of the same configuration: "
        f"{listing(logs, 3)}",
        "if these are different configurations, give them different arguments or labels",
    )


@note(CARE, "readable")
def tasks_left_out(tasks: Sequence[str]) -> Texts:
    """Some configurations did not run a task, or it lacks the chosen score. Its items are left out
    for all.

    Remedy: run the task for all configurations; or name the logs of fewer.
    """
    return (
        f"{count(len(tasks), 'task')} left out: {listing(tasks, 3)}",
        "run them for all configurations, or give the logs of fewer",
    )


@note(CARE, "readable")
def files_not_read(files: Sequence[str]) -> Texts:
    """Files beside the logs may be logs by their names, but none is recognised as one.

    Remedy: nothing if they are not logs; otherwise write them again, with the scores of all items.
    """
    return (
        f"{count(len(files), 'file')} next to the logs not read: {listing(files, 3)}",
        "if these are logs, write them again with the scores of all items",
    )


@note(CARE, "readable")
def first_score(score: str, others: Sequence[str]) -> Texts:
    """The logs hold several scores, and the framework does not say which one counts. The first that
    all logs have is used.

    Remedy: `--prediction NAME` for another one, chosen in advance.
    """
    return (
        f"the score used is {score}, the first that all logs have; the others are "
        f"{listing(others)}",
        f"to use another one, give --prediction {others[0]}",
    )


@note(DOUBT)
def failures_best(n_failed: int) -> Texts:
    """Failed requests have a score, and lower scores are better: a failure may count as the best
    answer.

    Remedy: `--errors missing` leaves failed requests out, `--errors refuse` refuses them.
    """
    return (
        f"{count(n_failed, 'failed request')} with a score, although lower is better: failures "
        "may count as the best answers",
        "--errors missing",
    )
