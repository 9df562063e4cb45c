"""All configurations, best first."""

from __future__ import annotations

from bbccli.evidence.records import Ranked, Ranking
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    KNOWN,
    MOST_NAMES,
    NAIVE,
    Drawn,
    Spec,
    labels,
    layer,
    name_of,
    names_axis,
    number,
    of_first,
    span,
    spec_of,
)
from bbccli.rounding import Digits, count, percent
from bbccli.text import visible

POINT: Spec = {"size": 45, "strokeWidth": 1.5, "opacity": 1}

MAY_BE = {True: "yes", False: "no", None: "unknown"}


def ranking(exhibit: Exhibit) -> Drawn | str:
    """Return the ranking by the metric that selects."""
    found: Ranking | None = exhibit.part("ranking")
    if found is None or not found.rows:
        return exhibit.absent("ranking")
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
    first, middle = found.rows[0], found.rows[len(found.rows) // 2]
    apart = digits.difference(abs(first.performance - middle.performance))
    return (
        f"{name_of(first.configuration)} leads the one in the middle by {apart}; that lead is "
        "partly luck, for which the estimate is corrected and this list is not."
    )


def _caption(found: Ranking, n_shown: int) -> str:
    more = of_first(n_shown, found.n_configurations)
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
    at = {"y": names_axis(names), "x": number("value", label)}
    intervals = [span(at["y"], label, where=KNOWN, opacity=0.5)] if found.level is not None else []
    return [
        *intervals,
        layer("point", at, "!datum.inside", filled=False, color=NAIVE, **POINT),
        layer("point", at, "datum.inside", filled=True, color=CORRECTED, **POINT),
    ]
