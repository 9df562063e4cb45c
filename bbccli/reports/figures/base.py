"""The parts of all figures: axes, layers, names, and the theme."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

from bbccli.core.text import redacted, shortened, visible

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""The name of the language; nothing is fetched from there."""

NAIVE, CORRECTED = "#D55E00", "#2E86C1"
"""Vermilion and a lighter blue, apart for all kinds of colour blindness, on white and on black."""

INK = "currentColor"
"""Stands for the colour of the text around a figure."""

WIDTH = 460
"""Pixels of a figure: legible on a telephone."""

LONGEST_NAME = 36
"""Characters of a name in a figure, wide ones counting twice; the table has more."""

LONG_NUMBER = 1e6
"""From here on a number at an axis has a power of ten: with all its zeros it would be cut."""

KEPT = 5
"""Characters of the beginning of a name that others would else look like."""

LONGEST_IN_SENTENCE = 120
"""Characters of a name in a sentence."""

MOST_NAMES = 40
"""Names in a figure at most; the table has more."""

SOLID, DASHED, DOTTED = [1, 0], [5, 3], [2, 2]

SHARES: Spec = {"field": "share", "type": "quantitative", "title": "share of resamples"}

KNOWN = "isValid(datum.lower) && isValid(datum.upper)"
"""Filter of intervals that have both ends."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure.

    Attributes
    ----------
    reading
        Its message, in a sentence.
    caption
        The meaning of the marks, and the limits of the bands.
    columns, rows
        Its data as a table; cells are written as they are to be read.
    spec
        In Vega-Lite, without a theme.
    kind
        Its name.
    title
        Its heading.
    """

    reading: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    spec: Spec
    kind: str = ""
    title: str = ""

    def on_paper(self) -> Spec:
        """Return the specification in dark ink on white paper, as it stands in a file."""
        return themed(self.spec, "#222222", "#ffffff") | {
            "title": None,
            "description": self.reading,
        }


@dataclass(frozen=True, slots=True)
class Absent:
    """A figure that can't be drawn, and why."""

    kind: str
    title: str
    reason: str


def labels(names: Iterable[str], longest: int = LONGEST_NAME) -> list[str]:
    """Return short names that differ, for an axis.

    The middle of a long name is left out; where several names then look the same, more of the
    beginning is, for the names of configurations differ at their ends.

    Examples
    --------
    >>> labels(["a", "a", "a-very-long-name-of-a-model-" * 2])
    ['a', 'a (2)', 'a-very-long-name-...name-of-a-model-']
    >>> labels([f"extra-trees depth={d} leaf=1 features=0.5 k=3" for d in (2, 4)])
    ['extra...th=2 leaf=1 features=0.5 k=3', 'extra...th=4 leaf=1 features=0.5 k=3']
    """
    whole = [visible(redacted(name)) for name in names]
    rooms = {name: _room(name, longest) for name in whole}
    shorts = {name: shortened(name, room) for name, room in rooms.items()}
    times = Counter(shorts.values())
    seen: Counter[str] = Counter()
    found = []
    for name in whole:
        short, room = shorts[name], rooms[name]
        if times[short] > 1 and len(name) > room:
            short = f"{name[:KEPT]}...{name[KEPT + 3 - room :]}"
        seen[short] += 1
        found.append(f"{short} ({seen[short]})" if seen[short] > 1 else short)
    return found


def named(
    names: Sequence[str], records: Iterable[Any], points: Callable[[Any], Iterable[Spec]]
) -> list[Spec]:
    """Return the points of records, each under the name of its record."""
    found = zip(names, records, strict=True)
    return [{"name": name, **point} for name, record in found for point in points(record)]


def _room(name: str, longest: int) -> int:
    """Characters of a name that are as wide as so many narrow ones."""
    wide = sum(east_asian_width(character) in "WF" for character in name)
    return longest * len(name) // (len(name) + wide) if wide else longest


def name_of(name: str, longest: int = LONGEST_IN_SENTENCE) -> str:
    """Return a name from a file for a sentence: without secrets, on one line, not too long."""
    return shortened(visible(redacted(name)), longest)


