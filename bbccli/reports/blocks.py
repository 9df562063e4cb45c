"""The blocks of a result: content is put together once, and each form writes it in its way.

`blocks` of a kind of result yields headings, lines, facts, tables and notes, whose text is as it
came: `terminal`, `markdown` and `page/sections.py` escape it. A form that needs more of a block
than another finds it on the block, not in the content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bbccli.notes import Note
from bbccli.reports.base import Style
from bbccli.text import visible

MOST_ROWS = 30
"""Rows of a table on a terminal and in Markdown, at most; CSV and JSON have all of them."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line: what the result is about."""

    text: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or several on lines of their own."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and the texts on each; rows without a text are left out."""

    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name
        Its head.
    figures
        Whether its cells are flush right and never wrapped.
    whole
        Whether its cells are never wrapped.
    key
        Whether it says what a row is of, and is repeated where a table goes on below.
    wide
        Whether a terminal leaves it out.
    """

    name: str
    figures: bool = True
    whole: bool = False
    key: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under their heads.

    Attributes
    ----------
    most
        Rows on a terminal, at most.
    rest
        What is said of the others, behind their number.
    after
        What is said below besides.
    facts
        Facts that belong below it.
    looks
        How a terminal draws each row.
    gap
        Blanks between columns.
    title
        Its heading on a page.
    figure
        The figure that replaces it on a page.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    most: int = MOST_ROWS
    rest: str = "and {} more, see --format csv"
    after: str = ""
    facts: Sequence[tuple[str, ...]] = ()
    looks: Sequence[str] = ()
    gap: int = 2
    title: str = ""
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Notes:
    """What to doubt, after the facts and before the gate that close the screen of a terminal."""

    notes: Sequence[Note]
    facts: Sequence[tuple[str, ...]] = ()
    gate: str = ""


@dataclass(frozen=True, slots=True)
class Wide:
    """A block that all forms but a terminal show."""

    block: Line | Facts | Table | Notes


Block = Heading | Line | Facts | Table | Notes | Wide


def write(form: str, results: Iterable[Iterable[Block]], style: Style) -> str:
    """Return the blocks of some results as a table or as Markdown."""
    return "\n".join(terminal(b, style) if form == "table" else markdown(b) for b in results)


def terminal(blocks: Iterable[Block], style: Style) -> str:
    """Return blocks as text of the width of a page, an empty line between them."""
    return "\n".join(part for block in blocks if (part := _on_terminal(block, style)))


def _on_terminal(block: Block, style: Style) -> str:
    from bbccli.reports.layout import add_notes, as_text, fact_rows, listing_table, paragraph

    match block:
        case Heading(text, more):
            return paragraph(visible(text) + (f"   {more}" if more else ""), style)
        case Line(text):
            return paragraph(visible(text), style)
        case Facts(rows):
            return as_text(fact_rows(_known(rows)), style) if _known(rows) else ""
        case Notes(notes, facts, gate):
            grid = add_notes(fact_rows(_known(facts)), notes, style)
            if gate:
                grid.add_row("gate", visible(gate))
            return as_text(grid, style) if grid.row_count else ""
        case Wide():
            return ""
    kept = [n for n, column in enumerate(block.columns) if not column.wide]
    columns = [block.columns[n] for n in kept]
    shown = [[visible(row[n]) for n in kept] for row in block.rows[: block.most]]
    text = listing_table(
        [column.name for column in columns],
        shown,
        style,
        figures={column.name for column in columns if column.figures},
        whole={column.name for column in columns if column.whole},
        keys=max(sum(column.key for column in columns), 1),
        emphasis=block.looks[: block.most],
        gap=block.gap,
    )
    n_more = len(block.rows) - len(shown)
    below = [block.rest.format(n_more)] * (n_more > 0) + [block.after] * bool(block.after)
    text += f"{', '.join(below)}\n" if below else ""
    return text + _on_terminal(Facts(block.facts), style)


def _known(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, visible("   ".join(texts))) for name, *texts in rows if any(texts)]


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown, in which no text of a file is markup."""
    return "\n\n".join(part for block in blocks for part in _in_markdown(block) if part) + "\n"


def _in_markdown(block: Block) -> Iterator[str]:
    from bbccli.reports.markdown import escaped, note_item

    match block:
        case Wide(wide):
            yield from _in_markdown(wide)
        case Heading(text, more):
            yield f"### {escaped(text)}"
            yield escaped(more)
        case Line(text, strong):
            yield f"**{escaped(text)}**" if strong and text else escaped(text)
        case Facts(rows) | Notes(_, rows):
            texts = [(name, ", ".join(texts)) for name, *texts in rows if any(texts)]
            items = [f"- {name}: {escaped(text)}" for name, text in texts]
            items += map(note_item, block.notes if isinstance(block, Notes) else ())
            yield "\n".join(items)
        case Table(columns, rows):
            lines = [[escaped(column.name) for column in columns], ["---"] * len(columns)]
            lines += [[escaped(cell) for cell in row] for row in rows[:MOST_ROWS]]
            more = f"\n\nand {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
            yield "\n".join(f"| {' | '.join(line)} |" for line in lines) + more
            yield from _in_markdown(Facts(block.facts))
