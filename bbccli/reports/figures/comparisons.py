"""Figures of comparisons: differences, and the diagram of critical differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.comparisons.records import Comparison, Ranks, Standing
from bbccli.documents.compare import CompareEnvelope
from bbccli.platform.text import Digits, percent, visible
from bbccli.reports import words as phrases
from bbccli.reports.content import ranks
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import base as vega
from bbccli.reports.figures.base import Drawn, Spec
from bbccli.reports.words import comparison_sentences as content

SERIES = ("as measured", "corrected")

ROW = 18
"""Pixels from one name of the diagram to the next."""

GAP = 0.6
"""Rows from one bar of the diagram to the next."""

ABOVE = -3.2
"""Row of the critical difference: over the axis and its title."""

AXIS_WIDTH = 260

LONGEST = 27
"""Characters of a name in the diagram."""

MOST_FAMILIES = 40
"""Families in the diagram, half of them on each side; the table has more."""

SIDES = ("best", "worst")

TEXT: Spec = {"baseline": "middle", "fontSize": 11.5, "color": vega.INK}


def differences(exhibit: Exhibit) -> Drawn | str:
    """Return the differences of a comparison: the one that was asked for first, then by size."""
    document: CompareEnvelope = exhibit.document
    compared = _once(document) if isinstance(document, CompareEnvelope) else []
    measured = [c for c in compared if c.difference is not None]
    if not measured:
        return "it needs a result of bbc compare with a difference"
    shown, digits = measured[: vega.MOST_NAMES], content.digits_of_both(document)
    wholes = [_name(c, document, first=c is measured[0]) for c in measured]
    names = vega.labels(wholes[: len(shown)])
    rows = [_row(name, c, document, digits) for name, c in zip(wholes, measured, strict=True)]
    values = [
        {"name": name, **point}
        for name, c, row in zip(names, shown, rows, strict=False)
        for point in _points(document.margin, c, row)
    ]
    margin = " Dashed: the margin." if document.margin else ""
    corrected = any(c.corrected is not None for c in shown)
    return Drawn(
        _reading(document, digits),
        f"{_caption(document)}{margin}{vega.of_first(len(shown), len(measured))}",
        ("comparison", *SERIES, "interval", "p", "shows"),
        rows,
        vega.spec_of(values, _layers(names, document, corrected=corrected), height={"step": 22}),
    )


def _once(document: CompareEnvelope) -> list[Comparison]:
    """Every comparison once; the winner's against a baseline with the correction."""
    comparisons = list(document.comparisons)
    if not content.of_baseline(document):
        return comparisons
    first = comparisons[0]
    rest = [comparison for comparison in comparisons[1:] if comparison.first != first.first]
    return [first, *sorted(rest, key=lambda c: -(c.difference or 0))]


def _name(comparison: Comparison, document: CompareEnvelope, *, first: bool) -> str:
    if content.of_baseline(document):
        return f"{comparison.first} (winner)" if first else comparison.first
    if content.is_one_pair(document):
        return comparison.test
    several = len({other.test for other in document.comparisons}) > 1
    return content.minus(comparison, document) + (f", {comparison.test}" if several else "")


def _ends(comparison: Comparison) -> tuple[float | None, float | None]:
    """Return the ends that the verdict follows: the interval, or without one the bounds."""
    if comparison.interval is not None:
        return phrases.interval_ends(comparison.interval)
    return comparison.bound, comparison.bound_above


def _points(margin: float, comparison: Comparison, row: Sequence[str]) -> Iterator[Spec]:
    lower, upper = _ends(comparison)
    ends = {"lower": lower, "upper": upper, "zero": 0.0, "margin": margin}
    name, measured, corrected, written, *_ = row
    name, more = vega.in_prose(name), f", {written}" * (written != "none")
    if comparison.difference is not None:
        hover = f"{name}: {measured} {SERIES[0]}{more * (comparison.corrected is None)}"
        yield {"series": SERIES[0], "value": comparison.difference, "hover": hover, **ends}
    if comparison.corrected is not None:
        hover = f"{name}: {corrected} {SERIES[1]}{more}"
        yield {"series": SERIES[1], "value": comparison.corrected, "hover": hover}


def _row(name: str, c: Comparison, document: CompareEnvelope, digits: Digits) -> tuple[str, ...]:
    lower, upper = (digits.difference(end, "none") for end in _ends(c))
    return (
        visible(name),
        content.signed(c.difference, digits),
        content.signed(c.corrected, digits, "none"),
        "none" if (lower, upper) == ("none", "none") else f"{lower} to {upper}",
        ranks.p_text(c.p if c.p_adjusted is None else c.p_adjusted) or "none",
        content.verdict(c, document),
    )


