"""The blocks of a result: content is put together once, and each form writes it in its way.

`blocks` of a kind of result yields headings, lines, facts, tables and notes, whose text is as it
came: `terminal.py`, `markdown.py` and `page/sections.py` escape it. A form that needs more of a
block than another finds it on the block, not in the content.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bbccli.core.notes import Note
from bbccli.core.results import Estimate

MOST_ROWS = 30
"""Rows of a table on a terminal and in Markdown, at most; CSV and JSON have all of them."""


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
    text
        True if its cells are words; those of figures are flush right and never wrapped.
    whole
        True if its cells are never wrapped.
    key
        True if it names the row, and is repeated where a table goes on below.
    wide
        True if a terminal leaves it out.
    sign
        The character that stands for its figures in a drawing.
    cell
        Text of its cell in the row of a record, see `BlockTable.of`.
    optional
        True if it is left out where no record has such a text.
    """

    name: str
    cell: Callable[[Any], str] = str
    text: bool = False
    whole: bool = False
    key: bool = False
    wide: bool = False
    sign: str = ""
    optional: bool = False


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
    def of(cls, columns: Sequence[TableColumn], records: Sequence[Any], **more: Any) -> BlockTable:
        """Return a row for each of some records."""
        cells = [[one.cell(record) for record in records] for one in columns]
        kept = [
            (one, its)
            for one, its in zip(columns, cells, strict=True)
            if not one.optional or any(its)
        ]
        rows = list(zip(*(its for _, its in kept), strict=True))
        return cls([one for one, _ in kept], rows, **more)

    @classmethod
    def of_text(
        cls, heads: Sequence[str], rows: Sequence[Sequence[str]], *, whole: bool = False
    ) -> BlockTable:
        """Return all rows of words; if `whole`, only the first column is ever wrapped."""
        first, *others = heads
        columns = [TableColumn(name, text=True, whole=whole) for name in others]
        return cls([TableColumn(first, text=True), *columns], rows, most=len(rows))


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes, after the facts and before the gate that close the screen of a terminal."""

    notes: Sequence[Note]
    facts: Sequence[tuple[str, ...]] = ()
    gate: str = ""


@dataclass(frozen=True, slots=True)
class Wide:
    """A block that all forms but a terminal show."""

    block: Heading | Line | FactList | BlockTable | Notes


Block = Heading | AnswerLines | Line | FactList | BlockTable | Notes | Wide
