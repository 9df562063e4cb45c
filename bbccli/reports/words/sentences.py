"""Sentences: the answer, the verdict of a gate, the cost of a search, and what is made of several.

The answer needs no table: the winner, its score and the number of configurations; the performance
to expect on new samples, with the interval or the reason why there is none; the same for further
metrics; and the verdict of the gate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from bbccli.documents.correct import Envelope, gate_outcome, has_no_width, is_single, notes_of
from bbccli.domain.estimate import Estimate, Gate, Made, SearchCost
from bbccli.domain.plan import OF_TOOL, Plan
from bbccli.metrics import METRICS
from bbccli.metrics.capped import POWERS
from bbccli.platform.text import UNBOUNDED, Digits, brief, count, digits_for, percent, trimmed
from bbccli.reports import words as phrases
from bbccli.reports.words import metric_label
from bbccli.types import MetricKind, PredictionKind


def answer_sentences(document: Envelope, *, named: bool = False) -> list[str]:
    """Return the sentences, a line each; names are not yet escaped.

    `named` is true if nothing else names the metric.
    """
    lines = []
    for position, metric in enumerate(document.metrics):
        digits = phrases.digits_in(document, metric)
        estimate = document.reported(metric) or document.of_metric(metric)[0]
        if position == 0:
            lines.append(_scored(estimate, document, digits, named=named))
        lines.append(_expected(document, metric, digits))
        label = f" {_label(metric, document)}" if len(document.metrics) > 1 else ""
        singles = [single for single in document.single if single.metric == metric]
        cut = 0.5 if document.input.threshold is None else document.input.threshold
        if estimate.made is not None:
            lines += [
                single_sentence(single, estimate.made, cut, label, digits) for single in singles
            ]
    return [*lines, *verdict_sentence(document)]


def verdict_sentence(document: Envelope) -> list[str]:
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
    return f" ({label})" if named or len(document.metrics) > 1 else ""


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
    estimates = document.of_metric(metric)
    label = f" {_label(metric, document)}" if len(document.metrics) > 1 else ""
    reported, alone = document.reported(metric), is_single(document)
    if reported is None:
        return _without_interval(estimates, label, digits, alone=alone)
    level = phrases.interval_name(document, [reported])
    interval = f"{level} {phrases.interval_text(reported.interval, digits)}"
    is_first = metric == document.metrics[0]
    better = "" if is_first or reported.direction == "maximize" else "; lower is better"
    end = _correction(document) if is_first or alone else "."
    value = digits.performance(reported.value)
    return f"Expect{label} {value} on new samples ({interval}{better}){end}"


def _correction(document: Envelope) -> str:
    """The choice that is corrected for, where it is not the whole one."""
    read = document.input
    used, tried = read.n_configurations, phrases.n_tried(read)
    if used == 1 and document.made is not None:
        earlier = f", not for that among the {tried} that were tried" * (tried > 1)
        return f"; corrected for the choice of {steps_of(document.made)}{earlier}."
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
    reported = document.reported(estimate.metric)
    figure = f"{metric_label(estimate.metric)} {digits.performance(estimate.value)}"
    if ends := phrases.ci_text(estimate.interval, digits.performance):
        figure += f" ({ends})"
    other = reported is not None and reported.winner != estimate.winner
    whose = f" for {estimate.winner}" if other else ""
    return f"{figure}{whose} with --cap 0.95, which bounds the error"


def gains(document: Envelope) -> Iterator[str]:
    """Yield by each metric what is gained over the best single configuration, and if it shows."""
    subject = "" if document.made is None else steps_of(document.made)
    few = any(note.code == "few-resamples" for note in notes_of(document))
    for gain in document.gains if subject else ():
        digits = phrases.digits_in(document, gain.metric)
        label = f"{_label(gain.metric, document)}: " * (len(document.gains) > 1)
        looked = digits.difference(abs(gain.looked))
        way = f"{looked} {'better' if gain.looked >= 0 else 'worse'}"
        way = "no better" if not float(looked) else way
        shown = "" if gain.shown else ", no evidence of a gain"
        if gain.shown and few:
            shown = ", from too few resamples to be evidence"
        elif gain.shown and gain.on_edge:
            shown = ", which with another seed may include 0"
        ends = phrases.ends_text(gain.interval, digits.difference)
        yield (
            f"{label}{subject} {'look' if ' and ' in subject else 'looks'} "
            f"{way}; expect {digits.difference(gain.value)} "
            f"({ends}){shown}; better in {percent(gain.wins, 0)} of the resamples"
        )


def stopping_sentence(document: Envelope) -> str:
    """Say what stopping in each fold by the samples that score it added, and whether it is off;
    nothing where the run did not keep the curves.
    """
    worse = {
        stopped.configuration: _difference(stopped.added, stopped.metric, document)
        for stopped in document.stopping
        if stopped.added is not None and stopped.metric is not None
    }
    if not worse:
        return ""
    if document.made is not None:
        listed = ", ".join(f"{name} by {by}" for name, by in worse.items())
        return (
            "members that stopped in each fold where it scored best, at the iterations that the "
            f"other folds choose, score worse: {listed}"
        )
    first = document.stopping[0]
    start = (
        f"{first.configuration} stopped in each fold where it scored best; at the iterations that "
        f"the other folds choose it scores {worse[first.configuration]} worse"
    )
    reported = document.reported(first.metric or "")
    if reported is None or reported.winner != first.configuration:
        return start
    if reported.stopping is not None:
        off = _difference(reported.stopping, reported.metric, document)
        return f"{start}; {off} is taken off the figure"
    known = METRICS.get(reported.metric)
    if known is None or known.kind is not MetricKind.MEAN:  # of folds, which pooled rows are not
        return start
    moved = -(first.added or 0.0) if reported.direction == "maximize" else first.added or 0.0
    digits = phrases.digits_in(document, reported.metric)
    return f"{start}: expect rather {digits.performance(reported.value + moved)}"


def _difference(value: float, metric: str, document: Envelope) -> str:
    shown = metric in document.metrics
    digits = phrases.digits_in(document, metric) if shown else phrases.digits_by(metric, [value])
    return f"{digits.difference(value)}{'' if shown else f' ({metric_label(metric)})'}"


def gate_sentence(document: Envelope) -> str:
    """Say the gate's verdict, and by how much the figure of which method is apart from it."""
    gate, start = document.gate, f"gate {gate_outcome(document)}: "
    if gate is None:
        return "no gate"
    margin, metric = gate.margin, gate.metric
    if gate.outcome == "undecided" or margin is None or metric is None:
        return f"{start}{gate.reason}; an undecided gate does not pass"
    threshold = brief(gate.threshold)
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
        ends = phrases.ci_text(gain.interval, digits.difference)
        said += f" (gain {digits.difference(gain.value)}, {ends})"
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


