"""Sections of a page: figures with their data, tables, facts, notes, methods, and the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bbccli.notes import Note, Severity, by_severity, severity_of
from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import count
from bbccli.reports.content import (
    AllNotesOnly,
    AnswerLines,
    Block,
    BlockTable,
    Doubts,
    FactList,
    Line,
    Notes,
    NotOnTerminal,
)
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import Absent, Drawn
from bbccli.reports.figures.base import in_prose
from bbccli.reports.figures.rendering import can_render, inline_svg, obstacle, small_svg
from bbccli.reports.page.markup import (
    Markup,
    code,
    details,
    dotted_list,
    facts_table,
    resource,
    section,
    table,
    tag,
)

MOST_ROWS = 200
"""Rows of a table of data; the rest are counted."""

MOST_OPEN = 15
"""Rows of a table that is not folded."""

MOST_SETS = 50
"""Data sets that are listed; the rest are counted."""


def sections(blocks: Iterable[Block], figures: Sequence[Drawn | Absent] = ()) -> list[Markup]:
    """Return the blocks of one result and its figures as sections of a page."""
    parts = _Parts.of(blocks)
    shown = {figure.kind for figure in figures if isinstance(figure, Drawn)}
    tables = [table for table in parts.tables if table.figure not in shown]
    return [
        parts.verdict(),
        *(_table(table) for table in tables if not table.title),
        parts.summary(),
        notes_section(parts.notes, parts.doubts),
        figure_sections(figures) if figures else Markup(),
        *(
            section(table.title, table.title.lower().replace(" ", "-"), _table(table))
            for table in tables
            if table.title
        ),
    ]


def summary(blocks: Iterable[Block]) -> Markup:
    """Return the facts of one result: the sentence to quote, how sure the choice is, and others."""
    return _Parts.of(blocks).summary()


def cell_of_blocks(blocks: Iterable[Block], figures: Sequence[Drawn | Absent] = ()) -> Markup:
    """Return the head of the page of one result: tables that have a title are folded.

    figures: of the result; the first that is drawn is shown.
    """
    parts = _Parts.of(block for block in blocks if not isinstance(block, Line))
    answers = [_table(table) for table in parts.tables if not table.title]
    folded = [details(table.title, _table(table)) for table in parts.tables if table.title]
    return cell([parts.verdict(), picture(figures), *answers, *parts.facts(), *folded], parts.notes)


def cell(parts: Sequence[Markup], notes: Sequence[Note]) -> Markup:
    """Return the head of a page as a notebook shows it, with the notes folded below it."""
    folded = [details(count(len(notes), "note"), listed_notes(notes))] if notes else []
    style = Markup(f"<style>{resource('cell.css')}</style>")
    return tag("div", style, *parts, *folded, class_="bbc-result")


def picture(figures: Iterable[Drawn | Absent]) -> Markup:
    """Return the first figure that is drawn, for a notebook; nothing where none can be."""
    drawn = next((figure for figure in figures if isinstance(figure, Drawn)), None)
    if drawn is None or not can_render():
        return Markup()
    return tag("figure", Markup(inline_svg(drawn, f"bbc-{drawn.kind}")))


def verdict_box(doubts: Sequence[Note], paragraphs: Iterable[Markup]) -> Markup:
    """Return the answer in its box, the doubts about it above it."""
    shown = [
        tag("p", tag("strong", "DOUBT"), Markup(" "), _told(doubt), class_="doubt")
        for doubt in doubts
    ]
    return tag("div", *shown, *paragraphs, class_=f"verdict{' doubted' * bool(doubts)}")


@dataclass(frozen=True, slots=True)
class _Parts:
    doubts: list[Note]
    answers: list[Markup]
    lines: list[str]
    rows: list[tuple[str, ...]]
    tables: list[BlockTable]
    notes: list[Note]

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> _Parts:
        parts = cls([], [], [], [], [], [])
        for item in blocks:
            match item.block if isinstance(item, NotOnTerminal | AllNotesOnly) else item:
                case Doubts(notes):
                    parts.doubts.extend(notes)
                case AnswerLines(answers, plain=plain):
                    parts.answers.extend(
                        tag("p", answer if answer in plain else tag("strong", answer))
                        for answer in answers
                    )
                case Line(text):
                    parts.lines.append(text)
                case FactList(rows):
                    parts.rows.extend(rows)
                case Notes(notes, rows):
                    parts.rows.extend(rows)
                    parts.notes.extend(notes)
                case BlockTable(facts=rows) as block:
                    parts.rows.extend(rows)
                    parts.tables.extend([block] if block.rows else [])
        return parts

    def verdict(self) -> Markup:
        """The sentences that answer."""
        lines = [tag("p", line) for line in self.lines]
        return verdict_box(self.doubts, [*self.answers, *lines])

    def facts(self) -> list[Markup]:
        """Return a table of the facts, if there are any."""
        rows = [(name, ", ".join(texts)) for name, *texts in self.rows if any(texts)]
        return [facts_table("Summary", rows)] if rows else []

    def summary(self) -> Markup:
        """Return the facts under their heading."""
        return section("Summary", "summary", *self.facts())


def _table(block: BlockTable) -> Markup:
    columns = [column.name for column in block.columns]
    rows = [[text or "none" for text in row] for row in block.rows]
    caption = f"All {block.title.lower()}" if block.title else ""
    table = folded_table(caption, columns, rows, marked=block.marked)
    return Markup(table + tag("p", block.after, class_="quiet")) if block.after else table


def figure_sections(figures: Sequence[Drawn | Absent], prefix: str = "") -> Markup:
    """Return a section for each figure that is drawn, and one that names the others.

    prefix: of all ids, where a page has several results.
    """
    drawn = [figure for figure in figures if isinstance(figure, Drawn)]
    items = [
        f"{absent.title}: {absent.reason}." for absent in figures if isinstance(absent, Absent)
    ]
    if not can_render():
        items.insert(0, f"All pictures: {'; hint: '.join(obstacle())}")
    parts = [
        figure_section(figure, f"{prefix}{figure.kind}", landmark=not prefix) for figure in drawn
    ]
    if items:
        parts.append(
            section("Not shown", f"{prefix}absent", dotted_list(items), landmark=not prefix)
        )
    return tag("div", *parts, class_="figures")


def figure_section(drawn: Drawn, ident: str, *, landmark: bool = True) -> Markup:
    """Return one figure under its heading."""
    pictures = inline_svg(drawn, ident) + small_svg(drawn, ident) if can_render() else ""
    return section(
        drawn.title,
        ident,
        tag("p", drawn.reading, class_="reading"),
        tag("figure", Markup(pictures), tag("figcaption", drawn.caption)),
        details("Data as a table", top_rows(f"Data: {drawn.title}", drawn.columns, drawn.rows)),
        landmark=landmark,
    )


def folded_table(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    most: int = MOST_ROWS,
    marked: int | None = None,
) -> Markup:
    """Return a table of the first rows; of many more, all are folded away below it."""
    if len(rows) <= MOST_OPEN:
        return table(caption, columns, rows, marked)
    whole = top_rows(caption, columns, rows, most, marked)
    first = table(caption, columns, rows[:MOST_OPEN], marked)
    which = f"All {len(rows):,}" if len(rows) <= most else f"The first {most} of {len(rows):,}"
    return Markup(first + details(f"{which} rows", whole))


def top_rows(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    most: int = MOST_ROWS,
    marked: int | None = None,
) -> Markup:
    """Return a table of the first rows, and how many more there are."""
    more = len(rows) - most
    rest = tag("p", f"{more:,} more are not listed.", class_="quiet") if more > 0 else ""
    return Markup(table(caption, columns, rows[:most], marked) + rest)


def notes_section(notes: Sequence[Note], doubts: Sequence[Note] = ()) -> Markup:
    """Return some notes under their heading, without the doubts above the answer."""
    notes = [note for note in notes if note not in doubts]
    if not notes:
        text = f"There are no {'other ' * bool(doubts)}notes."
        return section("Notes", "notes", tag("p", text))
    harmless = [note for note in notes if severity_of(note.code) is Severity.HARMLESS]
    others = [note for note in notes if note not in harmless]
    parts = [listed_notes(others)] if others else []
    if harmless:
        parts.append(details(count(len(harmless), "harmless note"), listed_notes(harmless)))
    return section("Notes", "notes", *parts)


def listed_notes(notes: Sequence[Note]) -> Markup:
    """Return some notes, those that matter most first, with their remedies."""
    return dotted_list([_told(note) for note in by_severity(notes)])


def _told(note: Note) -> Markup:
    hint = (Markup(" "), tag("em", f"Hint: {note.remedy}.")) if note.remedy else ()
    code = (Markup(" "), tag("span", f"({note.code})", class_="quiet")) if note.code else ()
    return tag("span", note.text, ".", *hint, *code)


def made_from(exhibit: Exhibit) -> Markup:
    """Return the command line, versions and the hash of the input."""
    document = exhibit.document
    read, plan = document.input, document.plan
    sets = getattr(document, "data_sets", ())
    facts = [
        *((in_prose(s.path), f"SHA-256 {s.sha256 or 'unknown'}") for s in sets[:MOST_SETS]),
        *([("more files", str(len(sets) - MOST_SETS))] if len(sets) > MOST_SETS else []),
        *(
            [("file", read.path), ("SHA-256", read.sha256 or "unknown")]
            if read and not sets
            else []
        ),
        ("bbc", document.version),
        ("seed", str(plan.seed)),
        ("format of results", document.schema),
    ]
    command = [code(exhibit.command)] if exhibit.command else []
    rows = facts_table("Input and versions", facts)
    return section("How this page was made", "made", *command, rows)


def methods_section(text: str, keys: Sequence[str], references: Sequence[str] = ()) -> Markup:
    """Return a paragraph for the methods of a paper, and what to cite.

    keys: of entries of `references.bib`.
    references: of tests, which have no entry.
    """
    entries = {re.split("[{,]", e)[1]: e for e in resource("references.bib").split("\n\n")}
    parts = [tag("p", text)]
    if references:
        parts += [tag("h3", "References of the tests"), dotted_list(references)]
    if keys:
        parts += [tag("h3", "To cite"), code("\n\n".join(entries[key] for key in keys))]
    return section("Methods for a paper", "methods", *parts)
