"""The sentence and the paragraph for a paper.

The sentence has the figure with its interval, whether it is corrected for the choice, the data and
how they were read, and the method with all that it depends on. If two plans can give different
numbers, their sentences differ. The paragraph says the same in the words of a methods section.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite

from bbccli.documents.correct import Envelope, Input, is_single
from bbccli.domain.estimate import Estimate
from bbccli.domain.plan import CLIP, Plan
from bbccli.methods import METHODS, Gives
from bbccli.methods.base import TIGHT_METHODS
from bbccli.metrics import METRICS
from bbccli.metrics.capped import POWERS, MeanSurprise
from bbccli.notes import Note
from bbccli.platform.text import Digits, brief, count, figure, percent
from bbccli.reports import words as phrases
from bbccli.reports.words import metric_label
from bbccli.reports.words.sentences import making, steps_of, stopping
from bbccli.stats.intervals import guards_losses
from bbccli.types import MetricKind, PredictionKind, RiskDirection, Task

SYMMETRIC = frozenset({"auc", "gini", "youden"})
"""Metrics of two classes that are the same of either."""


GUIDED = "guided-climb"
"""Code of the note on configurations that these samples shaped."""


RESTRICTED = {
    "configurations-dropped": "complete configurations only",
    "dropped-between-folds": "surviving configurations only",
    "common-rows": "common samples only",
    "available-cases": "available cases",
    "epochs-missing": "available epochs",
    "configurations-left-out": "others left out on request",
    "repeated-holdout": "repeated hold-out",
    "averaged-repeats": "predictions averaged over repeats",
    "samples-in-common": "samples in common only",
}
"""Predictions that count if some do not, by the code of the note."""

COMPARED = {
    "pooled": "{} over the pooled {predictions}",
    "fold-mean": "the mean {} over folds",
    "within-folds": "{} over pairs of samples from the same fold",
}
"""Words for the comparison of configurations, by pooling."""

SELECTION = {
    "pooled": "pooled selection",
    "fold-mean": "selection by fold means",
    "within-folds": "selection within folds",
}
"""What selects, by pooling."""

GUARDED = "boundary-guarded"

OUT_OF_BAG = "the size of the out-of-bag samples"

LEFT_OUT = {
    "configurations-dropped": "Configurations with missing {predictions} were left out.",
    "dropped-between-folds": "Configurations that the search dropped between folds were left out.",
    "common-rows": "Only samples with {predictions} from all configurations were used.",
    "available-cases": (
        "Each configuration was scored on the samples for which it has {predictions}."
    ),
    "epochs-missing": "Where some epochs had no score, the mean over the others was used.",
    "configurations-left-out": "Other configurations were left out deliberately.",
    GUIDED: (
        "The search that found the configurations was guided by the same samples, which no method "
        "here corrects for."
    ),
}
"""The same as RESTRICTED, in sentences, and what else limits the data."""


def sentences(document: Envelope) -> list[str]:
    """The sentence of each metric that has an estimate to report."""
    reported = [document.reported(metric) for metric in document.metrics]
    return [
        sentence(estimate, document, phrases.digits_in(document, estimate.metric))
        for estimate in reported
        if estimate is not None
    ]


def sentence(estimate: Estimate, document: Envelope, digits: Digits) -> str:
    """One estimate for a paper, with its interval and everything that it depends on."""
    figure = f"{metric_label(estimate.metric)} "
    figure += digits.performance(estimate.value, missing="undefined")
    if (interval := estimate.interval) is not None:
        kind = "CI" if interval.side == "two" else f"{interval.side} bound"
        ends = phrases.interval_text(interval, digits)
        figure += f" ({percent(interval.level)} {kind} {ends})"
    part, n_predicted = "", estimate.n_predicted
    if n_predicted is not None:
        part = (
            f"of which {estimate.winner} {phrases.predicts_or_scores(document.input)} {n_predicted}"
        )
    data = ", ".join(data_parts(document, _metrics(estimate), part))
    method = ", ".join(_method(estimate, document))
    return f"{figure}{chosen_winner(estimate, document)}; {data}; {method}"


def chosen_winner(estimate: Estimate, document: Envelope) -> str:
    """The winner, and whether the figure is corrected for choosing it."""
    winner, read = estimate.winner, document.input
    if (opened := estimate.opened) is not None:
        among = f"chosen among {phrases.configurations(read)}{_rule(estimate, document)}"
        return f" for {winner}, {among}, on {opened.where} ({opened.which})"
    if is_single(document):
        return f", not corrected: {winner} is {phrases.only_one(document)}"
    configurations = phrases.configurations(read)
    if any(note.code == GUIDED for note in document.notes):
        configurations += " found by a guided search on the same samples"
    if estimate.made is not None:
        corrected = f"{'not ' * phrases.is_naive(estimate)}corrected for"
        chosen = f"{making(estimate, estimate.made)} among {configurations}"
        if read.n_configurations == 1:
            chosen = f"the choice of {steps_of(estimate.made)} alone"
        return f", {corrected} {chosen}{stopping(estimate, document)}"
    configurations += _rule(estimate, document)
    if estimate.n_evaluation is not None:
        held_out = count(estimate.n_evaluation, "sample")
        if (preselected := estimate.n_preselected or 1) == 1:
            return f" for {winner}, chosen among {configurations}, evaluated on {held_out} held out"
        chosen = f"chosen among {preselected} preselected out of {configurations}"
        return f" for {winner}, {chosen}, on the {held_out} held out that also evaluate it"
    ignored = estimate.ignores_selection or phrases.is_naive(estimate)
    how = f", {'not ' * ignored}corrected for choosing {winner} among {configurations}"
    return how + stopping(estimate, document)


def _rule(estimate: Estimate, document: Envelope) -> str:
    """The rule of selection, where it is not simply the best by the reported metric."""
    by = f" by {metric_label(estimate.selected_by)}" * (estimate.selected_by != estimate.metric)
    return by + phrases.rule_in_brackets(document.plan)


def data_parts(document: phrases.Reportable, metrics: set[str], part: str = "") -> list[str]:
    """Return the samples (`part`: how many count, if not all), and any unusual reading of them."""
    read = document.input
    groups = f" in {count(read.n_groups, 'group')}" if read.n_groups else ""
    used, total = read.n_samples, phrases.n_samples_read(read)
    parts = [f"N = {used}{f' of {total}' if total > used else ''}{groups}"]
    parts += [part] if part else []
    parts += [phrases.fold_count(read)] if read.n_folds else []
    parts += [phrases.passes(read)] if read.n_repeats > 1 else []
    parts += phrases.weighting(read)
    weights = read.weights
    size = "effective number of groups" if groups else "effective N"
    parts += [f"{size} {figure(weights.n_effective)}"] if weights else []
    codes = [note.code for note in document.notes]
    parts += [words for code, words in RESTRICTED.items() if code in codes]
    parts += [f"{errors} with a score" for errors in _errors(read)]
    if read.risk_direction not in (None, RiskDirection.EARLIER):
        parts.append(f"higher predictions mean {read.risk_direction} events")
    parts += [_bounds(read)] if read.task == Task.SCORE else []
    if read.positive_class is not None and any(map(of_one_class, metrics)):
        parts.append(f"positive class {read.positive_class}")
    tuned = document.plan is not None and document.plan.cut is not None
    if read.threshold is not None and not tuned and any(map(of_labels, metrics)):
        parts.append(f"cut at {brief(read.threshold)}")
    return parts


def _bounds(read: Input) -> str:
    bounds, scores = read.bounds, _predictions(read)
    if bounds is None:
        return f"{scores} without known bounds"
    return f"{scores} from {brief(bounds[0])} to {brief(bounds[1])}"


def _predictions(read: Input) -> str:
    """Name what is scored or averaged; scores of an evaluation by their name."""
    if read.task != Task.SCORE:
        return "out-of-sample predictions"
    run = read.run.evaluation if read.run else None
    return f"scores ({run.score})" if run else "scores"


def _errors(read: Input) -> list[str]:
    """The errors of an evaluation that have a score, if any."""
    run = read.run.evaluation if read.run else None
    return [count(run.n_scored_errors, "error")] if run and run.n_scored_errors else []


def of_one_class(metric: str) -> bool:
    """True if a metric depends on which class is the positive one."""
    known = METRICS.get(metric)
    return known is None or (known.tasks == {Task.BINARY} and metric not in SYMMETRIC)


def of_labels(metric: str) -> bool:
    """True if a metric scores predicted classes."""
    return metric not in METRICS or METRICS[metric].wants is PredictionKind.LABEL


def _method(estimate: Estimate, document: Envelope) -> list[str]:
    plan = document.plan
    pooling = phrases.selection_pooling(estimate, document)
    name = phrases.method_name(estimate.method)
    parts = [name if estimate.opened else f"{name} with {SELECTION.get(pooling, pooling)}"]
    parts += [] if estimate.over_folds is None else ["scored on pooled predictions"]
    if estimate.n_evaluation is not None:
        parts.append(f"{percent(plan.evaluation_share)} held out")
    parts += [] if estimate.size_correction is None else [f"corrected for {OUT_OF_BAG}"]
    parts += [f"not corrected for {OUT_OF_BAG}"] if _leaves_size(estimate, plan) else []
    tight = plan.interval == "sharp" and estimate.method in TIGHT_METHODS
    kind = f"{phrases.interval_kind(plan.interval)}{' (--tight)' * tight}"
    guard = _guard(estimate, document)
    if guard or (is_resampled(estimate) and plan.interval != "percentile"):
        parts.append(
            " ".join(filter(None, [guard, kind if is_resampled(estimate) else "interval"]))
        )
    parts += ["fixed models"] if takes_fixed_models(estimate, plan) else []
    return [
        *(*parts, *_draws(estimate, plan)),
        *limits(_metrics(estimate), plan, estimate.notes),
        f"bbc {document.version}",
    ]


def _leaves_size(estimate: Estimate, plan: Plan) -> bool:
    """True of a figure that is at least that of bbc, which was not corrected for its size."""
    known = METRICS.get(estimate.metric)
    of_form = known is not None and known.kind is MetricKind.OTHER
    return estimate.method == "bbc-eb" and of_form and not plan.size_correction


def is_resampled(estimate: Estimate) -> bool:
    """True if the interval is made of a distribution, and so is of the plan's kind."""
    known = METHODS.get(estimate.method)
    given = known is None or Gives.DISTRIBUTION in known.gives
    return estimate.interval is not None and given


