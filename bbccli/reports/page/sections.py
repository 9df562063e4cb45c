"""Blocks as sections of a page: the answer, facts, notes, figures, and the other tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bbccli.core.notes import Note
from bbccli.reports.blocks import Block, Facts, Line, Notes, Table, Wide
from bbccli.reports.figures import Absent, Drawn
from bbccli.reports.page.figures import absent_section, figure_section, listed
from bbccli.reports.page.markup import Markup, section, table, tag
from bbccli.reports.page.verdict import notes_section


def sections(blocks: Iterable[Block], figures: Sequence[Drawn | Absent] = ()) -> list[Markup]:
    """Return the blocks of one result and its figures as sections of a page."""
    lines: list[Markup] = []
    facts: list[tuple[str, ...]] = []
    notes: list[Note] = []
    tables: list[Table] = []
    for one in blocks:
        match one.block if isinstance(one, Wide) else one:
            case Line(text, strong):
                lines.append(tag("p", tag("strong", text) if strong else text))
            case Facts(rows):
                facts += rows
            case Notes(more, rows):
                facts += rows
                notes += more
            case Table(facts=rows) as block:
                facts += rows
                tables.append(block)
    drawn = [one for one in figures if isinstance(one, Drawn)]
    absent = absent_section([one for one in figures if isinstance(one, Absent)], "")
    shown = {one.kind for one in drawn}
    return [
        tag("div", *lines, class_="verdict"),
        _facts([(name, ", ".join(texts)) for name, *texts in facts if any(texts)]),
        notes_section(notes),
        *(figure_section(one, one.kind) for one in drawn),
        *([absent] if figures else []),
        *(_table(one) for one in tables if one.rows and one.figure not in shown),
    ]


def _facts(rows: Sequence[tuple[str, str]]) -> Markup:
    if not rows:
        return Markup()
    found = table("What the verdict rests on", ("what", "value"), rows)
    return section("Facts", "facts", tag("div", found, class_="words"))


def _table(block: Table) -> Markup:
    columns = [column.name for column in block.columns]
    rows = [[cell or "none" for cell in row] for row in block.rows]
    title = block.title.lower()
    return section(block.title, title.replace(" ", "-"), listed(f"All {title}", columns, rows))
