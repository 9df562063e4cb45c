"""Blocks as Markdown, in which no text of a file is markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from bbccli.notes import Note, severity_of
from bbccli.platform.text import visible
from bbccli.reports import Style
from bbccli.reports.content import (
    MOST_ROWS,
    AllNotesOnly,
    AnswerLines,
    Block,
    BlockTable,
    Doubts,
    FactList,
    Heading,
    Line,
    Notes,
    NotOnTerminal,
    n_shown,
)


def write(results: Iterable[Iterable[Block]], style: Style) -> str:
    """Return the blocks of some results, one result after the other."""
    return "\n".join(map(markdown, results))


def markdown(blocks: Iterable[Block]) -> str:
    """Return the blocks of one result."""
    return "\n\n".join(part for block in blocks for part in _parts(block) if part) + "\n"


def _parts(block: Block) -> Iterator[str]:
    match block:
        case NotOnTerminal(inner) | AllNotesOnly(inner):
            yield from _parts(inner)
        case Heading(text, more, run):
            yield f"### {escaped(text)}"
            yield escaped(more)
            yield "  \n".join(map(escaped, run))
        case Doubts(notes):
            yield "\n\n".join(f"**DOUBT:** {_note(note)}" for note in notes)
        case AnswerLines(answers):
            yield "\n\n".join(f"**{escaped(line)}**" for line in answers)
        case Line(text):
            yield escaped(text)
        case FactList(rows):
            yield "\n".join(_items(rows))
        case Notes(notes, facts):
            items = (f"- {severity_of(note.code).label}: {_note(note)}" for note in notes)
            yield "\n".join([*_items(facts), *items])
        case BlockTable():
            yield _table(block)
            yield from _parts(FactList(block.facts))


def _note(note: Note) -> str:
    return f"{escaped(note.text)}." + (f" *{escaped(note.remedy)}*" if note.remedy else "")


def _items(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Facts as items of a list; one without a name continues the item above."""
    above = ""
    for name, *texts in rows:
        above = name or above
        if any(texts):
            yield f"- {escaped(above)}: {escaped(', '.join(texts))}"


def _table(block: BlockTable) -> str:
    shown = block.rows[: n_shown(len(block.rows), max(block.most, MOST_ROWS))]
    filled = [
        n for n, column in enumerate(block.columns) if column.name or any(row[n] for row in shown)
    ]
    columns = [block.columns[n] for n in filled]
    lines = [[escaped(column.name.strip()) for column in columns]]
    lines.append(["---" if column.text else "--:" for column in columns])
    for position, row in enumerate(shown):
        cells = [escaped(row[n].strip()) for n in filled]
        if position == block.marked:
            cells = [f"**{cell}**" if cell else cell for cell in [f"&gt; {cells[0]}", *cells[1:]]]
        lines.append(cells)
    n_more = len(block.rows) - len(shown)
    rest = f"\n\nand {n_more:,} more" if n_more else ""
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + rest


_MARKUP = re.compile(r"[\\`*_\[\]|~#!]|(?<=:)/(?=/)|(?i:(?<=\bwww)\.)")

_CALL = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
"""Text that GitHub and GitLab link, even after a backslash: persons, who get a mail, and issues."""


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
