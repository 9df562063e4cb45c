"""The document as Markdown, for the summary of a CI job or a comment on a pull request."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from bbccli.notes import Note
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.sentences import gate_sentence, sentences
from bbccli.schema import Envelope
from bbccli.text import visible

_MARKUP = re.compile(r"[\\`*_\[\]|~#!]|(?<=:)/(?=/)|(?i:(?<=\bwww)\.)")

_CALL = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
"""What GitHub and GitLab link, also behind a backslash: a person, who is told, and an issue."""


def render(documents: Sequence[Envelope], style: Style) -> str:
    """Return one section per document."""
    return "\n".join(map(_section, documents))


def _section(document: Envelope) -> str:
    """A heading, what was read, the sentence to report, the verdict, tables, and the notes."""
    parts = [f"### {escaped(document.input.path)}", escaped(phrases.understood(document))]
    parts += ["  \n".join(escaped(line) for line in phrases.lines_on_run(document))]
    parts += [f"**{escaped(sentence)}**" for sentence in sentences(document)]
    if document.gate is not None:
        verdict = gate_sentence(document.gate)
        parts.append(f"**{verdict[0].upper()}{escaped(verdict[1:])}**")
    parts += [_methods(document, metric) for metric in phrases.metrics_of(document)]
    if comparison := phrases.comparison(document, "Report the row in bold"):
        parts.append(f"{comparison}.")
    parts.append("\n".join([*_winners(document), *map(note_item, phrases.notes_of(document))]))
    return "\n\n".join(part for part in parts if part) + "\n"


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


def _methods(document: Envelope, metric: str) -> str:
    """One row per method, for one metric; the one to report in bold."""
    interval = phrases.interval_name(document, phrases.estimates_of(document, metric))
    marked = any(phrases.marks(document).values())
    names = ["method", *(["winner"] if marked else []), "", escaped(phrases.metric_label(metric))]
    lines = [_line([*names, interval, "naive", "optimism"])]
    lines.append(f"|{'---|' * (len(names) - 1)}--:|---|--:|--:|")
    for row in phrases.rows(document, metric):
        mark = [row.mark] if marked else []
        cells = [escaped(cell) for cell in (row.method, *mark, *row.cells)]
        lines.append(_line([f"**{cell}**" if row.reported and cell else cell for cell in cells]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _winners(document: Envelope) -> list[str]:
    marks = phrases.marks(document)
    return [
        f"- {f'winner {marks[winner]}'.rstrip()}: **{escaped(winner)}**, {escaped(rule)}"
        for winner, rule in phrases.winners(document).items()
    ]


def note_item(note: Note) -> str:
    """Return a note as an item of a list."""
    hint = f" *{escaped(note.remedy)}*" if note.remedy else ""
    return f"- note: {escaped(note.text)}.{hint}"
