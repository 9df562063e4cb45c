"""Blocks on a terminal: text in rows and columns of its width, as rich lays them out.

Tables. No page is too narrow to show every letter:

1. Text is wrapped. Figures, which are flush right, and what is `whole` never are.
2. Where the columns do not fit so, the names of figures are broken between words.
3. Where they still do not, the table goes on below with the columns that are left. Each part begins
   with the keys, which say what a row is of.
4. Where a column does not fit beside those, each row becomes a block with a line per column.

Intervals are drawn in ASCII, on one scale: `|` ends, `o` the corrected figure, `x` the naive one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from io import StringIO
from textwrap import wrap

from rich.cells import cell_len
from rich.console import (
    Console,
    ConsoleOptions,
    Group,
    JustifyMethod,
    RenderableType,
    RenderResult,
)
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from bbccli.documents.gate import NAIVE
from bbccli.domain.estimate import Estimate
from bbccli.notes import Note, Severity, by_severity, severity_of
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import fixed, visible
from bbccli.reports import Style
from bbccli.reports.content import (
    AllNotesOnly,
    AnswerLines,
    Block,
    BlockTable,
    Doubts,
    FactList,
    Heading,
    Line,
    Notes,
    TableColumn,
    n_shown,
)

LEAST = 16
"""Columns of the page that a text gets at least next to others."""

NARROWEST = 20
"""Columns that are written at least; a terminal that has fewer breaks the lines."""

WIDE = 100
"""Fewest columns of a terminal in which intervals are drawn."""

MOST_NOTES = 3
"""Notes below a table, at most."""

LOOKS = {Severity.DOUBT: "bold red", Severity.CARE: "yellow", Severity.HARMLESS: "dim"}
"""Looks of the words before notes."""

GLUE = "\ue000"
"""Stands for a blank at which no line may end; a real one that does not break would stay."""

SPLIT = re.compile(r"(?<=\d) (?=%)|(?<=\b[Np]) (?=[=<\d])|(?<=[Np] [=<]) (?=\d)")

GAP = 2
"""Blanks between columns."""

MARK = "> "
"""Stands before the row that the answer is about."""


def write(results: Iterable[Iterable[Block]], style: Style) -> str:
    """Return the blocks of some results, one result after the other."""
    return "\n".join(terminal(blocks, style) for blocks in results)


def terminal(blocks: Iterable[Block], style: Style) -> str:
    """Return blocks as text of the width of a page, an empty line between them."""
    return "\n".join(part for block in blocks if (part := _shown(block, style)))


def _shown(block: Block, style: Style) -> str:
    match block:
        case AllNotesOnly(inner, text):
            shown = _shown(inner if style.all_notes else Line(text), style)
        case BlockTable():
            shown = _table(block, style) + _shown(FactList(block.facts), style)
        case Heading(text, more, run):
            head = Text(_text(text) + (f"   {more}" if more else ""))
            shown = _drawn(Group(head, *(Text(_text(line)) for line in run)), style)
        case Doubts(notes):
            grid = _facts(())
            _add_notes(grid, notes, replace(style, all_notes=True))
            shown = _grid(grid, style)
        case AnswerLines(answers, looks) if answers:
            lines = [Text(_text(text), looks.get(text, "bold")) for text in answers]
            shown = _drawn(Group(*lines), style)
        case Line(text) if text:
            shown = _drawn(Text(_text(text)), style)
        case FactList(rows):
            shown = _grid(_facts(rows), style)
        case Notes(notes, facts):
            grid = _facts(facts)
            _add_notes(grid, notes, style)
            shown = _grid(grid, style)
        case _:
            shown = ""
    return shown


def _grid(grid: Table, style: Style) -> str:
    return _drawn(grid, style) if grid.row_count else ""


def _drawn(renderable: RenderableType, style: Style) -> str:
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
    lines = capture.get().replace(GLUE, " ").splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _text(text: str) -> str:
    """Text from outside made visible, with no line break between a figure and its unit."""
    return SPLIT.sub(GLUE, visible(text))


def _facts(rows: Iterable[tuple[str, ...]]) -> Table:
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(min_width=6, overflow="fold")
    grid.add_column(overflow="fold")
    for name, *texts in rows:
        if any(texts):
            grid.add_row(Text(visible(name), "green"), Text("   ".join(map(_text, texts))))
    return grid


def _add_notes(grid: Table, notes: Sequence[Note], style: Style) -> None:
    """Add the notes that matter most to a grid of facts, and a count of the others."""
    ordered = by_severity(notes)
    serious = [note for note in ordered if severity_of(note.code) is not Severity.HARMLESS]
    shown = ordered if style.all_notes else serious[:MOST_NOTES]
    for note in shown:
        hint = f"   hint: {_text(note.remedy)}" if note.remedy else ""
        level = severity_of(note.code)
        name = Text(level.label.upper() if level is Severity.DOUBT else level.label, LOOKS[level])
        grid.add_row(name, Text.assemble(_text(note.text), (hint, "dim")))
    n_more, n_harmless = len(serious) - len(shown), len(ordered) - len(serious)
    rest = [f"{n} {what}" for n, what in ((n_more, "more"), (n_harmless, "harmless")) if n]
    if rest and not style.all_notes:
        grid.add_row(Text("notes", "yellow"), Text(f"{', '.join(rest)}: --notes all", "dim"))


@dataclass(frozen=True)
class _Marked:
    """A text behind a mark of two characters, with a hanging indent."""

    mark: str
    text: Text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        least, widest = Measurement.get(console, options, self.text)
        return Measurement(least + len(MARK), widest + len(MARK))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.update_width(max(options.max_width - len(MARK), 1))
        for n, line in enumerate(console.render_lines(self.text, room)):
            yield Segment(self.mark if n == 0 else " " * len(MARK))
            yield from line
            yield Segment.line()


@dataclass(frozen=True)
class _Column:
    """A column and its cells; the first one of a table marks a row."""

    head: TableColumn
    cells: Sequence[str]
    marked: bool = False

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
        return (wide if self.kept else min(wide, LEAST)) + len(MARK) * self.marked

    def broken(self) -> _Column:
        """Return it with a name that is hardly wider than its cells."""
        widest = max(map(cell_len, self.cells), default=0)
        lines = wrap(self.name, max(widest, 1), break_long_words=False, break_on_hyphens=False)
        return replace(self, head=replace(self.head, name="\n".join(lines))) if self.kept else self


def _table(block: BlockTable, style: Style) -> str:
    """Return the rows under their heads, and a count of those not shown."""
    n_rows = n_shown(len(block.rows), block.most)
    heads = [column for column in block.columns if not column.wide]
    cells = [
        [visible(row[n]) for row in block.rows[:n_rows]]
        for n, column in enumerate(block.columns)
        if not column.wide
    ]
    columns = [
        _Column(replace(head, name=visible(head.name)), column)
        for head, column in zip(heads, cells, strict=True)
    ]
    columns[0] = replace(columns[0], marked=block.marked is not None)
    if block.drawn and style.width >= WIDE:
        columns = _with_strip(columns, block, style.width)
    columns = [column for column in columns if column.name or any(column.cells)]
    text = _laid_out(columns, n_rows, block, style)
    n_more = len(block.rows) - n_rows
    below = [block.rest.format(f"{n_more:,}")] * (n_more > 0)
    below += [": ".join(filter(None, (block.after, block.hint)))] * bool(block.after)
    return text + (_drawn(Text(_text(", ".join(below))), style) if below else "")


def _with_strip(columns: list[_Column], block: BlockTable, width: int) -> list[_Column]:
    """Add a column of drawn intervals, where there is room."""
    signed = [
        replace(column, head=replace(column.head, name=f"{column.head.sign} {column.name}"))
        if column.head.sign
        else column
        for column in columns
    ]
    taken = sum(max(map(cell_len, [column.name, *column.cells])) + GAP for column in signed)
    strip = strip_of(block.drawn, width - taken - len(MARK))
    if strip is None:
        return columns
    head = TableColumn(strip.scale(), text=True, whole=True)
    return [*signed, _Column(head, [strip.drawn(figure) for figure in block.drawn])]


def _laid_out(columns: Sequence[_Column], n_rows: int, block: BlockTable, style: Style) -> str:
    """Return columns side by side, in parts, or row by row."""
    n_keys, room = max(sum(column.head.key for column in columns), 1), style.width + GAP
    for shown in (columns, [column.broken() for column in columns]):
        parts = [[*shown[:n_keys]]]
        for column in shown[n_keys:]:
            if _taken([*parts[-1], column]) > room:
                parts.append([*shown[:n_keys]])
            parts[-1].append(column)
        if len(parts) == 1:
            break
    if n_rows and any(_taken(part) > room for part in parts):
        rows = [
            [(column.name.strip(), column.cells[n]) for column in columns] for n in range(n_rows)
        ]
        if block.marked is not None and block.marked < n_rows:
            name, text = rows[block.marked][0]
            rows[block.marked][0] = (name, MARK + text)
        return "\n".join(_drawn(_facts(row), style) for row in rows)
    return "\n".join(_drawn(_side_by_side(part, n_rows, block.marked), style) for part in parts)


def _taken(columns: Sequence[_Column]) -> int:
    return sum(column.least + GAP for column in columns)


def _side_by_side(columns: Sequence[_Column], n_rows: int, marked: int | None) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="")
    lines = max(column.name.count("\n") for column in columns)
    for column in columns:
        # names of one line stand where the others end
        name = Text("\n" * (lines - column.name.count("\n")) + column.name)
        head = _Marked(" " * len(MARK), name) if column.marked else name
        side: JustifyMethod = "left" if column.head.text else "right"
        table.add_column(head, justify=side, no_wrap=column.kept, overflow="fold")
    for n in range(n_rows):
        mark = MARK if n == marked else " " * len(MARK)
        cells = [Text(column.cells[n]) for column in columns]
        table.add_row(
            *(
                _Marked(mark, cell) if column.marked else cell
                for column, cell in zip(columns, cells, strict=True)
            )
        )
    return table


MOST_DRAWN, LEAST_DRAWN = 48, 28
"""Characters of a drawing, at most and at least."""

NOISE_TOLERANCE = 1e-9
"""Rounding that moves no figure to another character."""

APART = 9
"""Characters from one number of the scale to the next, at least."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A scale that is drawn so many characters wide.

    low, high: performances at its two ends; the numbers of the scale are at multiples of `step`.
    step: from one number to the next.
    width: in characters.
    """

    low: float
    high: float
    step: float
    width: int

    def scale(self) -> str:
        """Return the numbers, each over its place; the first and the last within the ends."""
        line = [" "] * self.width
        for position in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + position * self.step
            text = self.number(value)
            start = min(max(self._at(value) - len(text) // 2, 0), self.width - len(text))
            line[start : start + len(text)] = text
        return "".join(line)

    def number(self, value: float) -> str:
        """Return a number of the scale, with as many decimals as the step has."""
        return fixed(value, max(0, -math.floor(math.log10(self.step) + NOISE_TOLERANCE)))

    def drawn(self, estimate: Estimate) -> str:
        """Return one estimate; nothing of it that is missing or infinite."""
        line = [" "] * self.width
        ends = _ends(estimate)
        if ends:
            first, last = self._at(min(ends)), self._at(max(ends))
            line[first : last + 1] = "-" * (last + 1 - first)
        interval = estimate.interval
        for end in (interval.lower, interval.upper) if interval else ():
            if end is not None and end in ends:
                line[self._at(end)] = "|"
        for value, mark in ((estimate.naive, "x"), (_corrected(estimate), "o")):
            if value is not None and math.isfinite(value):
                line[self._at(value)] = mark
        return "".join(line).rstrip()

    def _at(self, value: float) -> int:
        return round((value - self.low) / (self.high - self.low) * (self.width - 1))


def strip_of(estimates: Iterable[Estimate], width: int) -> Strip | None:
    """Return the scale that holds all of some estimates; None where there is nothing to compare.

    estimates: of one metric.
    width: characters that there are; no more than `MOST_DRAWN` are used.
    """
    width, values = min(width, MOST_DRAWN), [v for e in estimates for v in _values(e)]
    span = max(values) - min(values) if values else 0.0
    if (
        width < LEAST_DRAWN
        or not NOISE_TOLERANCE * max(map(abs, values), default=0.0) < span < math.inf
    ):
        return None
    for power in range(3):
        step = _step(span / (width // APART)) * 10.0**power
        low = math.floor(min(values) / step + NOISE_TOLERANCE)
        high = math.ceil(max(values) / step - NOISE_TOLERANCE)
        strip = Strip(low * step, high * step, step, width)
        if math.isfinite(strip.high - strip.low):
            longest = max(len(strip.number(end)) for end in (strip.low, strip.high))
            # so that numbers don't touch, not even those at the ends
            if width * (step / (strip.high - strip.low)) > 1.5 * longest + 1:
                return strip
    return None


def _step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - NOISE_TOLERANCE))


def _values(estimate: Estimate) -> list[float]:
    figures = [*_ends(estimate), estimate.naive, _corrected(estimate)]
    return [value for value in figures if value is not None and math.isfinite(value)]


def _ends(estimate: Estimate) -> list[float]:
    """Ends of an interval's line; a side that was not estimated ends at the estimate."""
    interval = estimate.interval
    if interval is None:
        return []
    sides = {"lower": [interval.lower], "upper": [interval.upper]}
    ends = sides.get(interval.side, [interval.lower, interval.upper])
    finite = [end for end in ends if end is not None and math.isfinite(end)]
    if len(finite) == 1 and estimate.value is not None:
        finite.append(estimate.value)
    return finite if len(finite) == 2 else []


def _corrected(estimate: Estimate) -> float | None:
    return None if estimate.method == NAIVE else estimate.value