MOST_MEMBERS = 4
"""Members of an ensemble that a sentence names."""


def ensemble_name(made: Made, winner: str) -> str:
    """Return what an ensemble is called."""
    if made.tool is None:
        return f"{made.rule} ensemble"
    return f"{winner} that {made.tool} deploys"


def shipped(document: Any) -> str:
    """Name what a document ships: the winner, or an ensemble."""
    made = getattr(document, "made", None)
    return "ensemble" if made is not None and made.ensemble else "winner"


def made_of(made: Made, winner: str) -> str:
    """Return what was made: an ensemble with its members, or a configuration, and what it gets."""
    members = [member for member in made.members if member.weight > 0][:MOST_MEMBERS]
    shares = [f"{member.configuration} ({percent(member.weight, 0)})" for member in members]
    n_more = made.n_members - len(shares)
    listed = ", ".join(shares + [count(n_more, "other")] * (n_more > 0))
    start, steps = (f"The {ensemble_name(made, winner)}" if made.ensemble else winner), []
    if made.tool is not None and made.n_members == 1:
        steps.append(f"{members[0].configuration} alone")
    elif made.ensemble:
        steps.append(f"made of {listed}")
    steps += [f"calibrated by {made.calibration}"] if made.calibration else []
    if made.cut is not None and made.tuned_for is not None:
        tuned_for = phrases.metric_label(made.tuned_for)
        steps.append(f"cut at {brief(round(made.cut, 3))}, tuned for {tuned_for}")
    return ", ".join([start, *steps]) + "," * bool(steps)


