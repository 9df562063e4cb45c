"""What all reports say of a comparison, in the same words; names are not yet escaped."""

from __future__ import annotations

from dataclasses import replace

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.records import Comparison, Member, Ranks
from bbccli.notes import Note
from bbccli.reports import phrases
from bbccli.rounding import UNBOUNDED, Digits, count, digits_for, percent, short, trimmed, width_of
from bbccli.text import redacted, shortened, visible
from bbccli.types import Interval

VERDICTS = {
    "better": "better",
    "not-worse": "not worse",
    "worse": "worse",
    "different": "different",
    "not-shown": "not shown to be better",
    "undefined": "undefined",
}
"""Phrases for what a comparison shows."""

LEAST_P = 0.001
"""Smaller p-values are not told apart in words."""

MOST_NAMES = 5
"""Members of a set that are named in a line."""

LONGEST_NAME = 120
"""Characters of a name in a sentence."""


def verdict(comparison: Comparison, document: CompareEnvelope) -> str:
    """Return what a comparison shows, with the margin that it was asked for."""
    found, margin = comparison.verdict, document.margin
    said = VERDICTS[found]
    if found == "not-shown" and of_several(comparison):
        return "not shown to differ"
    if not margin or found in ("undefined", "different"):
        return said
    if found == "not-worse":
        return f"not worse by {short(margin)} or more"
    return f"{said} by more than {short(margin)}"


def of_several(comparison: Comparison) -> bool:
    """Whether several configurations were tested at once, so that there is no difference."""
    return comparison.second == ""


def p_text(p: float | None) -> str:
    """Return a p-value with its sign of relation; empty where it is undefined.

    Examples
    --------
    >>> p_text(0.0304), p_text(0.00004), p_text(1.0), p_text(None)
    ('0.030', '< 0.001', '1.000', '')
    """
    if p is None:
        return ""
    return f"< {LEAST_P:g}" if p < LEAST_P else f"{p:.3f}"


def figures_of(document: CompareEnvelope) -> Digits:
    """How performances and their differences are written: alike, so that they add up."""
    values, widths = [], []
    for one in document.comparisons:
        values += [one.first_value, one.second_value, one.difference]
        widths.append(width_of(one.interval))
    found = document.best_set
    for member in found.members if found else ():
        values.append(member.performance)
        widths.append(width_of(member))
    return digits_for(values, widths, phrases.bounds_of(document.metric, document) or UNBOUNDED)


def signed(value: float | None, digits: Digits, missing: str = "") -> str:
    """Return a difference with its sign."""
    text = digits.difference(value, missing=missing)
    return f"+{text}" if value is not None and value > 0 else text


def interval_text(interval: Interval | None, digits: Digits) -> str:
    """Return both ends of an interval of a difference, or the one that there is."""
    return phrases.ends_text(interval, digits.difference)


def difference(comparison: Comparison, document: CompareEnvelope, digits: Digits) -> str:
    """Return the difference as measured and, where something was selected, corrected.

    Of a test of several it is the test.
    """
    if of_several(comparison):
        return f"{comparison.test}, p {p_text(comparison.p) or 'undefined'}"
    said = f"{signed(comparison.difference, digits, 'undefined')} as measured"
    if comparison.corrected is None:
        return said
    said += f"; {signed(comparison.corrected, digits)} corrected for the selection"
    if comparison.interval is None:
        return said
    level = percent(comparison.interval.level)
    return f"{said} (bbc, {level} interval {interval_text(comparison.interval, digits)})"


def bound(comparison: Comparison, document: CompareEnvelope, digits: Digits) -> str:
    """Return the simultaneous bound and its p-value; empty where there is none."""
    if comparison.bound is None:
        return ""
    level, n_all = percent(document.plan.level), document.input.n_configurations
    said = f"at least {signed(comparison.bound, digits)} "
    said += f"({level}, whichever of the {n_all} was selected)"
    return f"{said}, p {p_text(comparison.p)}" if comparison.p is not None else said


def best_set(document: CompareEnvelope) -> str:
    """Return how many configurations may be the best; empty where it was not asked."""
    found = document.best_set
    if found is None:
        return ""
    n_all = document.input.n_configurations
    level = percent(found.level)
    return f"{found.n_inside} of {count(n_all, 'configuration')} may be the best ({level})"


