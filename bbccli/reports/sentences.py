"""Sentences: the answer, the verdict of a gate, a figure for a paper, and the cost of a search.

The answer needs no table: what won and what it scored, among how many; what to expect on new
samples, with the interval, or why nothing here says it; the same of each further metric; and the
verdict of the gate.

The sentence for a paper has the figure with its interval, the choice that was or was not corrected
for, the data and how they were understood, and the method with all that it depends on. Two plans
that can give two numbers never give one sentence.
"""

from __future__ import annotations

from dataclasses import fields, replace
from decimal import Decimal
from math import isfinite

from bbccli.core.plan import Plan
from bbccli.core.results import Estimate, Gate, SearchCost
from bbccli.core.rounding import (
    UNBOUNDED,
    Digits,
    count,
    digits_for,
    figure,
    percent,
    short,
    trimmed,
)
from bbccli.core.text import visible
from bbccli.methods import METHODS, Gives
from bbccli.methods.registry import TIGHT_METHODS
from bbccli.metrics import METRICS
from bbccli.metrics.planned import POWERS
from bbccli.reports import phrases
from bbccli.reports.phrases import metric_label, metrics_of
from bbccli.schema.correct import Envelope, has_no_width, outcome_of, to_report
from bbccli.stats.intervals import INTERVALS
from bbccli.types import PredictionKind, Task


def answer(document: Envelope) -> list[str]:
    """Return the sentences, a line each; names are not yet escaped."""
    lines = []
    for position, metric in enumerate(metrics_of(document)):
        estimates = phrases.estimates_of(document, metric)
        if not estimates:
            continue
        told, digits = to_report(estimates) or estimates[0], phrases.digits_of(estimates, document)
        if position == 0:
            lines.append(_scored(told, document, digits))
        lines.append(_expected(document, metric, digits))
    return [*lines, *verdict(document)]


def verdict(document: Envelope) -> list[str]:
    """Return the sentence on the gate, if there is one."""
    if document.gate is None:
        return []
    said = gate_sentence(document.gate)
    return [f"{said[0].upper()}{said[1:]}."]


def _scored(estimate: Estimate, document: Envelope, digits: Digits) -> str:
    """What the winner scored on the samples that chose it."""
    naive = digits.performance(estimate.naive, missing="an undefined value")
    scored = f"scored {naive}{_unit(estimate, document)} {_where(estimate, document)}"
    if document.input.n_configurations == 1:
        return f"{estimate.winner}, {phrases.only_one(document)}, {scored}."
    return f"{estimate.winner} {scored}, {_chosen(estimate, document)}."


def _unit(estimate: Estimate, document: Envelope) -> str:
    """Name of the metric where the figure alone would mislead."""
    label = metric_label(estimate.metric)
    if estimate.direction == "minimize":
        return f" ({label}, lower is better)"
    return f" ({label})" if len(metrics_of(document)) > 1 else ""


def _where(estimate: Estimate, document: Envelope) -> str:
    """On which samples."""
    read, held_out = document.input, estimate.n_evaluation
    if held_out is not None and estimate.n_preselected is not None:
        return f"on the {held_out} samples held out"
    if held_out is not None:
        return f"on the {read.n_samples - held_out} samples that chose it"
    own, n_samples, place = estimate.n_predicted, read.n_samples, _place(document)
    if own is None:
        return place or f"on these {n_samples} samples"
    part = f"on the {own} of {n_samples} samples that it predicts"
    return f"{place}, {part}" if place else part


def _place(document: Envelope) -> str:
    """By which way of holding samples out; empty where none is known."""
    read, codes = document.input, {note.code for note in document.notes}
    if read.task == Task.SCORE:
        return ""
    if "repeated-holdout" in codes:
        return "in repeated hold-out"
    if phrases.is_split(read):
        return f"on {phrases.HELD_OUT} of {count(read.n_samples, 'sample')}"
    known = read.n_folds or read.n_repeats > 1 or codes & OF_FOLDS
    return "in cross-validation" if known else ""