def of_first(n_shown: int, n_all: int, what: str = "") -> str:
    """Return how many of all a figure shows; empty where it is all of them."""
    return f" The first {n_shown} of {n_all}{what}." if n_shown < n_all else ""


def spec_of(values: Sequence[Mapping[str, object]], layers: Sequence[Spec], **more: Any) -> Spec:
    """Return layers that share their data."""
    return {
        "$schema": SCHEMA,
        "width": WIDTH,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": list(values)},
        "layer": list(layers),
        **more,
    }


def names_axis(sort: Sequence[str]) -> Spec:
    """Return the encoding of names down the side, in the order given."""
    # without a limit, for what exceeds it loses its end, where names differ
    axis = {"title": None, "labelLimit": 0, "ticks": False, "domain": False}
    return {"field": "name", "type": "nominal", "sort": list(sort), "axis": axis}


def number(field: str, title: str, **more: Any) -> Spec:
    """Return the encoding of a number whose scale need not begin at zero."""
    large = f"abs(datum.value) >= {LONG_NUMBER:g} ? format(datum.value, '~e') : datum.label"
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"zero": False},
        "axis": {"tickCount": 6, "labelExpr": large},
    } | more


def nominal(field: str, domain: Iterable[str], marks: Sequence[object]) -> Spec:
    """Return the encoding of a series by colours or dashes, one of `marks` for each of `domain`."""
    scale = {"domain": list(domain), "range": list(marks)}
    return {"field": field, "type": "nominal", "title": None, "scale": scale}


def layer(
    mark: str,
    encoding: Mapping[str, Spec],
    where: str = "",
    data: Sequence[Mapping[str, object]] | None = None,
    **style: Any,
) -> Spec:
    """Return marks in a style; `where` filters the data, which may be those of this layer alone."""
    found: Spec = {"mark": {"type": mark, **style}, "encoding": dict(encoding)}
    if where:
        found["transform"] = [{"filter": where}]
    if data is not None:
        found["data"] = {"values": list(data)}
    return found


def span(
    y: Spec, label: str, ends: tuple[str, str] = ("lower", "upper"), where: str = "", **style: Any
) -> Spec:
    """Return lines along x from one field to another; `KNOWN` leaves out those that lack an end."""
    x = {"x": number(ends[0], label), "x2": {"field": ends[1]}}
    return layer("rule", {"y": y, **x}, where, color=INK, **style)


def open_and_filled(empty: str, full: str) -> Spec:
    """Return the colours of two series of points, the first of which are open circles."""
    return {
        "stroke": nominal("series", (empty, full), (NAIVE, CORRECTED)),
        "fill": nominal("series", (empty, full), ("transparent", CORRECTED)),
    }


def points(y: Spec, label: str, size: int, series: Sequence[str] = (), **style: Any) -> Spec:
    """Return points at `value`; those of the first of two series are open circles."""
    at = {"y": y, "x": number("value", label)}
    at |= open_and_filled(*series) if series else {}
    return layer("point", at, size=size, strokeWidth=1.5, opacity=1, **style)


def themed(spec: Spec, ink: str = INK, paper: str | None = None) -> Spec:
    """Return a specification with the theme: all text and lines in one ink."""
    inked = {f"{part}Color": ink for part in ("label", "title", "domain", "tick", "grid")}
    axis = inked | {"gridOpacity": 0.15, "labelFontSize": 11.5, "titleFontSize": 12}
    axis |= {"titleFontWeight": "normal", "labelFlush": False}
    legend = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "orient": "top"}
    legend |= {"direction": "horizontal", "symbolSize": 80, "labelLimit": 220}
    config = {
        "background": paper,
        "font": "sans-serif",
        "axis": axis,
        "legend": legend,
        "view": {"stroke": None},
        "text": {"color": ink, "fontSize": 12},
    }
    found: Spec = _inked(spec, ink) | {"config": config}
    return found


def _inked(value: Any, ink: str) -> Any:
    """The same with another ink; data are left as they are."""
    if isinstance(value, dict):
        return {k: v if k == "data" else _inked(v, ink) for k, v in value.items()}
    if isinstance(value, list):
        return [_inked(item, ink) for item in value]
    return ink if value == INK else value
