"""The diagram of critical differences: mean ranks over data sets, and who is not told apart.

Source: Demšar 2006, section 3.2.4.
"""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.comparisons.records import Ranks, Standing
from bbccli.reports import phrases
from bbccli.reports.content.compare import leader
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    INK,
    MOST_NAMES,
    NAIVE,
    Drawn,
    Spec,
    labels,
    layer,
    of_first,
    spec_of,
)
from bbccli.rounding import Digits, percent
from bbccli.text import visible

ROW = 18
"""Pixels from one name to the next."""

GAP = 0.6
"""Rows from one bar to the next."""

ABOVE = -3.2
"""Row of the critical difference: over the axis and its title."""

AXIS_WIDTH = 260

LONGEST = 27
"""Characters of a name."""


def cd(exhibit: Exhibit) -> Drawn | str:
    """Return the diagram of a comparison over data sets."""
    found: Ranks | None = getattr(exhibit.document, "ranks", None)
    if not found or not found.standings:
        return "it needs a saved result of bbc compare --across"
    if any(one.mean_rank is None for one in found.standings):
        return "a mean rank is undefined"
    shown = found.standings[:MOST_NAMES]
    bars = joined(found.groups, [one.family for one in shown])
    digits = phrases.digits_by(found.metric, [one.performance for one in found.standings])
    rows = [
        (
            visible(one.family),
            Digits(2).difference(one.mean_rank),
            digits.performance(one.performance),
            f"{one.wins} of {len(found.data_sets)}",
        )
        for one in found.standings
    ]
    values = _values(shown, bars, found.critical_difference)
    height = ROW * (len(shown) - len(shown) // 2 + 1 + GAP * len(bars))
    n_all = len(found.standings)
    return Drawn(
        f"{leader(found)}.",
        _caption(found, len(shown)),
        ("family", "mean rank", phrases.metric_label(found.metric), "best on"),
        rows,
        spec_of(
            values,
            _layers(n_all, height / ROW),
            width=AXIS_WIDTH,
            height=height,
            autosize={"type": "pad"},
        ),
    )


def joined(groups: Sequence[Sequence[str]], names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of the first and the last of each group, of those that are shown.

    Examples
    --------
    >>> joined([["a", "b"], ["b", "c", "d"], ["d", "e"]], ["a", "b", "c", "d"])
    [(0, 1), (1, 3)]
    """
    place = {name: position for position, name in enumerate(names)}
    within = ([place[name] for name in group if name in place] for group in groups)
    return [(min(found), max(found)) for found in within if len(found) > 1]


def _values(
    shown: Sequence[Standing], bars: Sequence[tuple[int, int]], critical: float | None
) -> list[dict[str, float | str]]:
    """Families, half of them on each side, bars, and the critical difference."""
    n, base = len(shown), 1 + GAP * len(bars)
    half = -(-n // 2)
    names = labels((one.family for one in shown), LONGEST)
    values: list[dict[str, float | str]] = []
    for i, (name, one) in enumerate(zip(names, shown, strict=True)):
        best = i < half
        own = {"what": "best" if best else "worst", "name": name, "rank": one.mean_rank}
        values.append(own | {"level": base + (i if best else n - 1 - i)})
    for i, (first, last) in enumerate(bars):
        ends = {"rank": shown[first].mean_rank, "to": shown[last].mean_rank}
        values.append({"what": "bar", "level": GAP * (i + 1), **ends})
    if critical is not None:
        told = f"critical difference {critical:.2f}"
        values.append({"what": "cd", "name": told, "rank": 1.0, "to": 1 + critical, "level": ABOVE})
    return values


def _layers(n: int, rows: float) -> list[Spec]:
    axis = {"orient": "top", "grid": False, "tickCount": min(n, 8), "format": "d"}
    x = {"field": "rank", "type": "quantitative", "title": "mean rank", "axis": axis}
    y = {"field": "level", "type": "quantitative", "axis": None}
    at: Spec = {
        "x": x | {"scale": {"domain": [1, n], "nice": False}},
        "y": y | {"scale": {"domain": [0, rows], "reverse": True, "nice": False}},
    }
    to, name = at | {"x2": {"field": "to"}}, at | {"text": {"field": "name"}}
    bar: Spec = {"strokeWidth": 5, "strokeCap": "round", "color": CORRECTED, "opacity": 0.9}
    text: Spec = {"baseline": "middle", "fontSize": 11.5, "color": INK}
    line: Spec = {"color": INK, "opacity": 0.6}
    layers = [
        layer("rule", to, _are("bar"), **bar),
        layer("rule", to, _are("cd"), strokeWidth=3, color=NAIVE),
        layer("text", name, _are("cd"), align="left", dx=0, dy=-9, **text),
    ]
    for side, align, edge, dx in (("best", "right", 0, -6), ("worst", "left", AXIS_WIDTH, 6)):
        end = {"value": edge}
        layers += [
            layer("rule", at | {"y2": {"value": 0}}, _are(side), **line),
            layer("rule", at | {"x2": end}, _are(side), **line),
            layer("text", name | {"x": end}, _are(side), align=align, dx=dx, dy=0, **text),
        ]
    return layers


def _are(what: str) -> str:
    return f"datum.what === '{what}'"


def _caption(found: Ranks, n_shown: int) -> str:
    some = of_first(n_shown, len(found.standings), " families")
    said = f"Mean ranks over {len(found.data_sets)} data sets; 1, on the left, is best.{some} "
    if not found.pairs:
        return f"{said}No pairs were tested, so nothing is joined."
    first = found.pairs[0]
    by = first.test
    if first.adjustment and first.adjustment != by:
        by += f" with the adjustment {first.adjustment}"
    said += f"Bars join families of which no two are told apart at {percent(found.level)}, "
    said += f"by {by}: that does not make them equal."
    if found.critical_difference is None:
        return said
    return (
        f"{said} The line over the axis is as long as the critical difference of Nemenyi's test, "
        "which depends on how many families take part."
    )
