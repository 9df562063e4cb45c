"""The content of a comparison: its blocks, and the phrases that other forms of it share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from bbccli.comparisons.records import BestSet, Comparison, Member, Verdict
from bbccli.core.documents import Json
from bbccli.core.rounding import (
    Digits,
    count,
    digits_for,
    percent,
    short,
    width_of,
)
from bbccli.reports import phrases
from bbccli.reports.blocks import (
    Block,
    BlockTable,
    FactList,
    Heading,
    Line,
    Notes,
    TableColumn,
    Wide,
)
from bbccli.reports.content.ranks import leader, of_ranks, p_text, statistic
from bbccli.reports.figures.base import name_of
from bbccli.schema.compare import CompareEnvelope
from bbccli.schema.correct import bounds_of

VERDICTS = {
    Verdict.BETTER: "better",
    Verdict.NOT_WORSE: "not worse",
    Verdict.WORSE: "worse",
    Verdict.DIFFERENT: "different",
    Verdict.NOT_SHOWN: "not shown to be better",
    Verdict.UNDEFINED: "undefined",
}
"""Phrases for what a comparison shows."""

MOST_NAMES = 5
"""Members of a set that are named in a line."""

MOST_MEMBERS = 10
"""Members of the set of the best on a terminal, at most."""

BELIEFS = ("worse", "equal", "better")

OF_COMPARISONS = (
    *("path", "metric", "first", "second", "test", "first_selected", "second_selected"),
    *("first_value", "second_value", "difference", "corrected", "lower", "upper", "level"),
    *("bound", "bound_above", "statistic", "df", "p", "alternative", "p_adjusted", "adjustment"),
    *("error", "effect", "effect_size", "rope", "worse", "equal", "better", "n_units"),
    *("ignores_selection", "margin", "verdict", "notes"),
)
OF_MEMBERS = (
    *("path", "metric", "configuration", "performance", "difference", "lower", "upper", "level"),
    *("p", "inside"),
)


def blocks(document: CompareEnvelope) -> Iterator[Block]:
    """Yield the answer, the figures that it rests on, and the notes."""
    n_sets, label = len(document.data_sets), phrases.metric_label(document.metric)
    if n_sets:
        yield Heading(f"{count(n_sets, 'data set')}, {label}")
    else:
        yield Heading(document.input.path, phrases.understood(document))
    gate, selected = requirement(document), is_selected(document)
    yield Line(f"{answer(document)}.", strong=True)
    if gate:
        yield Wide(Line(f"G{gate[1:]}.", strong=True))
    if document.ranks is not None:
        yield from of_ranks(document.ranks)
    elif selected:
        yield from _selected(document)
    elif of_baseline(document):
        yield FactList([*_others(document), *_set_of(document)])
        yield Wide(_comparisons(document))
    elif document.comparisons:
        sides = FactList(_sides(document))
        yield sides if is_single(document) else Wide(sides)
        yield _comparisons(document)
    elif document.best_set is not None:
        yield from _members(document, document.best_set)
    # of many pairs the notes on the first; the answer says whether the baseline wins
    one = selected or of_baseline(document)
    noted = replace(document, comparisons=document.comparisons[:1]) if one else document
    notes = [note for note in phrases.notes_of(noted) if note.code != "winner-is-baseline"]
    yield Notes(notes, gate=gate.removeprefix("gate "))
    overall = document.ranks.overall if document.ranks is not None else ()
    yield Wide(Notes([note for one in overall for note in one.notes]))


def _selected(document: CompareEnvelope) -> Iterator[Block]:
    """The winner against a baseline, or two families."""
    first, digits = document.comparisons[0], figures_of(document)
    yield FactList(
        [
            *_sides(document),
            ("difference", difference(first, digits)),
            ("bound", _bound(document)),
            ("verdict", verdict(first, document)),
            *_others(document),
            *_set_of(document),
        ]
    )
    yield Wide(_comparisons(document))


def _bound(document: CompareEnvelope) -> str:
    """How large the first difference is at least, whichever won; empty where that is not known."""
    first, digits = document.comparisons[0], figures_of(document)
    if first.bound is None:
        return ""
    level, n_all = percent(document.plan.level), document.input.n_configurations
    text = f"at least {signed(first.bound, digits)} "
    text += f"({level}, whichever of the {n_all} was selected)"
    return f"{text}, p {p_text(first.p)}" if first.p is not None else text


def _others(document: CompareEnvelope) -> list[tuple[str, str]]:
    """How many of the other comparisons have which verdict."""
    others = document.comparisons[1:]
    if not others:
        return []
    seen = Counter(one.verdict for one in others)
    counts = [f"{seen[name]} {text}" for name, text in VERDICTS.items() if seen[name]]
    at_once = others[0].test == "bbc" and others[0].p_adjusted is not None
    adjusted = "; all pairs at once, by max-T" if at_once else ""
    return [("others", f"{', '.join(counts)}{adjusted} (--format csv has each)")]


def _set_of(document: CompareEnvelope) -> list[tuple[str, str]]:
    """The configurations that may be the best, the first ones by name."""
    if document.best_set is None:
        return []
    names = [one.configuration for one in document.best_set.members if one.inside]
    named = ", ".join([*names[:MOST_NAMES], *(["..."] if len(names) > MOST_NAMES else [])])
    return [("set", f"{best_set(document)}: {named}")]


def _comparisons(document: CompareEnvelope) -> BlockTable:
    """One row per comparison, with the columns that say something."""
    rows, digits, single = document.comparisons, figures_of(document), is_single(document)
    pair = [
        TableColumn("first", lambda one: one.first, text=True, key=True),
        TableColumn("second", lambda one: one.second, text=True, key=True),
    ]
    beliefs = [TableColumn(name, partial(_belief, name), optional=True) for name in BELIEFS]
    columns = [
        *([] if single else pair),
        TableColumn("test", lambda one: one.test, text=True, whole=True, key=True),
        TableColumn("difference", lambda one: signed(one.difference, digits), optional=True),
        TableColumn(
            "corrected", lambda one: signed(one.corrected, digits), wide=True, optional=True
        ),
        TableColumn(
            f"{percent(document.plan.level)} interval",
            lambda one: phrases.ends_text(one.interval, digits.difference),
            optional=True,
        ),
        TableColumn("statistic (df)", statistic, wide=not single, optional=not single),
        TableColumn("p", lambda one: p_text(one.p)),
        TableColumn("p adjusted", lambda one: p_text(one.p_adjusted), optional=True),
        *([] if single else beliefs),
        TableColumn("verdict", lambda one: verdict(one, document), text=True, wide=True),
    ]
    rope = next((one.beliefs.rope for one in rows if one.beliefs is not None), 0.0)
    below = [(one.test, _beliefs(one)) for one in rows if single]
    below += [("equal", f"within {short(rope)}")] if rope and not single else []
    bare = all(one.p is None and one.beliefs is None for one in rows)
    drawn = is_selected(document) or of_baseline(document) or bare
    return BlockTable.of(
        columns, rows, facts=below, title="Tests", figure="differences" if drawn else ""
    )


def is_single(document: CompareEnvelope) -> bool:
    """Return True if all comparisons are of one pair."""
    return len({(one.first, one.second) for one in document.comparisons}) == 1


def _sides(document: CompareEnvelope) -> list[tuple[str, ...]]:
    """Both sides of the first comparison; several at once have none."""
    first, digits = document.comparisons[0], figures_of(document)
    label, bounded = phrases.metric_label(document.metric), first.bound is not None
    names = ("winner", "baseline") if is_selected(document) and bounded else ("first", "second")
    sides = (
        (first.first, first.first_selected, first.first_value),
        (first.second, first.second_selected, first.second_value),
    )
    return [
        (name, f"{side}: {chosen}" if chosen else side, f"{label} {digits.performance(value)}")
        for name, (side, chosen, value) in zip(names, sides, strict=True)
        if value is not None
    ]


def _belief(name: str, comparison: Comparison) -> str:
    beliefs = comparison.beliefs
    return "" if beliefs is None else percent(getattr(beliefs, name), 0)


def _beliefs(comparison: Comparison) -> str:
    beliefs = comparison.beliefs
    if beliefs is None:
        return ""
    within = f" (equal is within {short(beliefs.rope)})" if beliefs.rope else ""
    return ", ".join(f"{name} {_belief(name, comparison)}" for name in BELIEFS) + within


def _members(document: CompareEnvelope, found: BestSet) -> Iterator[Block]:
    """The members of the set that may hold the best."""
    digits, level = figures_of(document), percent(document.plan.level)
    label, n_out = phrases.metric_label(document.metric), len(found.members) - found.n_inside

    def interval(one: Member) -> str:
        ends = [digits.performance(end) for end in (one.lower, one.upper)]
        return " to ".join(ends) if all(ends) else "none"

    yield Wide(FactList([("set", best_set(document))]))
    yield BlockTable.of(
        [
            TableColumn("configuration", lambda one: one.configuration, text=True),
            TableColumn(label, lambda one: digits.performance(one.performance)),
            TableColumn(f"{level} interval", interval),
            TableColumn("to the winner", lambda one: digits.difference(one.difference)),
        ],
        [member for member in found.members if member.inside],
        most=MOST_MEMBERS,
        rest="{} more may be the best" + ("" if n_out else ": --format csv"),
        after=f"{n_out} can't be: --format csv" if n_out else "",
        title="Members of the set",
        figure="ranking",
    )


def answer(document: CompareEnvelope) -> str:
    """Return what was found in one sentence, without the figures that it rests on."""
    comparisons, label = document.comparisons, phrases.metric_label(document.metric)
    if document.ranks is not None:
        return f"By {label}, {leader(document.ranks)}"
    if not comparisons:
        return f"By {label}, {_told_apart(document)}"
    first = comparisons[0]
    if first.first == first.second:
        n_better = sum(one.verdict == "better" for one in comparisons)
        others = f"{n_better} of the others" if n_better else "none of the others"
        return (
            f"By {label}, {name_of(first.first)}, the baseline, is itself the winner: "
            f"{others} is shown to be better"
        )
    against = "" if of_several(first) else f" against {name_of(first.second)}"
    return f"By {label}, {name_of(first.first)}{against}: {verdict(first, document)}"


def lines(document: CompareEnvelope) -> list[str]:
    """Return the answer, and the difference that it rests on, as sentences."""
    first = next(iter(document.comparisons), None)
    if first is None or of_several(first) or first.first == first.second:
        return [f"{answer(document)}."]
    digits = figures_of(document)
    if is_selected(document):
        parts = [difference(first, digits), _bound(document)]
    else:
        ends = phrases.ends_text(first.interval, digits.difference)
        rest = [first.test, ends and f"{percent(document.plan.level)} interval {ends}"]
        rest.append(f"p {p_text(first.p)}" if first.p is not None else "")
        parts = [f"{difference(first, digits)} ({', '.join(filter(None, rest))})"]
    return [f"{answer(document)}.", f"Difference {'; '.join(filter(None, parts))}."]


def _told_apart(document: CompareEnvelope) -> str:
    """Return whether the samples tell the best configuration from the others, and what to do."""
    found = document.best_set
    if found is None:
        return "nothing was compared"
    names = [one.configuration for one in found.members if one.inside]
    if len(names) == 1:
        return f"{name_of(names[0])} is the best ({percent(found.level)})"
    samples = count(document.input.n_samples, "sample")
    which = f", {name_of(found.simplest)}" if found.simplest else ""
    return f"{best_set(document)}: {samples} can't tell them apart; prefer the simplest{which}"


def requirement(document: CompareEnvelope) -> str:
    """Return what the gate found; empty without one."""
    gate = document.gate
    if gate is None:
        return ""
    text = f"gate {gate.outcome}: {VERDICTS[gate.required]} was required; "
    text += f"found: {VERDICTS[gate.found]}"
    return f"{text}; {gate.reason}" if gate.reason else text


def verdict(comparison: Comparison, document: CompareEnvelope) -> str:
    """Return what a comparison shows, with the margin that it was asked for."""
    shown, margin = comparison.verdict, document.margin
    if shown == "not-shown" and of_several(comparison):
        return "not shown to differ"
    if not margin or shown in ("undefined", "different"):
        return VERDICTS[shown]
    if shown == "not-worse":
        return f"not worse by {short(margin)} or more"
    return f"{VERDICTS[shown]} by more than {short(margin)}"


def difference(comparison: Comparison, digits: Digits) -> str:
    """Return the difference as measured and, where something was selected, corrected.

    Of a test of several it is the test.
    """
    if of_several(comparison):
        return f"{comparison.test}, p {p_text(comparison.p) or 'undefined'}"
    text = f"{signed(comparison.difference, digits, 'undefined')} as measured"
    if comparison.corrected is None:
        return text
    text += f"; {signed(comparison.corrected, digits)} corrected for the selection"
    if comparison.interval is None:
        return text
    level = percent(comparison.interval.level)
    ends = phrases.ends_text(comparison.interval, digits.difference)
    return f"{text} (bbc, {level} interval {ends})"


def best_set(document: CompareEnvelope) -> str:
    """Return how many configurations may be the best; empty where it was not asked."""
    found = document.best_set
    if found is None:
        return ""
    n_all = count(document.input.n_configurations, "configuration")
    return f"{found.n_inside} of {n_all} may be the best ({percent(found.level)})"


def figures_of(document: CompareEnvelope) -> Digits:
    """Return how to write performances and their differences: alike, so that they add up."""
    values, widths = [], []
    for one in document.comparisons:
        values += [one.first_value, one.second_value, one.difference]
        widths.append(width_of(one.interval))
    for member in document.best_set.members if document.best_set else ():
        values.append(member.performance)
        widths.append(width_of(member))
    return digits_for(values, widths, bounds_of(document, document.metric))


def signed(value: float | None, digits: Digits, missing: str = "") -> str:
    """Return a difference with its sign."""
    text = digits.difference(value, missing=missing)
    return f"+{text}" if value is not None and value > 0 else text


def is_selected(document: CompareEnvelope) -> bool:
    """Return True if the first comparison is of a winner that was selected."""
    return bool(document.comparisons) and document.comparisons[0].corrected is not None


def of_baseline(document: CompareEnvelope) -> bool:
    """Return True if all configurations were compared with a baseline at once."""
    return bool(document.comparisons) and document.comparisons[0].test == "max-t"


def of_several(comparison: Comparison) -> bool:
    """Return True if several configurations were tested at once: there is no difference."""
    return comparison.second == ""


def csv_rows(documents: Sequence[Json]) -> tuple[Sequence[str], Iterator[Json]]:
    """Return columns, and a row per comparison, or per configuration of a set alone."""
    compared = any(document["comparisons"] or document["ranks"] for document in documents)
    columns, rows_of = (OF_COMPARISONS, _compared) if compared else (OF_MEMBERS, _members_of_set)
    return columns, (row for document in documents for row in rows_of(document))


def _about(document: Json) -> Json:
    path = document["input"]["path"] if not document["data_sets"] else ""
    return {"path": path, "metric": document["metric"], "margin": document["margin"]}


def _compared(document: Json) -> Iterator[Json]:
    ranks = document["ranks"] or {"overall": [], "pairs": []}
    for one in [*document["comparisons"], *ranks["overall"], *ranks["pairs"]]:
        interval, effect = one["interval"] or {}, one["effect"] or {}
        yield (
            _about(document)
            | one
            | {name: interval.get(name) for name in ("lower", "upper", "level")}
            | {"effect": effect.get("name"), "effect_size": effect.get("value")}
            | {"df": " ".join(f"{df:g}" for df in one["df"])}
            | (one["beliefs"] or {})
            | {"notes": " ".join(note["code"] for note in one["notes"])}
        )


def _members_of_set(document: Json) -> Iterator[Json]:
    found = document["best_set"]
    for member in found["members"] if found else ():
        yield _about(document) | {"level": found["level"]} | member
