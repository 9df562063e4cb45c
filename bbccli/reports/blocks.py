"""The blocks of a result: content is put together once, and each form writes it in its way.

`blocks` of a kind of result yields headings, lines, facts, tables and notes, whose text is as it
came: `terminal`, `markdown` and `page/sections.py` escape it. A form that needs more of a block
than another finds it on the block, not in the content.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bbccli.core.notes import Note
from bbccli.core.results import Estimate
from bbccli.core.text import visible
from bbccli.reports import Style

MOST_ROWS = 30
"""Rows of a table on a terminal and in Markdown, at most; CSV and JSON have all of them."""


WIDE = 100
"""Columns of a terminal from which on intervals are drawn."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line: what the result is about, and lines on the run behind it."""

    text: str
    more: str = ""
    lines: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AnswerLines:
    """Sentences that stand together and answer first, each with its look on a terminal."""

    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or several on lines of their own."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class FactList:
    """Names and the texts on each; rows without a text are left out, one without a name goes on."""

    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Attributes
    ----------
    name
        Its head.
    figures
        True if its cells are flush right and never wrapped.
    whole
        True if its cells are never wrapped.
    key
        True if it names the row, and is repeated where a table goes on below.
    wide
        True if a terminal leaves it out.
    sign
        The character that stands for its figures in a drawing.
    """

    name: str
    figures: bool = True
    whole: bool = False
    key: bool = False
    wide: bool = False
    sign: str = ""


@dataclass(frozen=True, slots=True)
class BlockTable:
    """Rows under their heads.

    Attributes
    ----------
    most
        Rows on a terminal, at most.
    rest
        Words on the others, around their number.
    after
        Words that follow.
    facts
        Facts that belong below it.
    looks
        Style of each row on a terminal.
    gap
        Blanks between columns.
    drawn
        Estimates of the rows, whose intervals a wide terminal draws beside them.
    title
        Its heading on a page.
    figure
        The figure that replaces it on a page.
    """

    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[str]]
    most: int = MOST_ROWS
    rest: str = "and {} more, see --format csv"
    after: str = ""
    facts: Sequence[tuple[str, ...]] = ()
    looks: Sequence[str] = ()
    gap: int = 2
    drawn: Sequence[Estimate] = ()
    title: str = ""
    figure: str = ""

    @classmethod
    def of_text(
        cls, heads: Sequence[str], rows: Sequence[Sequence[str]], *, whole: bool = False
    ) -> BlockTable:
        """Return all rows of words; if `whole`, only the first column is ever wrapped."""
        first, *others = heads
        columns = [TableColumn(name, figures=False, whole=whole) for name in others]
        return cls([TableColumn(first, figures=False), *columns], rows, most=len(rows))


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes, after the facts and before the gate that close the screen of a terminal."""

    notes: Sequence[Note]
    facts: Sequence[tuple[str, ...]] = ()
    gate: str = ""
    legend: str = ""
    """Which row is to be reported, and what the others are for."""


@dataclass(frozen=True, slots=True)
class Wide:
    """A block that all forms but a terminal show."""

    block: Heading | Line | FactList | BlockTable | Notes


Block = Heading | AnswerLines | Line | FactList | BlockTable | Notes | Wide


def write(form: str, results: Iterable[Iterable[Block]], style: Style) -> str:
    """Return the blocks of some results as a table or as Markdown."""
    return "\n".join(terminal(b, style) if form == "table" else markdown(b) for b in results)


def terminal(blocks: Iterable[Block], style: Style) -> str:
    """Return blocks as text of the width of a page, an empty line between them."""
    return "\n".join(part for block in blocks if (part := _on_terminal(block, style)))


def _on_terminal(block: Block, style: Style) -> str:
    from bbccli.reports.layout import add_notes, as_text, fact_rows, styled

    match block:
        case Wide():
            return ""
        case BlockTable():
            return _table_on_terminal(block, style)
        case Heading(text, more, run):
            head = [(visible(text), "bold"), (f"   {more}" if more else "", "")]
            return styled([head, *([(visible(line), "")] for line in run)], style)
        case AnswerLines(answers):
            return styled([[(visible(text), look)] for text, look in answers], style)
        case Line(text):
            return styled([[(visible(text), "")]], style)
        case FactList(rows):
            grid = fact_rows(_known(rows))
        case Notes(notes, facts, gate, legend):
            below = [("", [(legend, "dim")])] if legend else []
            grid = add_notes(fact_rows([*_known(facts), *below]), notes, style)
            if gate:
                grid.add_row("gate", visible(gate))
    return as_text(grid, style) if grid.row_count else ""


def _table_on_terminal(block: BlockTable, style: Style) -> str:
    from bbccli.reports.layout import listing_table

    columns, rows = _columns_of(block, style)
    text = listing_table(
        [visible(column.name) for column in columns],
        rows,
        style,
        figures={visible(column.name) for column in columns if column.figures},
        whole={visible(column.name) for column in columns if column.whole},
        keys=max(sum(column.key for column in columns), 1),
        emphasis=block.looks[: block.most],
        gap=block.gap,
    )
    n_more = len(block.rows) - len(rows)
    below = [block.rest.format(n_more)] * (n_more > 0) + [block.after] * bool(block.after)
    text += f"{', '.join(below)}\n" if below else ""
    return text + _on_terminal(FactList(block.facts), style)


