"""The phrases that all reports of predictions share; names are not yet escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from bbccli.documents.correct import Envelope, Input, Run, bounds_in, is_single, notes_of
from bbccli.documents.gate import NAIVE
from bbccli.domain.estimate import Estimate
from bbccli.domain.plan import Plan
from bbccli.domain.source import Evaluation, TwoFigures, Verification
from bbccli.methods import METHODS
from bbccli.metrics import METRICS
from bbccli.notes import Note, by_severity, listing, severity_of
from bbccli.platform.text import (
    UNBOUNDED,
    Digits,
    count,
    digits_for,
    pattern,
    percent,
    tiny_text,
    visible,
    width_of,
)
from bbccli.types import Direction, Interval, Task


class Reportable(Protocol):
    """The common part of the results of all commands."""

    @property
    def input(self) -> Any:
        """The input; None where nothing was read."""

    @property
    def plan(self) -> Plan:
        """The plan behind the numbers."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes."""


RULES = {
    "best": "best",
    "one-se": "first within one standard error of the best",
    "one-se-simplest": "least complex within one standard error of the best",
    "greedy": "greedy ensemble",
    "mean": "mean of the best",
}
"""Phrases for the rules of selection."""


def rule_in_brackets(plan: Plan) -> str:
    """Return the rule of selection in brackets, where it is not simply the best."""
    return "" if plan.select == "best" else f" ({RULES.get(plan.select, plan.select)})"


WITHOUT_SELECTION = {"corrected": "nothing to correct", "naive, too good": "naive"}
"""Labels for a single configuration, in place of words about a selection."""

LEFT_ALONE = WITHOUT_SELECTION | {"corrected": "not corrected"}
"""The same where it was chosen among others, which take no part."""

UNSELECTED = pattern("|".join(WITHOUT_SELECTION))
OVER_FOLDS = frozenset({"tt", "bbc-f", "naive-f", "t-folds", "t-corrected", "wmc", "wmcs"})
"""Methods that always select by the mean over folds."""

NAMES = {
    "bbc-632plus": "BBC-632+",
    "delong": "DeLong",
    "delong-10p": "DeLong-10p",
    "hanley-mcneil": "Hanley-McNeil",
    "hanley-mcneil-10p": "Hanley-McNeil-10p",
    "wald": "Wald",
    "wilson": "Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "jeffreys": "Jeffreys",
    "naive": "bootstrap of the winner",
    "naive-f": "bootstrap of the winner's folds",
    **{name: name for name in ("tilting", "tilting-10p", "nested-selection", "influence")},
    "clustered": "clustered standard error",
    **{name: name for name in ("t-folds", "t-corrected")},
    "ncv-interval": "NCV-interval",
}
"""Methods whose names in a sentence are not their own in capitals."""


def plain_lines(document: Reportable) -> list[str]:
    """Return one line on what was read, if anything was, then one per note."""
    lines = []
    if document.input is not None:
        lines = [f"read: {visible(document.input.path)}: {input_line(document)}"]
        lines += [f"run: {line}" for line in lines_on_run(document)]
    return [*lines, *map(note_line, by_severity(notes_of(document)))]


def lines_on_run(document: Reportable) -> list[str]:
    """Lines on the run that the predictions come from, and on its scores."""
    metric, pooling = next(iter(metrics_of(document)), ""), document.plan.pooling
    winner = next((estimate.winner for estimate in getattr(document, "estimates", ())), "")
    return run_lines(document.input, metric, pooling, winner)


def input_line(document: Reportable) -> str:
    """The input, in one line."""
    read = document.input
    if read.run is not None and read.run.evaluation is not None:
        return _evaluated(read, read.run.tool, read.run.evaluation)
    parts = [task(read), f"{samples(read)} x {configurations(read)}"]
    if read.n_folds:
        parts.append(fold_count(read))
    if read.n_repeats > 1:
        parts.append(count(read.n_repeats, "repeat"))
    if read.n_groups:
        parts.append(count(read.n_groups, "group"))
    parts += weighting(read)
    return ", ".join([*parts, *(metric_label(name) for name in metrics_of(document))])


