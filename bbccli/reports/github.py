"""The document as annotations of GitHub Actions: workflow commands on standard output."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.core.notes import Severity, severity_of
from bbccli.core.text import visible
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.sentences import gate_sentence, sentences
from bbccli.schema.correct import Envelope

KINDS = {Severity.DOUBT: "warning", Severity.CARE: "notice"}
"""Annotations of notes; those that are harmless have none, for GitHub shows ten of a kind."""


def render(documents: Sequence[Envelope], style: Style) -> str:
    """Return the annotations of all documents, one on each line."""
    return "".join(f"{line}\n" for document in documents for line in _annotations(document))


def _annotations(document: Envelope) -> list[str]:
    """A notice for what to report, an error for a gate not met, and the notes that matter."""
    title = f"bbc: {document.input.path}"
    lines = [command("notice", title, said) for said in sentences(document)]
    if document.gate is not None:
        kind = "notice" if document.gate.outcome == "met" else "error"
        lines.append(command(kind, title, gate_sentence(document.gate)))
    for note in sorted(phrases.notes_of(document), key=lambda note: severity_of(note.code)):
        level = severity_of(note.code)
        hint = f"; hint: {note.remedy}" if note.remedy else ""
        lines += [command(KINDS[level], title, note.text + hint)] if level in KINDS else []
    return lines


def command(kind: str, title: str, message: str) -> str:
    """Return a workflow command, escaped as the toolkit of GitHub Actions does.

    Examples
    --------
    >>> command("error", "bbc: a.csv", "5 %")
    '::error title=bbc%3A a.csv::5 %25'
    """
    # The runner undoes %0A and %0D, so ends of lines could come back: visible() has none left.
    data = visible(message).replace("%", "%25")
    name = visible(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{data}"
