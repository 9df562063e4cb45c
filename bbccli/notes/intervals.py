"""Notes on estimates whose interval, losses or spread need care."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes.note import CARE, DOUBT, Texts, listing, note
from bbccli.platform.rounding import count, digits_for, figure, percent, short


@note(CARE)
def no_interval(
    method: str, why: str, remedy: str = "use bbc, which evaluates on all samples"
) -> Texts:
    """A method that gives intervals gives none for this file; the text says why. Its estimate is
    valid.

    Remedy: what the note suggests; or `bbc`, whose interval rests on all samples.
    """
    return f"{method} has no interval: {why}", remedy


@note(CARE)
def as_if_chosen_beforehand(method: str) -> Texts:
    """`clustered` treats the winner as if no other configuration had been tried, as the error bars
    of evaluation frameworks do. A corrected interval is wider.

    Remedy: report the corrected one.
    """
    return (
        f"the interval of {method} is for a configuration chosen beforehand; the corrected one is "
        "wider, because with other items another configuration might have won",
        "report the corrected one",
    )


@note(DOUBT)
def no_variance(value: float) -> Texts:
    """A variance is 0. For DeLong's or Hanley and McNeil's: the classes are separated perfectly,
    perfectly the wrong way round, or not at all. For `wald`: all samples are right or all wrong;
    for `t-folds` and `t-corrected`: all folds are equal. Or nearly all resamples give one value,
    as with constant predictions. Or two compared configurations differ by the same amount on
    every sample. The interval has no width, which says nothing about the uncertainty; a
    comparison is undefined.

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
        "so nothing is known of its variance",
        "check whether the predictions vary",
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
    """The winner is evaluated on fewer than 30 samples (or groups) of a class. Intervals of an AUC
    that assume a normal distribution then cover the truth too seldom, above all for an AUC near
    1; see the [measured inclusion](methods.md#delong).

    Remedy: give a larger `--evaluation-share`; or use `bbc`, which evaluates on all samples.
    """
    return (
        f"only {n_units} {what} to evaluate on: normal intervals cover the true value too seldom",
        "a larger --evaluation-share, or bbc, which evaluates on all samples",
    )


@note(DOUBT)
def clipped_probabilities(
    winner: str, label: str, n_below: int, n_all: int, clip: float, clipped: float, unclipped: float
) -> Texts:
    """In the log-loss the probability of the true class is at least `--clip` (1.2e-7), because a
    certain mistake would cost infinity. The log-loss of the winner depends on the clip: a few
    predictions decide it.

    Remedy: state `--clip` in the paper, or report the [Brier score](metrics.md#brier), in which no
    single prediction counts more than 1. A probability of 0 is a claim that the data can't support:
    find out how it arose, for example in a tree with leaves of one class.
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
    hardly varies between resamples (all evaluation samples but one are right, for example),
    sometimes because the level is low. That end is taken from another interval, which the note
    names: Wilson's for shares of samples such as accuracy, DeLong's for the AUC, a normal one
    from influence values for other metrics; after preselection at Šidák's level.

    Remedy: hold out more samples to evaluate on, or rely on `bbc`.
    """
    return (
        f"{method} finds no tilt for its {end} end, which is {instead} instead",
        "more samples to evaluate on; or bbc, which uses all of them",
    )


