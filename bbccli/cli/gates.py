"""Results and the verdicts on them: where they are printed, and the status they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from bbccli.cli.output import style_for, write
from bbccli.cli.streams import say
from bbccli.core.documents import Document
from bbccli.core.text import visible
from bbccli.reports import FORMS, Kind
from bbccli.schema import gate
from bbccli.types import GateOutcome


def publish(
    documents: Sequence[Document[Any]],
    format: str,
    output: str,
    kind: Kind = Kind.CORRECT,
    *,
    notes: str,
    quiet: bool,
) -> None:
    """Write documents as one report; where it is for programs, tell people on standard error.

    Files without a result are lines of JSON; other forms have no place for them.
    """
    whole = [document for document in documents if "error" not in document]
    form = FORMS[format]
    if not form.for_people and not quiet:
        tell(whole)
    shown = documents if form.holds_errors else whole
    write(form.render(shown, style_for(output, notes), kind), output)


def tell(documents: Sequence[Document[Any]]) -> None:
    """Say on standard error what was read and what to doubt."""
    from bbccli.reports.phrases import plain_lines

    for document in documents:
        for line in plain_lines(document.record):
            say(line)


def exit_by_gates(documents: Sequence[Document[Any]]) -> None:
    """Say which gates were not met and leave with their status; return where all were met."""
    for document in documents:
        if "error" in document:
            say(f"failed: {visible(document['error']['problem'])}")
            continue
        verdict = document["gate"]
        if verdict is not None and verdict["outcome"] != GateOutcome.MET:
            from bbccli.reports.sentences import gate_line

            say(gate_line(document.record))
    if status := gate.status(documents):
        raise typer.Exit(status)


def print_verdicts(documents: Sequence[Document[Any]], output: str) -> None:
    """Write a line per gate; on standard output those that are met, for others go to the errors."""
    from bbccli.reports.sentences import gate_line

    whole = [document for document in documents if "error" not in document]
    shown = [document for document in whole if output != "-" or _is_met(document)]
    write("".join(f"{gate_line(document.record)}\n" for document in shown), output)


def _is_met(document: Document[Any]) -> bool:
    verdict = document["gate"]
    return verdict is not None and verdict["outcome"] == GateOutcome.MET
