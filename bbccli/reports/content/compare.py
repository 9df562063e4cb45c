"""The content of a comparison: its blocks, and its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from bbccli.comparisons.records import BestSet, Comparison
from bbccli.documents.compare import CompareEnvelope
from bbccli.documents.correct import notes_of
from bbccli.platform.records import Json
from bbccli.platform.records.rows import codes
from bbccli.platform.text import brief, count, every, percent
from bbccli.reports import words as phrases
from bbccli.reports.content import (
    AllNotesOnly,
    AnswerLines,
    Block,
    BlockTable,
    FactList,
    Heading,
    Notes,
    NotOnTerminal,
    TableColumn,
    look_of,
)
from bbccli.reports.content.ranks import P_VALUES, PAIR, of_ranks, statistic, test_facts
from bbccli.reports.words.comparison_sentences import (
    VERDICTS,
    both_ends,
    digits_of_both,
    is_one_pair,
    is_selected,
    lines,
    of_baseline,
    of_several,
    quote,
    requirement,
    selected_configuration,
    signed,
    size_of_best_set,
    two_scales,
    verdict,
)

MOST_NAMES = 5
"""Members of a set that are named in a line."""

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
    """Yield the answer, a sentence to quote, the sides or the tests, and the notes."""
    n_sets, label = len(document.data_sets), phrases.metric_label(document.metric)
    if n_sets:
        yield Heading(count(n_sets, "data set"), label)
    else:
        yield Heading(document.input.path, phrases.input_line(document))
    gate = [f"G{text[1:]}." for text in [requirement(document)] if text]
    looks = dict.fromkeys(gate, look_of(document))
    yield AnswerLines([*lines(document), *gate], looks)
    facts: list[tuple[str, ...]] = []
    if document.ranks is not None:
        yield from of_ranks(document.ranks, document.data_sets)
        facts = [*test_facts(document.ranks)]
    elif document.comparisons:
        yield FactList([("report", quote(document))])
        yield from _compared_pairs(document)
        facts = [*_others(document), *_set_of(document)]
    elif document.best_set is not None:
        yield _members(document, document.best_set)
        facts = [*_winner_and_simplest(document, document.best_set)]
        n_all = len(document.best_set.members)
        facts += [("level", f"the intervals hold for {every(n_all)} at once")] * (n_all > 1)
    # of many pairs the notes on the first; the answer says whether the baseline wins
    is_one = is_selected(document) or of_baseline(document)
    noted = replace(document, comparisons=document.comparisons[:1]) if is_one else document
    notes = [note for note in notes_of(noted) if note.code != "winner-is-baseline"]
    yield Notes(notes, facts)
    overall = document.ranks.overall if document.ranks is not None else ()
    yield NotOnTerminal(Notes([note for comparison in overall for note in comparison.notes]))


def _compared_pairs(document: CompareEnvelope) -> Iterator[Block]:
    """The two sides where there are only two, and the tests unless one says all in the answer."""
    first = document.comparisons[0]
    if is_selected(document) or (is_one_pair(document) and not of_several(first)):
        yield _sides(document)
    answered = is_selected(document) or of_baseline(document) or len(document.comparisons) == 1
    table, n_all = _comparisons(document), len(document.comparisons)
    every_one = f"{n_all} comparisons: see them with --format csv" if n_all > 1 else ""
    yield AllNotesOnly(table, every_one) if answered else table


def _others(document: CompareEnvelope) -> list[tuple[str, str]]:
    """Number of the other comparisons by verdict, unless the table has them."""
    others = document.comparisons[1:]
    if not others or not (is_selected(document) or of_baseline(document)):
        return []
    seen = Counter(other.verdict for other in others)
    counts = [f"{text} ({seen[name]})" for name, text in VERDICTS.items() if seen[name]]
    at_once = others[0].test == "bbc" and others[0].p_adjusted is not None
    adjusted = "; all pairs at once, by max-T" if at_once else ""
    them = count(len(others), "configuration" if of_baseline(document) else "pair")
    them = them.removeprefix("1 ")
    return [("others", f"of the other {them}: {', '.join(counts)}{adjusted}")]


def _set_of(document: CompareEnvelope) -> list[tuple[str, str]]:
    """The confidence set of the best, its first configurations by name."""
    if document.best_set is None:
        return []
    names = [member.configuration for member in document.best_set.members if member.inside]
    named = ", ".join([*names[:MOST_NAMES], *(["..."] if len(names) > MOST_NAMES else [])])
    return [("set", f"{size_of_best_set(document)}: {named}")]


def _comparisons(document: CompareEnvelope) -> BlockTable:
    rows, digits, single = document.comparisons, digits_of_both(document), is_one_pair(document)
    beliefs = [TableColumn(name, partial(_belief, name)) for name in BELIEFS]
    columns = [
        *(() if single else PAIR),
        TableColumn("test", lambda row: row.test, text=True, whole=True, key=True),
        TableColumn("difference", lambda row: signed(row.difference, digits)),
        TableColumn("corrected", lambda row: signed(row.corrected, digits), wide=True),
        TableColumn(
            f"{percent(document.plan.level)} CI",
            lambda row: phrases.ends_text(row.interval, digits.difference),
        ),
        TableColumn("statistic (df)", statistic, wide=not single),
        *P_VALUES,
        *([] if single else beliefs),
        TableColumn("verdict", lambda row: verdict(row, document), text=True, wide=True),
    ]
    rope = next((row.beliefs.rope for row in rows if row.beliefs is not None), 0.0)
    below = [(row.test, _beliefs(row)) for row in rows if single]
    below += [("equal", f"within {brief(rope)}")] if rope and not single else []
    bare = all(row.p is None and row.beliefs is None for row in rows)
    drawn = is_selected(document) or of_baseline(document) or bare
    return BlockTable.of(
        columns, rows, facts=below, title="Tests", figure="differences" if drawn else ""
    )


def _sides(document: CompareEnvelope) -> BlockTable:
    """Both sides of the first comparison, as measured; the one that leads is marked."""
    first, digits = document.comparisons[0], digits_of_both(document)
    roles = ("winner", "baseline") if of_baseline(document) else ("", "")
    rows = [
        (role, side if chosen else "", chosen or side, value)
        for role, side, chosen, value in zip(
            roles,
            (first.first, first.second),
            (first.first_selected, first.second_selected),
            (first.first_value, first.second_value),
            strict=True,
        )
    ]
    leads = first.difference is not None and first.difference > 0
    side = "side" if document.plan.makes else "family"
    return BlockTable.of(
        [
            TableColumn("", lambda row: row[0], text=True, whole=True, key=True),
            TableColumn(side, lambda row: row[1], text=True, key=True),
            TableColumn("configuration", lambda row: row[2], text=True, key=True),
            TableColumn(
                phrases.metric_label(document.metric), lambda row: digits.performance(row[3])
            ),
        ],
        rows,
        marked=0 if leads else None,
        title="Sides",
    )


def _belief(name: str, comparison: Comparison) -> str:
    beliefs = comparison.beliefs
    return "" if beliefs is None else percent(getattr(beliefs, name), 0)


def _beliefs(comparison: Comparison) -> str:
    beliefs = comparison.beliefs
    if beliefs is None:
        return ""
    within = f" (equal is within {brief(beliefs.rope)})" if beliefs.rope else ""
    return ", ".join(f"{name} {_belief(name, comparison)}" for name in BELIEFS) + within


def _winner_and_simplest(document: CompareEnvelope, best: BestSet) -> Iterator[tuple[str, ...]]:
    """How the winner was selected, if unusual, and the simplest of the set."""
    digits, label = digits_of_both(document), phrases.metric_label(document.metric)
    winner, rule = selected_configuration(best), phrases.rule_in_brackets(document.plan)
    if two_scales(document):
        yield (
            "order",
            (f"by fold means, which select {winner.configuration}; {label} of pooled predictions"),
        )
    if rule or not winner.inside:
        text = f"{label} {digits.performance(winner.performance)}{rule}"
        text += ", outside the confidence set" * (not winner.inside)
        yield "winner", f"{winner.configuration}: {text}"
    for member in best.members:
        if member.configuration == best.simplest and member is not winner:
            score = f"{label} {digits.performance(member.performance)}"
            way = "ahead of" if member.difference > 0 else "behind"
            apart = f"{digits.difference(abs(member.difference))} {way} the winner"
            yield "simplest", f"{member.configuration}: {score}, {apart}"


def _members(document: CompareEnvelope, best: BestSet) -> BlockTable:
    digits, level = digits_of_both(document), percent(document.plan.level)
    label, n_out = phrases.metric_label(document.metric), len(best.members) - best.n_inside
    winner, inside = selected_configuration(best), [one for one in best.members if one.inside]
    return BlockTable.of(
        [
            TableColumn("configuration", lambda row: row.configuration, text=True),
            TableColumn(label, lambda row: digits.performance(row.performance)),
            TableColumn(f"{level} CI", lambda row: both_ends(row, digits.performance)),
            TableColumn(
                "behind winner",
                lambda row: (
                    digits.difference(abs(row.difference)) + " ahead" * (row.difference > 0)
                ),
            ),
        ],
        inside,
        rest="{} more can't be ruled out as the best"
        + ("" if n_out else ": see them with --format csv"),
        after=f"{n_out} can" if n_out else "",
        hint="see them with --format csv",
        marked=inside.index(winner) if winner in inside else None,
        title="Members of the confidence set",
        figure="ranking",
    )


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
    for comparison in [*document["comparisons"], *ranks["overall"], *ranks["pairs"]]:
        interval, effect = comparison["interval"] or {}, comparison["effect"] or {}
        yield (
            _about(document)
            | comparison
            | {name: interval.get(name) for name in ("lower", "upper", "level")}
            | {"effect": effect.get("name"), "effect_size": effect.get("value")}
            | {"df": " ".join(f"{df:g}" for df in comparison["df"])}
            | (comparison["beliefs"] or {})
            | {"notes": codes(comparison["notes"])}
        )


def _members_of_set(document: Json) -> Iterator[Json]:
    best = document["best_set"]
    for member in best["members"] if best else ():
        yield _about(document) | {"level": best["level"]} | member
