"""Many results on one page: a line for each, from the naive figure to the corrected one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from statistics import median

from bbccli.core.rounding import count
from bbccli.core.text import visible
from bbccli.reports import phrases
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import base as vega
from bbccli.reports.figures.base import Drawn
from bbccli.reports.page.markup import Markup, section, tag
from bbccli.reports.page.sections import figure_section, listed
from bbccli.schema.correct import Envelope, ErrorEnvelope

MOST_ROWS = 1000
"""Lines of the table; the rest are counted."""

COLUMNS = ("experiment", "metric", "naive", "corrected", "interval", "optimism", "winner")


def overview(exhibits: Sequence[Exhibit], failures: Sequence[ErrorEnvelope]) -> Markup:
    """Return the sentence over all, the table and the figure."""
    documents = [exhibit.document for exhibit in exhibits]
    paths = short_paths([d.input.path for d in documents] + [f.path for f in failures])
    cells = [*map(_cells, documents), *map(_failure, failures)]
    rows = [(visible(path), *row) for path, row in zip(paths, cells, strict=True)]
    gates = any(document.gate for document in documents)
    if gates:
        verdicts = [_gate(document) for document in documents] + ["none"] * len(failures)
        rows = [(*row, verdict) for row, verdict in zip(rows, verdicts, strict=True)]
    columns = (*COLUMNS, "gate") if gates else COLUMNS
    figure = experiments_figure(documents)
    return Markup(
        tag("div", tag("p", _summary(documents, failures)), class_="verdict")
        + section("All of them", "all", listed("Experiments", columns, rows, MOST_ROWS))
        + (figure_section(figure, "experiments") if figure else "")
    )


def _summary(documents: Sequence[Envelope], failures: Sequence[ErrorEnvelope]) -> str:
    found = [one for one in map(phrases.reported, documents) if one is not None]
    optimism = [e.optimism for e in found if e.optimism is not None]
    parts = [f"{count(len(documents) + len(failures), 'experiment')}."]
    metrics = {estimate.metric for estimate in found}
    if optimism and len(metrics) == 1:
        label, metric = phrases.metric_label(next(iter(metrics))), next(iter(metrics))
        values = [value for e in found for value in (e.naive, e.value)]
        digits = phrases.digits_by(metric, values)
        parts.append(
            f"The naive {label} was too good by {digits.difference(median(optimism))} in the "
            f"median, by {digits.difference(max(optimism))} at most."
        )
    missed = sum(_gate(document) not in ("met", "none") for document in documents)
    if missed:
        parts.append(f"{count(missed, 'gate')} not met.")
    if failures:
        parts.append(f"{len(failures)} without a result.")
    return " ".join(parts)


def _cells(document: Envelope) -> tuple[str, ...]:
    estimate = phrases.reported(document)
    if estimate is None:
        return ("none",) * (len(COLUMNS) - 1)
    digits = phrases.digits_in(document, estimate.metric)
    return (
        phrases.metric_label(estimate.metric),
        digits.performance(estimate.naive, "undefined"),
        digits.performance(estimate.value, "undefined"),
        phrases.interval_text(estimate.interval, digits),
        digits.difference(estimate.optimism, "undefined"),
        visible(estimate.winner),
    )


def _failure(failure: ErrorEnvelope) -> tuple[str, ...]:
    problem = visible(failure.error.problem.removeprefix(f"{failure.path}: "))
    return (*["none"] * (len(COLUMNS) - 2), f"no result: {problem}")


def _gate(document: Envelope) -> str:
    verdict = document.gate
    return "none" if verdict is None else verdict.outcome


def experiments_figure(documents: Sequence[Envelope]) -> Drawn | None:
    """Return a line per experiment, those that lose most first; None without a common metric."""
    found = [(d.input.path, e) for d in documents if (e := phrases.reported(d)) is not None]
    found = [(path, e) for path, e in found if e.naive is not None and e.value is not None]
    if not found or len({e.metric for _, e in found}) > 1:
        return None
    found.sort(key=lambda one: -(one[1].optimism or 0))
    shown = found[: vega.MOST_NAMES]
    metric = found[0][1].metric
    label = phrases.metric_label(metric)
    digits = phrases.digits_by(metric, [v for _, e in found for v in (e.naive, e.value)])
    told = dict(zip((p for p, _ in found), short_paths([p for p, _ in found]), strict=True))
    names = vega.labels(told[path] for path, _ in shown)
    values = [
        {"name": name, "series": series, "value": value, "to": estimate.value}
        for name, (_, estimate) in zip(names, shown, strict=True)
        for series, value in (("naive", estimate.naive), ("corrected", estimate.value))
    ]
    rows = [
        (told[path], digits.performance(e.naive), digits.performance(e.value)) for path, e in shown
    ]
    falls = sum((e.optimism or 0) > 0 for _, e in found)
    some = f" The {len(shown)} of {len(found)} that lose most." if len(shown) < len(found) else ""
    y = vega.names_axis(names)
    layers = [
        vega.span(y, label, ("value", "to"), opacity=0.5),
        vega.points(y, label, 50, ("naive", "corrected")),
    ]
    return Drawn(
        f"In {falls} of {len(found)} experiments the naive figure is too good.",
        f"Open circles: naive. Filled circles: corrected for the choice.{some} Intervals stand in "
        "the table: without them small differences between experiments say nothing.",
        ("experiment", f"{label}, naive", f"{label}, corrected"),
        rows,
        vega.spec_of(values, layers, height={"step": 16}),
        "experiments",
        "From naive to corrected",
    )


def short_paths(paths: Sequence[str]) -> list[str]:
    """Return what tells paths apart: without the folder, and the name, that all of them have.

    Examples
    --------
    >>> short_paths(["runs/a/p.csv", "runs/b/p.csv"]), short_paths(["runs/a/p.csv"])
    (['a', 'b'], ['runs/a/p.csv'])
    >>> short_paths(["/runs/a.csv", "/runs/b.csv"])
    ['a.csv', 'b.csv']
    """
    parts = [PurePath(path).parts for path in paths]
    shortest = min(map(len, parts), default=0) - 1
    first = next((i for i in range(shortest) if len({p[i] for p in parts}) > 1), shortest)
    same_name = first < shortest and len({p[-1] for p in parts}) == 1
    told = [str(PurePath(*p[first : -1 if same_name else None])) for p in parts]
    return told if len(set(told)) == len(set(paths)) > 1 else list(paths)