OF_FOLDS = frozenset({"averaged-repeats", "folds-differ"})
"""Notes that tell of a cross-validation though its folds are unknown."""


def _chosen(estimate: Estimate, document: Envelope) -> str:
    """By which rule, and among how many."""
    among, preselected = document.input.n_configurations, estimate.n_preselected
    rule = phrases.RULES.get(document.plan.select)
    field = f"{among}" if preselected is None else f"{preselected} preselected of {among}"
    tried = phrases.n_tried(document.input)
    field += f", of {tried} tried" if tried > among else ""
    return f"the {rule} of {field}" if rule else f"selected of {field}"


def _expected(document: Envelope, metric: str, digits: Digits) -> str:
    """What to expect on new samples, of the one estimate to report."""
    estimates = phrases.estimates_of(document, metric)
    label = f" {metric_label(metric)}" if len(metrics_of(document)) > 1 else ""
    found, alone = to_report(estimates), document.input.n_configurations == 1
    if found is None:
        return _without_interval(estimates, label, digits, alone=alone)
    level = phrases.interval_name(document, [found])
    interval = f"{level} {phrases.interval_text(found.interval, digits)}"
    told = metric == metrics_of(document)[0]
    better = "" if told or found.direction == "maximize" else "; lower is better"
    end = _correction(document) if told or alone else "."
    value = digits.performance(found.value)
    return f"Expect{label} {value} on new samples ({interval}{better}){end}"


def _correction(document: Envelope) -> str:
    """Which choice the figure is corrected for, where that is not the whole one."""
    read = document.input
    used, tried = read.n_configurations, phrases.n_tried(read)
    if used == 1 and phrases.alone(document):
        return "; nothing was chosen, so nothing is corrected."
    if used == 1:
        among = f"the choice among the {tried} that were tried" if tried > 1 else "any choice"
        return f"; not corrected for {among}."
    return f"; corrected for the choice among {used} of the {tried} tried." * (tried > used) or "."


def _without_interval(estimates: list[Estimate], label: str, digits: Digits, *, alone: bool) -> str:
    """What to say where no interval is worth reporting."""
    found = [e for e in estimates if e.value is not None]
    corrected = [e for e in found if not e.ignores_selection and not phrases.is_naive(e)]
    if corrected:
        value, flat = digits.performance(corrected[0].value), has_no_width(corrected[0])
        lack = "whose interval has no width" if flat else "which gives no interval"
        return f"Expect{label} {value} on new samples by {corrected[0].method}, {lack}."
    if not found:
        return f"What{label} to expect on new samples can't be computed."
    if alone:
        return f"No interval says what{label} to expect on new samples: --method bbc."
    figure = f"its{label}" if label else "that figure"
    return (
        f"Don't report {figure}: it was picked for being the best, so it is too good; --method bbc "
        "corrects it."
    )


SYMMETRIC = frozenset({"auc", "gini", "youden"})
"""Metrics of two classes that are the same of either."""

SAID = frozenset({"n_resamples", "level", "side", "pooling", "select", "interval", "guard", "seed"})
SAID |= {"tolerance", "evaluation_share", "models", "size_correction"}
"""Fields of a plan that have words of their own here."""

GUARDING_LOSSES = {kind for kind, one in INTERVALS.items() if one.guards_losses}
"""Intervals that guard losses without a worst value, and that know of fixed models."""

RESTRICTED = {
    "configurations-dropped": "complete configurations only",
    "common-rows": "common samples only",
    "available-cases": "available cases",
    "configurations-left-out": "others left out as asked",
    "repeated-holdout": "repeated hold-out",
}
"""Which predictions count where not all do, by the note that says so."""


def sentences(document: Envelope) -> list[str]:
    """The sentence of each metric that has an estimate to report."""
    found = [phrases.reported(document, metric) for metric in metrics_of(document)]
    return [
        sentence(one, document, phrases.digits_in(document, one.metric))
        for one in found
        if one is not None
    ]


