"""Text in rows and columns, as rich lays it out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from textwrap import wrap

from rich.cells import cell_len
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from bbccli.core.notes import Note, severity_of
from bbccli.core.rounding import count
from bbccli.core.text import visible
from bbccli.reports import Style

LEAST = 16
"""Columns of the page that a text gets at least where it stands beside others."""

NARROWEST = 20
"""Columns that are written at least; a terminal that has fewer breaks the lines."""

GAP = 2
"""Blanks between columns."""


def listing_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    style: Style,
    *,
    figures: Collection[str] = (),
    whole: Collection[str] = (),
    keys: int = 1,
    emphasis: Sequence[str] = (),
    gap: int = GAP,
) -> str:
    """Return rows under a header, of which no page is too narrow to show every letter.

    1. Text is wrapped. Figures, which are flush right, and what is `whole` never are.
    2. Where the columns do not fit so, the names of figures are broken between words.
    3. Where they still do not, the table goes on below with the columns that are left. Each part
       begins with the first `keys` columns, which say what a row is of.
    4. Where a column does not fit beside those, each row becomes a block with a line per column.

    Parameters
    ----------
    emphasis
        How rich draws each row; by default like any text.
    """
    columns = [
        _Column(name, cells, right=name in figures, kept=name in figures or name in whole)
        for name, *cells in zip(header, *rows, strict=True)
    ]
    room = style.width + gap
    for shown in (columns, [column.broken() for column in columns]):
        parts = _parts(shown, keys, room, gap)
        if len(parts) == 1:
            break
    if rows and any(_taken(part, gap) > room for part in parts):
        return _blocks(header, rows, style)
    looks = emphasis or [""] * len(rows)
    return "\n".join(as_text(_side_by_side(part, looks, gap), style) for part in parts)


@dataclass(frozen=True)
class _Column:
    """A column of text, or of what is `kept` on one line."""

    name: str
    cells: Sequence[str]
    right: bool
    kept: bool

    @cached_property
    def least(self) -> int:
        """The width without which something would be cut."""
        wide = max(map(cell_len, [*self.name.split("\n"), *self.cells]))
        return wide if self.kept else min(wide, LEAST)

    def broken(self) -> _Column:
        """Return it with a name that is hardly wider than its cells."""
        widest = max(map(cell_len, self.cells), default=0)
        lines = wrap(self.name, max(widest, 1), break_long_words=False, break_on_hyphens=False)
        return replace(self, name="\n".join(lines)) if self.kept else self


def _taken(columns: Sequence[_Column], gap: int) -> int:
    return sum(column.least + gap for column in columns)


def _parts(columns: Sequence[_Column], keys: int, room: int, gap: int) -> list[list[_Column]]:
    """Columns that stand side by side, the keys in front each time."""
    parts = [[*columns[:keys]]]
    for column in columns[keys:]:
        if _taken([*parts[-1], column], gap) > room:
            parts.append([*columns[:keys]])
        parts[-1].append(column)
    return parts


def _side_by_side(columns: Sequence[_Column], looks: Sequence[str], gap: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
    lines = max(column.name.count("\n") for column in columns)
    for column in columns:
        # names of one line stand where the others end
        name = Text("\n" * (lines - column.name.count("\n")) + column.name)
        side: JustifyMethod = "right" if column.right else "left"
        table.add_column(name, justify=side, no_wrap=column.kept, overflow="fold")
    for n, look in enumerate(looks):
        table.add_row(*(Text(column.cells[n]) for column in columns), style=look)
    return table


def _blocks(header: Sequence[str], rows: Sequence[Sequence[str]], style: Style) -> str:
    """Return a block for each row: a line per cell, the name of its column in front."""
    named = [
        [(name.strip(), cell) for name, cell in zip(header, row, strict=True) if cell]
        for row in rows
    ]
    return "\n".join(as_text(fact_rows(block), style) for block in named)


def width_of_table(lines: Sequence[Sequence[str]]) -> int:
    """Return the width of a table of these lines, the blanks behind each column included."""
    return sum(max(map(cell_len, cells)) + GAP for cells in zip(*lines, strict=True))


Pieces = Sequence[tuple[str, str]]
"""Texts that follow each other, each with its look."""


def styled(lines: Iterable[Pieces], style: Style) -> str:
    """Return lines of pieces, wrapped to the width."""
    return as_text(Group(*(Text.assemble(*line) for line in lines)), style)


def as_text(renderable: RenderableType, style: Style) -> str:
    """Return what rich draws, without trailing blanks."""
    console = Console(
        file=StringIO(),
        width=max(style.width, NARROWEST),
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


def fact_rows(rows: Iterable[tuple[str, str | Pieces]]) -> Table:
    """One line per fact, its name in front; further ones under the same name have none."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(min_width=6, overflow="fold")
    grid.add_column(overflow="fold")
    for name, text in rows:
        pieces = [(text, "")] if isinstance(text, str) else text
        grid.add_row(Text(name, "green"), Text.assemble(*pieces))
    return grid


MOST_NOTES = 3
"""Notes below a table, at most."""


def add_notes(grid: Table, notes: Sequence[Note], style: Style) -> Table:
    """Add the notes that matter most to a grid of facts, and how many more there are."""
    ordered = sorted(notes, key=lambda note: severity_of(note.code))
    shown = ordered if style.all_notes else ordered[:MOST_NOTES]
    for note in shown:
        text = Text(visible(note.text))
        if note.remedy:
            text.append(f"   hint: {visible(note.remedy)}", "dim")
        grid.add_row(Text("note", "yellow"), text)
    if len(shown) < len(ordered):
        more = count(len(ordered) - len(shown), "more note")
        grid.add_row("", Text(f"{more}: --notes all", "dim"))
    return grid
