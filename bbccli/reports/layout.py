"""Text in rows and columns, as rich lays it out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from bbccli.documents import NoteJson
from bbccli.notes.meanings import severity_of
from bbccli.reports.base import Style
from bbccli.rounding import count
from bbccli.text import visible

Grid = Table
"""Rows that more can be added to."""


def listing_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    style: Style,
    *,
    figures: Collection[str] = (),
    whole: Collection[str] = (),
) -> str:
    """Return rows under a header, wrapped to the width; columns of figures are flush right.

    What is a figure, or `whole`, is never wrapped.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    widths = [
        max(cell_len(cell) for cell in column) + 2 for column in zip(header, *rows, strict=True)
    ]
    kept = sum(width for name, width in zip(header, widths, strict=True) if name in figures)
    for position, name in enumerate(header):
        # a long name in front would be cut, and leave no room for what is known of it
        short = (
            position == 0 and not whole and widths[0] <= min(style.width // 2, style.width - kept)
        )
        table.add_column(
            name,
            justify="right" if name in figures else "left",
            no_wrap=name in figures or name in whole or short,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return as_text(table, style)


def paragraph(text: str, style: Style) -> str:
    """Return text wrapped to the width, whatever it holds."""
    return as_text(Text(text), style)


def as_text(renderable: RenderableType, style: Style) -> str:
    """Return what rich draws, without trailing blanks."""
    console = Console(
        file=StringIO(),
        width=style.width,
        # what the environment says of colours was weighed where the style was made
        force_terminal=style.colour,
        color_system="standard" if style.colour else None,
        no_color=not style.colour,
        highlight=False,
        _environ={},
    )
    with console.capture() as capture:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def facts(**named: str) -> Table:
    """One line per fact, its name in front."""
    return fact_rows(list(named.items()))


def fact_rows(rows: Sequence[tuple[str, str]]) -> Table:
    """One line per fact, its name in front; further ones under the same name have none."""
    grid = grid_of_facts()
    for name, text in rows:
        grid.add_row(Text(name, "green"), Text(text))
    return grid


MOST_NOTES = 3
"""Notes below a table, at most."""


def add_notes(grid: Table, notes: Sequence[NoteJson], style: Style) -> Table:
    """Add the notes that matter most to a grid of facts, and how many more there are."""
    ordered = sorted(notes, key=lambda note: severity_of(note["code"]))
    shown = ordered if style.all_notes else ordered[:MOST_NOTES]
    for note in shown:
        text = Text(visible(note["text"]))
        if note["remedy"]:
            text.append(f"   hint: {visible(note['remedy'])}", "dim")
        grid.add_row(Text("note", "yellow"), text)
    if len(shown) < len(ordered):
        more = count(len(ordered) - len(shown), "more note")
        grid.add_row("", Text(f"{more}: --notes all", "dim"))
    return grid


def grid_of_facts() -> Table:
    """Return a grid to fill: names in front, what is known of them behind."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True, min_width=6)
    grid.add_column()
    return grid