def sentence(estimate: Estimate, document: Envelope, digits: Digits) -> str:
    """One estimate, its interval if it has one, and what it rests on."""
    figure = f"{metric_label(estimate.metric)} "
    figure += digits.performance(estimate.value, missing="undefined")
    if (interval := estimate.interval) is not None:
        kind = "CI" if interval.side == "two" else f"{interval.side} bound"
        ends = phrases.interval_text(interval, digits)
        figure += f" ({percent(interval.level)} {kind} {ends})"
    data = ", ".join(_data(estimate, document))
    method = ", ".join(_method(estimate, document))
    return f"{figure}{_choice(estimate, document)}; {data}; {method}"


def capped_sentence(estimate: Estimate, document: Envelope) -> str:
    """Give the figure with errors capped, beside that of an error without a worst value."""
    digits = phrases.digits_of([estimate], document)
    reported = phrases.reported(document, estimate.metric)
    figure = f"{metric_label(estimate.metric)} {digits.performance(estimate.value)}"
    if estimate.interval is not None:
        level = percent(estimate.interval.level)
        figure += f" ({level} interval {phrases.interval_text(estimate.interval, digits)})"
    other = reported is not None and reported.winner != estimate.winner
    whose = f" for {estimate.winner}" if other else ""
    return f"{figure}{whose} with --cap 0.95, which gives the error a worst value"


def gate_sentence(gate: Gate) -> str:
    """Say what the gate found, and by how much.

    Examples
    --------
    >>> gate = Gate(0.8, "maximize", "bound", "auc", "bbc", 0.723, -0.077, "missed")
    >>> gate_sentence(gate)
    'gate missed: AUC, lower bound of bbc is 0.723, 0.077 under 0.8'
    """
    start, margin, metric = f"gate {gate.outcome}: ", gate.margin, gate.metric
    if gate.outcome == "undecided" or margin is None or metric is None:
        return f"{start}{gate.reason}; what can't be decided does not pass"
    threshold = short(gate.threshold)
    above = (margin > 0) == (gate.direction == "maximize")
    digits = _digits_of_gate(gate, metric)
    value, apart = trimmed(digits.performance(gate.value)), digits.difference(abs(margin))
    distance = f"{trimmed(apart)} {'over' if above else 'under'} {threshold}"
    figure = f"{metric_label(metric)}, {judged_figure(gate)} is {value}"
    return f"{start}{figure}, {distance if margin else f'just {threshold}'}"


def _digits_of_gate(gate: Gate, metric: str) -> Digits:
    """As many as tell the figure from the threshold, which is shown as it was given."""
    known = METRICS.get(metric)
    bounds = known.bounds if known else UNBOUNDED
    digits = digits_for([gate.value], [gate.margin], bounds)
    given = -int(Decimal(repr(float(gate.threshold))).normalize().as_tuple().exponent)
    return digits if digits.power else replace(digits, decimals=max(digits.decimals, given))


def gate_line(document: Envelope) -> str:
    """Name the data and say what the gate found, for a terminal."""
    gate = document.gate
    return visible(f"{document.input.path}: {gate_sentence(gate) if gate else 'no gate'}")


def judged_figure(gate: Gate) -> str:
    """Name the figure that a gate looks at."""
    end = "lower" if gate.direction == "maximize" else "upper"
    figure = "estimate" if gate.on == "estimate" else f"{end} bound"
    return f"{figure} of {gate.method}" if gate.method else figure


