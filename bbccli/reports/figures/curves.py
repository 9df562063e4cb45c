"""What the two curves of a winner share: naive and corrected lines over a diagonal."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.evidence.records import Curves
from bbccli.reports.figures.base import CORRECTED, INK, NAIVE, Spec, by_series, spec_of

SERIES = {"naive": (NAIVE, ""), "corrected": (CORRECTED, "")}
SIDE = 270


def curves_spec(curves: Curves, x_title: str, y_title: str) -> Spec:
    """Return a square with the naive curve dashed, the corrected one solid, and the diagonal."""
    values = [
        {"x": x, "series": series, "y": y}
        for series, line in (("naive", curves.naive), ("corrected", curves.corrected))
        for x, y in zip(curves.x, line, strict=True)
        if y is not None
    ]
    x, y = (
        {"field": name, "type": "quantitative", "title": title, "scale": {"domain": [0, 1]}}
        for name, title in (("x", x_title), ("y", y_title))
    )
    dashes = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(SERIES), "range": [[5, 3], [1, 0]]},
    }
    line = {"type": "line", "strokeWidth": 2.5}
    layers: list[Spec] = [
        *_band(curves, x, y),
        {
            "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
            "mark": {"type": "line", "color": INK, "strokeWidth": 1, "opacity": 0.6},
            "encoding": {"x": x, "y": y},
        },
        {
            "mark": line,
            "encoding": {"x": x, "y": y, "color": by_series(SERIES), "strokeDash": dashes},
        },
    ]
    return spec_of(values, layers) | {"width": SIDE, "height": SIDE, "autosize": "pad"}


def _band(curves: Curves, x: Spec, y: Spec) -> list[Spec]:
    ends = [
        {"x": x_, "y": lower, "upper": upper}
        for x_, lower, upper in zip(curves.x, curves.lower, curves.upper, strict=False)
        if lower is not None and upper is not None
    ]
    if not ends:
        return []
    mark = {"type": "area", "color": INK, "opacity": 0.15}
    area = {"data": {"values": ends}, "mark": mark}
    return [area | {"encoding": {"x": x, "y": y, "y2": {"field": "upper"}}}]


def curve_rows(curves: Curves, step: int = 5) -> list[tuple[str, ...]]:
    """Return every few points of the curves, two decimals each."""
    lines: list[Sequence[float | None]] = [curves.naive, curves.corrected]
    lines += [curves.lower, curves.upper] if curves.lower else []
    return [
        (f"{x:.2f}", *("none" if line[i] is None else f"{line[i]:.2f}" for line in lines))
        for i, x in enumerate(curves.x)
        if i % step == 0
    ]
