"""Notes on configurations and ensembles that may be too good, as metadata or a tool say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bbccli.notes.note import CARE, DOUBT, Texts, listing, note

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
        "leave out configurations whose flag makes them look too good",
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