def _reading(document: CompareEnvelope, digits: Digits) -> str:
    first = document.comparisons[0]
    if first.difference is None:
        return "The first comparison has no difference."
    return f"{content.minus(first, document, vega.in_prose)}: {content.difference(first, digits)}."


def _caption(document: CompareEnvelope) -> str:
    level = percent(document.plan.level)
    start = "Open circles: observed differences, positive where the first is better."
    if content.of_baseline(document):
        return (
            f"{start} Filled circle: the winner's difference, corrected for its selection. Lines: "
            f"{level} intervals that hold for all configurations at once, whichever was selected. "
            "They do not include how models vary with their training samples."
        )
    if content.is_selected(document):
        adjusted = any(comparison.p_adjusted is not None for comparison in document.comparisons)
        each = ", each for its own comparison"
        at_once = (
            "; except for the first pair's, they hold for all pairs at once" if adjusted else each
        )
        return (
            f"{start} Filled circles: corrected for the selection within both families. Lines: "
            f"{level} intervals of the corrected difference{at_once}."
        )
    return (
        f"{start} Lines: {level} intervals, each from its own test; they hold for pairs that were "
        "named before anybody saw results, and ignore any selection."
    )


def _layers(names: Sequence[str], document: CompareEnvelope, *, corrected: bool) -> list[Spec]:
    label = f"difference in {phrases.metric_label(document.metric)}, positive is better"
    y, series = vega.names_axis(names), vega.open_and_filled(*SERIES) if corrected else {}
    zero, margin = ({"x": vega.number(name, label, aggregate="max")} for name in ("zero", "margin"))
    points = {"y": y, "x": vega.number("value", label), **series, **vega.HOVER}
    dashed = vega.layer("rule", margin, strokeDash=[4, 3], color=vega.INK, opacity=0.6)
    return [
        vega.layer("rule", zero, color=vega.INK),
        *([dashed] if document.margin else []),
        vega.span(y, label, where=vega.KNOWN, strokeWidth=2, opacity=0.6),
        vega.layer("point", points, size=60, strokeWidth=1.5, opacity=1, color=vega.NAIVE),
    ]