def _choice(estimate: Estimate, document: Envelope) -> str:
    """Which configuration, and whether the figure makes up for the choice of it."""
    winner, read = estimate.winner, document.input
    if read.n_configurations == 1:
        return f", not corrected: {winner} is {phrases.only_one(document)}"
    configurations = f"{phrases.configurations(read)}{_rule(estimate, document)}"
    if estimate.n_evaluation is not None:
        held_out = count(estimate.n_evaluation, "sample")
        preselected = estimate.n_preselected
        if preselected is None:
            return f" for {winner}, chosen among {configurations}, evaluated on {held_out} held out"
        return (
            f" for {winner}, chosen on the {held_out} held out that evaluate it, among "
            f"{preselected} preselected of {configurations}"
        )
    ignored = estimate.ignores_selection or phrases.is_naive(estimate)
    return f", {'not ' * ignored}corrected for choosing {winner} among {configurations}"


def _rule(estimate: Estimate, document: Envelope) -> str:
    """How it was chosen, where that is not simply the best by the metric reported."""
    parts = []
    if estimate.selected_by != estimate.metric:
        parts.append(f" by {metric_label(estimate.selected_by)}")
    select = document.plan.select
    if select != "best":
        parts.append(f" ({phrases.RULES.get(select, select)})")
    return "".join(parts)


def _data(estimate: Estimate, document: Envelope) -> list[str]:
    """Samples, and how they were understood where that is not the usual way."""
    read = document.input
    groups = f" in {count(read.n_groups, 'group')}" if read.n_groups else ""
    used, total, own = read.n_samples, phrases.n_samples_read(read), estimate.n_predicted
    parts = [f"N = {used}{f' of {total}' if total > used else ''}{groups}"]
    parts += [] if own is None else [f"of which {estimate.winner} predicts {own}"]
    parts += [phrases.folds(read)] if read.n_folds else []
    parts += [count(read.n_repeats, "repeat")] if read.n_repeats > 1 else []
    parts += phrases.weighting(read)
    weights = read.weights
    parts += [f"effective N {figure(weights.n_effective)}"] if weights else []
    codes = [note.code for note in document.notes]
    parts += [said for code, said in RESTRICTED.items() if code in codes]
    if read.risk_direction not in (None, "earlier"):
        parts.append(f"higher predictions mean {read.risk_direction} events")
    metrics = {estimate.metric, estimate.selected_by}
    parts += [_bounds(document)] if read.task == Task.SCORE else []
    if read.positive_class is not None and any(map(_of_one_class, metrics)):
        parts.append(f"positive class {read.positive_class}")
    if read.threshold is not None and any(map(_of_labels, metrics)):
        parts.append(f"cut at {short(read.threshold)}")
    return parts


def _bounds(document: Envelope) -> str:
    """How bad and how good a score can be."""
    bounds = document.input.bounds
    if bounds is None:
        return "scores without known bounds"
    return f"scores from {short(bounds[0])} to {short(bounds[1])}"


def _of_one_class(metric: str) -> bool:
    """Whether a metric says something of the positive class alone."""
    known = METRICS.get(metric)
    return known is None or (known.tasks == {Task.BINARY} and metric not in SYMMETRIC)


def _of_labels(metric: str) -> bool:
    known = METRICS.get(metric)
    return known is None or known.wants is PredictionKind.LABEL


def _method(estimate: Estimate, document: Envelope) -> list[str]:
    """Name, pooling, interval, what was drawn, and the version."""
    plan = document.plan
    parts = [phrases.method_name(estimate.method), phrases.pooling_of(estimate, document)]
    if estimate.n_evaluation is not None:
        parts.append(f"{percent(plan.evaluation_share)} held out")
    parts += [] if estimate.size_correction is None else ["size-corrected"]
    if estimate.interval is not None and is_resampled(estimate):
        parts += [] if plan.interval == "percentile" else [_kind(estimate, plan)]
        is_for_fixed = plan.interval in GUARDING_LOSSES and plan.models == "fixed"
        parts += ["fixed models"] if is_for_fixed else []
        parts += ["guarded"] if is_guarded(estimate, document) else []
    return [*parts, *_draws(estimate, plan), *_others(plan), f"bbc {document.version}"]


def _kind(estimate: Estimate, plan: Plan) -> str:
    """Kind of the interval, and whether it is that of `--tight`."""
    tight = plan.interval == "sharp" and estimate.method in TIGHT_METHODS
    return f"{plan.interval} (--tight)" if tight else plan.interval