def steps_of(made: Made) -> str:
    """Name what makes it: the subject of a sentence on its gain."""
    if made.ensemble:
        return "the ensemble"
    steps = [made.calibration and "the calibration", made.tuned_for and "the tuned cut"]
    return " and ".join(filter(None, steps))


def membership(made: Made, n_resamples: int) -> str:
    """Tell how often configurations were members of the ensembles of the resamples."""
    often = sorted(made.members, key=lambda member: -(member.share or 0.0))[:MOST_MEMBERS]
    shares = ", ".join(f"{g.configuration} ({percent(g.share or 0.0, 0)})" for g in often)
    mean = trimmed(f"{made.mean_members or 0.0:.1f}")
    rule = made.rule
    if made.tool is not None:
        rule = f"{made.tool}'s rule, which gives its members, weights and score"
    repeated = f"{rule}; repeated in {count(n_resamples, 'resample')}"
    return f"{repeated}: {mean} member{'s' * (mean != '1')} on average, most often {shares}"


def elsewhere(estimate: Estimate, plan: Plan, digits: Digits) -> str:
    """Return the figure of the leaderboard, if that takes labels at another cut than `predict`."""
    made = estimate.made
    if made is None or made.cut is None or made.reported is None:
        return ""
    if plan.cut != OF_TOOL or plan.calibrate or estimate.metric != estimate.selected_by:
        return ""
    cut = brief(round(made.cut, 3))
    if METRICS[estimate.metric].wants is not PredictionKind.LABEL or cut == "0.5":
        return ""
    figure = digits.performance(made.reported)
    return f"{made.tool}'s predict cuts at {cut}; its leaderboard shows {figure}, cut at 0.5"


def single_sentence(single: Estimate, made: Made, cut: float, label: str, digits: Digits) -> str:
    """Return the figures of the best configuration as it is."""
    naive, value = digits.performance(single.naive), digits.performance(single.value)
    ends = phrases.interval_text(single.interval, digits)
    figures = f"scored{label} {naive}, expect {value} ({ends})"
    plain = [made.calibration and "uncalibrated", made.tuned_for and f"cut at {brief(cut)}"]
    what = "model" if made.tool else "configuration"
    as_it_is = f"single {what}" if made.ensemble else what
    choices = "" if made.ensemble else "".join(f", {text}" for text in plain if text)
    return f"Best {as_it_is}{choices}, {single.winner}: {figures}."


def making(estimate: Estimate, made: Made) -> str:
    """Everything that was chosen on the samples, in the order in which it was."""
    chosen = f"choosing {estimate.winner}"
    if made.ensemble:
        chosen = f"choosing the members of the {ensemble_name(made, estimate.winner)}"
    chosen += f" by {phrases.metric_label(estimate.selected_by)}" * (
        made.ensemble or estimate.selected_by != estimate.metric
    )
    steps = [made.calibration and f"its {made.calibration} calibration"]
    steps += [made.tuned_for and f"its cut for {phrases.metric_label(made.tuned_for)}"]
    *earlier, last = [chosen, *filter(None, steps)]
    return " and ".join(filter(None, [", ".join(earlier), last]))


def stopping(estimate: Estimate, document: Envelope) -> str:
    """Whether the figure allows for early stopping on the folds that score, where there was any."""
    if estimate.stopping is not None:
        return " and for early stopping on the folds that score it"
    stopped = [stopped.configuration for stopped in document.stopping]
    if estimate.made is None and estimate.winner not in stopped:
        return ""
    return ", not for early stopping on the folds that score" * bool(stopped)