def takes_fixed_models(estimate: Estimate, plan: Plan) -> bool:
    """True if the interval depends on the models being fixed, and they are."""
    by_kind = guards_losses(plan.interval) and plan.models == "fixed"
    return by_kind and is_resampled(estimate)


def is_capped(metrics: set[str], plan: Plan) -> bool:
    """True if one of the metrics has its errors capped."""
    return plan.cap is not None and not metrics.isdisjoint(POWERS)


def is_clipped(metrics: set[str], plan: Plan, notes: Iterable[Note]) -> bool:
    """True if the clip of probabilities is not the default, or decides the winner's figure."""
    known = [METRICS[name] for name in metrics if name in METRICS]
    decides = "clipped-probabilities" in [note.code for note in notes]
    return (decides or plan.clip != CLIP) and any(isinstance(m.bind, MeanSurprise) for m in known)


def _metrics(estimate: Estimate) -> set[str]:
    """The metrics that an estimate depends on."""
    return {estimate.metric, estimate.selected_by}


def limits(metrics: set[str], plan: Plan, notes: Iterable[Note]) -> list[str]:
    """Return the limits of probabilities and errors, where a metric has them."""
    clip, cap = f"probabilities clipped at {brief(plan.clip)}", f"errors capped (--cap {plan.cap})"
    return [clip] * is_clipped(metrics, plan, notes) + [cap] * is_capped(metrics, plan)