def is_resampled(estimate: Estimate) -> bool:
    """Whether the interval is made of a distribution, so that its kind and the guard apply."""
    known = METHODS.get(estimate.method)
    return known is None or Gives.DISTRIBUTION in known.gives


def is_guarded(estimate: Estimate, document: Envelope) -> bool:
    """Whether a worst value was counted; a metric without one can't be guarded."""
    plan, known = document.plan, METRICS.get(estimate.metric)
    if not plan.guard or "guard-without-bound" in [note.code for note in estimate.notes]:
        return False
    if known is None or plan.interval in GUARDING_LOSSES:
        return True
    if plan.cap is not None and estimate.metric in POWERS:
        return True
    # not what is attainable: of a clipped logarithm the guard counts no sample of the worst value
    bounds = known.within(outcome_of(document.input)).bounds
    return isfinite(bounds[0 if estimate.direction == "maximize" else 1])


def _draws(estimate: Estimate, plan: Plan) -> list[str]:
    """Resamples and seed, as far as anything was drawn."""
    n_resamples = estimate.n_resamples
    seeded = estimate.n_evaluation is not None
    parts = []
    if n_resamples is not None:
        resamples = count(n_resamples, "resample")
        aim = "" if plan.tolerance is None else f", tolerance {short(plan.tolerance)}"
        parts.append(f"all {resamples}" if estimate.exact else f"{resamples}{aim}")
        seeded |= not estimate.exact
    return [*parts, *([f"seed {plan.seed}"] if seeded else [])]


def _others(plan: Plan) -> list[str]:
    """Whatever else a plan may hold, by its name, where it is not the default."""
    defaults = {f.name: f.default for f in fields(Plan) if f.name not in SAID}
    return [
        f"{name.replace('_', '-')} {held}"
        for name, default in defaults.items()
        if (held := getattr(plan, name)) not in (None, default)
    ]


def cost_digits(cost: SearchCost) -> Digits:
    """How the figures of a cost are written: with three significant digits."""
    return phrases.digits_by(cost.metric, [*cost.naive, *cost.corrected])


def cost_sentence(cost: SearchCost) -> str:
    """Say after how many configurations searching stopped paying.

    Examples
    --------
    >>> naive, corrected = (0.8, 0.85, 0.9), (0.79, 0.82, 0.81)
    >>> cost_sentence(SearchCost(
    ...     "auc", "maximize", (1, 2, 3), naive, corrected, (0.002,) * 3, 2, 500))
    'Searching stopped paying after 2 of 3 configurations: the best of 2 is worth 0.820 AUC, \
the best of all 3 is worth 0.810; naively, it seemed to rise from 0.850 to 0.900.'
    """
    label, digits, last = (metric_label(cost.metric), cost_digits(cost), cost.counts[-1])
    if last == 1:
        return "A single configuration takes part: no search can be seen."
    at = cost.counts.index(cost.enough)
    naive, corrected = (
        [digits.performance(line[i], "undefined") for i in (at, -1)]
        for line in (cost.naive, cost.corrected)
    )
    if cost.enough == last:
        rise = f"from {digits.performance(cost.corrected[0], 'undefined')} for one"
        return (
            f"The search paid to its end: the best of {count(last, 'configuration')} is worth "
            f"{corrected[1]} {label}, {rise}."
        )
    moved = "rise" if cost.direction == "maximize" else "fall"
    seemed = f"it seemed to {moved} from {naive[0]} to {naive[1]}"
    if naive[0] == naive[1]:
        seemed = f"both seemed to be worth {naive[0]}"
    return (
        f"Searching stopped paying after {cost.enough} of {count(last, 'configuration')}: the "
        f"best of {cost.enough} is worth {corrected[0]} {label}, the best of all {last} is "
        f"worth {corrected[1]}; naively, {seemed}."
    )
