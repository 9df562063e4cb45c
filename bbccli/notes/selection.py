"""Notes on what was selected, dropped or left out."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes.note import Note, listing
from bbccli.rounding import UNBOUNDED, digits_for, figure


def single_configuration(n_tried: int = 1, *, asked: bool = False) -> Note:
    """There was nothing to choose from, or the others take no part; some perhaps as asked."""
    text = "only one configuration: nothing was selected, so nothing is corrected"
    if n_tried > 1 or asked:
        of_tried = f" of {n_tried} configurations tried" if n_tried > 1 else " configuration"
        text = f"only one{of_tried} takes part: nothing is corrected for the choice of it"
    return Note(
        "single-configuration",
        text,
        "if it was chosen over others, add their predictions: without them its figure is too good",
    )


def not_corrected() -> Note:
    """All configurations are shown with what they reach on the data that ranks them."""
    return Note(
        "not-corrected",
        "not corrected: the best of many looks too good",
        "report what bbc correct says",
    )


def winners_differ(pooled: str, fold_mean: str) -> Note:
    """The two selection rules disagree."""
    return Note(
        "winners-differ",
        f"pooled and fold-mean winners differ: {pooled}; {fold_mean}",
        "choose the rule before seeing results: --pooling pooled or --pooling fold-mean",
    )


def tied_winners(winner: str, n_tied: int, rule: str) -> Note:
    """More than one configuration has the best performance."""
    return Note(
        "tied-winners",
        f"{n_tied} configurations tie for the best {rule} performance; {winner} comes first",
        "ties go to the first column: put the configuration that you prefer first",
    )


def one_se_winner(
    winner: str,
    best: str,
    chosen: float,
    top: float,
    label: str,
    bounds: tuple[float, float] = UNBOUNDED,
) -> Note:
    """The rule of one standard error selected."""
    digits = digits_for([chosen, top], bounds=bounds)
    text = (
        f"{winner} ({label} {digits.performance(chosen)}) is within one standard error of the "
        f"best, {best} "
    )
    if winner == best:
        text = (
            f"no configuration preferred to the best, {best}, is within one standard error of it "
        )
    return Note("one-se-winner", f"{text}({digits.performance(top)})")


def risk_reversed(median: float) -> Note:
    """Concordances of most configurations are below one half."""
    return Note(
        "risk-reversed",
        f"the median concordance is {figure(median)}: higher predictions may mean later events",
        "check what they mean, and give --risk-direction earlier or later",
    )


def leave_one_out(label: str) -> Note:
    """Pairs of samples of different folds alone are compared, each fold a sample."""
    return Note(
        "leave-one-out",
        f"{label} of leave-one-out predictions tends to be too low: it compares models of "
        "different training samples, and one that learns nothing is far below chance",
        "cross-validate in fewer folds, such as 10, each with samples of both classes",
    )


def outer_selections(selected: Sequence[tuple[str, str]]) -> Note:
    """Say what each outer fold of a nested cross-validation selected."""
    return Note(
        "outer-selections",
        "selected in outer fold " + listing([f"{fold}: {name}" for fold, name in selected], 20),
        "",
    )


def selected_on_evaluation(n_preselected: int) -> Note:
    """The evaluation samples chose among the preselected configurations."""
    return Note(
        "selected-on-evaluation",
        f"the best of {n_preselected} preselected configurations was chosen on the samples that "
        "evaluate it: the interval allows for that, the estimate is still too good",
        "report the interval, or the estimate of bbc",
    )


def locally_simultaneous(n_kept: int, n_configurations: int) -> Note:
    """The interval allows for the selection among those that may be the best."""
    return Note(
        "locally-simultaneous",
        f"{n_kept} of {n_configurations} configurations may be the best: the interval of zf allows "
        "for that, its estimate is the naive figure and too good",
        "report the interval, with the estimate of bbc",
    )


def method_left_out(method: str, problem: str, remedy: str) -> Note:
    """A default method can't be computed on this input."""
    return Note("method-left-out", f"{method} is left out: {problem}", remedy)


def gate_on_naive(figure: str) -> Note:
    """A gate was asked to judge a figure that is known to be too good."""
    return Note("gate-on-naive", f"the gate judges {figure} is too good", "--gate-method bbc")


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