def _guard(estimate: Estimate, document: Envelope) -> str:
    """Return "boundary-guarded" if the interval counts a worst value.

    Without a worst value only the better end can be guarded; "unguarded" if it could, and is not.
    """
    plan, known, interval = document.plan, METRICS.get(estimate.metric), estimate.interval
    notes = {note.code for note in estimate.notes}
    if interval is None or not is_resampled(estimate):
        return ""
    if known is None:
        return GUARDED if plan.guard else ""
    # not what is attainable: of a clipped logarithm the guard counts no worst sample
    bounds = known.within(document.input.outcome).bounds
    ends = dict(zip(("lower", "upper"), bounds, strict=True))
    worst, best = ("lower", "upper") if estimate.direction == "maximize" else ("upper", "lower")
    capped = plan.cap is not None and estimate.metric in POWERS
    if guards_losses(plan.interval) or capped or isfinite(ends[worst]):
        return GUARDED if plan.guard and "guard-without-bound" not in notes else ""
    acts = isfinite(ends[best]) and interval.side in ("two", best)
    return "unguarded" if acts and not plan.guard else ""


def _draws(estimate: Estimate, plan: Plan) -> list[str]:
    n_resamples = estimate.n_resamples
    seeded = estimate.n_evaluation is not None
    parts = []
    if n_resamples is not None:
        resamples = count(n_resamples, "bootstrap resample")
        aim = "" if plan.tolerance is None else f", tolerance {brief(plan.tolerance)}"
        parts.append(f"all {resamples}" if estimate.exact else f"{resamples}{aim}")
        seeded |= not estimate.exact
    return [*parts, *([f"seed {plan.seed}"] if seeded else [])]


