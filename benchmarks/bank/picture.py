"""The figure of docs/validation.md: how often each interval covers, and how wide it is."""

from typing import Any

from bbccli.reports.figures.base import Drawn
from bbccli.reports.figures.rendering import exported
from benchmarks.bank.figures import Sums, figures
from benchmarks.validation.summary import Figure

NAME = "validation-bounds.svg"

WIDTH, STEP = 230, 17
NOMINAL, LOWEST, WIDEST = 0.95, 0.5, (0, 1.4)
"""The level of the intervals; the start of the axis of coverage; the axis of width."""

COLOURS = {"bbc": "#000000", "bbc-632": "#0072b2", "bbc-eb": "#d55e00"}
OTHER = "#777777"


def picture(sums: Sums) -> str:
    """Draw the two-sided 95% intervals of all variants, the narrowest first."""
    every = figures(sums).items()
    bounds = {_name(*v): (v[0], one) for v, one in every if one["both ends"].value > 0}
    ordered = sorted(bounds, key=lambda name: bounds[name][1]["width"].value)
    values = [_values(name, *bounds[name]) for name in ordered]
    names = {"field": "name", "type": "nominal", "sort": ordered, "title": None}
    left = _column(values, "both ends", (LOWEST, 1), "coverage of 95% intervals", names, NOMINAL)
    hidden = names | {"axis": None}
    relative = "width, relative to bbc percentile"
    right = _column(values, "width", WIDEST, relative, hidden, 1)
    spec: dict[str, Any] = {"hconcat": [left, right], "spacing": 24}
    title = "How often intervals cover the truth, and how wide they are"
    columns = ("variant", "coverage", "width")
    rows = [(one["name"], f"{one['both ends']:.3f}", f"{one['width']:.3f}") for one in values]
    return exported(Drawn(title, "", columns, rows, spec, "bounds", title), "svg").decode()


def _name(method: str, interval: str) -> str:
    return method if interval == "own" else f"{method} {interval}"


def _values(name: str, method: str, of_variant: dict[str, Figure]) -> dict[str, Any]:
    """Figures of a variant, with two standard errors to each side."""
    value: dict[str, Any] = {"name": name, "colour": COLOURS.get(method, OTHER)}
    for measure in ("both ends", "width"):
        one = of_variant[measure]
        value[measure] = one.value
        value[f"{measure} low"] = one.value - 2 * one.error
        value[f"{measure} high"] = one.value + 2 * one.error
    return value


def _column(
    values: list[dict[str, Any]],
    measure: str,
    domain: tuple[float, float],
    title: str,
    names: dict[str, Any],
    target: float,
) -> dict[str, Any]:
    """Points with bars of two standard errors, and a line at what is wanted."""
    scale = {"domain": list(domain)}
    across = {"field": measure, "type": "quantitative", "title": title, "scale": scale}
    colour = {"field": "colour", "type": "nominal", "scale": None}
    ends = {"x": across | {"field": f"{measure} low"}, "x2": {"field": f"{measure} high"}}
    return {
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rule", "strokeDash": [4, 3], "color": OTHER},
                "data": {"values": [{"wanted": target}]},
                "encoding": {"x": across | {"field": "wanted"}},
            },
            {
                "mark": {"type": "rule", "clip": True},
                "encoding": {**ends, "y": names, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 45, "clip": True},
                "encoding": {"x": across, "y": names, "color": colour},
            },
        ],
    }
