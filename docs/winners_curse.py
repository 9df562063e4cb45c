"""The picture of the README: all configurations of a study, and its winner on new cases."""

import json
from html import escape
from pathlib import Path

import numpy as np

import bbccli
from bbccli.documents.leaderboard import leaderboard

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "winners-curse.svg"
STUDY, METRIC = "breast_cancer", "accuracy"

LEFT, RIGHT, LEAST, MOST = 30, 690, 0.86, 1.0
TOP, RADIUS = 130, 2.3
ROWS = {"cv": 300, "truth": 450}
INTERVAL = 530

STYLE = """
svg { background: #ffffff; font-family: Helvetica, Arial, sans-serif; font-size: 23.5px }
.title { font-size: 27px; font-weight: 700 } .strong { font-weight: 700 } text { fill: #1b1f24 }
.quiet { fill: #57606a } .grid { stroke: #e5e7eb } .dot { fill: #8b96a1 }
.winner { fill: #b34700; stroke: none } .fall { stroke: #b34700; stroke-dasharray: 4 4 }
.bbc { fill: #1f6fb2 } .range { stroke: #1f6fb2; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
svg { background: #0d1117 } text { fill: #e6edf3 } .quiet { fill: #9ea7b3 }
.grid { stroke: #2b323b } .dot { fill: #7d8590 } .winner { fill: #ff9a52 }
.fall { stroke: #ff9a52 } .bbc { fill: #6cb6ff } .range { stroke: #6cb6ff }
}
"""


def drawing() -> str:
    """Return the picture, with the figures of `bbc` and of the cases kept aside."""
    found = bbccli.correct(ROOT / "sample_data" / f"{STUDY}.parquet", metric=METRIC, method="bbc")
    said = json.loads((ROOT / "sample_data" / f"{STUDY}.truth.json").read_text(encoding="utf-8"))
    truths = said["performances"][METRIC]
    rows = leaderboard(found.matrix, METRIC, bbccli.Plan(), wins=False).record.rows
    cv = {row.configuration: row.performances[0].value for row in rows}
    lower, upper = found.interval or (np.nan, np.nan)
    places = {"cv": swarm(cv, ROWS["cv"]), "truth": swarm(truths, ROWS["truth"])}
    out = [sum(value < LEAST for value in values.values()) for values in (cv, truths)]
    winner, truth = found.winner, truths[found.winner]
    ends = [places[row][winner] for row in ROWS]
    parts = [
        _text(LEFT, 32, f"The best of {len(cv)} looks better than it is", "title"),
        _text(LEFT, 64, "One dot per configuration. The winner tops its own", "quiet"),
        _text(LEFT, 90, "cross-validation; on new cases it is one of the pack.", "quiet"),
        *(_tick(value) for value in np.arange(LEAST, MOST + 0.001, 0.02)),
        *_label(ROWS["cv"], "In cross-", "validation,", f"{said['n_study']} cases"),
        *_label(ROWS["truth"], f"On {said['n_held_out']}", "new cases"),
    ]
    for row in ROWS:
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" class="dot"/>'
            for name, (x, y) in places[row].items()
            if name != winner
        ]
    (x0, y0), (x1, y1) = ends
    parts.append(f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" class="fall"/>')
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" class="winner"/>' for x, y in ends]
    parts += [
        _text(x0 + 12, y0 + 7, f"winner {cv[winner]:.3f}", "winner strong"),
        _text(x1 + 45, y1 + 2, f"scored {truth:.3f}", "winner strong"),
        f'<path d="M{_at(lower):.1f} {INTERVAL}H{_at(upper):.1f}" class="range"/>',
        *(f'<path d="M{_at(end):.1f} {INTERVAL - 7}v14" class="range"/>' for end in (lower, upper)),
        f'<circle cx="{_at(found.value):.1f}" cy="{INTERVAL}" r="8" class="bbc"/>',
        _text(
            (LEFT + RIGHT) / 2,
            INTERVAL - 20,
            f"bbc expects {found.value:.3f} (95% CI {lower:.3f} to {upper:.3f})",
            "bbc strong",
            "middle",
        ),
        _text(
            (LEFT + RIGHT) / 2,
            INTERVAL + 62,
            f"{METRIC} (not shown below {LEAST}: {out[0]} and {out[1]} dots)",
            "quiet",
            "middle",
        ),
    ]
    summary = (
        f"{len(cv)} configurations: the winner scored {cv[winner]:.3f} in cross-validation, and "
        f"{truth:.3f} on {said['n_held_out']} new cases. bbc expected {found.value:.3f}."
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 605" role="img">'
    title = f"<title>{escape(summary)}</title><style>{STYLE}</style>"
    return "\n".join([head, title, *parts, "</svg>", ""])


def swarm(values: dict[str, float], base: float) -> dict[str, tuple[float, float]]:
    """Place dots above a line without overlap; leave out those left of the axis."""
    placed: dict[str, tuple[float, float]] = {}
    for name in sorted(values, key=lambda one: (values[one], one)):
        if values[name] < LEAST:
            continue
        x, y = _at(values[name]), base
        while any((x - a) ** 2 + (y - b) ** 2 < (2 * RADIUS) ** 2 for a, b in placed.values()):
            y -= 2 * RADIUS + 0.1
        placed[name] = x, y
    return placed


def _at(value: float) -> float:
    return LEFT + (value - LEAST) / (MOST - LEAST) * (RIGHT - LEFT)


def _tick(value: float) -> str:
    line = f'<path d="M{_at(value):.1f} {TOP}V{INTERVAL + 10}" class="grid"/>'
    return line + _text(_at(value), INTERVAL + 34, f"{value:.2f}", "quiet", "middle")


def _label(base: float, *lines: str) -> list[str]:
    tops = (base - 120 + 26 * k for k in range(len(lines)))
    return [_text(LEFT, y, line, "strong") for y, line in zip(tops, lines, strict=True)]


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} class="{style}">{escape(text)}</text>'
