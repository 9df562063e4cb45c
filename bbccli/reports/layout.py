"""Text in rows and columns, as rich lays it out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from bbccli.documents import NoteJson
from bbccli.reports.base import Style
from bbccli.text import visible

Drawn = RenderableType
"""What rich can draw."""


def listing_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    style: Style,
    *,
    figures: Collection[str] = (),
    whole: Collection[str] = (),
) -> str:
    """Return rows under a header, wrapped to the width; columns of figures are flush right.

    What is a figure or `whole` is never wrapped; nor is the first column where neither is named.
    """
    kept = {*figures, *whole} or {*header[:1]}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in header:
        table.add_column(
            name,
            justify="right" if name in figures else "left",
            no_wrap=name in kept,
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
        force_terminal=style.colour,
        no_color=not style.colour,
        highlight=False,
    )
    with console.capture() as capture:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def facts(**named: str) -> RenderableType:
    """One line per fact, its name in front."""
    grid = grid_of_facts()
    for name, text in named.items():
        grid.add_row(Text(name, "green"), Text(text))
    return grid


def note_line(note: NoteJson) -> RenderableType:
    """What to doubt, and a hint."""
    text = Text(visible(note["text"]))
    if note["remedy"]:
        text.append(f"   hint: {visible(note['remedy'])}", "dim")
    grid = grid_of_facts()
    grid.add_row(Text("note", "yellow"), text)
    return grid


def grid_of_facts() -> Table:
    """Return a grid to fill: names in front, what is known of them behind."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True, min_width=6)
    grid.add_column()
    return grid
