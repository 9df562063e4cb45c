"""Many results: from the naive figure of each to the corrected one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from bbccli.reports import phrases
from bbccli.reports.figures.base import (
    MOST_NAMES,
    Drawn,
    labels,
    layer,
    names_axis,
    number,
    open_and_filled,
    span,
    spec_of,
)
from bbccli.results import Estimate
from bbccli.schema import Envelope, to_report


def experiments_figure(documents: Sequence[Envelope]) -> Drawn | None:
    """Return a line per experiment, those that lose most first; None without a common metric."""
    found = [(d.input.path, e) for d in documents if (e := _reported(d)) is not None]
    found = [(path, e) for path, e in found if e.naive is not None and e.value is not None]
    if not found or len({e.metric for _, e in found}) > 1:
        return None
    found.sort(key=lambda one: -(one[1].optimism or 0))
    shown = found[:MOST_NAMES]
    metric = found[0][1].metric
    label = phrases.metric_label(metric)
    digits = phrases.digits_by(metric, [v for _, e in found for v in (e.naive, e.value)])
    told = dict(zip((p for p, _ in found), short_paths([p for p, _ in found]), strict=True))
    names = labels(told[path] for path, _ in shown)
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
    y = names_axis(names)
    points = {"y": y, "x": number("value", label), **open_and_filled("naive", "corrected")}
    layers = [
        span(y, label, ("value", "to"), opacity=0.5),
        layer("point", points, size=50, strokeWidth=1.5, opacity=1),
    ]
    return Drawn(
        f"In {falls} of {len(found)} experiments the naive figure is too good.",
        f"Open circles: naive. Filled circles: corrected for the choice.{some} Intervals stand in "
        "the table: without them small differences between experiments say nothing.",
        ("experiment", f"{label}, naive", f"{label}, corrected"),
        rows,
        spec_of(values, layers, height={"step": 16}),
        "experiments",
        "From naive to corrected",
    )


def _reported(document: Envelope) -> Estimate | None:
    metric = next(iter(phrases.metrics_of(document)), None)
    return None if metric is None else to_report(phrases.estimates_of(document, metric))


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
