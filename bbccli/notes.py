"""Every note that a result may carry: what is shaky, and the remedy.

A note is data: reports print it, JSON carries it, tests match its `code`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader of the result must know."""

    code: str = field(metadata={"doc": "stable identifier, such as `few-folds`"})
    text: str = field(metadata={"doc": "what was seen, in one sentence"})
    remedy: str = field(default="", metadata={"doc": "what can be done about it; may be empty"})


def listing(names: Sequence[str], most: int = 5) -> str:
    """Join names, the first `most` of them in full and the rest as a count."""
    head = ", ".join(names[:most])
    return head if len(names) <= most else f"{head} and {len(names) - most} more"


def redrawn_resamples(n_redrawn: int, n_resamples: int, label: str) -> Note:
    """The metric that selects is undefined in some resamples."""
    return Note(
        "redrawn-resamples",
        f"{label} is undefined in {n_redrawn} resamples, which were drawn again ({n_resamples} "
        "were used)",
        "a class is rare, or there are few samples: read the interval with care, or collect more",
    )


def few_folds(n_folds: int) -> Note:
    """Fold methods rest on a handful of folds."""
    return Note(
        "few-folds",
        f"{n_folds} folds only: methods that compare or resample folds are coarse",
        "10 folds; or rely on bbc, which resamples the rows",
    )


def single_configuration() -> Note:
    """There was nothing to choose from."""
    return Note(
        "single-configuration",
        "one configuration: nothing was selected here, so nothing is corrected",
        "if it won over others, add their predictions; the naive figure is too good otherwise",
    )


def winners_differ(pooled: str, fold_mean: str) -> Note:
    """The two selection rules disagree."""
    return Note(
        "winners-differ",
        f"pooled and fold-mean winners differ: {pooled}; {fold_mean}",
        "choose the rule before looking: --pooling pooled or --pooling fold-mean",
    )


def tied_winners(winner: str, n_tied: int, rule: str) -> Note:
    """More than one configuration has the best performance."""
    return Note(
        "tied-winners",
        f"{n_tied} configurations tie as the best by {rule} performance; {winner} comes first",
        "ties go to the first column: put the configuration that you prefer first",
    )


def one_se_winner(winner: str, best: str, chosen: float, top: float, label: str) -> Note:
    """The rule of one standard error selected."""
    text = f"{winner} ({label} {chosen:.3g}) is within one standard error of the best, {best} "
    if winner == best:
        text = (
            f"no configuration preferred to the best, {best}, is within one standard error of it "
        )
    return Note("one-se-winner", f"{text}({top:.3g})")


def method_left_out(method: str, problem: str, remedy: str) -> Note:
    """A default method can't be computed on this input."""
    return Note("method-left-out", f"{method} is left out: {problem}", remedy)


def matched_interval() -> Note:
    """The spread of the resamples was shrunk to that of the estimate."""
    return Note(
        "matched-interval",
        "matched intervals are experimental: with real training, and for bbc-f without it too, "
        "they held the truth less often than percentile intervals did",
        "--interval percentile is the default and the papers' choice",
    )


def few_resamples(n_resamples: int, level: float, least: int) -> Note:
    """An end of the interval is the smallest or largest resample for want of others."""
    return Note(
        "few-resamples",
        f"{n_resamples} resamples can't tell a bound at level {level:g}: it is the most extreme "
        "of them, and nearer to the estimate than it should be",
        f"--n-resamples {least} at least; the papers use 1000",
    )


def wide_fold_mean(per_fold: float, words: str) -> Note:
    """Means over folds rest on very few samples out of the bag."""
    return Note(
        "wide-fold-mean",
        f"of {words} a fold holds {per_fold:.3g}, and fewer out of the bag: intervals of means "
        "over folds come out two or three times as wide as the standard error",
        "--pooling within-folds, or --pooling pooled where all folds have one scale",
    )


def guard_without_bound(label: str) -> Note:
    """An interval has no width, and the metric has no worst value to guard it with."""
    return Note(
        "guard-without-bound",
        f"{label} can be arbitrarily bad, so there is no worst value that would keep its interval "
        "from collapsing",
        "another metric, one with a worst value; or more samples",
    )


def beyond_bounds(method: str, value: float, label: str, low: float, high: float) -> Note:
    """A correction leads to a figure that the metric can't have."""
    return Note(
        "beyond-bounds",
        f"the estimate of {method}, {value:.3g}, is beyond the bounds of {label}, {low:g} to "
        f"{high:g}: the folds are too small for its correction",
        "bbc, whose estimate is always a possible one; or fewer, larger folds",
    )


def collapsed_interval(method: str, value: str, remedy: str) -> Note:
    """A pessimistic bound equals the best possible performance."""
    return Note(
        "collapsed-interval",
        f"the interval of {method} has collapsed onto the best possible value, {value}: nothing "
        "is that certain",
        remedy,
    )


def few_groups(n_groups: int) -> Note:
    """A bootstrap over groups rests on a handful of them."""
    return Note(
        "few-groups",
        f"{n_groups} groups only: a bootstrap over groups is coarse, its intervals too narrow",
        "20 groups or more",
    )