def _evaluated(read: Input, tool: str, run: Evaluation) -> str:
    """Summary of an evaluation framework's run, in one line."""
    parts = [visible(tool)]
    tasks = [visible(name) for name in run.tasks if name]
    if len(tasks) > 1:
        sizes = [f"{name} {n}" for name, n in zip(tasks, run.n_items, strict=True)]
        parts.append(f"{count(len(tasks), 'task')} ({listing(sizes)})")
    parts += [f"task {name}" for name in tasks[:1] if len(tasks) == 1]
    parts.append(f"{count(read.n_samples, 'item')} x {configurations(read)}")
    parts += [count(run.n_epochs, "epoch")] if run.n_epochs > 1 else []
    parts += [count(read.n_groups, "group")] if read.n_groups else []
    low, high = read.bounds or (None, None)
    parts.append(visible(run.score) + ("" if low is None else f" ({low:g} to {high:g})"))
    gaps = [
        f"{count(n, what)} {fate}"
        for n, what, fate in (
            (run.n_errors, "error", "left out"),
            (run.n_scored_errors, "error", "with a score"),
            (run.n_unscored, "answer", "without a score"),
        )
        if n
    ]
    return "; ".join([", ".join(parts), *gaps])


def metrics_of(document: Reportable) -> list[str]:
    """Names of the metrics, the one that selects first."""
    if metrics := getattr(document, "metrics", None) or getattr(document, "metric", None):
        return [metrics] if isinstance(metrics, str) else list(metrics)
    decision = getattr(document, "decision", None)
    parts = [decision] if decision else getattr(document, "replays", ())
    return list(dict.fromkeys(part.metric for part in parts))


def metric_label(name: str) -> str:
    """Name of a metric for people."""
    metric = METRICS.get(name)
    return visible(name) if metric is None else metric.label


def directed_label(name: str) -> str:
    """Name of a metric for people, with its direction where lower is better."""
    lower = name in METRICS and METRICS[name].direction is Direction.MINIMIZE
    return f"{metric_label(name)}, lower is better" if lower else metric_label(name)


STABLE, MODERATELY_STABLE = 0.8, 0.4
"""Leads over the runner-up, in shares of the resamples, of such a choice."""

TIED = "tied for the best, and the first column wins ties"


def stability(estimate: Estimate) -> str:
    """Return how stable a choice is, by the winner's lead over the runner-up in the resamples.

    54% against 46% is a toss-up, and 54% against many others of 5% is not.
    """
    shares = {win.configuration: win.share for win in estimate.selection}
    of_winner = shares.pop(estimate.winner, 0.0)
    lead = of_winner - max(shares.values(), default=0.0)
    if lead >= MODERATELY_STABLE:
        if any(note.code == "tied-winners" for note in estimate.notes):
            return TIED
        return "stable" if lead >= STABLE else "moderately stable"
    return "unstable"


def is_reported(estimate: Estimate, document: Envelope) -> bool:
    """True for the one estimate of its metric to report; the others are for comparison."""
    return document.reported(estimate.metric) is estimate


def method_label(estimate: Estimate, document: Envelope) -> str:
    """The effect of a method on the naive figure, with caveats."""
    method = METHODS.get(estimate.method)  # None of another version
    words = [method.label] if method else []
    if is_single(document):
        instead = WITHOUT_SELECTION if alone(document) else LEFT_ALONE
        words = [UNSELECTED.sub(lambda match: instead[match[0]], word) for word in words]
    if (sealed := estimate.opened) is not None:
        words = [f"{sealed.n_samples} sealed", sealed.which]
    words += ["ignores selection"] if estimate.ignores_selection else []
    words += ["experimental"] if estimate.experimental else []
    return ", ".join(words)


def is_naive(estimate: Estimate) -> bool:
    """True for the naive figure itself: an optimism of 0 would say nothing."""
    same = estimate.value == estimate.naive and estimate.ignores_selection
    return bool(estimate.method == NAIVE or same)


def value_name(document: Envelope, estimates: list[Estimate]) -> str:
    """Name the figures of some methods: estimates where one of them is not corrected."""
    uncorrected = any(e.ignores_selection and e.method != NAIVE for e in estimates)
    return "estimate" if uncorrected or is_single(document) else "corrected"


def interval_name(document: Reportable, estimates: list[Estimate]) -> str:
    """Level, and which end is estimated when it is one."""
    level = percent(document.plan.level)
    sides = {e.interval.side for e in estimates if e.interval}
    one_sided = f"{sides.pop()} bound" if sides and sides != {"two"} else ""
    return f"{level} {one_sided or 'CI'}"


def interval_text(interval: Interval | None, digits: Digits) -> str:
    """Both ends, or the one that was estimated."""
    return ends_text(interval, digits.performance)


def interval_kind(kind: str) -> str:
    """Name of a kind of interval in a sentence."""
    return "Student's t interval" if kind == "t" else f"{kind} interval"


