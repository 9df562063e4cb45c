"""The answer of a result, in words that need no table: what won, and what to expect of it.

1. What the winner scored, where, and among how many; of a loss, that lower is better.
2. What to expect on new samples, with the interval; or why nothing here says it.
3. The same of each further metric, in one sentence.
4. The verdict of the gate.
"""

from __future__ import annotations

from bbccli.reports import counts, phrases
from bbccli.reports.sentences import gate_sentence
from bbccli.results import Estimate
from bbccli.rounding import Digits, count
from bbccli.schema import Envelope, has_no_width, to_report
from bbccli.types import Task


def answer(document: Envelope) -> list[str]:
    """Return the sentences, a line each; names are not yet escaped."""
    lines = []
    for position, metric in enumerate(phrases.metrics_of(document)):
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
        return f"{estimate.winner}, {counts.only_one(document)}, {scored}."
    return f"{estimate.winner} {scored}, {_chosen(estimate, document)}."


def _unit(estimate: Estimate, document: Envelope) -> str:
    """Name of the metric where the figure alone would mislead."""
    label = phrases.metric_label(estimate.metric)
    if estimate.direction == "minimize":
        return f" ({label}, lower is better)"
    return f" ({label})" if len(phrases.metrics_of(document)) > 1 else ""


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
    if counts.is_split(read):
        return f"on {counts.HELD_OUT} of {count(read.n_samples, 'sample')}"
    known = read.n_folds or read.n_repeats > 1 or codes & OF_FOLDS
    return "in cross-validation" if known else ""


OF_FOLDS = frozenset({"averaged-repeats", "folds-differ"})
"""Notes that tell of a cross-validation though its folds are unknown."""


def _chosen(estimate: Estimate, document: Envelope) -> str:
    """By which rule, and among how many."""
    among, preselected = document.input.n_configurations, estimate.n_preselected
    rule = phrases.RULES.get(document.plan.select)
    field = f"{among}" if preselected is None else f"{preselected} preselected of {among}"
    tried = counts.n_tried(document.input)
    field += f", of {tried} tried" if tried > among else ""
    return f"the {rule} of {field}" if rule else f"selected of {field}"


def _expected(document: Envelope, metric: str, digits: Digits) -> str:
    """What to expect on new samples, of the one estimate to report."""
    estimates = phrases.estimates_of(document, metric)
    label = phrases.metric_label(metric) if len(phrases.metrics_of(document)) > 1 else ""
    found, alone = to_report(estimates), document.input.n_configurations == 1
    if found is None:
        return _without_interval(estimates, label, digits, alone=alone)
    level = phrases.interval_name(document, [found])
    interval = f"{level} {phrases.interval_text(found.interval, digits)}"
    told = metric == phrases.metrics_of(document)[0]
    better = "" if told or found.direction == "maximize" else "; lower is better"
    end = _correction(document) if told or alone else "."
    value = digits.performance(found.value)
    return _words("Expect", label, value, "on new samples", f"({interval}{better})") + end


def _correction(document: Envelope) -> str:
    """Which choice the figure is corrected for, where that is not the whole one."""
    read = document.input
    used, tried = read.n_configurations, counts.n_tried(read)
    if used == 1 and counts.alone(document):
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
        by = f"by {corrected[0].method}, {lack}."
        return _words("Expect", label, value, "on new samples", by)
    if not found:
        return _words("What", label, "to expect on new samples can't be computed.")
    if alone:
        return _words("No interval says what", label, "to expect on new samples: --method bbc.")
    figure = f"its {label}" if label else "that figure"
    return (
        f"Don't report {figure}: it was picked for being the best, so it is too good; --method bbc "
        "corrects it."
    )


def _words(*parts: str) -> str:
    return " ".join(part for part in parts if part)