def cd(exhibit: Exhibit) -> Drawn | str:
    """Return the diagram of critical differences: mean ranks, and families that do not differ.

    Source: Demšar 2006, section 3.2.4.
    """
    result: Ranks | None = getattr(exhibit.document, "ranks", None)
    if not result or not result.standings:
        return "it needs ranks over several data sets"
    if any(standing.mean_rank is None for standing in result.standings):
        return "a mean rank is undefined"
    shown = result.standings[:MOST_FAMILIES]
    table = ranks.by_mean_rank(result, exhibit.document.data_sets)
    bars = group_spans(result.groups, [standing.family for standing in shown])
    height = ROW * (len(shown) - len(shown) // 2 + 1 + GAP * len(bars))
    values = _families(shown, bars, result.critical_difference)
    n_all, base = len(result.standings), 1 + GAP * len(bars)
    return Drawn(
        f"{ranks.best_by_rank(result)}.",
        _caption_of_ranks(result, len(shown)),
        [column.name for column in table.columns],
        [[visible(family), *figures] for family, *figures in table.rows],
        vega.spec_of(
            values,
            [*_scale(n_all, height / ROW), *_sides(_at(n_all, height / ROW))],
            width=AXIS_WIDTH,
            height=height,
            autosize={"type": "pad"},
        ),
        small=_below_each_other(values, base, n_all),
    )


def _below_each_other(values: Sequence[Spec], base: float, n_all: int) -> Spec:
    """Return the diagram for a telephone: each name above its mean rank, all below the axis."""
    families = sorted(
        (value for value in values if "rank" in value and value["what"] in SIDES),
        key=lambda mark: mark["rank"],
    )
    stacked = [value for value in values if value["what"] not in SIDES]
    for i, family in enumerate(families):
        stacked.append(family | {"what": "name", "level": base + 2 * i})
        stacked.append(family | {"what": "rank", "level": base + 2 * i + 0.9})
    rows = base + 2 * len(families)
    at = _at(n_all, rows, grid=True)
    name = at | {"text": {"field": "name"}, "x": {"value": 0}}
    layers = [
        *_scale(n_all, rows, grid=True),
        vega.layer("text", name, _are("name"), align="left", dy=0, **TEXT),
        vega.layer(
            "point", at, _are("rank"), filled=True, size=60, opacity=1, color=vega.CORRECTED
        ),
    ]
    return vega.spec_of(
        stacked, layers, width=vega.NARROW - 20, height=ROW * rows, autosize={"type": "pad"}
    )


def group_spans(groups: Sequence[Sequence[str]], names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of the first and the last of each group among those shown.

    Examples
    --------
    >>> group_spans([["a", "b"], ["b", "c", "d"], ["d", "e"]], ["a", "b", "c", "d"])
    [(0, 1), (1, 3)]
    """
    place = {name: position for position, name in enumerate(names)}
    within = ([place[name] for name in group if name in place] for group in groups)
    return [(min(places), max(places)) for places in within if len(places) > 1]


def _families(
    shown: Sequence[Standing], bars: Sequence[tuple[int, int]], critical: float | None
) -> list[Spec]:
    """Families, half of them on each side, bars, and the critical difference."""
    n, base = len(shown), 1 + GAP * len(bars)
    half = -(-n // 2)
    names = vega.labels((standing.family for standing in shown), LONGEST)
    values: list[Spec] = []
    for i, (name, standing) in enumerate(zip(names, shown, strict=True)):
        side, row = ("best", i) if i < half else ("worst", n - 1 - i)
        hover = f"{vega.in_prose(standing.family)}: mean rank {standing.mean_rank:.2f}"
        place = {"rank": standing.mean_rank, "level": base + row}
        values.append({"what": side, "name": name, "hover": hover, **place})
    for i, (first, last) in enumerate(bars):
        ends = {"rank": shown[first].mean_rank, "to": shown[last].mean_rank}
        values.append({"what": "bar", "level": GAP * (i + 1), **ends})
    if critical is not None:
        name = f"critical difference {critical:.2f}"
        values.append({"what": "cd", "name": name, "rank": 1.0, "to": 1 + critical, "level": ABOVE})
    return values


def _at(n: int, rows: float, *, grid: bool = False) -> Spec:
    """Return the position of a rank and a level."""
    axis = {"orient": "top", "grid": grid, "tickCount": min(n, 8), "format": "d"}
    x = {"field": "rank", "type": "quantitative", "title": "mean rank", "axis": axis}
    y = {"field": "level", "type": "quantitative", "axis": None}
    return {
        "x": x | {"scale": {"domain": [1, n], "nice": False}},
        "y": y | {"scale": {"domain": [0, rows], "reverse": True, "nice": False}},
    }


def _scale(n: int, rows: float, *, grid: bool = False) -> list[Spec]:
    """Return the bars, and the critical difference over the axis."""
    at = _at(n, rows, grid=grid)
    to, name = at | {"x2": {"field": "to"}}, at | {"text": {"field": "name"}}
    bar: Spec = {"strokeWidth": 5, "strokeCap": "round", "color": vega.CORRECTED, "opacity": 0.9}
    return [
        vega.layer("rule", to, _are("bar"), **bar),
        vega.layer("rule", to, _are("cd"), strokeWidth=3, color=vega.NAIVE),
        vega.layer("text", name, _are("cd"), align="left", dx=0, dy=-9, **TEXT),
    ]


def _sides(at: Spec) -> list[Spec]:
    """Return families on both sides of the axis, with lines that lead to their mean ranks."""
    name, layers = at | {"text": {"field": "name"}}, []
    line: Spec = {"color": vega.INK, "opacity": 0.6}
    for side, align, edge, dx in (("best", "right", 0, -6), ("worst", "left", AXIS_WIDTH, 6)):
        end = {"value": edge}
        layers += [
            vega.layer("rule", at | {"y2": {"value": 0}} | vega.HOVER, _are(side), **line),
            vega.layer("rule", at | {"x2": end}, _are(side), **line),
            vega.layer("text", name | {"x": end}, _are(side), align=align, dx=dx, dy=0, **TEXT),
        ]
    return layers


def _are(what: str) -> str:
    return f"datum.what === '{what}'"


def _caption_of_ranks(result: Ranks, n_shown: int) -> str:
    some = vega.of_first(n_shown, len(result.standings))
    text = f"Mean ranks over {len(result.data_sets)} data sets; 1, on the left, is best.{some} "
    if not result.pairs:
        return f"{text}No pairs were tested, so no groups are joined."
    first = result.pairs[0]
    by = first.test
    if first.adjustment and first.adjustment != by:
        by += f" with the adjustment {first.adjustment}"
    text += f"Bars join groups without significant differences at {percent(result.level)}, "
    text += f"by {by}, which does not make them equal."
    if result.critical_difference is None:
        return text
    return (
        f"{text} The line above the axis is the critical difference of Nemenyi's test, which "
        "depends on the number compared."
    )