def interval_ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Both ends; None where there is no interval."""
    return (None, None) if interval is None else (interval.lower, interval.upper)


def ends_text(interval: Interval | None, write: Callable[..., str]) -> str:
    """Return the ends of an interval of performances, or of differences, as `write` writes them."""
    if interval is None:
        return ""
    lower, upper = (write(end, missing="unbounded") for end in (interval.lower, interval.upper))
    return {"lower": lower, "upper": upper}.get(interval.side, f"{lower} to {upper}")


def ci_text(interval: Interval | None, write: Callable[..., str]) -> str:
    """Return a confidence interval with its level; empty where there is none."""
    return "" if interval is None else f"{percent(interval.level)} CI {ends_text(interval, write)}"


def digits_of(estimates: list[Estimate], document: Reportable) -> Digits:
    """Digits for the performances of one metric, as fine as their intervals are narrow."""
    return digits_for(
        [value for e in estimates for value in (e.value, e.naive)],
        [width_of(e.interval) for e in estimates],
        bounds_in(document, estimates[0].metric) if estimates else UNBOUNDED,
    )


def digits_in(document: Envelope, metric: str) -> Digits:
    """Digits for the performances of one metric of a result."""
    estimates = document.of_metric(metric)
    digits = digits_of(estimates, document)
    if not digits.power:
        return digits
    beside = [estimate for estimate in document.single if estimate.metric == metric]
    return digits_of([*estimates, *beside], document)


def digits_by(metric: str, values: Iterable[float | None]) -> Digits:
    """Digits for performances of a metric without intervals."""
    known = METRICS.get(metric)
    return digits_for(values, bounds=known.bounds if known else UNBOUNDED)


def method_name(name: str) -> str:
    """Name of a method in a sentence."""
    return NAMES.get(name, name.upper())


def selection_pooling(estimate: Estimate, document: Envelope) -> str:
    """The pooling of the performances that an estimate selects by."""
    by_fold = estimate.method in OVER_FOLDS and estimate.n_preselected is None
    return "fold-mean" if by_fold else str(document.plan.pooling)


def note_line(note: Note) -> str:
    """Return a note and its hint on one line."""
    remedy = f"; hint: {visible(note.remedy)}" if note.remedy else ""
    return f"{severity_of(note.code).label}: {visible(note.text)}{remedy}"


HELD_OUT = "one held-out set"
CROSS_VALIDATION = "cross-validation"
OF_FOLDS = frozenset({"averaged-repeats", "folds-differ"})
"""Notes that tell of a cross-validation though its folds are unknown."""


def design(document: Reportable) -> str:
    """Return how samples were held out to be predicted; empty where unknown."""
    read, codes = document.input, {note.code for note in document.notes}
    if "repeated-holdout" in codes:
        return "repeated hold-out"
    if is_split(read):
        return HELD_OUT
    repeated = read.n_repeats > 1 and read.task != Task.SCORE  # scores are repeated in epochs
    return CROSS_VALIDATION if read.n_folds or repeated or codes & OF_FOLDS else ""


def pass_name(read: Input) -> str:
    """Name what is repeated: a cross-validation, or an evaluation."""
    return "epoch" if read.run is not None and read.run.evaluation is not None else "repeat"


def passes(read: Input) -> str:
    """Return the number of repeats, or of epochs."""
    return count(read.n_repeats, pass_name(read))


def predicts_or_scores(read: Input) -> str:
    """Return the verb for samples that a configuration has predictions, or scores, of."""
    return "has scores for" if read.task == Task.SCORE else "predicts"


def of_all(number: int, total: int, noun: str) -> str:
    """Return a number of things, and of how many where that is more.

    >>> of_all(30, 60, "sample"), of_all(60, 60, "sample"), of_all(1, 1, "fold")
    ('30 of 60 samples', '60 samples', '1 fold')
    """
    return count(number, noun) if total == number else f"{number} of {total} {noun}s"


def samples(read: Input) -> str:
    """Return the samples used, of those that were read."""
    return of_all(read.n_samples, n_samples_read(read), "sample")


def n_samples_read(read: Input) -> int:
    """Return the number of samples before any was left out."""
    return max(read.n_samples_read or 0, read.n_samples)


def configurations(read: Input) -> str:
    """Return the configurations that take part, of those that were tried."""
    used, tried = read.n_configurations, n_tried(read)
    return of_all(used, tried, "configuration") + " tried" * (tried > used)


def n_tried(read: Input) -> int:
    """Return the number of configurations tried, as far as is known."""
    return max(read.n_tried or 0, read.n_configurations)


def field(estimate: Estimate, read: Input) -> str:
    """Return among how many configurations the winner was chosen."""
    used, tried, preselected = read.n_configurations, n_tried(read), estimate.n_preselected
    best = "" if preselected is None else f"{preselected} preselected out of "
    return f"{best}{used}{f', of {tried} tried' if tried > used else ''}"


def n_deciding(estimate: Estimate, read: Input) -> int:
    """Return the number of samples that chose the winner."""
    held_out = estimate.n_evaluation
    if held_out is None or estimate.n_preselected is None:
        return read.n_samples - (held_out or 0)
    return held_out


def fold_count(read: Input) -> str:
    """Return the folds; empty where they are unknown."""
    if is_split(read):
        return HELD_OUT
    return count(read.n_folds, "fold") if read.n_folds else ""


def is_split(read: Input) -> bool:
    """True if one part of the data was held out, instead of a cross-validation."""
    return bool(read.n_folds == 1 and read.n_repeats == 1)


def alone(document: Reportable) -> bool:
    """True if there was a single configuration from the start, so that nothing was chosen."""
    return n_tried(document.input) == 1 and not any(
        note.code in OF_SEVERAL for note in document.notes
    )


OF_SEVERAL = {
    "configurations-left-out": "the only configuration asked for",
    "best-alone": "the only configuration whose predictions were kept",
}
"""What one configuration is among others that are not here, by the code of the note."""


def only_one(document: Reportable) -> str:
    """Return what a configuration is that takes part alone.

    It is one of several that were tried, or what an option or a tool leaves, or the only one.
    """
    if (tried := n_tried(document.input)) > 1:
        return f"the only one of {tried} configurations tried that could be used"
    words = (OF_SEVERAL[note.code] for note in document.notes if note.code in OF_SEVERAL)
    return next(words, "the only configuration")


def task(read: Input) -> str:
    """Return the task, and its classes."""
    if read.positive_class is not None:
        return f"{read.task} (positive: {visible(read.positive_class)})"
    classes = [visible(name) for name in read.classes]
    return f"{read.task} ({listing(classes)})" if classes else str(read.task)


def weighting(read: Input) -> list[str]:
    """Return by which column the samples are weighted, where they are."""
    weights = read.weights
    if not read.weighted:
        return []
    column = weights.column if weights else None
    return ["weighted" if column is None else f"weighted by {visible(column)}"]


def run_lines(read: Input, metric: str = "", pooling: str = "", winner: str = "") -> list[str]:
    """Return a line on the run and one on its scores; none where a file was read.

    read: the `input` of a document; those of earlier versions know no runs.
    metric: name of the metric that selects; that of the run where it is empty.
    pooling: how it selects.
    winner: whose score is shown where the tool computes scores otherwise.
    """
    run = read.run
    if run is None:
        return []
    if run.evaluation is not None:
        return [f"{visible(run.tool)}'s own figures: {_checked(read.verification)}"]
    names = [visible(left.name) for left in run.left_out]
    left_out = f" ({listing(names)} left out)" if names else ""
    models = f"{read.n_configurations} of {count(run.n_models, 'model')}{left_out}"
    parts = [f"{visible(run.tool)} run", fold_count(read) or "folds unknown", models]
    parts += [f"metric {text}" for text in [_metric(run, metric)] if text]
    parts += [f"selection {pooling}"] if pooling else []
    verified = read.verification
    lines = [", ".join(parts), f"leaderboard: {_checked(verified)}"]
    return lines + (_otherwise(run.tool, verified.otherwise, winner) if verified else [])


def _metric(run: Run, metric: str) -> str:
    """The selecting metric, and the run's own where it differs in kind or name."""
    optimised, called = run.metric, visible(run.metric_name or "")
    if not metric and not optimised:
        return f"{called} (unknown to bbc)" if called else ""
    label, of_run = metric_label(metric), metric_label(optimised or "")
    if metric in ("", optimised):
        return f"{of_run} (the run's own{called and f', {called}'})"
    other = called or of_run
    return f"{label} (the run's own is {other})" if other else label


def _otherwise(tool: str, differing: Sequence[TwoFigures], winner: str) -> list[str]:
    """Both figures of a score that the tool computes otherwise: the winner's, or the one that
    differs most.
    """
    if not differing:
        return []
    shown = next((score for score in differing if score.name == winner), differing[0])
    digits = digits_for([shown.tool, shown.here])
    by = "the search" if tool == "recorder" else visible(tool)
    more = f"; so are {count(len(differing) - 1, 'other')}" if len(differing) > 1 else ""
    return [
        f"computed differently: {visible(shown.name)} has {metric_label(shown.metric)} "
        f"{digits.performance(shown.tool)} by {by}, which clips probabilities at "
        f"{shown.tool_clip:.2g}, and {digits.performance(shown.here)} clipped at "
        f"{shown.here_clip:.2g}{more}"
    ]


def _checked(verification: Verification | None) -> str:
    if verification is None:
        return "not checked"
    if verification.reason is not None:
        return f"not checked: {visible(verification.reason)}"
    return (
        f"{verification.n_checked} of {verification.n_scores} scores recomputed, largest "
        f"difference {tiny_text(verification.largest_difference or 0.0)}"
    )