def interval_of_member(member: Member, digits: Digits) -> str:
    """Return both ends of the interval of a member of the set; none without an influence."""
    ends = [digits.performance(end) for end in (member.lower, member.upper)]
    return " to ".join(ends) if all(ends) else "none"


def inside(document: CompareEnvelope) -> list[str]:
    """Return the names of the configurations that may be the best, best first."""
    return (
        [m.configuration for m in document.best_set.members if m.inside]
        if document.best_set
        else []
    )


def notes(document: CompareEnvelope) -> list[Note]:
    """Return what to know of the input and the answer; of many pairs what is said of the first."""
    if not is_selected(document):
        return phrases.notes_of(document)
    return phrases.notes_of(replace(document, comparisons=document.comparisons[:1]))


def is_selected(document: CompareEnvelope) -> bool:
    """Whether the first comparison is of a winner that was selected."""
    comparisons = document.comparisons
    return bool(comparisons) and comparisons[0].corrected is not None


def sides(document: CompareEnvelope) -> dict[str, str]:
    """Return what both sides of the first comparison are called."""
    of_baseline = is_selected(document) and document.comparisons[0].bound is not None
    names = ("winner", "baseline") if of_baseline else ("first", "second")
    return dict(zip(("first", "second"), names, strict=True))


def statistic(comparison: Comparison) -> str:
    """Return the statistic of a test with its degrees of freedom."""
    value = comparison.statistic
    if value is None:
        return ""
    df = ", ".join(trimmed(f"{one:.1f}") for one in comparison.df)
    return f"{value:.3g} ({df})" if df else f"{value:.3g}"


def sentence(document: CompareEnvelope) -> str:
    """Return the first comparison, or the set, in one sentence."""
    comparisons, label = document.comparisons, phrases.metric_label(document.metric)
    if document.ranks is not None:
        return f"by {label}, {leader(document.ranks).removesuffix('.')}"
    if not comparisons:
        return f"by {label}, {best_set(document)}"
    first, digits = comparisons[0], figures_of(document)
    if first.first == first.second:
        return f"by {label}, {first.first}, the baseline, is itself the winner"
    told, found = verdict(first, document), difference(first, document, digits)
    if of_several(first):
        return f"{first.first} by {label}: {told}; {found}"
    return f"{first.first} against {first.second} by {label}: {told}; difference {found}"


def answer(document: CompareEnvelope) -> str:
    """Return what was found, without the figures that it rests on, in one sentence."""
    comparisons = document.comparisons
    if not comparisons:
        found = sentence(document)
        return f"{found[0].upper()}{found[1:]}"
    first, label = comparisons[0], phrases.metric_label(document.metric)
    if first.first == first.second:
        return f"By {label}, {_short(first.first)}, the baseline, is itself the winner"
    against = "" if of_several(first) else f" against {_short(first.second)}"
    return f"By {label}, {_short(first.first)}{against}: {verdict(first, document)}"


def leader(ranks: Ranks) -> str:
    """Return which family has the best mean rank over data sets, and who is not told from it."""
    first = ranks.standings[0]
    said = f"{_short(first.family)} has the best mean rank, {first.mean_rank:.2f} of "
    said += f"{len(ranks.standings)}"
    if not ranks.pairs:
        return f"{said}; no pairs were tested."
    alike = [
        _short(name)
        for group in ranks.groups
        if first.family in group
        for name in group
        if name != first.family
    ]
    if not alike:
        return f"{said}; it is told apart from the next one."
    more = f" and {len(alike) - MOST_NAMES} more" if len(alike) > MOST_NAMES else ""
    return f"{said}; it is not told apart from {', '.join(alike[:MOST_NAMES])}{more}."


def _short(name: str) -> str:
    return shortened(visible(redacted(name)), LONGEST_NAME)


def requirement(document: CompareEnvelope) -> str:
    """Return what the gate found."""
    gate = document.gate
    if gate is None:
        return ""
    wanted, found = VERDICTS[gate.required], VERDICTS[gate.found]
    said = f"gate {gate.outcome}: {wanted} was required; found: {found}"
    return f"{said}; {gate.reason}" if gate.reason else said
