"""Notes on methods: what was selected and resampled, and how well."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bbccli.notes import CARE, DOUBT, HARMLESS, Texts, listing, note
from bbccli.platform.text import UNBOUNDED, brief, count, digits_for, figure


@note(CARE)
def single_configuration(n_tried: int = 1, *, on_request: bool = False) -> Texts:
    """There is one configuration, so nothing is corrected.

    Remedy: if it won over others, add their predictions: without them its figure is too good.
    """
    text = "only one configuration: nothing was selected, so nothing is corrected"
    if n_tried > 1 or on_request:
        of_tried = f" of {n_tried} configurations tried" if n_tried > 1 else " configuration"
        text = f"only one{of_tried} takes part, so its choice is not corrected for"
    return (
        text,
        "if it was chosen over others, add their predictions: without them its figure is too good",
    )


@note(CARE)
def not_corrected() -> Texts:
    """In every `bbc leaderboard` the scores at the top are too good, because the same data rank the
    configurations.

    Remedy: report the figure of `bbc correct`.
    """
    return (
        "not corrected: the best of many looks better than it is",
        "report the figure of bbc correct",
    )


@note(CARE)
def winners_differ(pooled: str, fold_mean: str) -> Texts:
    """Selection by pooled predictions and by the mean over folds pick different configurations.

    Remedy: decide on one rule in advance, and give it with `--pooling`. If folds are on different
    scales, use [`--pooling within-folds`](methods.md#within-folds) for metrics of pairs such as the
    AUC.
    """
    return (
        f"the winner depends on how folds are combined: {pooled} (pooled predictions) or "
        f"{fold_mean} (mean over folds)",
        "decide on one rule in advance: --pooling pooled or --pooling fold-mean",
    )


@note(DOUBT)
def risk_reversed(median: float) -> Texts:
    """The median concordance of the configurations is below one half by more than chance explains.
    Higher predictions may mean *later* events.

    Remedy: check what they mean, and give `--risk-direction later`.
    """
    return (
        f"the median concordance is {figure(median)}: higher predictions may mean later events",
        "check what they mean, and give --risk-direction earlier or later",
    )


@note(DOUBT)
def leave_one_out(label: str) -> Texts:
    """Every fold is a single sample, and the metric compares pairs, such as the AUC. The pooled
    figure is too low, and the selection is biased (Parker, Günter & Bedo 2007; Airola et al. 2011).

    Remedy: cross-validate in fewer folds, such as 10, and compare pairs [within
    folds](methods.md#within-folds); or use the Brier score.
    """
    return (
        f"{label} of leave-one-out predictions tends to be too low: it compares predictions of "
        "different models, and one that learns nothing scores far below chance",
        "cross-validate in fewer folds, such as 10, each with samples of both classes",
    )


@note(HARMLESS)
def tied_winners(winner: str, n_tied: int, rule: str) -> Texts:
    """Several configurations share the best score. The first column wins.

    Remedy: put the preferred one first, such as the simplest.
    """
    return (
        f"{n_tied} configurations tie for the best {rule} performance; {winner} is the first of "
        "them",
        "put the configuration that you prefer first: ties go to the first column",
    )


@note(CARE)
def redrawn_resamples(n_redrawn: int, n_resamples: int, label: str, *, classes: bool) -> Texts:
    """The metric that selects is undefined in some resamples, which were [drawn
    again](methods.md#redrawn-resamples). For the AUC these lack a class.

    Remedy: a few in a thousand are harmless; if there are many, collect more of the rare class.
    """
    verb = "was" if n_redrawn == 1 else "were"
    return (
        f"{label} is undefined in {count(n_redrawn, 'resample')}, which {verb} drawn again "
        f"({n_resamples} were used)",
        f"collect more samples{', above all of the rare class' * classes}, or read the interval "
        "with care",
    )


@note(HARMLESS, "coverage")
def repeated_holdout(sizes: Sequence[int], n_samples: int) -> Texts:
    """Every repeat predicts another part of the samples: repeated hold-out. The score is the mean
    over the repeats, and methods over folds can't run.

    Remedy: nothing if that is the design. If the repeats are cross-validations, give every sample
    the [same `row_id`](formats.md#repeated-hold-out) in each.
    """
    fewest, most = min(sizes), max(sizes)
    size = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return (
        f"repeated hold-out: each of {len(sizes)} repeats predicts {size} of {n_samples} samples "
        "and is scored on those; methods over folds cannot run",
        "if the repeats are cross-validations, give every sample the same row_id in each",
    )


@note(CARE)
def undefined_repeats(n_undefined: int, n_repeats: int, label: str) -> Texts:
    """The winner's score is undefined in some repeats of a repeated hold-out, such as an AUC
    without one of the classes. The mean is over the others.

    Remedy: hold out more samples at a time, or the same share of each class.
    """
    return (
        f"{label} of the winner is undefined in {n_undefined} of {n_repeats} repeats, which are "
        "left out",
        "hold out more samples at a time, or the same share of each class",
    )


@note(DOUBT)
def undefined_folds(name: str, n_undefined: int, n_folds: int, label: str) -> Texts:
    """The winner's score is undefined in some folds, such as a precision without positive
    predictions. Its mean is over the others, so it may win by predicting next to nothing.

    Remedy: to count such folds as 0, like scikit-learn, write `"undefined": 0` into the
    [metadata](formats.md#metadata); else use a metric that is defined in every fold.
    """
    return (
        f"{label} of {name}, the winner, is undefined in {n_undefined} of {n_folds} folds, and "
        "averaged over the others",
        'to count such folds as 0, like scikit-learn, write "undefined": 0 into the metadata',
    )


@note(HARMLESS)
def undefined_as_zero(label: str, tool: str) -> Texts:
    """The run's own scores match its predictions if an undefined precision, recall or F score
    counts as 0, so it counts as 0 here.

    Remedy: nothing.
    """
    return f"undefined {label} counts as 0, as in the scores of {tool}", "none needed"


@note(HARMLESS)
def outer_selections(selected: Sequence[tuple[str, str]]) -> Texts:
    """The note lists the configuration that each outer fold of `ncv` selected.

    Remedy: nothing; if they differ much, the result is for the procedure rather than for the named
    winner.
    """
    shown = listing([f"{fold}: {name}" for fold, name in selected], 20)
    return f"selected in outer fold {shown}", ""


@note(CARE)
def undefined_resamples(n_undefined: int, n_resamples: int, label: str) -> Texts:
    """A metric other than the selecting one is undefined in some resamples, which are left out.

    Remedy: a few are harmless; if they are many, read its interval with care.
    """
    return (
        f"{label} is undefined in {n_undefined} of {n_resamples} resamples, which are left out",
        "read its interval with care",
    )


@note(CARE)
def tolerance_not_reached(tolerance: float | None, error: float) -> Texts:
    """The Monte Carlo standard error is above `--tolerance`, with as many resamples as the plan
    allows.

    Remedy: allow more resamples, or a larger tolerance. Four times the resamples halve the error.
    """
    aim = 0.0 if tolerance is None else tolerance
    reached = digits_for([error], [error], (aim, math.inf)).performance(error)
    return (
        f"the largest Monte Carlo standard error is {reached}, above the tolerance of {brief(aim)}",
        "raise --tolerance: halving the error takes four times as many resamples",
    )


@note(HARMLESS)
def one_se_winner(
    winner: str,
    best: str,
    chosen: float,
    top: float,
    label: str,
    bounds: tuple[float, float] = UNBOUNDED,
) -> Texts:
    """`--select one-se` or `one-se-simplest` prefers another configuration to the best one; the
    note says how much worse it is.

    Remedy: nothing.
    """
    digits = digits_for([chosen, top], bounds=bounds)
    text = (
        f"{winner} ({label} {digits.performance(chosen)}) is within one standard error of the "
        f"best, {best} "
    )
    if winner == best:
        text = (
            f"no configuration preferred to the best, {best}, is within one standard error of it "
        )
    return f"{text}({digits.performance(top)})", ""


@note(DOUBT)
def collapsed_interval(method: str, value: str, remedy: str) -> Texts:
    """The pessimistic end of an interval equals the best possible value, because the winner makes
    hardly any mistake. In simulations such intervals missed the truth in up to 58% of the cases. A
    [gate](ci.md#the-gate) on it is undecided.

    Remedy: leave out `--no-guard`: the [guard](methods.md#guard) counts one more sample that may go
    wrong. For a method that does not resample report `bbc` instead.
    """
    return (
        f"the interval of {method} has collapsed onto the best possible value, {value}: no "
        "performance is that certain",
        remedy,
    )


@note(DOUBT)
def guard_without_bound(label: str) -> Texts:
    """An interval has no width, and the metric can be arbitrarily bad (a squared error, R²), so the
    [guard](methods.md#guard) can't widen it.

    Remedy: find out why every error is equal, such as a copy of the truth; or use a metric with a
    worst value.
    """
    return (
        f"{label} is unbounded, so nothing keeps its interval from collapsing",
        "use a bounded metric, or collect more samples",
    )


@note(DOUBT)
def few_resamples(n_resamples: int, level: float, least: int) -> Texts:
    """There are too few resamples for the level, so the bound is the most extreme of them, and the
    interval is too narrow: two ends take 40 resamples at level 0.95, 200 at 0.99. A
    [gate](ci.md#the-gate) is not met by such a bound.

    Remedy: 1000 resamples, the default; or `--interval t`.
    """
    text = (
        "a single resample has no spread, so the uncertainty of the estimate is unknown"
        if n_resamples == 1
        else f"{n_resamples} resamples are too few for a bound at level {brief(level)}: the "
        "most extreme one is used instead, so the interval is too narrow"
    )
    return text, f"give --n-resamples {least} or more; the papers use 1000"


@note(DOUBT)
def mean_over_folds(label: str, per_fold: float) -> Texts:
    """A metric that is neither a mean nor a share of pairs (R², average precision, F scores, MCC,
    correlations) is averaged over folds, where it measures something else. A gate never passes on
    it.

    Remedy: `--pooling pooled` with `bbc`; for the run of a tool, leave out `--pooling`.
    """
    return (
        f"{label} is not a mean over samples: its mean over folds of {figure(per_fold)} samples "
        "is a different quantity, and resamples hold even fewer",
        "leave out --pooling, or give --pooling pooled, with --method bbc",
    )


@note(DOUBT)
def better_than_naive(label: str) -> Texts:
    """The corrected figure is better than the naive one by more than a standard error, which a
    correction should not do.

    Remedy: look at the other notes; use a metric with a larger effective sample size, such as the
    AUC or the Brier score.
    """
    return (
        f"the corrected {label} is better than the naive one by more than its standard error",
        "read the other notes, or use a metric with a larger effective sample size",
    )


@note(DOUBT)
def few_left_out(label: str, n_units: int, *, groups: bool) -> Texts:
    """R² or explained variance depend mostly on which samples a resample leaves out, a third of
    them: they are few, or one is far from the others. The figure comes from the ratio of the
    winners' errors to those of all configurations instead.

    Remedy: `--metric rmse` or `--metric mae`; or more samples, from about 20 on.
    """
    units = f"{max(round(0.37 * n_units), 1)} of {n_units}" + " groups" * groups
    return (
        f"{label} depends mostly on which samples a resample leaves out, about {units}: the figure "
        "and its interval are rough",
        "use --metric rmse or --metric mae, or collect more samples",
    )


@note(DOUBT)
def outside_interval(label: str, *, of_bbc: bool) -> Texts:
    """The estimate lay outside its interval, which was widened to hold it: the resamples don't show
    how far off it is.

    Remedy: `--method bbc` over pooled predictions; or more samples.
    """
    return (
        f"the estimate of the {label} was outside its interval, which was widened to include it",
        "collect more samples" if of_bbc else "use --method bbc with --pooling pooled",
    )


@note(CARE)
def matched_interval() -> Texts:
    """`--interval matched` is experimental: with real training such intervals covered the truth
    less often than percentile intervals.

    Remedy: report `--interval percentile`, or both.
    """
    return (
        "matched intervals are experimental: with trained models, and for bbc-f even without "
        "training, they covered the true value less often than percentile intervals",
        "use --interval percentile, the default, like the papers",
    )


@note(CARE)
def beyond_bounds(method: str, value: float, label: str, low: float, high: float) -> Texts:
    """The estimate of `tt` is not a possible value of the metric: in small folds the best of many
    configurations beats the winner by far, and `tt` subtracts all of that.

    Remedy: report `bbc`; or cross-validate in fewer, larger folds.
    """
    return (
        f"the estimate of {method}, {figure(value, (low, high))}, is outside the range of {label}, "
        f"{low:g} to {high:g}: the folds are too small for its correction",
        "use bbc, whose estimate is always a possible value, or fewer, larger folds",
    )


@note(DOUBT)
def few_folds(n_folds: int) -> Texts:
    """There are fewer than 5 folds, too few for methods that compare or resample them.

    Remedy: rely on `bbc`, or use 10 folds.
    """
    return (
        f"only {n_folds} folds: too few for methods that compare or resample folds to be precise",
        "use 10 folds, or report bbc, which resamples samples",
    )


@note(HARMLESS)
def folds_within_repeats(n_repeats: int) -> Texts:
    """With repeats `bbc-f` resamples the folds of one repeat at a time; see [the
    reason](methods.md#decisions).
    """
    how = f"the folds of one repeat at a time and averages over {n_repeats} repeats"
    return f"bbc-f resamples {how}", ""


@note(CARE)
def nothing_dropped(reason: str) -> Texts:
    """It is too early to drop: too few samples are predicted, the metric is undefined, or the rule
    needs more folds.

    Remedy: continue with the next fold. `--min-samples` sets the number of samples.
    """
    return (
        f"nothing is dropped: {reason}",
        "continue with the next fold: these predictions can't yet distinguish good configurations "
        "from bad ones",
    )


@note(CARE)
def unshuffled_folds(what: str) -> Texts:
    """The folds are consecutive blocks of the samples' keys, or each is a group, such as a site.
    Configurations that lose in the first folds may win on the others.

    Remedy: shuffle the samples before assigning folds; or raise `--min-samples`.
    """
    return (
        f"{what}, and dropping decides by the first folds",
        "shuffle the samples before assigning folds, or raise --min-samples",
    )


@note(CARE)
def rule_left_out(rule: str, problem: str) -> Texts:
    """With `bbc drop --replay --rule all`, a rule can't be computed on this file or for this
    metric.

    Remedy: nothing, or a metric that is a mean of losses per sample, such as accuracy.
    """
    return f"the rule {rule} is left out: {problem}", ""


@note(CARE)
def method_left_out(method: str, problem: str, remedy: str) -> Texts:
    """A default method can't be computed on this file; the text says why.

    Remedy: nothing: the other methods are not affected.
    """
    return f"{method} is left out: {problem}", remedy


@note(DOUBT)
def selected_on_evaluation(n_preselected: int) -> Texts:
    """A method that preselects chose the winner on the samples that evaluate it. Its interval
    allows for that; the estimate is still too good.

    Remedy: report the interval, or the estimate of `bbc`.
    """
    return (
        f"the best of {n_preselected} preselected configurations was chosen on the samples that "
        "evaluate it: the interval allows for that, but the estimate is still too good",
        "report the interval, or the estimate of bbc",
    )
