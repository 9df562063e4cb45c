"""The parts of all figures: axes, layers, names, and the theme."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any
from unicodedata import east_asian_width

from bbccli.platform.dataclass import dataclass
from bbccli.platform.text import redacted, shortened, visible

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""The name of the language; nothing is fetched from there."""

NAIVE, CORRECTED = "#D55E00", "#2E86C1"
"""Vermilion and a lighter blue, apart for all kinds of colour blindness, on white and on black."""

INK = "currentColor"
"""Stands for the colour of the text around a figure."""

WIDTH = 560
"""Pixels of a figure."""

NARROW = 300
"""Pixels of a figure on a telephone, which hardly shrinks it: its text stays legible."""

ROOM = 12
"""Characters of names that have room beside the marks of a narrow figure; others go above them."""

ABOVE = {"step": 36}, {"labelAlign": "left", "labelPadding": 0, "labelOffset": -13}
"""Height of a row whose name is above its marks, and the axis of such names."""

BAR = 10
"""Pixels of a bar below its name."""

LONGEST_LINE = 40
"""Characters that an axis title, and a legend's words, may have in a narrow figure."""

LONGEST_NAME = 44
"""Characters of a name in a figure, wide ones counting twice; the table has more."""

LONGEST_NUMBER = 8
"""Characters of a number at an axis; a longer one has a power of ten, else it would be cut."""

LONGEST_IN_SENTENCE = 120
"""Characters of a name in a sentence."""

MOST_NAMES = 15
"""Names in a figure at most; the table has more."""

SOLID, DASHED, DOTTED = [1, 0], [5, 3], [2, 2]

HOVER: Spec = {"description": {"field": "hover"}, "tooltip": {"field": "hover"}}
"""Encoding of the text that a mark shows under the pointer, its field `hover`."""

SHARES: Spec = {"field": "share", "type": "quantitative", "title": "share of resamples"}