def risk_reversed(median: float) -> Note:
    """Concordances of most configurations are below one half."""
    return Note(
        "risk-reversed",
        f"the median concordance is {median:.3f}: higher predictions may mean later events",
        "check what they are, and give --risk-direction earlier or later",
    )


def partial_folds(n_repeats: int) -> Note:
    """With repeats, fold-level draws stay within one repeat."""
    return Note(
        "folds-within-repeats",
        f"bbc-f resamples the folds of one repeat at a time and averages over {n_repeats} repeats",
        "",
    )


def outer_selections(selected: Sequence[tuple[str, str]]) -> Note:
    """Say what each outer fold of a nested cross-validation selected."""
    return Note(
        "outer-selections",
        "selected in outer fold " + listing([f"{fold}: {name}" for fold, name in selected], 20),
        "",
    )


def undefined_resamples(n_undefined: int, n_resamples: int, label: str) -> Note:
    """A metric that did not select is undefined in some resamples."""
    return Note(
        "undefined-resamples",
        f"{label} is undefined in {n_undefined} of {n_resamples} resamples, which are left out",
        "read its interval with care",
    )


def clipped_probabilities(
    winner: str, label: str, n_below: int, n_all: int, clip: float, held: float, unclipped: float
) -> Note:
    """The log-loss depends on the least probability that counts."""
    return Note(
        "clipped-probabilities",
        f"the {label} of {winner} is {held:.3g} with probabilities of at least {clip:.2g}, and "
        f"{'infinite' if math.isinf(unclipped) else format(unclipped, '.3g')} without: "
        f"{n_below} of {n_all} predictions give the true class less",
        "say in the paper what --clip was; or report brier, which no single prediction decides",
    )


def undefined_repeats(n_undefined: int, n_repeats: int, label: str) -> Note:
    """A performance is missing in some repeats of a repeated hold-out."""
    return Note(
        "undefined-repeats",
        f"{label} of the winner is undefined in {n_undefined} of {n_repeats} repeats, which are "
        "left out",
        "hold out more samples at a time, or a share of each class",
    )


def tolerance_not_reached(tolerance: float | None, error: float) -> Note:
    """The largest number of resamples was used up."""
    return Note(
        "tolerance-not-reached",
        f"the largest Monte-Carlo standard error is {error:.2g}, above the tolerance {tolerance}",
        "raise --tolerance; the error shrinks with the square root of the resamples",
    )


def selected_on_evaluation(n_preselected: int) -> Note:
    """The evaluation samples chose among the preselected configurations."""
    return Note(
        "selected-on-evaluation",
        f"the best of {n_preselected} preselected configurations was chosen on the samples that "
        "evaluate it: the interval is widened for that, the estimate beside it is still too good",
        "report the interval, or the estimate of bbc",
    )


def no_interval(
    method: str, why: str, remedy: str = "use bbc, whose interval rests on all samples"
) -> Note:
    """A method that gives intervals has none on this input."""
    return Note("no-interval", f"{method} has no interval: {why}", remedy)


def no_variance(value: float) -> Note:
    """An interval from a variance has no width."""
    return Note(
        "no-variance",
        f"the variance at {value:.3g} is 0, so the interval has no width: it doesn't show what "
        "is uncertain",
        "use bbc, or collect more samples",
    )


def resamples_alike(method: str, value: float) -> Note:
    """An interval of resamples has no width."""
    return Note(
        "no-variance",
        f"nearly every resample of {method} gives {value:.3g}, so the interval has no width: it "
        "doesn't show what is uncertain",
        "check whether the predictions vary; folds or samples that are all alike say nothing of "
        "others",
    )


def few_evaluated(n_units: int, what: str) -> Note:
    """A normal interval rests on a handful of samples."""
    return Note(
        "few-evaluated",
        f"only {n_units} {what} evaluate{'s' if n_units == 1 else ''}: normal intervals hold the "
        "truth too rarely",
        "a larger --evaluation-share, or bbc, which evaluates on all samples",
    )


def tilting_infeasible(method: str, end: str, instead: str) -> Note:
    """No tilt makes the observed figure as unlikely as the level wants."""
    return Note(
        "tilting-infeasible",
        f"{method} finds no tilt that leads to its {end} end, which is {instead} instead",
        "more samples to evaluate on; or bbc, which uses all of them",
    )


def gate_on_naive() -> Note:
    """A gate was asked to judge the figure that is known to be too good."""
    return Note(
        "gate-on-naive",
        "the gate judges the naive figure of cvt, which is too good",
        "--gate-method bbc",
    )


def nothing_dropped(reason: str) -> Note:
    """It is too early for a rule to drop."""
    return Note(
        "nothing-dropped",
        f"nothing is dropped: {reason}",
        "continue with the next fold; the predictions so far can't tell good from bad",
    )


def rule_left_out(rule: str, problem: str) -> Note:
    """A rule can't be computed on this input."""
    return Note("rule-left-out", f"the rule {rule} is left out: {problem}", "")
