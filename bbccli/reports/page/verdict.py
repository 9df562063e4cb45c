"""The top of a page: what to expect, the sentence for a paper, the gate, the notes."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.core.notes import Note, severity_of
from bbccli.core.results import Estimate
from bbccli.core.text import redacted, shortened, visible
from bbccli.reports import phrases
from bbccli.reports.content.correct import methods_table
from bbccli.reports.page.markup import Markup, listing, section, table, tag
from bbccli.reports.sentences import answer, sentences
from bbccli.schema.correct import Envelope, to_report

LONGEST_LINE = 500
"""Characters of a sentence with a name in it."""


def reported(document: Envelope) -> Estimate | None:
    """Return the estimate to report of the first metric, if there is one."""
    metric = next(iter(phrases.metrics_of(document)), None)
    return None if metric is None else to_report(phrases.estimates_of(document, metric))


def verdict(document: Envelope) -> Markup:
    """Return what a stranger needs, and what the gate found."""
    paragraphs = [
        tag("p", tag("strong", line)) if line.startswith("Expect") else tag("p", line)
        for line in first_lines(document)
    ]
    return tag("div", *paragraphs, class_="verdict")


def first_lines(document: Envelope) -> list[str]:
    """Return the answer, without secrets, and with names that are not endless."""
    return [shortened(visible(redacted(line)), LONGEST_LINE) for line in answer(document)]


def to_quote(document: Envelope) -> Markup:
    """Return the sentences for a paper."""
    found = [tag("p", visible(sentence) + ".") for sentence in sentences(document)]
    return section("To report", "report", *found) if found else Markup()


def notes(document: Envelope) -> Markup:
    """Return every note with its remedy."""
    return notes_section(phrases.notes_of(document))


def notes_section(found: Sequence[Note]) -> Markup:
    """Return some notes under their heading, those that matter most first, with their remedies."""
    if not found:
        return section("Notes", "notes", tag("p", "There is nothing to note."))
    items = [
        tag("span", note.text, ".", *_remedy(note.remedy), *_code(note.code))
        for note in sorted(found, key=lambda note: severity_of(note.code))
    ]
    return section("Notes", "notes", listing(items))


def _code(code: str) -> tuple[Markup, ...]:
    """The name of the note, by which the rest of the page and the documentation call it."""
    return Markup(" "), tag("span", f"({code})", class_="quiet")


def _remedy(remedy: str) -> tuple[Markup, ...]:
    return (Markup(" "), tag("em", f"Hint: {remedy}.")) if remedy else ()


def estimates(document: Envelope) -> Markup:
    """Return the table of all methods for the metrics after the first, whose figure has its own."""
    parts = []
    for metric in phrases.metrics_of(document)[1:]:
        block = methods_table(document, metric)
        columns = ["method", "what it does", *(column.name for column in block.columns[3:])]
        rows = [
            [f"{name[2:]} (to report)" if name[0] == ">" else name[2:], *cells]
            for name, _, *cells in block.rows
        ]
        parts.append(table(f"Estimates, {phrases.metric_label(metric)}", columns, rows))
    return section("Other metrics", "others", *parts) if parts else Markup()