KNOWN = "isValid(datum.lower) && isValid(datum.upper)"
"""Filter of intervals that have both ends."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure.

    reading: its message, in a sentence.
    caption: the meaning of the marks, and the limits of the bands.
    columns, rows: its data as a table; cells are written as they are to be read.
    spec: in Vega-Lite, without a theme.
    kind: its name.
    title: its heading.
    small: specification for a telephone, where `narrowed` does not make it of the other.
    """

    reading: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    spec: Spec
    kind: str = ""
    title: str = ""
    small: Spec | None = None

    def on_telephone(self) -> Spec | None:
        """Return the specification for a narrow screen; None where it fits one as it is."""
        if self.small is not None or self.spec["autosize"]["type"] == "pad":
            return self.small
        return narrowed(self.spec)

    def on_paper(self) -> Spec:
        """Return the specification in dark ink on white paper, for a file."""
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

    Words in the middle of a long name are left out; where several names then look the same, more
    of the beginning is, for the names of configurations differ at their ends.

    >>> labels(["a", "a", "a-very-long-name-of-a-model-" * 2])
    ['a', 'a (2)', 'a-very-long-name-of-a-...name-of-a-model-']
    >>> labels([f"extra-trees depth=2 leaf={n} features=0.5 k=3 seed=1" for n in (1, 5)])
    ['...depth=2 leaf=1 features=0.5 k=3 seed=1', '...depth=2 leaf=5 features=0.5 k=3 seed=1']
    """
    whole = [visible(redacted(name)) for name in names]
    shorts = [_cut(name, _room(name, longest), 0.5) for name in whole]
    times = Counter(dict(zip(whole, shorts, strict=True)).values())
    shorts = [
        _cut(name, _room(name, longest), 0.0) if times[short] > 1 else short
        for name, short in zip(whole, shorts, strict=True)
    ]
    seen: Counter[str] = Counter()
    texts = []
    for short in shorts:
        seen[short] += 1
        texts.append(f"{short} ({seen[short]})" if seen[short] > 1 else short)
    return texts


_WORDS = re.compile(r"[^\s_,;/(-]*[\s_,;/(-]*")
"""Parts of a name, each with the separators that end it."""


def _cut(name: str, longest: int, first: float) -> str:
    """Leave words out of the middle of a name; at least its last one, or the end of it, is kept.

    first: share of the room for the words at the beginning.
    """
    if len(name) <= longest:
        return name
    words, head, tail = [word for word in _WORDS.findall(name) if word], "", ""
    while len(head) + len(words[0]) <= first * longest:
        head += words.pop(0)
    while words and len(head) + 3 + len(words[-1]) + len(tail) <= longest:
        tail = words.pop() + tail
    return f"{head}...{tail or name[len(head) + 3 - longest :]}"


def points_by_name(
    names: Sequence[str], records: Iterable[Any], points: Callable[[Any], Iterable[Spec]]
) -> list[Spec]:
    """Return the points of records, each under the name of its record."""
    pairs = zip(names, records, strict=True)
    return [{"name": name, **point} for name, record in pairs for point in points(record)]


def _room(name: str, longest: int) -> int:
    """Characters of a name that are as wide as `longest` narrow ones."""
    wide = sum(east_asian_width(character) in "WF" for character in name)
    return longest * len(name) // (len(name) + wide) if wide else longest


def in_prose(name: str, longest: int = LONGEST_IN_SENTENCE) -> str:
    """Return a name from a file for a sentence: without secrets, on one line, not too long."""
    return shortened(visible(redacted(name)), longest)


def of_first(n_shown: int, n_all: int, what: str = "") -> str:
    """Return how many of all items a figure shows; empty if it shows all."""
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
    power = "datum.value == 0 ? '0' : format(datum.value, '~e')"
    label = f"length(datum.label) > {LONGEST_NUMBER} ? ({power}) : datum.label"
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"zero": False},
        "axis": {"tickCount": 6, "labelExpr": label},
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
    one_layer: Spec = {"mark": {"type": mark, **style}, "encoding": dict(encoding)}
    if "description" not in encoding:
        one_layer["mark"]["aria"] = False  # else it would have a text of its own
    if where:
        one_layer["transform"] = [{"filter": where}]
    if data is not None:
        one_layer["data"] = {"values": list(data)}
    return one_layer


def span(
    y: Spec, label: str, ends: tuple[str, str] = ("lower", "upper"), where: str = "", **style: Any
) -> Spec:
    """Return lines along x from one field to another; `KNOWN` leaves out those that lack an end."""
    x = {"x": number(ends[0], label), "x2": {"field": ends[1]}}
    return layer("rule", {"y": y, **x}, where, color=INK, **style)


def open_and_filled(empty: str, full: str) -> Spec:
    """Return the colours of two series of points, the first with open circles."""
    return {
        "stroke": nominal("series", (empty, full), (NAIVE, CORRECTED)),
        "fill": nominal("series", (empty, full), ("transparent", CORRECTED)),
    }


def points(y: Spec, label: str, size: int, series: Sequence[str] = (), **style: Any) -> Spec:
    """Return points at `value`; those of the first of two series are open circles."""
    at = {"y": y, "x": number("value", label), **HOVER}
    at |= open_and_filled(*series) if series else {}
    return layer("point", at, size=size, strokeWidth=1.5, opacity=1, **style)


def unseen_points(x: Spec, y: Spec, values: Sequence[Mapping[str, object]]) -> Spec:
    """Return invisible points, for the values of lines under the pointer."""
    at = {"x": x, "y": y, **HOVER}
    return layer("point", at, data=values, filled=True, size=200, opacity=0)


def narrowed(spec: Spec) -> Spec:
    """Return a specification for a telephone: long names are above their marks, not beside them.

    What the pointer would show is left out.
    """
    names = [str(value["name"]) for value in spec["data"]["values"] if "name" in value]
    above = max(map(len, names), default=0) > ROOM
    layers = [layer for layer in spec["layer"] if layer["mark"].get("opacity") != 0]
    narrow: Spec = _reflowed(spec | {"layer": layers, "width": NARROW}, above=above)
    return narrow | {"height": ABOVE[0]} if above else narrow


def _reflowed(value: Any, *, above: bool) -> Any:
    """The same with names above, titles of several lines, and legends of two columns."""
    if isinstance(value, list):
        return [_reflowed(part, above=above) for part in value]
    if not isinstance(value, dict):
        return value
    reflowed = {
        k: v if k == "data" else _reflowed(v, above=above)
        for k, v in value.items()
        if k not in HOVER
    }
    if above and reflowed.get("field") == "name" and "axis" in reflowed:
        reflowed["axis"] |= ABOVE[1]
    if reflowed.get("type") == "bar" and "size" in reflowed:
        reflowed["size"] = BAR
    if len(title := reflowed.get("title") or "") > LONGEST_LINE:
        reflowed["title"] = wrap(title, LONGEST_LINE)
    words = reflowed.get("scale", {}).get("domain", []) if reflowed.get("type") == "nominal" else []
    if sum(len(word) + 5 for word in words) > LONGEST_LINE:
        reflowed["legend"] = {"columns": 2}
    return reflowed


def themed(spec: Spec, ink: str = INK, paper: str | None = None) -> Spec:
    """Return a specification with the theme: all text and lines in one ink."""
    inked = {f"{part}Color": ink for part in ("label", "title", "domain", "tick", "grid")}
    axis = inked | {"gridOpacity": 0.15, "labelFontSize": 11.5, "titleFontSize": 12}
    axis |= {"titleFontWeight": "normal", "labelFlush": False, "labelSeparation": 8}
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
    with_theme: Spec = _inked(spec, ink) | {"config": config}
    return with_theme


def _inked(value: Any, ink: str) -> Any:
    if isinstance(value, dict):
        return {k: v if k == "data" else _inked(v, ink) for k, v in value.items()}
    if isinstance(value, list):
        return [_inked(item, ink) for item in value]
    return ink if value == INK else value