def _columns_of(block: BlockTable, style: Style) -> tuple[list[TableColumn], list[list[str]]]:
    """The columns that a terminal shows, and their cells in each row."""
    kept = [n for n, column in enumerate(block.columns) if not column.wide]
    columns = [block.columns[n] for n in kept]
    rows = [[visible(row[n]) for n in kept] for row in block.rows[: block.most]]
    if block.drawn and style.width >= WIDE:
        columns, rows = _with_strip(columns, rows, block.drawn, style.width)
    kept = _filled(columns, rows)
    return [columns[n] for n in kept], [[row[n] for n in kept] for row in rows]


def _with_strip(
    columns: list[TableColumn], rows: list[list[str]], estimates: Sequence[Estimate], width: int
) -> tuple[list[TableColumn], list[list[str]]]:
    """The same columns and rows with the intervals drawn beside them, where there is room."""
    from bbccli.reports.layout import width_of_table
    from bbccli.reports.strip import strip_of

    signed = [replace(one, name=f"{one.sign} {one.name}") if one.sign else one for one in columns]
    strip = strip_of(estimates, width - width_of_table([[one.name for one in signed], *rows]))
    if strip is None:
        return columns, rows
    drawing = TableColumn(strip.scale(), figures=False, whole=True)
    cells = [[*row, strip.drawn(one)] for row, one in zip(rows, estimates, strict=True)]
    return [*signed, drawing], cells


def _filled(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]]) -> list[int]:
    """Positions of the columns that have a name or a cell."""
    return [n for n, one in enumerate(columns) if one.name or any(row[n] for row in rows)]


def _known(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Facts that have a text, with its look; of several texts the first is in bold."""
    return [
        (
            visible(name),
            [(visible(first), "bold" * bool(more)), *((f"   {visible(one)}", "") for one in more)],
        )
        for name, first, *more in rows
        if first or any(more)
    ]


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown, in which no text of a file is markup."""
    return "\n\n".join(part for block in blocks for part in _in_markdown(block) if part) + "\n"


def _in_markdown(block: Block) -> Iterator[str]:
    match block:
        case Wide(wide):
            yield from _in_markdown(wide)
        case Heading(text, more, run):
            yield f"### {escaped(text)}"
            yield escaped(more)
            yield "  \n".join(map(escaped, run))
        case AnswerLines(answers):
            yield "\n\n".join(f"**{escaped(line)}**" for line, _ in answers)
        case Line(text, strong):
            yield f"**{escaped(text)}**" if strong and text else escaped(text)
        case FactList(rows) | Notes(_, rows):
            if isinstance(block, Notes) and block.legend:
                yield f"Report {escaped(block.legend)}."
            items = list(_items(rows))
            items += map(note_item, block.notes if isinstance(block, Notes) else ())
            yield "\n".join(items)
        case BlockTable():
            yield _table_in_markdown(block)
            yield from _in_markdown(FactList(block.facts))


def _items(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Facts as items of a list; those without a name go on under the one above."""
    above = ""
    for name, *texts in rows:
        above = name or above
        if any(texts):
            yield f"- {escaped(above)}: {escaped(', '.join(texts))}"


def _table_in_markdown(block: BlockTable) -> str:
    shown = block.rows[: max(block.most, MOST_ROWS)]
    kept = _filled(block.columns, shown)
    columns = [block.columns[n] for n in kept]
    lines = [[escaped(column.name.strip()) for column in columns]]
    lines.append(["--:" if column.figures else "---" for column in columns])
    for position, row in enumerate(shown):
        cells = [escaped(row[n].strip()) for n in kept]
        is_bold = block.looks[position : position + 1] == ["bold"]
        lines.append([f"**{cell}**" if is_bold and cell else cell for cell in cells])
    n_more = len(block.rows) - len(shown)
    rest = f"\n\nand {n_more} more" if n_more else ""
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + rest


_MARKUP = re.compile(r"[\\`*_\[\]|~#!]|(?<=:)/(?=/)|(?i:(?<=\bwww)\.)")

_CALL = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
"""What GitHub and GitLab link, also behind a backslash: a person, who is told, and an issue."""


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line: no markup, HTML, link, cell or call.

    Examples
    --------
    >>> print(escaped("a|b <i>x</i> [c](http://d)"))
    a\|b &lt;i&gt;x&lt;/i&gt; \[c\](http:\//d)
    >>> print(escaped("@me #1"))
    @<!-- -->me \#<!-- -->1
    """
    plain = _MARKUP.sub(r"\\\g<0>", html.escape(visible(text), quote=False))
    return _CALL.sub(r"\g<0><!-- -->", plain)


def note_item(note: Note) -> str:
    """Return a note as an item of a list."""
    hint = f" *{escaped(note.remedy)}*" if note.remedy else ""
    return f"- note: {escaped(note.text)}.{hint}"