def paragraph(estimate: Estimate, document: Envelope) -> str:
    """Return the methods paragraph of an estimate: data, selection, estimate, interval."""
    alone = is_single(document)
    parts = [
        *_selection(estimate, document, alone=alone),
        _estimation(estimate, document, alone=alone),
        *_size(estimate, document.plan),
        *_interval(estimate, document),
        *_particulars(estimate, document),
    ]
    return " ".join(parts) + f" Software: bbc {document.version}."


def what_it_did(estimate: Estimate, document: Envelope) -> str:
    """Return what the method of an estimate did, in the past tense; empty if it is unknown."""
    known, preselected = METHODS.get(estimate.method), estimate.n_preselected or 1
    held_out = "the held-out samples" if estimate.n_evaluation else "all samples"
    if known is None:
        return ""
    several = f"{preselected} configurations" if preselected > 1 else ""
    return known.done.format(
        metric=metric_label(estimate.metric),
        resamples=_resamples(estimate, document.plan),
        draws=_drawn(estimate, document.plan),
        units="groups" if document.input.n_groups else "samples",
        held_out=estimate.opened.where if estimate.opened else held_out,
        adjusted=several and f", adjusted for the choice among the {several} preselected",
        sidak=several and f", at Šidák's level for {several}",
    )


def _selection(estimate: Estimate, document: Envelope, *, alone: bool) -> Iterator[str]:
    read, held_out = document.input, estimate.n_evaluation
    groups = f" in {count(read.n_groups, 'group')}" if read.n_groups else ""
    samples = f"{phrases.samples(read)}{groups}"
    if held_out is not None:
        whole = ", in whole groups" if groups else ""
        yield (
            f"For evaluation, {held_out} of the {count(read.n_samples, 'sample')}{groups} were "
            f"held out at random{whole} (seed {document.plan.seed})."
        )
        samples = "these" if alone else f"the other {read.n_samples - held_out}"
    made = _predictions(read)
    data = f"{made[0].upper()}{made[1:]} of {_configurations(read)} for {samples}"
    data += f"{''.join(f', {words},' for words in phrases.weighting(read))}{_design(document)}"
    if alone or (estimate.made is not None and read.n_configurations == 1):
        yield f"{data} were analysed."
        return
    compared = f"{data} were compared by {_comparison(estimate, document)}"
    rule = phrases.RULES.get(document.plan.select, document.plan.select)
    if (preselected := estimate.n_preselected or 1) > 1:
        yield (
            f"{compared}; the best {preselected} were preselected, and the best of these on the "
            "held-out samples was selected."
        )
    else:
        yield f"{compared}, and the {rule} was selected."


def _configurations(read: Input) -> str:
    tried = phrases.n_tried(read)
    number = count(read.n_configurations, "configuration")
    return f"{number} ({tried} were tried)" if tried > read.n_configurations else number


def _design(document: Envelope) -> str:
    """Describe how samples were held out to be predicted."""
    read, design = document.input, phrases.design(document)
    several = read.n_repeats > 1
    if "averaged-repeats" in [note.code for note in document.notes]:
        return f", averaged over the repeats of a {design},"
    if not design:
        return f" over {phrases.passes(read)}" if several else ""
    if design != phrases.CROSS_VALIDATION:
        return f" in {design}{f' ({phrases.passes(read)})' if several else ''}"
    fold = f" {read.n_folds}-fold" if read.n_folds else ""
    fold = " leave-one-out" if read.n_folds == read.n_samples else fold
    return f" in{fold} {design}{f' repeated {read.n_repeats} times' if several else ''}"


def _comparison(estimate: Estimate, document: Envelope) -> str:
    """The performance by which configurations were compared."""
    read, how = document.input, phrases.selection_pooling(estimate, document)
    if phrases.design(document) != phrases.CROSS_VALIDATION:
        how = ""
    predictions = "scores" if read.task == Task.SCORE else "predictions"
    text = COMPARED.get(how, "{}").format(
        metric_label(estimate.selected_by), predictions=predictions
    )
    return f"{text}, averaged over {phrases.pass_name(read)}s" if read.n_repeats > 1 else text


