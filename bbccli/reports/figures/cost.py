"""What the search cost: naive and corrected best-so-far against the number of configurations."""

from __future__ import annotations

from bbccli.bootstrap.cost_records import SearchCost
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    INK,
    NAIVE,
    Absent,
    Drawn,
    Spec,
    by_series,
    number,
    spec_of,
)
from bbccli.reports.searching import cost_digits, cost_sentence

TITLE = "What the search cost"
SHOWN = (1, 2, 3, 5, 7, *(n * 10**p for p in range(1, 8) for n in (1, 1.5, 2, 3, 5, 7)))
"""Numbers of configurations in the table."""


def draw(exhibit: Exhibit) -> Drawn | Absent:
    """Return the cost of the search."""
    cost: SearchCost | None = getattr(exhibit.document, "search_cost", None)
    if cost is None:
        return Absent("cost", TITLE, _why_not(exhibit))
    if len(cost.counts) < 2:
        return Absent("cost", TITLE, "a single configuration takes part")
    label = phrases.metric_label(cost.metric)
    series, values = _series(cost), []
    for name, line in series.items():
        for count, value, error in zip(cost.counts, line, cost.error, strict=True):
            if value is None:
                continue
            band = name == "corrected" and error is not None
            ends = {"lower": value - 2 * error, "upper": value + 2 * error} if band else {}
            values.append({"count": count, "series": name, "value": value, **ends})
    return Drawn(
        "cost",
        TITLE,
        cost_sentence(cost),
        "Best of so many configurations, as a mean over all sets of that size: dashed, by the "
        "figure that chose it; solid, corrected for the choice. The band is two Monte-Carlo "
        "standard errors of the resampling: it ignores that other samples would give other curves. "
        f"{_on_order(cost)}{_on_end(cost)}",
        ("configurations", *(f"{label}, {name}" for name in series)),
        _rows(cost, series),
        spec_of(values, _layers(cost, series, label), height=210),
    )


def _why_not(exhibit: Exhibit) -> str:
    if exhibit.evidence is None:
        return "the result was saved without it: `bbc correct --cost-of-search` keeps it"
    return exhibit.evidence.missing.get("cost", "it was not asked for")


def _series(cost: SearchCost) -> dict[str, tuple[float, ...]]:
    found = {"naive": cost.naive, "corrected": cost.corrected}
    if cost.tried is not None:
        found |= {
            "naive, as tried": cost.tried.naive,
            "corrected, as tried": cost.tried.corrected,
        }
    return found


def _on_order(cost: SearchCost) -> str:
    if cost.tried is None:
        return ""
    return "The thin lines are the best of the first ones in the order in which they were tried. "


def _on_end(cost: SearchCost) -> str:
    if cost.enough == cost.counts[-1]:
        return "There is no number after which searching stopped paying."
    return "The dotted line marks where searching stopped paying."


def _rows(cost: SearchCost, series: dict[str, tuple[float, ...]]) -> list[list[str]]:
    digits, counts = cost_digits(cost), cost.counts
    wanted = {*SHOWN, cost.enough, counts[-1]}
    return [
        [str(number_), *(digits.performance(line[i], "undefined") for line in series.values())]
        for i, number_ in enumerate(counts)
        if number_ in wanted
    ]


def _layers(cost: SearchCost, series: dict[str, tuple[float, ...]], label: str) -> list[Spec]:
    last = cost.counts[-1]
    x = _counts_axis(last)
    colours = {name: (CORRECTED if name.startswith("corr") else NAIVE, "") for name in series}
    dashes = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {
            "domain": list(series),
            "range": [[5, 3], [1, 0], [5, 3], [1, 0]][: len(series)],
        },
    }
    width = {"condition": {"test": "indexof(datum.series, 'tried') >= 0", "value": 1}, "value": 2.5}
    return [
        {
            "mark": {"type": "area", "color": CORRECTED, "opacity": 0.25},
            "transform": [{"filter": "datum.series === 'corrected'"}],
            "encoding": {"x": x, "y": number("lower", label), "y2": {"field": "upper"}},
        },
        {
            "mark": {"type": "line"},
            "encoding": {
                "x": x,
                "y": number("value", label),
                "color": by_series(colours),
                "strokeDash": dashes,
                "strokeWidth": width,
            },
        },
        {
            "data": {"values": [{"count": cost.enough}] if cost.enough < last else []},
            "mark": {"type": "rule", "strokeDash": [2, 2], "color": INK},
            "encoding": {"x": x},
        },
    ]


def _counts_axis(last: int) -> Spec:
    ticks = [tick * 10**power for power in range(7) for tick in (1, 2, 5)]
    shown = [tick for tick in ticks if tick <= last]
    return {
        "field": "count",
        "type": "quantitative",
        "title": "configurations tried",
        "scale": {"type": "log", "nice": False},
        "axis": {"grid": False, "values": shown, "format": "d"},
    }
