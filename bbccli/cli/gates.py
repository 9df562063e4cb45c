"""Results and the verdicts on them: where they are printed, and the status they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from bbccli import gate
from bbccli.cli.output import style_for_stdout, write
from bbccli.cli.streams import say
from bbccli.reports import FOR_PEOPLE, Style, remarks, render_all
from bbccli.reports.remarks import plain
from bbccli.types import GateOutcome

Json = dict[str, Any]


def publish(documents: Sequence[Json], format: str, output: str, *, quiet: bool) -> None:
    """Write documents as one report; where it is for programs, tell people on standard error.

    Files without a result are lines of JSON; other forms have no place for them.
    """
    whole = [document for document in documents if "error" not in document]
    documents = documents if format in ("json", "jsonl") else whole
    if format not in FOR_PEOPLE and not quiet:
        for document in whole:
            for line in remarks(document):
                say(line)
    style = style_for_stdout() if output == "-" else Style()
    write(render_all(format, documents, style), output)


def exit_by_gates(documents: Sequence[Json]) -> None:
    """Say which gates were not met and leave with their status; return where all were met."""
    for document in documents:
        if "error" in document:
            say(f"failed: {plain(document['error']['problem'])}")
            continue
        verdict = document["gate"]
        if verdict is not None and verdict["outcome"] != GateOutcome.MET:
            from bbccli.reports.words import gate_line

            say(gate_line(document))
    if status := gate.status(documents):
        raise typer.Exit(status)


def print_verdicts(documents: Sequence[Json], output: str) -> None:
    """Write a line per gate; on standard output those that are met, for others go to the errors."""
    from bbccli.reports.words import gate_line

    whole = [document for document in documents if "error" not in document]
    shown = [d for d in whole if output != "-" or d["gate"]["outcome"] == GateOutcome.MET]
    write("".join(f"{gate_line(document)}\n" for document in shown), output)