def _estimation(estimate: Estimate, document: Envelope, *, alone: bool) -> str:
    """Name the metric, the method and its source, and say what it did."""
    known, name = METHODS.get(estimate.method), phrases.method_name(estimate.method)
    source = f" ({known.reference})" if known and known.reference else ""
    method = f"by the {name} method"
    if name.isupper() or " " in name:
        method = f"with {name}" if name.isupper() else f"with a {name}"
    pooled = " over pooled predictions" * (estimate.over_folds is not None)
    start = f"Its {metric_label(estimate.metric)}{pooled} was estimated {method}{source}"
    if not alone:
        done = what_it_did(estimate, document)
        return f"{start}: {done}." if done else f"{start}."
    resamples = f" on {_resamples(estimate, document.plan)}" if estimate.n_resamples else ""
    return f"{start}{resamples}, without correction for a selection."


def _size(estimate: Estimate, plan: Plan) -> Iterator[str]:
    if estimate.size_correction is not None:
        yield (
            f"Because {metric_label(estimate.metric)} is not a mean over samples, the estimate was "
            "also corrected for the smaller number of samples left out of each resample."
        )
    if _leaves_size(estimate, plan):
        yield (
            "The estimate was not corrected for the smaller number of samples left out of each "
            "resample."
        )


def _interval(estimate: Estimate, document: Envelope) -> Iterator[str]:
    """Level, kind and guard of the interval, and which of the figures it accounts for."""
    if estimate.interval is None:
        return
    name, plan = phrases.interval_name(document, [estimate]), document.plan
    if is_resampled(estimate):
        kind = phrases.interval_kind(plan.interval)
        two = estimate.interval.side == "two"
        name = name.replace("CI", kind) if two else f"{name}, from a one-sided {kind}"
    guard = _guard(estimate, document).removeprefix("boundary-")
    against = guard and f", {guard} against collapse"
    yield f"We report this estimate with its {name}{against}."
    if (estimate.n_preselected or 1) > 1:
        yield (
            "The interval accounts for the choice made on the held-out samples; the estimate does "
            "not."
        )
    for note in estimate.notes:
        if note.code == "tilting-infeasible":
            yield f"{note.text[0].upper()}{note.text[1:]}."


def _particulars(estimate: Estimate, document: Envelope) -> Iterator[str]:
    """Further settings that the figure depends on, if they are unusual."""
    read, plan, codes = document.input, document.plan, [note.code for note in document.notes]
    scores = read.task == Task.SCORE
    for code, text in LEFT_OUT.items():
        if code in codes:
            yield text.format(predictions="scores" if scores else "predictions")
    yield from (f"Results include {errors} with a score." for errors in _errors(read))
    if read.bounds is not None:
        yield f"Scores can range from {brief(read.bounds[0])} to {brief(read.bounds[1])}."
    cuts = estimate.made.cut if estimate.made and estimate.made.cut else read.threshold
    if cuts is not None and any(map(of_labels, _metrics(estimate))):
        cut = brief(cuts)
        yield f'The positive class, "{read.positive_class}", was predicted for values above {cut}.'
    elif read.positive_class is not None and any(map(of_one_class, _metrics(estimate))):
        yield f'The positive class is "{read.positive_class}".'
    if read.risk_direction not in (None, RiskDirection.EARLIER):
        yield f"Higher predictions were taken to mean {read.risk_direction} events."
    if is_clipped(_metrics(estimate), plan, estimate.notes):
        yield f"Probabilities of the true class were clipped at {brief(plan.clip)}."
    if plan.cap is not None and is_capped(_metrics(estimate), plan):
        yield (
            f"Errors were capped at the {brief(plan.cap)} quantile of the outcome's absolute "
            "deviations from its median."
        )
    if takes_fixed_models(estimate, plan):
        yield "The interval treats the models as fixed, not retrained."


def _resamples(estimate: Estimate, plan: Plan) -> str:
    """Number of bootstrap resamples, and their seed."""
    if estimate.n_resamples is None:
        return "bootstrap resamples"
    if estimate.exact:
        return f"all {estimate.n_resamples} distinct bootstrap resamples"
    return f"{count(estimate.n_resamples, 'bootstrap resample')} ({_how(plan)})"


def _drawn(estimate: Estimate, plan: Plan) -> str:
    return f"{estimate.n_resamples} draws ({_how(plan)})"


def _how(plan: Plan) -> str:
    aim = plan.tolerance
    error = "" if aim is None else f", aiming at a Monte Carlo standard error of {brief(aim)}"
    return f"seed {plan.seed}{error}"
