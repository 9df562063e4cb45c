"""What `bbc compare` says as Markdown, for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.records import Ranks
from bbccli.reports import compare_phrases as said
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.markdown import escaped, note_item
from bbccli.rounding import count, percent

MOST_ROWS = 30
"""Rows of a table, at most."""


def render(documents: Sequence[CompareEnvelope], style: Style) -> str:
    """Return one section per document."""
    return "\n".join(map(_section, documents))


def _section(document: CompareEnvelope) -> str:
    """A heading, the answer in one sentence, the verdict of the gate, a table, and the notes."""
    n_sets = len(document.data_sets)
    title = count(n_sets, "data set") if n_sets else document.input.path
    parts = [f"### {escaped(title)}"]
    parts += [] if n_sets else [escaped(phrases.understood(document))]
    parts.append(f"**{escaped(said.sentence(document))}**")
    if document.gate is not None:
        verdict = said.requirement(document)
        parts.append(f"**{verdict[0].upper()}{escaped(verdict[1:])}**")
    if document.ranks is not None:
        parts += [_standings(document, document.ranks), _rank_tests(document.ranks)]
    else:
        parts.append(_compared(document) if document.comparisons else _members(document))
    overall = document.ranks.overall if document.ranks else ()
    notes = [*said.notes(document), *(note for one in overall for note in one.notes)]
    parts.append("\n".join(map(note_item, notes)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _compared(document: CompareEnvelope) -> str:
    digits = said.figures_of(document)
    header = ["first", "second", "test", "difference", "corrected"]
    header += [f"{percent(document.plan.level)} interval", "p", "verdict"]
    rows = [
        [
            *(one.first, one.second, one.test),
            said.signed(one.difference, digits),
            said.signed(one.corrected, digits),
            said.interval_text(one.interval, digits),
            said.p_text(one.p if one.p_adjusted is None else one.p_adjusted),
            said.verdict(one, document),
        ]
        for one in document.comparisons[:MOST_ROWS]
    ]
    return _table(header, rows, len(document.comparisons))


def _members(document: CompareEnvelope) -> str:
    digits = said.figures_of(document)
    members = [one for one in document.best_set.members if one.inside] if document.best_set else []
    rows = [
        [
            one.configuration,
            digits.performance(one.performance),
            digits.difference(one.difference),
            said.interval_of_member(one, digits),
            said.p_text(one.p),
        ]
        for one in members[:MOST_ROWS]
    ]
    level = percent(document.plan.level)
    header = ["configuration", phrases.metric_label(document.metric), "to the winner"]
    return _table([*header, f"{level} interval", "p"], rows, len(members))


def _standings(document: CompareEnvelope, found: Ranks) -> str:
    """The families by their mean ranks."""
    label, n_sets = phrases.metric_label(document.metric), len(found.data_sets)
    digits = phrases.digits_by(found.metric, [one.performance for one in found.standings])
    rows = [
        [
            one.family,
            f"{one.mean_rank:.2f}",
            digits.performance(one.performance),
            f"{one.wins} of {n_sets}",
        ]
        for one in found.standings[:MOST_ROWS]
    ]
    header = ["family", "mean rank", label, "best on"]
    return _table(header, rows, len(found.standings))


def _rank_tests(found: Ranks) -> str:
    """The tests of all families, and of each pair."""
    tests = [*found.overall, *found.pairs]
    rows = [
        [
            *(one.first, one.second, one.test, said.p_text(one.p) or "undefined"),
            said.p_text(one.p_adjusted),
        ]
        for one in tests[:MOST_ROWS]
    ]
    return _table(["first", "second", "test", "p", "p adjusted"], rows, len(tests)) if rows else ""


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], n_all: int) -> str:
    lines = [list(header), ["---"] * len(header), *([escaped(c) for c in row] for row in rows)]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return text if n_all == len(rows) else f"{text}\n\nand {n_all - len(rows)} more"
