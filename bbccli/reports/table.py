"""The document as a table that needs no paper at hand."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from bbccli.reports import words
from bbccli.reports.base import Style
from bbccli.reports.remarks import metric_label, metrics_of, notes_of, plain, understood
from bbccli.reports.sentence import sentences
from bbccli.rounding import percent

Json = dict[str, Any]

RARELY = 0.01
"""Configurations that win less often than this are not listed."""


def render(document: Json, style: Style = Style(), /) -> str:
    """Return what was read, who won, what to report and what to doubt, in one screen."""
    head = Text.assemble((plain(document["input"]["path"]), "bold"), "   ", understood(document))
    tables = [_methods(document, metric) for metric in metrics_of(document)]
    closing = [*_advice(document), *(note_line(note) for note in notes_of(document))]
    sections: list[RenderableType] = [head, _winners(document), *tables]
    sections += [Group(*closing)] if closing else []
    spaced = [part for section in sections for part in (section, Text(""))]
    return as_text(Group(*spaced[:-1]), style)


def listing_table(header: Sequence[str], rows: Sequence[Sequence[str]], style: Style) -> str:
    """Return rows under a header, wrapped to the width."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for position, name in enumerate(header):
        table.add_column(name, no_wrap=position == 0, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return as_text(table, style)


def as_text(renderable: RenderableType, style: Style) -> str:
    """Return what rich draws, without trailing blanks."""
    console = Console(
        file=StringIO(),
        width=style.width,
        force_terminal=style.colour,
        no_color=not style.colour,
        highlight=False,
    )
    with console.capture() as capture:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _winners(document: Json) -> RenderableType:
    """One line per distinct winner, with the rule that selected it and how often it wins."""
    grid, marks = _grid(), words.marks(document)
    for winner, rule in words.winners(document).items():
        text = Text.assemble((plain(winner), "bold"), f"   {rule}")
        grid.add_row(Text(f"winner {marks[winner]}".rstrip(), "green"), text)
    for estimate in _selections(document):
        shares = [
            f"{percent(s['share'], 0)} {plain(s['configuration'])}" for s in _shares(estimate)
        ]
        grid.add_row(
            Text("wins", "green"),
            Text(f"{_among(estimate)} of {plain(estimate['method'])}: {', '.join(shares)}"),
        )
    for trace in [e["drop_trace"] for e in document["estimates"] if e["drop_trace"]][:1]:
        grid.add_row(
            Text("dropped", "green"), Text(_dropped(trace, document["input"]["n_configurations"]))
        )
    return grid


def _dropped(trace: Json, n_configurations: int) -> str:
    """How many configurations went on the way, and how many models that saves."""
    n_gone = sum(len(step["dropped"]) for step in trace["steps"])
    models = f"{trace['n_trained']} of {trace['n_models']} models trained"
    return f"{n_gone} of {n_configurations} by {trace['rule']}, {models}"


def _among(estimate: Json) -> str:
    """Where the shares of the winners were counted."""
    return "in the resamples" if estimate["n_resamples"] else "in the outer folds"


def _shares(estimate: Json) -> list[Json]:
    """Configurations that win now and then, the most frequent first."""
    return [s for s in estimate["selection"] if s["share"] >= RARELY]


def _selections(document: Json) -> list[Json]:
    """The first estimate that tells how often configurations win, if any."""
    first = metrics_of(document)[:1]
    found = [e for e in document["estimates"] if e["selection"] and [e["metric"]] == first]
    return found[:1]


def _methods(document: Json, metric: str) -> RenderableType:
    """One row per method, for one metric; the one to report is marked."""
    estimates = words.estimates_of(document, metric)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  method", no_wrap=True)
    marked = any(words.marks(document).values())
    if marked:
        table.add_column("", no_wrap=True)
    table.add_column("")
    table.add_column(metric_label(metric), justify="right")
    table.add_column(words.interval_name(document, estimates), no_wrap=True)
    table.add_column("naive", justify="right")
    table.add_column("optimism", justify="right")
    for row in words.rows(document, metric):
        method = f"{'>' if row.reported else ' '} {plain(row.method)}"
        mark = (row.mark,) if marked else ()
        table.add_row(method, *mark, *row.cells, style="bold" if row.reported else "")
    return table


def _advice(document: Json) -> list[RenderableType]:
    """The sentences to copy into a paper, and the verdict of the gate."""
    grid = _grid()
    for said in sentences(document):
        grid.add_row(Text("report", "green"), Text(plain(said), "bold"))
    if comparison := words.comparison(document, "the row marked >"):
        grid.add_row("", Text(comparison, "dim"))
    gate = document["gate"]
    if gate is not None:
        colour = "green" if gate["outcome"] == "met" else "red"
        text = words.gate_sentence(gate).removeprefix("gate ")
        grid.add_row(Text("gate", colour), Text(plain(text)))
    return [grid] if grid.row_count else []


def note_line(note: Json) -> RenderableType:
    """What to doubt, and a hint."""
    text = Text(plain(note["text"]))
    if note["remedy"]:
        text.append(f"   hint: {plain(note['remedy'])}", "dim")
    grid = _grid()
    grid.add_row(Text("note", "yellow"), text)
    return grid


def facts(**named: str) -> RenderableType:
    """One line per fact, its name in front."""
    grid = _grid()
    for name, text in named.items():
        grid.add_row(Text(name, "green"), Text(text))
    return grid


def _grid() -> Table:
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True, min_width=6)
    grid.add_column()
    return grid
