"""Sentences on a comparison: the answer, the difference behind it, and the sentence for a paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bbccli.comparisons.pairs import TESTS
from bbccli.comparisons.records import BestSet, Comparison, Member, Verdict
from bbccli.documents.compare import CompareEnvelope
from bbccli.documents.correct import bounds_in, gate_outcome
from bbccli.metrics import METRICS
from bbccli.metrics.capped import measuring
from bbccli.platform.text import Digits, brief, count, digits_for, every, percent, width_of
from bbccli.reports import words as phrases
from bbccli.reports.content.ranks import best_by_rank, p_text
from bbccli.reports.figures.base import in_prose
from bbccli.reports.words import for_papers
from bbccli.stats.intervals import guards_losses
from bbccli.types import Direction, Pooling

VERDICTS = {
    Verdict.BETTER: "better",
    Verdict.NOT_WORSE: "not worse",
    Verdict.WORSE: "worse",
    Verdict.DIFFERENT: "different",
    Verdict.NOT_SHOWN: "no evidence",
    Verdict.UNDEFINED: "undefined",
}
"""Phrases for what a comparison shows."""

MADE = "all that was chosen on these samples"
"""Where ensembles, cuts or calibrations are compared."""


def lines(document: CompareEnvelope) -> list[str]:
    """Return the answer, and the difference that it rests on, as sentences."""
    first = next(iter(document.comparisons), None)
    if first is None or first.first == first.second or is_unnamed(document):
        return [f"{comparison_answer(document)}."]
    digits = digits_of_both(document)
    if of_several(first):
        return [f"{comparison_answer(document)} ({difference(first, digits)})."]
    if is_selected(document):
        return [f"{comparison_answer(document)}.", _corrected_difference(document)]
    rest = ", ".join(filter(None, [first.test, *_figures(first, digits)]))
    shown = f"{signed(first.difference, digits, 'undefined')} ({rest})"
    return [f"{comparison_answer(document)}.", f"{_difference_of(document)} is {shown}."]


def comparison_answer(document: CompareEnvelope) -> str:
    """Return the result in one sentence, without the figures behind it."""
    comparisons, label = document.comparisons, phrases.metric_label(document.metric)
    if document.ranks is not None or not comparisons:
        of_all = (
            best_by_rank(document.ranks) if document.ranks is not None else _told_apart(document)
        )
        return f"By {label}, {of_all}"
    first, by = comparisons[0], _by(comparisons[0], document)
    name, baseline = in_prose(first.first), "the baseline " * of_baseline(document)
    second = baseline + in_prose(first.second)
    if of_several(first):
        said = f"{name}: {verdict(first, document)}"
    elif first.first == first.second:
        n_better = sum(comparison.verdict == "better" for comparison in comparisons)
        others = f"{n_better} of the others {'beats' if n_better == 1 else 'beat'} it"
        none = "there is no evidence that any other configuration beats it"
        said = f"the baseline, {name}, is itself the winner: {others if n_better else none}"
    elif is_unnamed(document):
        said = _shown_to_differ(comparisons)
    elif first.verdict == "undefined":
        said = f"{name} can't be compared with {in_prose(first.second)}"
    elif first.verdict == "not-shown":
        return f"There is no evidence that {name} beats {second}{by} ({label})"
    else:
        than = "from" if first.verdict == "different" else "than"
        said = f"{name} is {VERDICTS[first.verdict]} {than} {second}{by}"
    return f"By {label}, {said}"


def _told_apart(document: CompareEnvelope) -> str:
    """Return whether the samples tell the best configuration from the others, with advice."""
    possible = document.best_set
    if possible is None:
        return "nothing was compared"
    names = [member.configuration for member in possible.members if member.inside]
    if len(possible.members) == 1:
        return f"{in_prose(names[0])} is the only configuration: there is nothing to compare"
    if len(names) == 1:
        return f"{in_prose(names[0])} is the best ({percent(possible.level)} confidence)"
    samples = count(document.input.n_samples, "sample")
    which = f", {in_prose(possible.simplest)}" if possible.simplest else ""
    size = size_of_best_set(document)
    return f"{size}; {samples} can't distinguish them, so prefer the simplest{which}"


def _shown_to_differ(comparisons: Sequence[Comparison]) -> str:
    """Return how many pairs differ, by the first test of each."""
    pairs = [comparison for comparison in reversed(comparisons) if not of_several(comparison)]
    of_pairs = {(comparison.first, comparison.second): comparison for comparison in pairs}
    n_shown = sum(pair.verdict in ("better", "worse") for pair in of_pairs.values())
    if not n_shown:
        return f"there is no evidence that any of {len(of_pairs)} pairs differ"
    verb = "differs" if n_shown == 1 else "differ"
    return f"{n_shown} of {len(of_pairs)} pairs {verb} significantly"


def _by(comparison: Comparison, document: CompareEnvelope) -> str:
    """By how much it was asked to be better; empty without a margin."""
    shown, margin = comparison.verdict, document.margin
    if not margin or shown in ("undefined", "different"):
        return ""
    amount = brief(margin)
    return f" by {amount} or more" if shown == "not-worse" else f" by more than {amount}"


def _difference_of(document: CompareEnvelope) -> str:
    """Name a difference: it is positive if the first is better, also if that means lower."""
    return "The observed difference" + " in its favour" * (document.direction is Direction.MINIMIZE)


def _corrected_difference(document: CompareEnvelope) -> str:
    """The difference of a selected winner, as measured and corrected, in a sentence."""
    first, digits = document.comparisons[0], digits_of_both(document)
    among = MADE if document.plan.makes else "the choice within each family"
    if of_baseline(document):
        among = f"the choice among {count(document.input.n_configurations, 'configuration')}"
    ends = ", ".join(filter(None, _figures(first, digits)))
    return (
        f"{_difference_of(document)} is {signed(first.difference, digits, 'undefined')}; after "
        f"correcting for {among} it is {signed(first.corrected, digits)}{ends and f' ({ends})'}."
    )


def quote(document: CompareEnvelope) -> str:
    """Return the first difference in a sentence for a paper; empty where there is none to report.

    That is a test of several at once, a baseline that won, and all pairs, of which none was named.
    """
    first, digits = document.comparisons[0], digits_of_both(document)
    value = first.difference if first.corrected is None else first.corrected
    if of_several(first) or value is None or first.first == first.second or is_unnamed(document):
        return ""
    text = f"difference in {phrases.metric_label(document.metric)} {signed(value, digits)}"
    if ends := phrases.ci_text(first.interval, digits.difference):
        text += f" ({ends})"
    names = minus(first, document)
    data = ", ".join(for_papers.data_parts(document, {document.metric}))
    method = ", ".join([*_method(first, document), f"bbc {document.version}"])
    return f"{text}, {names}, {_choice(first, document)}; {data}; {method}"


def minus(
    comparison: Comparison, document: CompareEnvelope, write: Callable[[str], str] = str
) -> str:
    """Return the sides in the order in which a difference in favour of the first subtracts them."""
    order = -1 if document.direction is Direction.MINIMIZE else 1
    sides = [write(side) for side in (comparison.first, comparison.second) if side]
    return " minus ".join(sides[::order])


def _choice(first: Comparison, document: CompareEnvelope) -> str:
    """Whether the difference is corrected for a selection."""
    rule = phrases.rule_in_brackets(document.plan)
    if of_baseline(document):
        among = phrases.configurations(document.input)
        return f"corrected for choosing {first.first} among {among}{rule}"
    if is_selected(document):
        several = "" if is_one_pair(document) else "the two families that looked best, "
        among = MADE if document.plan.makes else f"the choice within each family{rule}"
        return f"{several}corrected for {among}"
    codes = {note.code for note in document.notes}
    named = codes.isdisjoint({"selected-pair", "configurations-left-out"})
    return "both named in advance" if named else "not corrected for a selection"


def _method(first: Comparison, document: CompareEnvelope) -> list[str]:
    """The test, with all that it depends on."""
    plan, known = document.plan, TESTS.get(first.test)
    has_pooling = known is not None and known.pooling is not None
    by = plan.pooling if is_selected(document) else _measuring(document)
    pooling = [] if has_pooling or by == "pooled" else [str(by)]
    pooling += ["scored on pooled predictions"] * (is_selected(document) and two_scales(document))
    drawn = [count(plan.n_resamples, "resample"), f"seed {plan.seed}"]
    if is_selected(document):
        parts = ["BBC", *pooling, *_interval(first, document), *drawn]
    else:
        _, p = _figures(first, digits_of_both(document))
        random = first.error is not None or first.test == "bayes-bootstrap"
        parts = [*filter(None, [first.test, *pooling, p]), *(drawn if random else [])]
    return [*parts, *for_papers.limits({document.metric}, plan, first.notes)]


def _interval(first: Comparison, document: CompareEnvelope) -> list[str]:
    """The kind of the interval, if it is unusual, and whether it takes fixed models."""
    plan = document.plan
    if of_baseline(document):
        return ["max-T interval"]
    if first.interval is None or plan.interval == "percentile":
        return []
    fixed = guards_losses(plan.interval) and plan.models == "fixed"
    return [phrases.interval_kind(plan.interval), *(["fixed models"] if fixed else [])]


def requirement(document: CompareEnvelope) -> str:
    """Return the verdict of the gate; empty without one."""
    gate = document.gate
    if gate is None:
        return ""
    text = f"gate {gate_outcome(document)}: {VERDICTS[gate.required]} was required; "
    text += f"found: {VERDICTS[gate.found]}"
    return f"{text}; {gate.reason}" if gate.reason else text


def verdict(comparison: Comparison, document: CompareEnvelope) -> str:
    """Return the verdict of a comparison in words, with the margin asked for."""
    if comparison.verdict == "not-shown" and of_several(comparison):
        return "no evidence of a difference"
    return VERDICTS[comparison.verdict] + _by(comparison, document)


def difference(comparison: Comparison, digits: Digits) -> str:
    """Return the difference as measured and, where something was selected, corrected.

    Of a test of several it is the test.
    """
    if of_several(comparison):
        return f"{comparison.test}, p {p_text(comparison.p) or 'undefined'}"
    text = f"{signed(comparison.difference, digits, 'undefined')} observed"
    if comparison.corrected is None:
        return text
    text += f"; {signed(comparison.corrected, digits)} after correcting for the selection"
    ends, _ = _figures(comparison, digits)
    return f"{text} ({ends})" if ends else text


def _figures(comparison: Comparison, digits: Digits) -> tuple[str, str]:
    """The interval and the p-value; each empty where there is none."""
    p = "" if comparison.p is None else f"p {p_text(comparison.p)}"
    return phrases.ci_text(comparison.interval, digits.difference), p


def size_of_best_set(document: CompareEnvelope) -> str:
    """Return the size of the confidence set of the best; empty if not asked for."""
    possible = document.best_set
    if possible is None:
        return ""
    return in_set(possible.n_inside, document.input.n_configurations, possible.level)


def in_set(n_inside: int, n_all: int, level: float) -> str:
    """Return how many configurations are in the confidence set of the best."""
    verb = "is" if n_inside == 1 else "are"
    some = f"{n_inside} of {count(n_all, 'configuration')} {verb}"
    if n_inside == n_all > 1:
        some = f"{every(n_all, 'configuration')} are"
    return f"{some} in the {percent(level)} confidence set of the best"


def both_ends(row: Any, write: Callable[[float], str]) -> str:
    """Return the ends of a row; "none" where one is unknown."""
    known = row.lower is not None and row.upper is not None
    return f"{write(row.lower)} to {write(row.upper)}" if known else "none"


def selected_configuration(best: BestSet) -> Member:
    """Return the selected configuration; in documents that don't name it the best as measured."""
    named = (member for member in best.members if member.configuration == best.winner)
    return next(named, best.members[0])


