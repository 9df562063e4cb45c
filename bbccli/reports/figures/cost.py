"""What the search cost: naive and corrected best-so-far against the number of configurations."""

from __future__ import annotations

from bbccli.bootstrap.cost_records import SearchCost
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    DASHED,
    DOTTED,
    INK,
    NAIVE,
    SOLID,
    Drawn,
    Spec,
    layer,
    nominal,
    number,
    spec_of,
)
from bbccli.reports.searching import cost_digits, cost_sentence

Lines = dict[str, tuple[float, ...]]

SHOWN = (1, 2, 3, 5, 7, *(n * 10**p for p in range(1, 8) for n in (1, 1.5, 2, 3, 5, 7)))
"""Numbers of configurations in the table."""


def cost(exhibit: Exhibit) -> Drawn | str:
    """Return the cost of the search."""
    found: SearchCost | None = getattr(exhibit.document, "search_cost", None)
    if found is None:
        if exhibit.evidence is None:
            return "the result was saved without it: `bbc correct --cost-of-search` keeps it"
        return exhibit.evidence.missing.get("cost", "it was not asked for")
    if len(found.counts) < 2:
        return "a single configuration takes part"
    label = phrases.metric_label(found.metric)
    series, tried = {"naive": found.naive, "corrected": found.corrected}, ""
    if found.tried is not None:
        tried = "The thin lines are the best of the first ones in the order in which they were "
        tried += "tried. "
        series["naive, as tried"] = found.tried.naive
        series["corrected, as tried"] = found.tried.corrected
    end = "The dotted line marks where searching stopped paying."
    if found.enough == found.counts[-1]:
        end = "There is no number after which searching stopped paying."
    return Drawn(
        cost_sentence(found),
        "Best of so many configurations, as a mean over all sets of that size: dashed, by the "
        "figure that chose it; solid, corrected for the choice. The band is two Monte-Carlo "
        "standard errors of the resampling: it ignores that other samples would give other curves. "
        f"{tried}{end}",
        ("configurations", *(f"{label}, {name}" for name in series)),
        _rows(found, series),
        spec_of(_values(found, series), _layers(found, series, label), height=210),
    )


def _values(cost: SearchCost, series: Lines) -> list[Spec]:
    """Return the points of all lines; of the corrected one with the ends of its band."""
    values: list[Spec] = []
    for name, line in series.items():
        for count, value, error in zip(cost.counts, line, cost.error, strict=True):
            if value is None:
                continue
            band = name == "corrected" and error is not None
            ends = {"lower": value - 2 * error, "upper": value + 2 * error} if band else {}
            values.append({"count": count, "series": name, "value": value, **ends})
    return values


def _rows(cost: SearchCost, series: Lines) -> list[list[str]]:
    digits, counts = cost_digits(cost), cost.counts
    wanted = {*SHOWN, cost.enough, counts[-1]}
    return [
        [str(number_), *(digits.performance(line[i], "undefined") for line in series.values())]
        for i, number_ in enumerate(counts)
        if number_ in wanted
    ]


def _layers(cost: SearchCost, series: Lines, label: str) -> list[Spec]:
    last = cost.counts[-1]
    ticks = [tick * 10**power for power in range(7) for tick in (1, 2, 5)]
    shown = [tick for tick in ticks if tick <= last]
    x: Spec = {"field": "count", "type": "quantitative", "title": "configurations tried"}
    x |= {"scale": {"type": "log", "nice": False}}
    x |= {"axis": {"grid": False, "values": shown, "format": "d"}}
    colours = [CORRECTED if name.startswith("corr") else NAIVE for name in series]
    thin = {"test": "indexof(datum.series, 'tried') >= 0", "value": 1}
    lines: Spec = {
        "x": x,
        "y": number("value", label),
        "color": nominal("series", series, colours),
        "strokeDash": nominal("series", series, [DASHED, SOLID, DASHED, SOLID][: len(series)]),
        "strokeWidth": {"condition": thin, "value": 2.5},
    }
    band = {"x": x, "y": number("lower", label), "y2": {"field": "upper"}}
    stop = [{"count": cost.enough}] if cost.enough < last else []
    return [
        layer("area", band, "datum.series === 'corrected'", color=CORRECTED, opacity=0.25),
        layer("line", lines),
        layer("rule", {"x": x}, data=stop, strokeDash=DOTTED, color=INK),
    ]
