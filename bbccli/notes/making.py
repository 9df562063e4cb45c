"""Notes on what is made of the configurations, on guided searches, and on sealed rows."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes.note import CARE, DOUBT, HARMLESS, Texts, note
from bbccli.platform.rounding import count


@note(CARE)
def incomplete_members(n_members: int, n_all: int) -> Texts:
    """For ensembles, tuned cuts and calibration only configurations that predict every sample take
    part.

    Remedy: `--missing common-rows` keeps all configurations, on the samples that all of them
    predict.
    """
    return (
        f"{n_members} of {count(n_all, 'configuration')} predict every sample, and only these "
        "enter the ensemble, cut or calibration",
        "to keep all of them, on fewer samples, give --missing common-rows",
    )


@note(CARE)
def few_for_a_cut(n_positive: int) -> Texts:
    """The cut is tuned with fewer than ten positive, or negative, samples. The estimate is too
    strict: in studies with eight positive samples by .04 to .05 of the F1.

    Remedy: choose the cut by what mistakes cost, with `--threshold X`; or collect more of the rare
    class.
    """
    return (
        f"the cut is tuned with {n_positive} samples of the rarer class, so the estimate is "
        "likely too pessimistic",
        "choose the cut by the cost of mistakes, and give it as --threshold X",
    )


@note(CARE)
def cut_unseen(threshold: str, metrics: Sequence[str]) -> Texts:
    """A cut was asked for, and no metric here depends on it.

    Remedy: name a metric of predicted classes beside the one that selects, such as
    `--metric auc --metric f1`.
    """
    shown = (*metrics, threshold.partition(":")[2] or "f1")
    return (
        f"no figure here depends on the cut, --threshold {threshold}",
        f"to see what it does, give {' '.join(f'--metric {metric}' for metric in shown)}",
    )


@note(HARMLESS)
def one_member(rule: str, configuration: str) -> Texts:
    """The ensemble of all samples has a single member. In the resamples it may have several: the
    estimate is that of the rule.

    Remedy: nothing.
    """
    return f"the {rule} ensemble of all samples is one configuration, {configuration}", "nothing"


UNSEEN = (
    "report a score on samples that the search never saw (bbc vault, Recorder(vault=0.2)), or "
    "repeat the search in outer folds (ncv)"
)


@note(CARE)
def guided(standing: float, lead: float) -> Texts:
    """Later configurations descend from the best of the earlier ones more often than by chance.
    That costs at most a few hundredths of an AUC for up to about six hyperparameters. See [guided
    searches](guided.md).

    Remedy: nothing for a few hyperparameters; for many switches, features or prompts as for
    `guided-climb`. If nothing in the search depended on a score, say `--guided no`.
    """
    return (
        "later configurations seem derived from the best of the earlier ones, as where a few "
        f"hyperparameters are tuned (standing {standing:.2f}, lead {lead:.2f}; 0.50 if unguided): "
        "bbc corrects for the choice, not for the guidance",
        "nothing to do for a few hyperparameters; otherwise see bbc explain guided-climb; if "
        "nothing was guided, give --guided no",
    )


@guided.also
def guided_by_scores() -> Texts:
    """The user says so, and the order does not show it."""
    return (
        "scores of the earlier configurations guided the search (--guided scores): bbc corrects "
        "for the choice, not for the guidance",
        f"nothing to do for a few hyperparameters; for many switches, features or prompts {UNSEEN}",
    )


@note(DOUBT)
def guided_climb(standing: float, lead: float) -> Texts:
    """The search built on its best so far, like hill climbing, evolution and agents. Every method
    here is too good: by 0.06 of an AUC or accuracy on average in simulations, and from 0.01 to 0.20
    by kind of search. A gate is undecided, and `--tight` refused. Recorded estimators that differ
    in at most six numbers get `guided` instead. See [guided searches](guided.md).

    Remedy: report samples that the search never saw, or repeat the whole search in outer folds. If
    nothing in the search depended on a score, say `--guided no`.
    """
    typical = 0.06 if standing + lead < 1.64 else 0.09  # the validation tables have the searches
    return (
        f"the search built on its best so far (standing {standing:.2f}, lead {lead:.2f}; 0.50 if "
        "unguided): these samples shaped the configurations, so the figure is too good, by "
        f"{typical:.2f} on average in simulations of such searches",
        UNSEEN,
    )


@guided_climb.also
def guided_by_rows() -> Texts:
    """The user says so."""
    return (
        "whoever made the configurations saw these samples (--guided rows): nothing computed from "
        "them shows how good the configurations are on others",
        UNSEEN,
    )


@note(DOUBT)
def fitted_rows(method: str, figure: str, end: str) -> Texts:
    """The corrected figure of the search's samples is better than the better end of the interval on
    the [vault](vault.md): the search has fitted its samples.

    Remedy: report the figure of the vault.
    """
    return (
        f"{method} gives {figure}, better than the better end of the vault's interval, {end}: the "
        "search has overfitted these rows",
        "report the figure from the vault, whose rows the search never saw",
    )


@note(HARMLESS)
def vault_closed(n_samples: int, planned: int) -> Texts:
    """The recording has a [vault](vault.md), and nothing was opened yet.

    Remedy: when the search has ended, `rec.open(name, model)`.
    """
    return (
        f"the vault of {n_samples} sealed samples is closed, {count(planned, 'opening')} planned",
        "call rec.open(name, model) when the search has ended",
    )


@note(CARE)
def vault_left() -> Texts:
    """A table holds the samples of the search alone: the [vault](vault.md) of the recording stays
    in the folder.

    Remedy: correct the recording for the figure of the vault.
    """
    return (
        "the table has the samples of the search; the vault stays in the recording",
        "for its figure, correct the recording itself",
    )


@note(CARE)
def vault_of_another(opened: str, winner: str) -> Texts:
    """The [vault](vault.md) was opened for another configuration than the one that the search's
    samples select.

    Remedy: use the configuration that was opened, or plan another opening.
    """
    return (
        f"the vault was opened for {opened}; the search's rows select {winner}",
        f"read its figure as that of {opened}, not of {winner}",
    )


@note(CARE)
def openings_uncounted(*, copied: bool) -> Texts:
    """The level of an interval on a [vault](vault.md) depends on how often it was opened, and
    openings in other copies of this folder are unknown.

    Remedy: keep one copy, with its openings.
    """
    if copied:
        return (
            "this vault is a copy: openings of the original, or of other copies, are not counted",
            "open one copy only",
        )
    return (
        "nothing counts the openings of these sealed rows, so the level is that of a single "
        "opening",
        "open them with rec.open(name, model), which counts",
    )
