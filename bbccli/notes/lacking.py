"""Notes on samples and predictions that are missing, and on those that may be too good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bbccli.notes import CARE, DOUBT, Texts, counted, listing, note
from bbccli.platform.text import count, percent


@note(DOUBT, "coverage")
def samples_left_out(n_left_out: int, n_samples: int, n_repeats: int) -> Texts:
    """Some samples have no prediction by any configuration that takes part, in some repeat. They
    are left out everywhere.

    Remedy: complete the predictions: if a learner failed on hard samples, the result is for the
    easier ones. `--missing error` refuses.
    """
    where = " in some repeat" if n_repeats > 1 else ""
    verb = "has" if n_left_out == 1 else "have"
    return (
        f"{n_left_out} of {n_samples} samples {verb} no prediction{where}: left out",
        "complete the predictions",
    )


@note(DOUBT, "coverage")
def never_predicted(n_rows: int, value: float, which: str, *, sure: bool = True) -> Texts:
    """All configurations hold one value in whole folds or runs of samples and hardly ever
    elsewhere, like an array of zeros that was never filled there. These count as missing.

    Remedy: leave such cells empty. `--missing error` refuses.
    """
    were, rest = "were never", "; these count as missing"
    if not sure:
        were, rest = (
            "may never have been",
            ", its lowest value, but the truth there is as elsewhere",
        )
    return (
        f"{n_rows} rows {were} predicted: {which} is {value:g} there{rest}",
        "leave cells empty where there is no prediction",
    )


@samples_left_out.also
def samples_of_dropped(n_left_out: int, n_samples: int) -> Texts:
    """Samples without a prediction by any of the kept configurations."""
    verb = "is" if n_left_out == 1 else "are"
    return (
        f"{n_left_out} of {n_samples} samples {verb} predicted only by configurations with too "
        "many gaps, and left out",
        "complete the predictions",
    )


@note(DOUBT, "missing")
def configurations_dropped(
    names: Sequence[str], n_configurations: int, *, stopped: bool = False
) -> Texts:
    """Some configurations lack predictions that others have. They can't win, and the correction
    does not count them.

    Remedy: nothing, if they were pruned or failed in whole folds; else complete their predictions,
    or use `--missing common-rows`.
    """
    verb = "lacks" if len(names) == 1 else "lack"
    return (
        f"{len(names)} of {n_configurations} configurations {verb} predictions and cannot win: "
        f"{listing(names)}",
        "nothing to do if they were pruned or failed, but the correction ignores them and is "
        "slightly too small"
        if stopped
        else "complete their predictions, or give --missing common-rows to compare all on fewer "
        "samples",
    )


@note(DOUBT, "missing")
def best_left_out(
    name: str, scored: str, n: int, n_samples: int, stubs: Sequence[str], *, higher: bool
) -> Texts:
    """A configuration that is left out for missing predictions beats all others on the samples that
    it predicts (not checked beyond 16 million predictions).

    Remedy: complete its predictions; or `--missing common-rows`.
    """
    rest = f"--exclude {' --exclude '.join(stubs)} --missing" if stubs else "--missing"
    return (
        f"{name} scored {scored} on {n} of {n_samples} samples, {'more' if higher else 'less'} "
        "than all that are kept, and was left out for lacking the others",
        f"complete its predictions, or give {rest} common-rows to compare all on fewer samples",
    )


@note(CARE, "missing")
def dropped_between_folds(names: Sequence[str], n_configurations: int) -> Texts:
    """A search dropped configurations between folds. They had almost no chance to win; the
    correction counts those that were trained on all folds. See
    [dropping](dropping.md#what-it-saves-and-costs).

    Remedy: nothing; or set `threshold` of the search nearer to 1.
    """
    verb = "was" if len(names) == 1 else "were"
    return (
        f"{len(names)} of {n_configurations} configurations {verb} dropped between folds: "
        f"{listing(names)}",
        "nothing to do: the correction is for the choice among those that were trained on all "
        "folds",
    )


@note(DOUBT, "missing")
def common_rows(n_common: int, n_samples: int) -> Texts:
    """With `--missing common-rows`, only samples that every configuration predicts are used.

    Remedy: complete the predictions: a learner that fails on hard samples leaves easy ones in
    common.
    """
    return (
        f"only the {n_common} of {n_samples} samples that every configuration predicts are used",
        "complete the predictions: they are rarely missing at random",
    )


@note(DOUBT, "missing")
def available_cases(share: float) -> Texts:
    """Each configuration is scored on the samples that it predicts; those that predict fewer than
    half are left out. This is the default for `--task score`, and where no configuration is
    complete.

    Remedy: complete the predictions, since configurations scored on easier samples look better; or
    `--missing common-rows`.
    """
    return (
        f"{percent(share, 0)} of the predictions are missing: each configuration is scored on the "
        "samples that it predicts",
        "complete the predictions: configurations scored on easier samples look better",
    )


@available_cases.also
def items_lacking(names: Sequence[str], counts: Sequence[int], n_items: int) -> Texts:
    """Scores without a truth, of which configurations lack some."""
    return (
        "scores of some items are missing, and each configuration is scored on the others: "
        f"{counted(names, counts, n_items)}",
        "score these items too, because items that fail are rarely like the others; or give "
        "--missing common-rows to compare all on the same items",
    )


@note(CARE, "repeats")
def epochs_by_order(times: int) -> Texts:
    """With `--task score`, every configuration has equally many rows for each item, and no column
    numbers them. They are taken as epochs, in the order of the file.

    Remedy: name the column that numbers them with `--repeat`.
    """
    return (
        f"each item has {times} scores from every configuration, which are taken as epochs in the "
        "order of the file",
        "if a column numbers them, give --repeat NAME",
    )


@note(CARE, "keys")
def scores_replaced(n_scores: int) -> Texts:
    """`--again newest`: some configurations answered an item again. Their newest score counts,
    better or not.

    Remedy: `--again epoch` counts all scores of an item.
    """
    return (
        f"{count(n_scores, 'score')} replaced by newer ones for the same item and configuration",
        "to count all of them, give --again epoch",
    )


@note(CARE, "missing")
def epochs_missing(names: Sequence[str], counts: Sequence[int], n_scores: int) -> Texts:
    """With `--task score`, some epochs of an item have no score. The item counts by the mean over
    the others.

    Remedy: nothing, if requests failed by accident; run them again if they fail because the item is
    hard.
    """
    return (
        "scores of some epochs are missing, and each item counts with the mean over the others: "
        f"{counted(names, counts, n_scores)}",
        "nothing to do, unless items failed because they are hard",
    )


@note(DOUBT, "missing")
def gaps_within_folds(names: Sequence[str]) -> Texts:
    """`bbc drop` treats a configuration that lacks predictions as dropped earlier. These lack them
    within a fold: they failed on some samples, or the fold is not complete.

    Remedy: complete the fold.
    """
    verbs = ("lacks", "counts") if len(names) == 1 else ("lack", "count")
    return (
        f"{count(len(names), 'configuration')} {verbs[0]} predictions within a fold, and "
        f"{verbs[1]} as dropped: {listing(names)}",
        "complete these folds if they should stay in the race",
    )


STAYED = {"log-loss": (0.122, 0.051, 0.021), "auc": (0.059, 0.035, 0.019)}
"""By metric, what `bbc` left of the optimism of early stopping with 60, 150 and 400 samples."""

KEPT = (0.045, 0.022, 0.008)
"""The same of the log-loss where only the best stage of each configuration was kept."""

_REMEDY = "stop on a part of the training samples, or record fixed numbers of iterations"


@note(DOUBT, "flags")
def validity_flags(counts: Mapping[str, int]) -> Texts:
    """The metadata flag configurations whose predictions may not be what they seem; or, with fewer
    than 300 samples, the winner [stopped early](which-number.md#early-stopping) where the fold that
    scores it was best.

    Remedy: leave flagged configurations out if the flag makes them too good; prefer one without it
    that is as good.
    """
    flags = [f"{flag} ({count})" for flag, count in counts.items()]
    return (
        f"flags of the configurations: {listing(flags, 9)}",
        "bbc leaderboard shows which; leave out (--exclude) those that their flag makes too good",
    )


@validity_flags.also
def winner_stopped(
    names: Sequence[str], ensemble: str, metric: str, n_samples: int, as_good: Sequence[str]
) -> Texts:
    """The winner, or members of an ensemble, stopped early, and there are few samples."""
    return _stopped(names, ensemble, metric, n_samples, as_good)


@note(CARE, "flags")
def stopped_on_fold(
    names: Sequence[str], ensemble: str, metric: str, n_samples: int, as_good: Sequence[str]
) -> Texts:
    """Configurations stopped training where the fold that scores them was best. Most of that
    optimism stays if one of them wins: little with 300 samples or more. See [early
    stopping](which-number.md#early-stopping).

    Remedy: prefer a configuration without it that is as good; or stop on a part of the training
    samples.
    """
    return _stopped(names, ensemble, metric, n_samples, as_good)


@stopped_on_fold.also
def some_stopped(names: Sequence[str], n_configurations: int) -> Texts:
    """Read from the metadata, before a winner is known."""
    return (
        f"{len(names)} of {n_configurations} configurations stopped training where the fold that "
        f"scores them was best, which no correction undoes if one of them wins: {listing(names)}",
        _REMEDY,
    )


@note(CARE, "flags")
def epoch_chosen(configuration: str, axis: str, value: int, n_samples: int) -> Texts:
    """A configuration was kept at one epoch, or with one seed, chosen on these samples. Half of the
    optimism of that choice stays, or more: see [early stopping](which-number.md#early-stopping).

    Remedy: keep all epochs, as columns `config@epoch`; `bbc` then corrects for the choice.
    """
    return (
        f"only one {axis} of {configuration} was kept, {value}: if it was the best of several on "
        f"these samples, log-loss stayed too good in studies of boosting by {_by_size(KEPT)}; here "
        f"there are {n_samples}",
        f"keep every {axis} as a column, {configuration}@{value} and so on",
    )


def _stopped(
    names: Sequence[str], ensemble: str, metric: str, n_samples: int, as_good: Sequence[str]
) -> Texts:
    known = metric if metric in STAYED else "log-loss"
    label = known.replace("auc", "AUC")
    which = f"{listing(names)}{f', of the {ensemble},' if ensemble else ''}"
    where = "the fold that scores it was best"
    if len(names) > 1:
        where = "the folds that score them were best"
    return (
        f"{which} stopped training where {where}: in studies of boosting, {label} stayed too good "
        f"by {_by_size(STAYED[known])}; here there are {n_samples}",
        f"as good without it: {listing(as_good, 3)}" if as_good else _REMEDY,
    )


def _by_size(three: tuple[float, ...]) -> str:
    return "{:.3f} with 60 samples, {:.3f} with 150, {:.3f} with 400".format(*three)


@note(DOUBT, "ensemble")
def ensemble_not_reproduced(
    name: str, tool: str, problem: str, *, data_differ: bool = False
) -> Texts:
    """The rule of mljar or AutoGluon gives another ensemble than the one that is deployed: weights
    are missing, mljar chose by copies of rare rows too, or models or versions differ. The figure is
    for the best single model.

    Remedy: give what the run had, such as its weights or all its models; or `--select greedy`.
    """
    return (
        f"{name}, which {tool} deploys, can't be rebuilt from these predictions: {problem}; so the "
        "figure is for the best single model",
        "give the rows, labels and weights of the run"
        if data_differ
        else "use --select greedy for an ensemble of this kind",
    )


@note(CARE, "ensemble")
def deployed_is_stacked(name: str, tool: str) -> Texts:
    """What mljar, AutoGluon or H2O deploys is a stack: models fitted to predictions of others. A
    resample can't repeat it. The figure is for the best model that is not a stack.

    Remedy: deploy that model; or leave out stacking in the run.
    """
    return (
        f"{tool} deploys {name}, a stack fitted to predictions of other models, which can't be "
        "refitted in resamples: the figure is for the best model that is not a stack",
        "ask the tool for the model that is named here, and deploy that one",
    )


@note(CARE, "ensemble")
def ensemble_not_repeated(name: str, tool: str, n_samples: int) -> Texts:
    """Repeating the ensemble that the tool deploys in every resample would take long. The figure is
    for the best single model.

    Remedy: `--select tool --n-resamples 200`.
    """
    return (
        f"{name}, which {tool} deploys, is not repeated by default with {n_samples:,} samples, "
        "because it takes long: the figure is for the best single model",
        "--select tool --n-resamples 200",
    )
