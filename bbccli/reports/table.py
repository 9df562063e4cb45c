"""The document as a table that needs no paper at hand."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bbccli.documents import Document, EstimateJson, ShareJson, TraceJson
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import as_text, grid_of_facts, note_line
from bbccli.reports.searching import cost_sentence
from bbccli.reports.sentences import gate_sentence, sentences
from bbccli.rounding import percent
from bbccli.text import visible

RARELY = 0.01
"""Configurations that win less often than this are not listed."""


def render(documents: Sequence[Document], style: Style) -> str:
    """Return one screen per document."""
    return "\n".join(_screen(document, style) for document in documents)


def _screen(document: Document, style: Style) -> str:
    """What was read, who won, what to report and what to doubt."""
    path, understood = visible(document["input"]["path"]), phrases.understood(document)
    head = Text.assemble((path, "bold"), "   ", understood)
    for line in phrases.lines_on_run(document):
        head.append(f"\n{line}")
    tables = [_methods(document, metric) for metric in phrases.metrics_of(document)]
    closing = [*_advice(document), *(note_line(note) for note in phrases.notes_of(document))]
    sections: list[RenderableType] = [head, _winners(document), *tables]
    sections += [Group(*closing)] if closing else []
    spaced = [part for section in sections for part in (section, Text(""))]
    return as_text(Group(*spaced[:-1]), style)


def _winners(document: Document) -> RenderableType:
    """One line per distinct winner, with the rule that selected it and how often it wins."""
    grid, marks = grid_of_facts(), phrases.marks(document)
    for winner, rule in phrases.winners(document).items():
        text = Text.assemble((visible(winner), "bold"), f"   {rule}")
        grid.add_row(Text(f"winner {marks[winner]}".rstrip(), "green"), text)
    for estimate in _selections(document):
        shares = [
            f"{percent(s['share'], 0)} {visible(s['configuration'])}" for s in _shares(estimate)
        ]
        grid.add_row(
            Text("wins", "green"),
            Text(f"{_among(estimate)} of {visible(estimate['method'])}: {', '.join(shares)}"),
        )
    for trace in [e["drop_trace"] for e in document["estimates"] if e["drop_trace"]][:1]:
        grid.add_row(
            Text("dropped", "green"), Text(_dropped(trace, document["input"]["n_configurations"]))
        )
    return grid


def _dropped(trace: TraceJson, n_configurations: int) -> str:
    """How many configurations went on the way, and how many models that saves."""
    n_gone = sum(len(step["dropped"]) for step in trace["steps"])
    models = f"{trace['n_trained']} of {trace['n_models']} models trained"
    return f"{n_gone} of {n_configurations} by {trace['rule']}, {models}"


def _among(estimate: EstimateJson) -> str:
    """Where the shares of the winners were counted."""
    return "in the resamples" if estimate["n_resamples"] else "in the outer folds"


def _shares(estimate: EstimateJson) -> list[ShareJson]:
    """Configurations that win now and then, the most frequent first."""
    return [s for s in estimate["selection"] if s["share"] >= RARELY]


def _selections(document: Document) -> list[EstimateJson]:
    """The first estimate that tells how often configurations win, if any."""
    first = phrases.metrics_of(document)[:1]
    found = [e for e in document["estimates"] if e["selection"] and [e["metric"]] == first]
    return found[:1]


def _methods(document: Document, metric: str) -> RenderableType:
    """One row per method, for one metric; the one to report is marked."""
    estimates = phrases.estimates_of(document, metric)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  method", no_wrap=True)
    marked = any(phrases.marks(document).values())
    if marked:
        table.add_column("", no_wrap=True)
    table.add_column("")
    table.add_column(phrases.metric_label(metric), justify="right")
    table.add_column(phrases.interval_name(document, estimates), no_wrap=True)
    table.add_column("naive", justify="right")
    table.add_column("optimism", justify="right")
    for row in phrases.rows(document, metric):
        method = f"{'>' if row.reported else ' '} {visible(row.method)}"
        mark = (row.mark,) if marked else ()
        table.add_row(method, *mark, *row.cells, style="bold" if row.reported else "")
    return table


def _advice(document: Document) -> list[RenderableType]:
    """The sentences to copy into a paper, and the verdict of the gate."""
    grid = grid_of_facts()
    cost = document.get("search_cost")
    if cost is not None:
        grid.add_row(Text("search", "green"), Text(visible(cost_sentence(cost))))
    for said in sentences(document):
        grid.add_row(Text("report", "green"), Text(visible(said), "bold"))
    if comparison := phrases.comparison(document, "the row marked >"):
        grid.add_row("", Text(comparison, "dim"))
    gate = document["gate"]
    if gate is not None:
        colour = "green" if gate["outcome"] == "met" else "red"
        text = gate_sentence(gate).removeprefix("gate ")
        grid.add_row(Text("gate", colour), Text(visible(text)))
    return [grid] if grid.row_count else []