def two_scales(document: CompareEnvelope) -> bool:
    """Return True if performances are over pooled predictions where a tool selected by fold
    means.
    """
    return _measuring(document) is not Pooling(document.plan.pooling)


def _measuring(document: CompareEnvelope) -> Pooling:
    return measuring(METRICS[document.metric], document.plan)


def digits_of_both(document: CompareEnvelope) -> Digits:
    """Return the digits of performances and their differences: alike, so that they add up."""
    values, widths = [], []
    for comparison in document.comparisons:
        values += [comparison.first_value, comparison.second_value, comparison.difference]
        widths.append(width_of(comparison.interval))
    for member in document.best_set.members if document.best_set else ():
        values.append(member.performance)
        widths.append(width_of(member))
    return digits_for(values, widths, bounds_in(document, document.metric))


def signed(value: float | None, digits: Digits, missing: str = "") -> str:
    """Return a difference with its sign."""
    text = digits.difference(value, missing=missing)
    return f"+{text}" if value is not None and value > 0 else text


def is_selected(document: CompareEnvelope) -> bool:
    """Return True if the first comparison is of a winner that was selected."""
    return bool(document.comparisons) and document.comparisons[0].corrected is not None


def is_one_pair(document: CompareEnvelope) -> bool:
    """Return True if all comparisons are of one pair."""
    return len({(comparison.first, comparison.second) for comparison in document.comparisons}) == 1


def is_unnamed(document: CompareEnvelope) -> bool:
    """Return True if all pairs were tested, so that none was asked for."""
    several = len(document.comparisons) > 1 and not is_one_pair(document)
    return several and not is_selected(document)


def of_baseline(document: CompareEnvelope) -> bool:
    """Return True if all configurations were compared with a baseline at once."""
    return bool(document.comparisons) and document.comparisons[0].test == "max-t"


def of_several(comparison: Comparison) -> bool:
    """Return True if several configurations were tested at once: there is no difference."""
    return comparison.second == ""
