"""The document as a table that answers first: what to expect, then how that came about."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from bbccli.gate import NAIVE
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import GAP, Grid, add_notes, as_text, grid_of_facts, listing_table
from bbccli.reports.sentences import answer, cost_sentence, sentences, verdict
from bbccli.reports.strip import strip_of
from bbccli.results import DropTrace, Estimate, SelectionShare
from bbccli.rounding import percent
from bbccli.schema import Envelope
from bbccli.text import visible

RARELY = 0.01
"""Configurations that win less often than this are not listed."""

MOST_WINS = 3
"""Configurations whose wins are listed, at most."""

WIDE = 100
"""Columns of a terminal from which on intervals are drawn."""


def render(documents: Sequence[Envelope], style: Style) -> str:
    """Return one screen per document."""
    return "\n".join(_screen(document, style) for document in documents)


def _screen(document: Envelope, style: Style) -> str:
    """What was read, what to expect, by which method, who won how often, and what to doubt."""
    path, understood = visible(document.input.path), phrases.understood(document)
    head = Text.assemble((path, "bold"), "   ", understood)
    for line in phrases.lines_on_run(document):
        head.append(f"\n{line}")
    tables = [_methods(document, metric, style) for metric in phrases.metrics_of(document)]
    details = add_notes(_details(document), phrases.notes_of(document), style)
    parts = [as_text(head, style), as_text(_answer(document), style), *tables]
    parts += [as_text(details, style)] if details.row_count else []
    return "\n".join(parts)


def _answer(document: Envelope) -> RenderableType:
    """The sentences that say it all, the verdict of a gate in its colour."""
    met = document.gate is not None and document.gate.outcome == "met"
    judged = "green" if met else "red"
    said, gate = answer(document), verdict(document)
    return Group(*(Text(visible(one), judged if one in gate else "bold") for one in said))


def _details(document: Envelope) -> Grid:
    """Who won by which rule and how often, what was dropped, and the sentence for a paper."""
    grid, marks = grid_of_facts(), phrases.marks(document)
    for winner, rule in phrases.winners(document).items():
        text = Text.assemble((visible(winner), "bold"), f"   {rule}")
        grid.add_row(Text(f"winner {marks[winner]}".rstrip(), "green"), text)
    for estimate in _selections(document):
        grid.add_row(Text("wins", "green"), Text(_wins(estimate)))
    for trace in [e.drop_trace for e in document.estimates if e.drop_trace][:1]:
        grid.add_row(
            Text("dropped", "green"), Text(_dropped(trace, document.input.n_configurations))
        )
    cost = document.search_cost
    if cost is not None:
        grid.add_row(Text("search", "green"), Text(visible(cost_sentence(cost))))
    for said in sentences(document):
        grid.add_row(Text("report", "green"), Text(visible(said)))
    if comparison := phrases.comparison(document, "the row marked >"):
        grid.add_row("", Text(comparison, "dim"))
    return grid


def _dropped(trace: DropTrace, n_configurations: int) -> str:
    """How many configurations went on the way, and how many models that saves."""
    n_gone = sum(len(step.dropped) for step in trace.steps)
    models = f"{trace.n_trained} of {trace.n_models} models trained"
    return f"{n_gone} of {n_configurations} by {trace.rule}, {models}"


def _wins(estimate: Estimate) -> str:
    """How often the most frequent winners win, and all others together."""
    where = "in the resamples" if estimate.n_resamples else "in the outer folds"
    shares = _shares(estimate)[:MOST_WINS]
    listed = [f"{percent(s.share, 0)} {visible(s.configuration)}" for s in shares]
    rest = 1 - sum(s.share for s in shares)
    others = f"; {percent(rest, 0)} others" if rest >= RARELY else ""
    return f"{where} of {visible(estimate.method)}: {', '.join(listed)}{others}"


def _shares(estimate: Estimate) -> list[SelectionShare]:
    """Configurations that win now and then, the most frequent first."""
    return [s for s in estimate.selection if s.share >= RARELY]


def _selections(document: Envelope) -> list[Estimate]:
    """The first estimate that tells how often configurations win, if any."""
    first = phrases.metrics_of(document)[:1]
    found = [e for e in document.estimates if e.selection and [e.metric] == first]
    return found[:1]


def _methods(document: Envelope, metric: str, style: Style) -> str:
    """One row per method, for one metric: first the one to report, which is marked."""
    estimates = phrases.estimates_of(document, metric)
    pairs = list(zip(phrases.rows(document, metric), estimates, strict=True))
    pairs.sort(key=lambda pair: not pair[0].reported)
    rows = [
        [f"{'>' if row.reported else ' '} {visible(row.method)}", row.mark, *_cells(row, one)]
        for row, one in pairs
    ]
    alone = document.input.n_configurations == 1
    corrected = "estimate" if alone or any(map(_is_uncorrected, estimates)) else "corrected"
    interval = phrases.interval_name(document, estimates)
    header = [f"  {phrases.metric_label(metric)}", "", "", "naive", corrected, interval]
    drawn = [*header[:3], "x naive", f"o {corrected}", interval]
    taken = sum(max(map(cell_len, column)) + GAP for column in zip(drawn, *rows, strict=True))
    strip = strip_of(estimates, style.width - taken) if style.width >= WIDE else None
    if strip is not None:
        header = [*drawn, strip.scale()]
        rows = [[*row, strip.drawn(one)] for row, (_, one) in zip(rows, pairs, strict=True)]
    # columns that are all empty say nothing
    shown = [n for n, name in enumerate(header) if name or any(row[n] for row in rows)]
    return listing_table(
        [header[n] for n in shown],
        [[row[n] for n in shown] for row in rows],
        style,
        figures=header[3:5],
        whole=[header[0], *header[5:]],
        keys=sum(n < 2 for n in shown),
        emphasis=["bold" if row.reported else "" for row, _ in pairs],
    )


def _cells(row: phrases.Row, estimate: Estimate) -> list[str]:
    """Label, naive figure, corrected figure and interval."""
    label, value, interval, naive, _ = row.cells
    return [label, naive, "" if estimate.method == NAIVE else value, interval]


def _is_uncorrected(estimate: Estimate) -> bool:
    """Whether a figure other than the naive one makes up for nothing."""
    return estimate.ignores_selection and estimate.method != NAIVE
