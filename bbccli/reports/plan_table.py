"""What `bbc plan` says, as a table: the answer in two sentences, cells, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.plan_schema import PlanEnvelope
from bbccli.reports import phrases
from bbccli.reports import plan_phrases as said
from bbccli.reports.base import Style
from bbccli.reports.layout import add_notes, as_text, fact_rows, listing_table, paragraph
from bbccli.text import visible


def render(documents: Sequence[PlanEnvelope], style: Style) -> str:
    """Return one screen per document."""
    return "\n".join("\n".join(_sections(document, style)) for document in documents)


def _sections(document: PlanEnvelope, style: Style) -> Iterator[str]:
    yield paragraph(" ".join(said.sentences(document)), style)
    if document.input is not None:
        head = f"{visible(document.input.path)}   {phrases.understood(document)}"
        yield paragraph(head, style)
    cells = [said.cell_texts(cell, document) for cell in document.planned.cells]
    yield listing_table(said.HEADER, cells, style, figures=said.HEADER, keys=2)
    facts = [
        ("half", said.halved(document)),
        *said.basis(document).items(),
        ("check", said.checked(document)),
        ("near", said.near_words(document).partition(": ")[2]),
    ]
    assumed = document.planned.assumptions
    rows = [(name, text) for name, text in facts if text]
    rows += [("" if position else "assumed", text) for position, text in enumerate(assumed)]
    grid = fact_rows(rows)
    yield as_text(add_notes(grid, phrases.notes_of(document), style), style)
