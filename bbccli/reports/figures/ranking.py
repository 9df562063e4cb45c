"""All configurations, best first."""

from __future__ import annotations

from bbccli.evidence.records import Ranked, Ranking
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    INK,
    MOST_NAMES,
    NAIVE,
    Absent,
    Drawn,
    Spec,
    labels,
    name_of,
    names_axis,
    number,
    spec_of,
)
from bbccli.rounding import Digits, count, percent
from bbccli.text import visible

TITLE = "All configurations"

MAY_BE = {True: "yes", False: "no", None: "unknown"}


def draw(exhibit: Exhibit) -> Drawn | Absent:
    """Return the ranking by the metric that selects."""
    found = exhibit.evidence.ranking if exhibit.evidence else None
    if found is None or not found.rows:
        return Absent("ranking", TITLE, exhibit.absent("ranking"))
    label, shown = phrases.metric_label(found.metric), found.rows[:MOST_NAMES]
    digits = phrases.digits_by(found.metric, [row.performance for row in found.rows])
    names = labels(row.configuration for row in shown)
    values = [
        {
            "name": name,
            "value": row.performance,
            "lower": row.lower,
            "upper": row.upper,
            "inside": row.inside is True,
        }
        for name, row in zip(names, shown, strict=True)
    ]
    columns, rows = ["rank", "configuration", f"{label}, naive"], []
    if found.level is not None:
        columns += [f"{percent(found.level)} simultaneous interval", "may be the best"]
    for rank, row in enumerate(found.rows, 1):
        cells = [str(rank), visible(row.configuration), digits.performance(row.performance)]
        if found.level is not None:
            cells += [_ends(row, digits), MAY_BE[row.inside]]
        rows.append(cells)
    return Drawn(
        "ranking",
        TITLE,
        _reading(found),
        _caption(found, len(shown)),
        columns,
        rows,
        spec_of(values, _layers(found, names, label), height={"step": 15}),
    )


def _ends(row: Ranked, digits: Digits) -> str:
    if row.lower is None or row.upper is None:
        return "unknown"
    return f"{digits.performance(row.lower)} to {digits.performance(row.upper)}"


def _reading(found: Ranking) -> str:
    inside = [row for row in found.rows if row.inside]
    if inside:
        return (
            f"{count(len(inside), 'configuration')} of {found.n_configurations} may be the best at "
            f"the level of {percent(found.level or 0)}."
        )
    digits = phrases.digits_by(found.metric, [row.performance for row in found.rows])
    first, middle = found.rows[0], _middle(found.rows)
    apart = digits.difference(abs(first.performance - middle.performance))
    return (
        f"{name_of(first.configuration)} leads the one in the middle by {apart}; that lead is "
        "partly luck, for which the estimate is corrected and this list is not."
    )


def _middle(rows: tuple[Ranked, ...]) -> Ranked:
    return rows[len(rows) // 2]


def _caption(found: Ranking, n_shown: int) -> str:
    more = (
        f" The first {n_shown} of {found.n_configurations}."
        if n_shown < found.n_configurations
        else ""
    )
    if found.level is None:
        why = f": {name_of(found.without)}" if found.without else ""
        return f"Naive figures, of all samples, not corrected.{more} There are no intervals{why}."
    level = percent(found.level)
    return (
        f"Naive figures, not corrected.{more} The {level} intervals hold for all configurations at "
        "once, so also for the first one, though it was selected. Filled: may be the best; the set "
        f"of these holds the truly best one with a probability of {level}. Both are of these "
        "predictions as they stand: they ignore how models change with their training samples."
    )


def _layers(found: Ranking, names: list[str], label: str) -> list[Spec]:
    y = names_axis(names)
    layers: list[Spec] = []
    if found.level is not None:
        layers.append(
            {
                "mark": {"type": "rule", "color": INK, "opacity": 0.5},
                "transform": [{"filter": "isValid(datum.lower) && isValid(datum.upper)"}],
                "encoding": {"y": y, "x": number("lower", label), "x2": {"field": "upper"}},
            }
        )
    point = {"type": "point", "size": 45, "color": NAIVE, "strokeWidth": 1.5}
    for inside, filled, colour in (("!", False, NAIVE), ("", True, CORRECTED)):
        layers.append(
            {
                "mark": point | {"filled": filled, "color": colour, "opacity": 1},
                "transform": [{"filter": f"{inside}datum.inside"}],
                "encoding": {"y": y, "x": number("value", label)},
            }
        )
    return layers
