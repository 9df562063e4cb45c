"""The document as Markdown, for the summary of a CI job or a comment on a pull request."""

from __future__ import annotations

import html
import re
from typing import Any

from bbccli.reports import words
from bbccli.reports.base import Style
from bbccli.reports.remarks import metric_label, metrics_of, notes_of, plain, understood
from bbccli.reports.sentence import sentences

Json = dict[str, Any]

_MARKUP = re.compile(r"[\\`*_\[\]|~#!]|(?<=:)/(?=/)|(?i:(?<=\bwww)\.)")


def render(document: Json, style: Style = Style(), /) -> str:
    """Return a heading, the sentence to report, the verdict, a table per metric, and the notes."""
    parts = [f"### {escaped(document['input']['path'])}", escaped(understood(document))]
    parts += [f"**{escaped(sentence)}**" for sentence in sentences(document)]
    if document["gate"] is not None:
        verdict = words.gate_sentence(document["gate"])
        parts.append(f"**{verdict[0].upper()}{escaped(verdict[1:])}**")
    parts += [_methods(document, metric) for metric in metrics_of(document)]
    if comparison := words.comparison(document, "Report the row in bold"):
        parts.append(f"{comparison}.")
    parts.append("\n".join([*_winners(document), *map(_note, notes_of(document))]))
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line: no markup, HTML, link or cell.

    Examples
    --------
    >>> print(escaped("a|b <i>x</i> [c](http://d)"))
    a\|b &lt;i&gt;x&lt;/i&gt; \[c\](http:\//d)
    """
    return _MARKUP.sub(r"\\\g<0>", html.escape(plain(text), quote=False))


def _methods(document: Json, metric: str) -> str:
    """One row per method, for one metric; the one to report in bold."""
    interval = words.interval_name(document, words.estimates_of(document, metric))
    marked = any(words.marks(document).values())
    names = ["method", *(["winner"] if marked else []), "", escaped(metric_label(metric))]
    lines = [_line([*names, interval, "naive", "optimism"])]
    lines.append(f"|{'---|' * (len(names) - 1)}--:|---|--:|--:|")
    for row in words.rows(document, metric):
        mark = [row.mark] if marked else []
        cells = [escaped(cell) for cell in (row.method, *mark, *row.cells)]
        lines.append(_line([f"**{cell}**" if row.reported and cell else cell for cell in cells]))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _winners(document: Json) -> list[str]:
    marks = words.marks(document)
    return [
        f"- {f'winner {marks[winner]}'.rstrip()}: **{escaped(winner)}**, {escaped(rule)}"
        for winner, rule in words.winners(document).items()
    ]


def _note(note: Json) -> str:
    hint = f" *{escaped(note['remedy'])}*" if note["remedy"] else ""
    return f"- note: {escaped(note['text'])}.{hint}"
