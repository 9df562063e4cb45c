"""What a result says, as blocks: content is put together once, each form writes it in its way.

`blocks` of a kind of result yields headings, lines, facts, tables and notes, whose text is as it
came: `terminal` and `markdown` escape it. A form that needs more of a block than another finds it
on the block, not in the content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bbccli.notes import Note
from bbccli.reports.base import Style
from bbccli.text import visible

MOST_ROWS = 30
"""Rows of a table on a terminal or in Markdown, at most; CSV and JSON have all of them."""


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
    """Names and what is known of them; those without a text are left out."""

    rows: Sequence[tuple[str, str]]


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
    """

    name: str
    figures: bool = True
    whole: bool = False
    key: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under their heads.

    Attributes
    ----------
    most
        Rows that are shown, at most.
    rest
        What is said of the others, behind their number.
    after
        What is said below besides.
    looks
        How a terminal draws each row.
    gap
        Blanks between columns.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    most: int = MOST_ROWS
    rest: str = "and {} more, see --format csv"
    after: str = ""
    looks: Sequence[str] = ()
    gap: int = 2


@dataclass(frozen=True, slots=True)
class Notes:
    """What to doubt; on a terminal the facts that close the screen stand before it."""

    notes: Sequence[Note]
    facts: Sequence[tuple[str, str]] = ()


Block = Heading | Line | Facts | Table | Notes


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
        case Notes(notes, facts):
            grid = add_notes(fact_rows(_known(facts)), notes, style)
            return as_text(grid, style) if grid.row_count else ""
    shown = [[visible(cell) for cell in row] for row in block.rows[: block.most]]
    text = listing_table(
        [column.name for column in block.columns],
        shown,
        style,
        figures={column.name for column in block.columns if column.figures},
        whole={column.name for column in block.columns if column.whole},
        keys=max(sum(column.key for column in block.columns), 1),
        emphasis=block.looks[: block.most],
        gap=block.gap,
    )
    n_more = len(block.rows) - len(shown)
    below = [block.rest.format(n_more)] * (n_more > 0) + [block.after] * bool(block.after)
    return text + (f"{', '.join(below)}\n" if below else "")


def _known(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, visible(text)) for name, text in rows if text]


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown, in which no text of a file is markup."""
    return "\n\n".join(part for block in blocks for part in _in_markdown(block) if part) + "\n"


def _in_markdown(block: Block) -> Iterator[str]:
    from bbccli.reports.markdown import escaped, note_item

    match block:
        case Heading(text, more):
            yield f"### {escaped(text)}"
            yield escaped(more)
        case Line(text, strong):
            yield f"**{escaped(text)}**" if strong and text else escaped(text)
        case Facts(rows):
            yield "\n".join(f"- {name}: {escaped(text)}" for name, text in rows if text)
        case Notes(notes, facts):
            items = [f"- {name}: {escaped(text)}" for name, text in facts if text]
            yield "\n".join([*items, *map(note_item, notes)])
        case Table(columns, rows, most):
            lines = [[column.name for column in columns], ["---"] * len(columns)]
            lines += [[escaped(cell) for cell in row] for row in rows[:most]]
            more = f"\n\nand {len(rows) - most} more" if len(rows) > most else ""
            yield "\n".join(f"| {' | '.join(line)} |" for line in lines) + more
