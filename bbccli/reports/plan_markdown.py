"""What `bbc plan` says as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.plan_schema import PlanEnvelope
from bbccli.reports import phrases
from bbccli.reports import plan_phrases as said
from bbccli.reports.base import Style
from bbccli.reports.blocks import escaped, note_item


def render(documents: Sequence[PlanEnvelope], style: Style) -> str:
    """Return one section per document."""
    return "\n".join(map(_section, documents))


def _section(document: PlanEnvelope) -> str:
    """A heading, the two sentences, a table, and what it rests on."""
    read = document.input
    parts = [f"### {escaped(read.path)}" if read is not None else "### Plan"]
    parts += [escaped(phrases.understood(document))] if read is not None else []
    parts.append(f"**{escaped(' '.join(said.sentences(document)))}**")
    lines = [[*said.HEADER], ["--:"] * len(said.HEADER)]
    lines += [said.cell_texts(cell, document) for cell in document.planned.cells]
    parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    facts = {"half": said.halved(document), **said.basis(document), "check": said.checked(document)}
    items = [f"- {name}: {escaped(text)}" for name, text in facts.items() if text]
    items.append(f"- {escaped(said.near_words(document))}")
    items += [f"- assumed: {escaped(text)}" for text in document.planned.assumptions]
    parts.append("\n".join([*items, *map(note_item, phrases.notes_of(document))]))
    return "\n\n".join(parts) + "\n"
