"""Sentences: the answer, the verdict of a gate, and the cost of a search.

The answer needs no table: the winner, its score and the number of configurations; the performance
to expect on new samples, with the interval or the reason why there is none; the same for further
metrics; and the verdict of the gate.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from bbccli.documents.correct import Envelope, has_no_width, is_single, reported_estimate
from bbccli.documents.doubts import outcome_of
from bbccli.domain.estimate import Estimate, Gate, SearchCost
from bbccli.metrics import METRICS
from bbccli.metrics.capped import POWERS
from bbccli.platform.rounding import (
    UNBOUNDED,
    Digits,
    count,
    digits_for,
    percent,
    short,
    trimmed,
)
from bbccli.reports.words import phrases
from bbccli.reports.words.made import gain_sentence, made_of, single_sentence, steps_of
from bbccli.reports.words.phrases import metric_label, metrics_of
from bbccli.types import MetricKind


def answer(document: Envelope, *, named: bool = False) -> list[str]:
    """Return the sentences, a line each; names are not yet escaped.

    `named` is true if nothing else names the metric.
    """
    lines = []
    for position, metric in enumerate(metrics_of(document)):
        estimates = phrases.estimates_of(document, metric)
        if not estimates:
            continue
        estimate, digits = (
            reported_estimate(estimates) or estimates[0],
            phrases.digits_of(estimates, document),
        )
        if position == 0:
            lines.append(_scored(estimate, document, digits, named=named))
        lines.append(_expected(document, metric, digits))
        label = f" {_label(metric, document)}" if len(metrics_of(document)) > 1 else ""
        singles = [one for one in document.single if one.metric == metric]
        cut = 0.5 if document.input.threshold is None else document.input.threshold
        if estimate.made is not None:
            lines += [
                single_sentence(single, estimate.made, cut, label, digits) for single in singles
            ]
    return [*lines, *verdict(document)]


def verdict(document: Envelope) -> list[str]:
    """Return the sentence on the gate, if there is one."""
    if document.gate is None:
        return []
    text = gate_sentence(document)
    return [f"{text[0].upper()}{text[1:]}."]


def _scored(estimate: Estimate, document: Envelope, digits: Digits, *, named: bool) -> str:
    naive = digits.performance(estimate.naive, missing="an undefined value")
    scored = f"scored {naive}{_unit(estimate, document, named=named)} {_where(estimate, document)}"
    if estimate.over_folds is not None:
        mean = digits.performance(estimate.over_folds)
        scored = f"scored {mean} as the mean over folds, and {scored.removeprefix('scored ')}"
    if estimate.made is not None:
        return f"{made_of(estimate.made, estimate.winner)} {scored}."
    winner, at = estimate.winner, estimate.axis
    if at is not None:
        winner = f"{at.configuration} at {at.name} {at.value}"
    if document.input.n_configurations == 1:
        return f"{winner}, {phrases.only_one(document)}, {scored}."
    by_mean = " by that mean" * (estimate.over_folds is not None)
    return f"{winner} {scored}, {_chosen(estimate, document)}{by_mean}."


def _unit(estimate: Estimate, document: Envelope, *, named: bool) -> str:
    """Name of the metric if wanted, or where the figure alone would mislead."""
    label = _label(estimate.metric, document)
    if estimate.direction == "minimize":
        return f" ({label}, lower is better)"
    return f" ({label})" if named or len(metrics_of(document)) > 1 else ""


def _label(metric: str, document: Envelope) -> str:
    capped = document.plan.cap is not None and metric in POWERS
    return f"{'capped ' * capped}{metric_label(metric)}"


def _where(estimate: Estimate, document: Envelope) -> str:
    read = document.input
    if estimate.n_evaluation is not None:
        which = "that chose it" if estimate.n_preselected is None else "held out"
        return f"on the {phrases.n_deciding(estimate, read)} samples {which}"
    n_predicted, n_samples, design = estimate.n_predicted, read.n_samples, phrases.design(document)
    place = f"in {design}" if design else ""
    if design == phrases.HELD_OUT:
        place = f"on {design} of {count(n_samples, 'sample')}"
    if n_predicted is None:
        return place or f"on these {n_samples} samples"
    part = f"on the {n_predicted} of {n_samples} samples that it {phrases.predicts_or_scores(read)}"
    return f"{place}, {part}" if place else part


def _chosen(estimate: Estimate, document: Envelope) -> str:
    rule, field = phrases.RULES.get(document.plan.select), phrases.field(estimate, document.input)
    return f"the {rule} of {field}" if rule else f"selected from {field}"


def _expected(document: Envelope, metric: str, digits: Digits) -> str:
    estimates = phrases.estimates_of(document, metric)
    label = f" {_label(metric, document)}" if len(metrics_of(document)) > 1 else ""
    reported, alone = reported_estimate(estimates), is_single(document)
    if reported is None:
        return _without_interval(estimates, label, digits, alone=alone)
    level = phrases.interval_name(document, [reported])
    interval = f"{level} {phrases.interval_text(reported.interval, digits)}"
    is_first = metric == metrics_of(document)[0]
    better = "" if is_first or reported.direction == "maximize" else "; lower is better"
    end = _correction(document) if is_first or alone else "."
    value = digits.performance(reported.value)
    return f"Expect{label} {value} on new samples ({interval}{better}){end}"


def _correction(document: Envelope) -> str:
    """The choice that is corrected for, where it is not the whole one."""
    read = document.input
    used, tried = read.n_configurations, phrases.n_tried(read)
    made = next(
        (estimate.made for estimate in document.estimates if estimate.made is not None), None
    )
    if used == 1 and made is not None:
        earlier = f", not for that among the {tried} that were tried" * (tried > 1)
        return f"; corrected for the choice of {steps_of(made)}{earlier}."
    if used == 1 and phrases.alone(document):
        return "; nothing was chosen, so nothing is corrected."
    if used == tried == 1 and any(note.code == "best-alone" for note in document.notes):
        return "; the other configurations are unknown, so the choice is not corrected for."
    if used == 1:
        among = f"the choice among the {tried} that were tried" if tried > 1 else "any choice"
        return f"; not corrected for {among}."
    return f"; corrected for the choice among {used} of the {tried} tried." * (tried > used) or "."


def _without_interval(estimates: list[Estimate], label: str, digits: Digits, *, alone: bool) -> str:
    defined = [e for e in estimates if e.value is not None]
    corrected = [e for e in defined if not e.ignores_selection and not phrases.is_naive(e)]
    if corrected:
        value, flat = digits.performance(corrected[0].value), has_no_width(corrected[0])
        lack = "whose interval has no width" if flat else "which gives no interval"
        return f"Expect{label} {value} on new samples by {corrected[0].method}, {lack}."
    if not defined:
        return f"What{label} to expect on new samples can't be computed."
    if alone:
        return (
            f"There is no interval for{label or ' performance'} on new samples: use --method bbc."
        )
    figure = f"its{label}" if label else "that figure"
    return (
        f"Don't report {figure}: it was picked for being the best, so it is too good. Use --method "
        "bbc to correct it."
    )


def capped_sentence(estimate: Estimate, document: Envelope) -> str:
    """Give the figure with errors capped, beside that of an error without a worst value."""
    digits = phrases.digits_of([estimate], document)
    reported = phrases.reported(document, estimate.metric)
    figure = f"{metric_label(estimate.metric)} {digits.performance(estimate.value)}"
    if estimate.interval is not None:
        level = percent(estimate.interval.level)
        figure += f" ({level} CI {phrases.interval_text(estimate.interval, digits)})"
    other = reported is not None and reported.winner != estimate.winner
    whose = f" for {estimate.winner}" if other else ""
    return f"{figure}{whose} with --cap 0.95, which bounds the error"


def gains(document: Envelope) -> list[str]:
    """Return a sentence on the gain of what is made, by each metric."""
    made = next(
        (estimate.made for estimate in document.estimates if estimate.made is not None), None
    )
    if made is None:
        return []
    several = len(document.gains) > 1
    return [
        gain_sentence(
            gain,
            made,
            f"{_label(gain.metric, document)}: " * several,
            phrases.digits_in(document, gain.metric),
        )
        for gain in document.gains
    ]


def stopping_sentence(document: Envelope) -> str:
    """Say what stopping in each fold by the samples that score it added, and whether it is off;
    nothing where the run did not keep the curves.
    """
    worse = {
        one.configuration: _difference(one.added, one.metric, document)
        for one in document.stopping
        if one.added is not None and one.metric is not None
    }
    if not worse:
        return ""
    if any(estimate.made for estimate in document.estimates):
        listed = ", ".join(f"{name} by {by}" for name, by in worse.items())
        return (
            "members that stopped in each fold where it scored best, at the iterations that the "
            f"other folds choose, score worse: {listed}"
        )
    one = document.stopping[0]
    start = (
        f"{one.configuration} stopped in each fold where it scored best; at the iterations that "
        f"the other folds choose it scores {worse[one.configuration]} worse"
    )
    reported = phrases.reported(document, one.metric or "")
    if reported is None or reported.winner != one.configuration:
        return start
    if reported.stopping is not None:
        off = _difference(reported.stopping, reported.metric, document)
        return f"{start}; {off} is taken off the figure"
    known = METRICS.get(reported.metric)
    if known is None or known.kind is not MetricKind.MEAN:  # of folds, which pooled rows are not
        return start
    moved = -(one.added or 0.0) if reported.direction == "maximize" else one.added or 0.0
    digits = phrases.digits_in(document, reported.metric)
    return f"{start}: expect rather {digits.performance(reported.value + moved)}"


def _difference(value: float, metric: str, document: Envelope) -> str:
    shown = metric in metrics_of(document)
    digits = phrases.digits_in(document, metric) if shown else phrases.digits_by(metric, [value])
    return f"{digits.difference(value)}{'' if shown else f' ({metric_label(metric)})'}"


def gate_sentence(document: Envelope) -> str:
    """Say the gate's verdict, and by how much the figure of which method is apart from it."""
    gate, start = document.gate, f"gate {outcome_of(document)}: "
    if gate is None:
        return "no gate"
    margin, metric = gate.margin, gate.metric
    if gate.outcome == "undecided" or margin is None or metric is None:
        return f"{start}{gate.reason}; an undecided gate does not pass"
    threshold = short(gate.threshold)
    above = (margin > 0) == (gate.direction == "maximize")
    digits = _digits_of_gate(gate, metric)
    value, apart = trimmed(digits.performance(gate.value)), digits.difference(abs(margin))
    limit = f"{'required' if gate.direction == 'maximize' else 'allowed'} {threshold}"
    distance = f"{trimmed(apart)} {'above' if above else 'below'} the {limit}"
    return (
        f"{start}{judged_figure(gate)} is {value}, {distance if margin else f'exactly the {limit}'}"
    )


