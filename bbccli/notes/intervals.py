"""Notes on estimates: their interval, losses or spread; what is made, guided or sealed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from bbccli.notes import CARE, DOUBT, HARMLESS, Texts, listing, note
from bbccli.platform.text import brief, count, digits_for, figure, percent


@note(CARE)
def no_interval(
    method: str, why: str, remedy: str = "use bbc, which evaluates on all samples"
) -> Texts:
    """A method gives no interval for this file; the text says why. Its estimate is valid.

    Remedy: what the note suggests; or `bbc`.
    """
    return f"{method} has no interval: {why}", remedy


@note(CARE)
def as_if_chosen_beforehand(method: str) -> Texts:
    """`clustered` treats the winner as if no other configuration had been tried, like the error
    bars of evaluation frameworks.

    Remedy: report the corrected interval, which is wider.
    """
    return (
        f"the interval of {method} is valid for a configuration chosen in advance; the corrected "
        "one is wider, because with other items another configuration might have won",
        "report the corrected interval",
    )


@note(DOUBT)
def no_variance(value: float) -> Texts:
    """A variance is 0: the classes are separated perfectly, all samples are right or all wrong, or
    all folds or differences are equal. The interval has no width, which means nothing.

    Remedy: check whether the predictions vary; else use `bbc`, or collect more samples.
    """
    return (
        f"the variance at {figure(value)} is 0, so the interval has no width and says nothing "
        "about the uncertainty",
        "use bbc, or collect more samples",
    )


@no_variance.also
def constant_difference(names: Sequence[str], other: str) -> Texts:
    """Two performances differ by the same on every sample."""
    return (
        f"the difference between {other} and {listing(list(names))} is the same on every sample, "
        "so its variance is unknown",
        "check that the predictions vary",
    )


@no_variance.also
def resamples_alike(method: str, value: float) -> Texts:
    """An interval of resamples has no width."""
    return (
        f"nearly all resamples of {method} give {figure(value)}, so the interval has no width and "
        "says nothing about the uncertainty",
        "check that the predictions vary",
    )


@note(DOUBT)
def few_evaluated(n_units: int, what: str) -> Texts:
    """The winner is evaluated on fewer than 30 samples (or groups) of a class. Normal intervals of
    an AUC then cover the truth [too seldom](methods.md#delong).

    Remedy: give a larger `--evaluation-share`; or use `bbc`, which evaluates on all samples.
    """
    return (
        f"only {n_units} {what} for evaluation: normal intervals cover the true value too rarely",
        "give a larger --evaluation-share, or use bbc, which evaluates on all samples",
    )


@note(DOUBT)
def clipped_probabilities(
    winner: str, label: str, n_below: int, n_all: int, clip: float, clipped: float, unclipped: float
) -> Texts:
    """In the log-loss the probability of the true class is at least `--clip` (1.2e-7), and a few
    predictions at the clip decide the winner's log-loss.

    Remedy: state `--clip` in the paper, or report the [Brier score](metrics.md#brier). Find out how
    a probability of 0 arose.
    """
    digits, verb = digits_for([clipped, unclipped]), "gives" if n_below == 1 else "give"
    without = digits.performance(unclipped, missing="infinite")
    return (
        f"the {label} of {winner} is {digits.performance(clipped)} with probabilities clipped at "
        f"{clip:.2g}, and {without} without: {n_below} of {n_all} predictions {verb} the true "
        "class less than that",
        "state --clip in the paper, or report brier, which no single prediction decides",
    )


@note(CARE)
def tilting_infeasible(method: str, end: str, instead: str) -> Texts:
    """`tilting` or `mabt` finds no tilt for an end of its interval, mostly because the figure
    hardly varies between resamples. That end is taken from another interval.

    Remedy: hold out more samples to evaluate on, or rely on `bbc`.
    """
    return (
        f"{method} finds no tilt for its {end} end, so that end is {instead}",
        "evaluate on more samples, or use bbc, which uses all of them",
    )


@note(DOUBT)
def gate_on_naive(figure: str) -> Texts:
    """`--gate-method` names `cvt`, or a method that ignores the selection of the winner: the gate
    judges a figure that is too good.

    Remedy: leave `--gate-method` out.
    """
    return f"the gate judges {figure} is too good", "--gate-method bbc"


@note(DOUBT)
def not_calibrated(method: str, kind: str) -> Texts:
    """The factors of `calibrated` and `sharp` intervals were measured for `bbc`, `bbc-632` and
    `bbc-eb`. How often those of another method cover the truth is unknown.

    Remedy: `--interval percentile`, or one of these methods.
    """
    return (
        f"the spread of {kind} intervals was measured for bbc, bbc-632 and bbc-eb, not for "
        f"{method}",
        "give --interval percentile, or use one of these methods",
    )


@note(DOUBT)
def rare_positives(label: str, share: float, kind: str) -> Texts:
    """Fewer than one sample in ten is positive, and the metric is not a mean over samples, such as
    F1. `sharp` and `matched` intervals may be too narrow, as that of `bbc-632` was in [the
    bank](validation.md) where 2% were positive.

    Remedy: report the interval of `bbc` without `--tight`, or the AUC.
    """
    return (
        f"{percent(share, 1)} of the samples are positive: below 10%, {kind} intervals of {label} "
        "may cover the true value too rarely",
        "leave out --tight (or --interval), or report auc",
    )


@note(DOUBT)
def unbounded_loss(label: str, seen: str, of_outcome: float, of_losses: float) -> Texts:
    """The metric has no worst value, and the rare huge errors that make the mean may not be in the
    sample: in [the bank](validation.md) 95% intervals covered as seldom as the note says. With a
    tail index (Hill 1975) of 0.5 or more there is no variance, of 1 or more no mean. For the
    log-loss the sign is a winner that gives some class a chance under 1 in 10,000, or some truth
    one under 1 in 1000.

    Remedy: report the error with `--cap`, which bounds it, or `medae`; for the log-loss `brier`, or
    decide on a `--clip` such as 0.001 beforehand.
    """
    return (
        f"the {label} is unbounded; in our benchmark, 95% intervals covered the true value in "
        f"{seen} of studies, depending on the population (tail index {_index(of_outcome)} of the "
        f"outcome, {_index(of_losses)} of the winner's errors)",
        "report --cap 0.95 or --metric medae as well or instead",
    )


@unbounded_loss.also
def large_losses(label: str, seen: str, n_large: int, n_sure: int, of_losses: float) -> Texts:
    """A few confident mistakes decide the log-loss, or would if they were in the sample."""
    rare = f"the true class of {count(n_large, 'sample')} a probability below 1 in 1000"
    sure = f"some class in {count(n_sure, 'sample')} a probability below 1 in 10,000"
    given = " and ".join(compress((rare, sure), (n_large, n_sure)))
    return (
        f"the winner gives {given}: one such "
        f"mistake outweighs many good predictions. In our benchmark, 95% intervals of the {label} "
        f"covered the true value in {seen} of studies, depending on the population (tail index "
        f"{_index(of_losses)} of the losses)",
        "report --metric brier as well or instead, or --clip 0.001 if decided in advance",
    )


@note(DOUBT)
def majority_rule(name: str, label: str, predicted: str, share: float) -> Texts:
    """The winner predicts one class for every sample, and no configuration does better.

    Remedy: use a metric that values the other classes, such as `auc` or `balanced-accuracy`; or
    conclude that nothing was learnt.
    """
    return (
        f"{name}, the winner by {label}, predicts {predicted!r} for every sample; "
        f"{percent(share, 0)} of them are",
        "use a metric that takes the other classes into account, such as auc or balanced-accuracy",
    )


@note(CARE)
def capped_errors(label: str, cap: float, share: float) -> Texts:
    """With `--cap Q` no residual counts as more than the Q quantile of |yᵢ - median(y)|: the mean
    is smaller than that of all errors, but bounded, so that the guard applies.

    Remedy: choose Q before seeing results, and state it in the paper.
    """
    return (
        f"{label}: no error counts as more than {figure(cap)}, the {brief(share)} quantile of the "
        "outcome's distances from its median",
        "choose --cap before seeing results, and state it in the paper",
    )


@note(CARE)
def nested_spread(ratio: float, n_folds: int) -> Texts:
    """`ncv-interval` compares its spread with that of independent losses: 1 means that training on
    other samples changes nothing visible, √K is the most for K outer folds.

    Remedy: repeat the nested cross-validation with other folds; the paper takes 200 repeats.
    """
    return (
        f"with {n_folds} outer folds the standard error is {ratio:.2f} times that of independent "
        "losses",
        "add repeats for a more stable ratio; Bates et al. use 200",
    )


def _index(value: float) -> str:
    return "unknown" if value != value else f"{value:.2f}"  # noqa: PLR0124 a NaN


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
def no_effect(option: str, metric: str) -> Texts:
    """A cut, cap or clip was asked for, and no metric here depends on it.

    Remedy: leave the option out, or name a metric that it changes.
    """
    other = f"use a metric that it changes, such as {metric}, or " if metric else ""
    return f"no figure here depends on {option}", f"{other}leave it out"


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
