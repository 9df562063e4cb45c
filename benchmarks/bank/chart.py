"""Bias against the number of samples as small multiples, in plain SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from math import isfinite

from benchmarks.validation.summary import Figure

WIDTH, HEIGHT = 250, 190
LEFT, TOP, GAP = 62, 56, 34
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
TICKS = (-0.1, -0.05, 0.0, 0.05, 0.1, 0.15, 0.2)
LOWEST, HIGHEST = -0.11, 0.22

Lines = Mapping[str, Mapping[int, Figure]]
"""Figures of each method by the number of samples."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One law and number of configurations."""

    title: str
    lines: Lines


def svg(rows: Sequence[Sequence[Panel]], methods: Sequence[str]) -> str:
    """Draw rows of panels under one legend; values beyond the frame are drawn at its edge."""
    width = LEFT + max(len(row) for row in rows) * (WIDTH + GAP)
    height = TOP + len(rows) * (HEIGHT + GAP + 16) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
        "<title>Bias of each method against the number of samples</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_legend(methods),
    ]
    for i, row in enumerate(rows):
        for j, panel in enumerate(row):
            x, y = LEFT + j * (WIDTH + GAP), TOP + i * (HEIGHT + GAP + 16)
            parts += _panel(panel, methods, x, y, first=j == 0)
    return "\n".join([*parts, "</svg>", ""])


def _legend(methods: Sequence[str]) -> list[str]:
    parts = [_text(LEFT, 14, "bias: mean of estimate minus true accuracy of the winner")]
    x = LEFT
    for method, colour in zip(methods, cycle(COLOURS), strict=False):
        parts.append(f'<path d="M{x} 29h18" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(x + 22, 33, method))
        x += 36 + 7 * len(method)
    return parts


def _panel(panel: Panel, methods: Sequence[str], x: int, y: int, *, first: bool) -> list[str]:
    sizes = sorted({n for line in panel.lines.values() for n in line})
    across = {n: x + WIDTH * (k + 0.5) / len(sizes) for k, n in enumerate(sizes)}
    parts = [_text(x, y - 5, panel.title)]
    for tick in TICKS:
        height, stroke = _down(tick, y), "#888888" if tick == 0 else "#dddddd"
        parts.append(f'<path d="M{x} {height:.1f}h{WIDTH}" stroke="{stroke}"/>')
        if first:
            parts.append(_text(x - 6, height + 4, f"{tick:.2f}", anchor="end"))
    for n, place in across.items():
        parts.append(_text(place, y + HEIGHT + 14, f"N {n}" if n == sizes[0] else n, "middle"))
    for method, colour in zip(methods, cycle(COLOURS), strict=False):
        parts += _line(panel.lines.get(method, {}), across, y, colour)
    return parts


def _line(
    line: Mapping[int, Figure], across: Mapping[int, float], y: int, colour: str
) -> list[str]:
    """A line through the means, and a bar of two standard errors at each."""
    points = [(across[n], line[n]) for n in sorted(line)]
    path = " ".join(f"{x:.1f},{_down(one.value, y):.1f}" for x, one in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>']
    for x, one in points:
        if isfinite(one.error):
            ends = [_down(one.value + sign * 2 * one.error, y) for sign in (1, -1)]
            parts.append(f'<path d="M{x:.1f} {ends[0]:.1f}V{ends[1]:.1f}" stroke="{colour}"/>')
    return parts


def _down(value: float, y: int) -> float:
    inside = min(max(value, LOWEST), HIGHEST)
    return y + HEIGHT * (HIGHEST - inside) / (HIGHEST - LOWEST)


def _text(x: float, y: float, text: object, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(str(text))}</text>'