def _digits_of_gate(gate: Gate, metric: str) -> Digits:
    """As many digits as tell the figure from the threshold, which is shown as given."""
    known = METRICS.get(metric)
    bounds = known.bounds if known else UNBOUNDED
    digits = digits_for([gate.value], [gate.margin], bounds)
    given = -int(Decimal(repr(float(gate.threshold))).normalize().as_tuple().exponent)
    return digits if digits.power else replace(digits, decimals=max(digits.decimals, given))


def judged_figure(gate: Gate) -> str:
    """Name the figure that a gate looks at."""
    end = "lower" if gate.direction == "maximize" else "upper"
    figure = "estimate" if gate.on == "estimate" else f"{end} bound"
    figure += f" of the {metric_label(gate.metric)}" if gate.metric else ""
    return f"{figure} ({gate.method})" if gate.method else figure


def cost_digits(cost: SearchCost) -> Digits:
    """Round the figures of a cost to three significant digits."""
    return phrases.digits_by(cost.metric, [*cost.naive, *cost.corrected])


def cost_sentence(cost: SearchCost, n_samples: int) -> str:
    """Say beyond how many configurations no gain is detectable, and whether these samples can tell.

    Examples
    --------
    >>> naive, corrected = (0.8, 0.85, 0.9), (0.79, 0.82, 0.81)
    >>> cost_sentence(SearchCost(
    ...     "auc", "maximize", (1, 2, 3), naive, corrected, (0.002,) * 3, 2, 500), 80)
    'Trying more than 2 of 3 configurations brought no detectable gain with 80 samples: \
corrected AUC 0.820 for the best of 2, 0.810 for the best of all 3. The uncorrected score rose \
from 0.850 to 0.900.'
    """
    label, digits, last = (metric_label(cost.metric), cost_digits(cost), cost.counts[-1])
    if last == 1:
        return "There is a single configuration, so there is no search to assess."
    samples, goes_on = count(n_samples, "sample"), cost.enough == last
    first = 1 if goes_on else cost.enough
    at = cost.counts.index(first)
    naive, corrected = (
        [digits.performance(line[i], "undefined") for i in (at, -1)]
        for line in (cost.naive, cost.corrected)
    )
    said = f"corrected {label} {corrected[0]} for the best of {first}, "
    said += f"{corrected[1]} for the best of all {last}"
    if first == 1:
        said = f"a single configuration averages {label} {corrected[0]}, the best of {last} "
        said += f"reaches {corrected[1]}"
    gain = cost.gain if goes_on else cost.gain_beyond
    if gain is not None:
        ends = phrases.ends_text(gain.interval, digits.difference)
        level = percent(gain.interval.level)
        said += f" (gain {digits.difference(gain.value)}, {level} CI {ends})"
    if goes_on:
        start = "Searching helped"
        if not cost.has_paid:
            start = f"{samples} can't show whether searching helped"
        return f"{start}: {said}."
    start = f"Searching stopped helping after {first} of {count(last, 'configuration')}"
    if not cost.stopped_paying:
        start = f"Trying more than {first} of {count(last, 'configuration')} brought no detectable "
        start += f"gain with {samples}"
    moved = "rose" if cost.direction == "maximize" else "fell"
    seemed = f"{moved} from {naive[0]} to {naive[1]}" if naive[0] != naive[1] else "stayed at "
    seemed += naive[0] * (naive[0] == naive[1])
    return f"{start}: {said}. The uncorrected score {seemed}."
