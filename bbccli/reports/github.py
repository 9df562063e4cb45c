"""The document as annotations of GitHub Actions: workflow commands on standard output."""

from __future__ import annotations

from typing import Any

from bbccli.reports import words
from bbccli.reports.base import Style
from bbccli.reports.remarks import notes_of, plain
from bbccli.reports.sentence import sentences

Json = dict[str, Any]


def render(document: Json, style: Style = Style(), /) -> str:
    """Return a notice for what to report, a warning per note, an error for a gate not met."""
    title = f"bbc: {document['input']['path']}"
    lines = [command("notice", title, said) for said in sentences(document)]
    if document["gate"] is not None:
        kind = "notice" if document["gate"]["outcome"] == "met" else "error"
        lines.append(command(kind, title, words.gate_sentence(document["gate"])))
    for note in notes_of(document):
        hint = f"; hint: {note['remedy']}" if note["remedy"] else ""
        lines.append(command("warning", title, note["text"] + hint))
    return "".join(f"{line}\n" for line in lines)


def command(kind: str, title: str, message: str) -> str:
    """Return a workflow command, escaped as the toolkit of GitHub Actions does.

    Examples
    --------
    >>> command("error", "bbc: a.csv", "5 %")
    '::error title=bbc%3A a.csv::5 %25'
    """
    # The runner undoes %0A and %0D, so ends of lines could come back: plain() has none left.
    data = plain(message).replace("%", "%25")
    name = plain(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{data}"