@note(DOUBT)
def gate_on_naive(figure: str) -> Texts:
    """`--gate-method` names `cvt`, or a method that ignores the selection of the winner: the gate
    judges a figure that is too good.

    Remedy: judge a corrected one: leave `--gate-method` out, or `--gate-method bbc`.
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
        "--interval percentile, or one of these methods",
    )


@note(DOUBT)
def rare_positives(label: str, share: float, kind: str) -> Texts:
    """Fewer than one sample in ten is positive, and the metric is not a mean over samples, such as
    F1 or the average precision. A few samples decide such a metric, so intervals of kind `sharp` or
    `matched`, such as those of `--tight`, may be too narrow. In [the bank](validation.md) that of
    `bbc-632` was far too narrow where 2% were positive.

    Remedy: report the interval of `bbc` without `--tight`, or the AUC.
    """
    return (
        f"{percent(share)} of the samples are positive: below 10%, {kind} intervals of {label} "
        "may cover the true value too seldom",
        "leave out --tight (or --interval), or report auc",
    )


@note(DOUBT)
def unbounded_loss(label: str, seen: str, of_outcome: float, of_losses: float) -> Texts:
    """An error of a value has no worst value, and the rare huge errors that make the mean may not
    be in the sample. In the populations of [the bank](validation.md) 95% intervals of the MSE, the
    RMSE and the MAE covered the true value as seldom as the note says, and no method or kind of
    interval did much better. With `--cap 0.95` those of the MSE and the MAE covered it in nineteen
    studies of twenty. Nothing in a sample reveals a miss, because it is the tail that the sample
    lacks. The note gives the tail index (Hill 1975, from the top tenth of the values, five at
    least) of the outcome's distances from its median and of the winner's errors: the larger, the
    heavier; from 0.5 on the variance does not exist, from 1 on not even the mean. For the log-loss
    there is a sign: a winner so sure that it gives some class a chance under 1 in 10,000, be it
    right or wrong. Nearly separable classes make such winners, and their rare mistakes are not in
    the sample. The note also appears if some truth was given a chance under 1 in 1000.

    Remedy: report the error with `--cap`, which gives it a worst value and a guard, or `medae`. For
    the log-loss report `brier`, or decide on a `--clip` such as 0.001 beforehand, with which no
    mistake costs more than 6.9.
    """
    return (
        f"the {label} has no worst value: 95% intervals covered the true value in {seen} of "
        f"studies, by population (tail index {_index(of_outcome)} of the outcome, "
        f"{_index(of_losses)} of the winner's errors)",
        "--cap 0.95, or medae, beside it or instead",
    )


@unbounded_loss.also
def large_losses(label: str, seen: str, n_large: int, n_sure: int, of_losses: float) -> Texts:
    """A few confident mistakes decide the log-loss, or would if they were in the sample."""
    rare = f"the truth of {count(n_large, 'sample')} a chance under 1 in 1000" if n_large else ""
    sure = f"some class in {count(n_sure, 'sample')} a chance under 1 in 10,000" if n_sure else ""
    return (
        f"the winner gives {' and '.join(part for part in (rare, sure) if part)}: one "
        f"such mistake outweighs many good samples. 95% intervals of the {label} covered the true "
        f"value in {seen} of studies, by population (tail index {_index(of_losses)} of the losses)",
        "brier, beside it or instead; or --clip 0.001, decided beforehand",
    )


@note(DOUBT)
def majority_rule(name: str, label: str, predicted: str, share: float) -> Texts:
    """The winner predicts one class for every sample, so its figure is that of a rule without a
    model. No configuration does better by this metric. With few samples of the other classes, or
    a metric that ignores them, the search may have found nothing more.

    Remedy: use a metric that values the other classes, such as `auc` or `balanced-accuracy`; or
    conclude that nothing was learnt.
    """
    return (
        f"{name}, the winner by {label}, predicts {predicted!r} for every sample; "
        f"{percent(share)} of them are",
        "a metric that values the other classes, such as auc or balanced-accuracy",
    )


@note(CARE)
def capped_errors(label: str, cap: float, share: float) -> Texts:
    """With `--cap Q` no residual counts as more than the Q quantile of |yᵢ - median(y)|, which
    depends on the outcome alone. The estimand is then the mean of capped errors, which has a
    worst value, so that the guard applies. It is smaller than the mean of all errors.

    Remedy: choose Q before seeing results, and state it in the paper.
    """
    return (
        f"{label}: no error counts as more than {figure(cap)}, the {short(share)} quantile of the "
        "outcome's distances from its median",
        "state --cap in the paper, and choose it before seeing results",
    )


@note(CARE)
def locally_simultaneous(n_kept: int, n_configurations: int) -> Texts:
    """`zf` gives the number of configurations that may be the best. Its interval allows for the
    selection among them; the estimate beside it is the naive figure, which is too good.

    Remedy: report the interval, with the estimate of `bbc`.
    """
    return (
        f"{n_kept} of {n_configurations} configurations may be the best: the interval of zf allows "
        "for that, its estimate is the naive figure and too good",
        "report the interval, with the estimate of bbc",
    )


@note(CARE)
def nested_spread(ratio: float, n_folds: int) -> Texts:
    """`ncv-interval` compares the spread of its interval with that of independent losses: 1 means
    that training on other samples changes nothing visible, √K is the most for K outer folds. A
    single repeat hardly determines the ratio.

    Remedy: repeat the nested cross-validation with other folds; the paper takes 200 repeats.
    """
    return (
        f"with {n_folds} outer folds the standard error is {ratio:.2f} times that of independent "
        "losses",
        "more repeats make that ratio steadier; Bates et al. take 200",
    )


def _index(value: float) -> str:
    return "unknown" if value != value else f"{value:.2f}"  # noqa: PLR0124 a NaN
