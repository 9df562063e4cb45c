"""The document as a table that needs no paper at hand."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from bbccli.methods import METHODS
from bbccli.reports.base import Style
from bbccli.reports.numbers import decimals_for, fixed, percent
from bbccli.reports.remarks import metric_label, notes_of, plain, understood

Json = dict[str, Any]


def render(document: Json, style: Style = Style(), /) -> str:
    """Return what was read, who won, what to report and what to doubt, in one screen."""
    head = Text.assemble((plain(document["input"]["path"]), "bold"), "   ", understood(document))
    sections: list[RenderableType] = [head, _winners(document), _methods(document)]
    if notes := [_note(note) for note in notes_of(document)]:
        sections.append(Group(*_advice(document), *notes))
    else:
        sections += _advice(document)
    spaced = [part for section in sections for part in (section, Text(""))]
    return as_text(Group(*spaced[:-1]), style)


def listing_table(header: Sequence[str], rows: Sequence[Sequence[str]], style: Style) -> str:
    """Return rows under a header, wrapped to the width."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for position, name in enumerate(header):
        table.add_column(name, no_wrap=position == 0)
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
    """One line per distinct winner, with the rule that selected it."""
    rules: dict[str, list[str]] = {}
    for estimate in document["estimates"]:
        rules.setdefault(estimate["winner"], []).append(_rule(estimate, document))
    n_configurations = document["input"]["n_configurations"]
    grid = _grid()
    for winner, found in rules.items():
        rule = f"best {' and '.join(dict.fromkeys(found))} of {n_configurations}"
        text = Text.assemble((plain(winner), "bold"), f"   {rule}")
        grid.add_row(Text("winner", "green"), text)
    return grid


def _rule(estimate: Json, document: Json) -> str:
    by_fold = estimate["method"] == "bbc-f" or document["plan"]["pooling"] == "fold-mean"
    return "mean over folds" if by_fold else f"pooled {metric_label(document)}"


def _methods(document: Json) -> RenderableType:
    decimals = _decimals(document)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("method", no_wrap=True)
    table.add_column("")
    table.add_column(metric_label(document), justify="right")
    table.add_column(f"{percent(document['plan']['level'])} interval")
    table.add_column("optimism", justify="right")
    for estimate in document["estimates"]:
        naive = estimate["method"] == "cvt"
        table.add_row(
            estimate["method"],
            METHODS[estimate["method"]].label,
            fixed(estimate["value"], decimals),
            _interval(estimate["interval"], decimals),
            "" if naive else fixed(estimate["optimism"], decimals),
            style="dim" if naive else "",
        )
    return table


def _advice(document: Json) -> list[RenderableType]:
    """The sentence to copy into a paper: the first corrected estimate with an interval."""
    corrected = [e for e in document["estimates"] if e["interval"]]
    if not corrected:
        return []
    grid = _grid()
    grid.add_row(Text("report", "green"), Text(_sentence(corrected[0], document), "bold"))
    return [grid]


def _sentence(estimate: Json, document: Json) -> str:
    plan, decimals = document["plan"], max(_decimals(document) - 1, 0)
    interval = _interval(estimate["interval"], decimals)
    return (
        f"{metric_label(document)} {fixed(estimate['value'], decimals)} "
        f"({percent(plan['level'])} interval {interval}; {estimate['method'].upper()}, "
        f"{plan['n_resamples']} resamples, seed {plan['seed']})"
    )


def _interval(interval: Json | None, decimals: int) -> str:
    if interval is None:
        return ""
    lower = fixed(interval["lower"], decimals, missing="unbounded")
    return f"{lower} to {fixed(interval['upper'], decimals, missing='unbounded')}"


def _note(note: Json) -> RenderableType:
    text = Text(plain(note["text"]))
    if note["remedy"]:
        text.append(f"   hint: {plain(note['remedy'])}", "dim")
    grid = _grid()
    grid.add_row(Text("note", "yellow"), text)
    return grid


def _grid() -> Table:
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True, min_width=6)
    grid.add_column()
    return grid


def _decimals(document: Json) -> int:
    return decimals_for(e[key] for e in document["estimates"] for key in ("value", "naive"))
