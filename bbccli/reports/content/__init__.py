"""The content of results, put together once per kind; each form writes its blocks in its own way.

The `blocks` of a kind of result yield headings, lines, facts, tables and notes with raw text, which
`terminal.py`, `markdown.py` and `page/sections.py` escape. What only one form needs is also on the
block, not in the content. `blocks_of` puts the doubts above the answer of every kind, so that no
form can forget them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from importlib import import_module
from pathlib import PurePath
from typing import Any

from bbccli.documents.correct import doubts_of, gate_outcome
from bbccli.domain.estimate import Estimate
from bbccli.notes import Note
from bbccli.platform.dataclass import dataclass

MOST_ROWS = 15
"""Rows of a table on a terminal and in Markdown, at most; CSV and JSON have all of them."""


def n_shown(n_rows: int, most: int = MOST_ROWS) -> int:
    """Return the number of rows shown; a single further row takes no more room than its count.

    >>> n_shown(16), n_shown(17)
    (16, 15)
    """
    return n_rows if n_rows <= most + 1 else most


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line: what the result is about, and lines on the run behind it."""

    text: str
    more: str = ""
    lines: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Doubts:
    """Notes by which the answer below them may be wrong; see `content.blocks_of`."""

    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class AnswerLines:
    """Sentences that come first, together, as the answer: they alone are bold.

    lines: the sentences.
    looks: style of those that a terminal does not write in bold.
    plain: those that a page does not write in bold.
    """

    lines: Sequence[str]
    looks: Mapping[str, str] = field(default_factory=dict)
    plain: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or several on lines of their own."""

    text: str


@dataclass(frozen=True, slots=True)
class FactList:
    """Names and the texts on each; rows without a text are left out, one without a name goes on."""

    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    name: its head.
    text: True if its cells are words; those of figures are flush right and never wrapped.
    whole: True if its cells are never wrapped.
    key: True if it names the row, and is repeated where a table goes on below.
    wide: True if a terminal leaves it out.
    sign: the character that stands for its figures in a drawing.
    cell: text of its cell in the row of a record, see `BlockTable.of`.
    """

    name: str
    cell: Callable[[Any], str] = str
    text: bool = False
    whole: bool = False
    key: bool = False
    wide: bool = False
    sign: str = ""


@dataclass(frozen=True, slots=True)
class BlockTable:
    """Rows under their heads.

    most: rows on a terminal, at most.
    rest: words on the others, around their number.
    after: words that follow.
    hint: options that show what `after` counts; only a terminal says them.
    facts: facts that belong below it.
    marked: position of the row that the answer is about, if there is one.
    drawn: estimates of the rows, whose intervals a wide terminal draws beside them.
    title: its heading on a page.
    figure: the figure that replaces it on a page.
    """

    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[str]]
    most: int = MOST_ROWS
    rest: str = "and {} more, shown by --format csv"
    after: str = ""
    hint: str = ""
    facts: Sequence[tuple[str, ...]] = ()
    marked: int | None = None
    drawn: Sequence[Estimate] = ()
    title: str = ""
    figure: str = ""

    @classmethod
    def of(cls, columns: Sequence[TableColumn], records: Sequence[Any], **more: Any) -> BlockTable:
        """Return a row for each of some records, without columns in which none has a text."""
        cells = [[column.cell(record) for record in records] for column in columns]
        kept = [n for n, texts in enumerate(cells) if any(texts) or not records]
        rows = list(zip(*(cells[n] for n in kept), strict=True))
        return cls([columns[n] for n in kept], rows, **more)

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
    """Notes, after the facts that say how sure the answer is."""

    notes: Sequence[Note]
    facts: Sequence[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class NotOnTerminal:
    """A block that all forms but a terminal show."""

    block: Heading | Line | FactList | BlockTable | Notes


@dataclass(frozen=True, slots=True)
class AllNotesOnly:
    """A block that a terminal shows with --notes all; else words in its place, if any."""

    block: FactList | BlockTable
    text: str = ""


Block = (
    Heading
    | Doubts
    | AnswerLines
    | Line
    | FactList
    | BlockTable
    | Notes
    | NotOnTerminal
    | AllNotesOnly
)


def blocks_of(document: Any) -> Iterator[Block]:
    """Yield the blocks of a record, its doubts above the answer and not again among the notes."""
    doubts = doubts_of(document)
    for block in import_module(f"{__name__}.{document.command}").blocks(document):
        if isinstance(block, AnswerLines) and doubts:
            yield Doubts(doubts)
        if isinstance(block, Notes):
            yield replace(block, notes=[note for note in block.notes if note not in doubts])
        else:
            yield block


def answer_of(document: Any) -> list[str]:
    """Return the sentences of the answer; names are not yet escaped."""
    answers = (block.lines for block in blocks_of(document) if isinstance(block, AnswerLines))
    return list(next(answers, ()))


def look_of(document: Any) -> str:
    """Return the look of a gate's verdict on a terminal."""
    return {"met": "green", "met, with doubts": "yellow"}.get(gate_outcome(document), "red")


def short_paths(paths: Sequence[str]) -> list[str]:
    """Return paths without their common parts at the start and at the end.

    >>> short_paths(["runs/a/p.csv", "runs/b/p.csv"]), short_paths(["runs/a/p.csv"])
    (['a', 'b'], ['runs/a/p.csv'])
    >>> short_paths(["/runs/a.csv", "/runs/b.csv"])
    ['a.csv', 'b.csv']
    """
    if len({*paths}) < 2:
        return list(paths)
    from bbccli.reading.layout.stack import without_common

    shorter = without_common([PurePath(path).parts for path in paths])
    return shorter if len({*shorter}) == len({*paths}) else list(paths)
