"""Blocks on a terminal: text in rows and columns of its width, as rich lays them out.

Tables. No page is too narrow to show every letter:

1. Text is wrapped. Figures, which are flush right, and what is `whole` never are.
2. Where the columns do not fit so, the names of figures are broken between words.
3. Where they still do not, the table goes on below with the columns that are left. Each part begins
   with the keys, which say what a row is of.
4. Where a column does not fit beside those, each row becomes a block with a line per column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from textwrap import wrap

from rich.cells import cell_len
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from bbccli.core.notes import Note, Severity, by_severity, severity_of
from bbccli.core.rounding import count
from bbccli.core.text import visible
from bbccli.reports import Style
from bbccli.reports.blocks import (
    AnswerLines,
    Block,
    BlockTable,
    FactList,
    Heading,
    Line,
    Notes,
    TableColumn,
    Wide,
)
from bbccli.reports.strip import strip_of

LEAST = 16
"""Columns of the page that a text gets at least where it stands beside others."""

NARROWEST = 20
"""Columns that are written at least; a terminal that has fewer breaks the lines."""

WIDE = 100
"""Columns of a terminal from which on intervals are drawn."""

MOST_NOTES = 3
"""Notes below a table, at most."""


def write(results: Iterable[Iterable[Block]], style: Style) -> str:
    """Return the blocks of some results, one result after the other."""
    return "\n".join(terminal(blocks, style) for blocks in results)


def terminal(blocks: Iterable[Block], style: Style) -> str:
    """Return blocks as text of the width of a page, an empty line between them."""
    return "\n".join(part for block in blocks if (part := _shown(block, style)))


def _shown(block: Block, style: Style) -> str:
    match block:
        case Wide():
            return ""
        case BlockTable():
            return _table(block, style) + _shown(FactList(block.facts), style)
        case Heading(text, more, run):
            head = Text.assemble((visible(text), "bold"), f"   {more}" if more else "")
            return _drawn(Group(head, *(Text(visible(line)) for line in run)), style)
        case AnswerLines(answers):
            return _drawn(Group(*(Text(visible(text), look) for text, look in answers)), style)
        case Line(text):
            return _drawn(Text(visible(text)), style)
        case FactList(rows):
            grid = _facts(rows)
        case Notes(notes, facts, gate):
            grid = _facts(facts)
            _add_notes(grid, notes, style)
            if gate:
                grid.add_row("gate", Text(visible(gate)))
    return _drawn(grid, style) if grid.row_count else ""


def _drawn(renderable: RenderableType, style: Style) -> str:
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


def _facts(rows: Iterable[tuple[str, ...]]) -> Table:
    """One line per fact that has a text; of several texts the first is in bold."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(min_width=6, overflow="fold")
    grid.add_column(overflow="fold")
    for name, first, *more in rows:
        if first or any(more):
            look, others = "bold" if more else "", (f"   {visible(one)}" for one in more)
            text = Text.assemble((visible(first), look), *others)
            grid.add_row(Text(visible(name), "green"), text)
    return grid


def _add_notes(grid: Table, notes: Sequence[Note], style: Style) -> None:
    """Add the notes that matter most to a grid of facts, and how many others there are."""
    ordered = by_severity(notes)
    serious = [one for one in ordered if severity_of(one.code) is not Severity.HARMLESS]
    shown = ordered if style.all_notes else serious[:MOST_NOTES]
    for note in shown:
        hint = f"   hint: {visible(note.remedy)}" if note.remedy else ""
        grid.add_row(Text("note", "yellow"), Text.assemble(visible(note.text), (hint, "dim")))
    n_more, n_harmless = len(serious) - len(shown), len(ordered) - len(serious)
    rest = [count(n_more, "more note")] * (n_more > 0)
    rest += [count(n_harmless, "harmless note")] * (n_harmless > 0)
    if rest and not style.all_notes:
        grid.add_row("", Text(f"{' and '.join(rest)}: --notes all", "dim"))


