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
from bbccli.reports.numbers import count, decimals_for, fixed, percent
from bbccli.reports.remarks import metric_label, metrics_of, notes_of, plain, understood

Json = dict[str, Any]

RARELY = 0.01
"""Configurations that win less often than this are not listed."""


def render(document: Json, style: Style = Style(), /) -> str:
    """Return what was read, who won, what to report and what to doubt, in one screen."""
    head = Text.assemble((plain(document["input"]["path"]), "bold"), "   ", understood(document))
    tables = [_methods(document, metric) for metric in metrics_of(document)]
    closing = [*_advice(document), *(_note(note) for note in notes_of(document))]
    sections: list[RenderableType] = [head, _winners(document), *tables]
    sections += [Group(*closing)] if closing else []
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
    """One line per distinct winner, with the rule that selected it and how often it wins."""
    rules: dict[str, list[str]] = {}
    for estimate in document["estimates"]:
        rules.setdefault(estimate["winner"], []).append(_rule(estimate, document))
    n_configurations = document["input"]["n_configurations"]
    grid = _grid()
    for winner, found in rules.items():
        rule = f"best {' and '.join(dict.fromkeys(found))} of {n_configurations}"
        text = Text.assemble((plain(winner), "bold"), f"   {rule}")
        grid.add_row(Text("winner", "green"), text)
    for estimate in _selections(document):
        shares = [
            f"{percent(s['share'], 0)} {plain(s['configuration'])}" for s in _shares(estimate)
        ]
        grid.add_row(
            Text("wins", "green"),
            Text(f"{_among(estimate)} of {estimate['method']}: {', '.join(shares)}"),
        )
    return grid


def _among(estimate: Json) -> str:
    """Where the shares of the winners were counted."""
    return "in the resamples" if estimate["n_resamples"] else "in the outer folds"


def _shares(estimate: Json) -> list[Json]:
    """Configurations that win now and then, the most frequent first."""
    return [s for s in estimate["selection"] if s["share"] >= RARELY]


def _selections(document: Json) -> list[Json]:
    """The first estimate that tells how often configurations win, if any."""
    first = metrics_of(document)[0]
    found = [e for e in document["estimates"] if e["selection"] and e["metric"] == first]
    return found[:1]


def _rule(estimate: Json, document: Json) -> str:
    by_fold = estimate["method"] == "bbc-f" or document["plan"]["pooling"] == "fold-mean"
    return "mean over folds" if by_fold else f"pooled {metric_label(estimate['selected_by'])}"


def _methods(document: Json, metric: str) -> RenderableType:
    """One row per method, for one metric."""
    estimates = [e for e in document["estimates"] if e["metric"] == metric]
    decimals = _decimals(estimates)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("method", no_wrap=True)
    table.add_column("")
    table.add_column(metric_label(metric), justify="right")
    table.add_column(_interval_name(document, estimates))
    table.add_column("optimism", justify="right")
    for estimate in estimates:
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
    """The sentences to copy into a paper: of each metric the first estimate with an interval."""
    grid = _grid()
    for metric in metrics_of(document):
        estimates = [e for e in document["estimates"] if e["metric"] == metric]
        for estimate in [e for e in estimates if e["interval"]][:1]:
            sentence = _sentence(estimate, document, max(_decimals(estimates) - 1, 0))
            grid.add_row(Text("report", "green"), Text(sentence, "bold"))
    return [grid] if grid.row_count else []


def _sentence(estimate: Json, document: Json, decimals: int) -> str:
    interval = _interval(estimate["interval"], decimals)
    name = _interval_name(document, [estimate])
    return (
        f"{metric_label(estimate['metric'])} {fixed(estimate['value'], decimals)} "
        f"({name} {interval}; {estimate['method'].upper()}, {_resamples(estimate, document)})"
    )


def _resamples(estimate: Json, document: Json) -> str:
    if estimate["exact"]:
        return f"all {count(estimate['n_resamples'], 'resample')}"
    return f"{count(estimate['n_resamples'], 'resample')}, seed {document['plan']['seed']}"


def _interval_name(document: Json, estimates: list[Json]) -> str:
    """Level, and which end is estimated when it is one."""
    level = percent(document["plan"]["level"])
    sides = {e["interval"]["side"] for e in estimates if e["interval"]}
    one_sided = f"{sides.pop()} bound" if sides and sides != {"two"} else ""
    return f"{level} {one_sided or 'interval'}"


def _interval(interval: Json | None, decimals: int) -> str:
    if interval is None:
        return ""
    lower = fixed(interval["lower"], decimals, missing="unbounded")
    upper = fixed(interval["upper"], decimals, missing="unbounded")
    return {"lower": lower, "upper": upper}.get(interval["side"], f"{lower} to {upper}")


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


def _decimals(estimates: list[Json]) -> int:
    return decimals_for(e[key] for e in estimates for key in ("value", "naive"))