@dataclass(frozen=True)
class _Column:
    """A column and its cells."""

    head: TableColumn
    cells: Sequence[str]

    @property
    def name(self) -> str:
        """Its head, in one line or in several."""
        return self.head.name

    @property
    def kept(self) -> bool:
        """True if no cell is wrapped."""
        return self.head.whole or not self.head.text

    @cached_property
    def least(self) -> int:
        """The width without which something would be cut."""
        wide = max(map(cell_len, [*self.name.split("\n"), *self.cells]))
        return wide if self.kept else min(wide, LEAST)

    def broken(self) -> _Column:
        """Return it with a name that is hardly wider than its cells."""
        widest = max(map(cell_len, self.cells), default=0)
        lines = wrap(self.name, max(widest, 1), break_long_words=False, break_on_hyphens=False)
        return replace(self, head=replace(self.head, name="\n".join(lines))) if self.kept else self


def _table(block: BlockTable, style: Style) -> str:
    """Return the rows under their heads, and how many more there are."""
    heads = [one for one in block.columns if not one.wide]
    cells = [
        [visible(row[n]) for row in block.rows[: block.most]]
        for n, one in enumerate(block.columns)
        if not one.wide
    ]
    columns = [
        _Column(replace(head, name=visible(head.name)), its)
        for head, its in zip(heads, cells, strict=True)
    ]
    if block.drawn and style.width >= WIDE:
        columns = _with_strip(columns, block, style.width)
    columns = [column for column in columns if column.name or any(column.cells)]
    n_shown = min(len(block.rows), block.most)
    text = _laid_out(columns, n_shown, block, style)
    n_more = len(block.rows) - n_shown
    below = [block.rest.format(n_more)] * (n_more > 0) + [block.after] * bool(block.after)
    return text + (f"{', '.join(below)}\n" if below else "")


def _with_strip(columns: list[_Column], block: BlockTable, width: int) -> list[_Column]:
    """The same columns with the intervals drawn beside them, where there is room."""
    signed = [
        replace(one, head=replace(one.head, name=f"{one.head.sign} {one.name}"))
        if one.head.sign
        else one
        for one in columns
    ]
    taken = sum(max(map(cell_len, [one.name, *one.cells])) + block.gap for one in signed)
    strip = strip_of(block.drawn, width - taken)
    if strip is None:
        return columns
    head = TableColumn(strip.scale(), text=True, whole=True)
    return [*signed, _Column(head, [strip.drawn(one) for one in block.drawn])]


def _laid_out(columns: Sequence[_Column], n_rows: int, block: BlockTable, style: Style) -> str:
    """Return columns side by side, or in parts, or each row for itself."""
    n_keys, room = max(sum(one.head.key for one in columns), 1), style.width + block.gap
    for shown in (columns, [column.broken() for column in columns]):
        parts = [[*shown[:n_keys]]]
        for column in shown[n_keys:]:
            if _taken([*parts[-1], column], block) > room:
                parts.append([*shown[:n_keys]])
            parts[-1].append(column)
        if len(parts) == 1:
            break
    if n_rows and any(_taken(part, block) > room for part in parts):
        rows = [[(one.name.strip(), one.cells[n]) for one in columns] for n in range(n_rows)]
        return "\n".join(_drawn(_facts(row), style) for row in rows)
    return "\n".join(_drawn(_side_by_side(part, n_rows, block), style) for part in parts)


def _taken(columns: Sequence[_Column], block: BlockTable) -> int:
    return sum(column.least + block.gap for column in columns)


def _side_by_side(columns: Sequence[_Column], n_rows: int, block: BlockTable) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, block.gap, 0, 0))
    lines = max(column.name.count("\n") for column in columns)
    for column in columns:
        # names of one line stand where the others end
        name = Text("\n" * (lines - column.name.count("\n")) + column.name)
        side: JustifyMethod = "left" if column.head.text else "right"
        table.add_column(name, justify=side, no_wrap=column.kept, overflow="fold")
    looks = block.looks or [""] * n_rows
    for n in range(n_rows):
        table.add_row(*(Text(column.cells[n]) for column in columns), style=looks[n])
    return table
