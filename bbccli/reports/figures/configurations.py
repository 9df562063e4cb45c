"""Figures of all configurations: ranked, and fold by fold."""

from __future__ import annotations

from dataclasses import asdict

from bbccli.core.rounding import Digits, count, percent
from bbccli.core.text import visible
from bbccli.reports import phrases
from bbccli.reports.evidence import Exhibit, FoldSpread, Ranked, Ranking
from bbccli.reports.figures.base import (
    CORRECTED,
    INK,
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

WINNER: Spec = {"size": 60, "opacity": 1}

MAY_BE = {True: "yes", False: "no", None: "unknown"}

SPREAD = {
    "least": "smallest",
    "lower": "lower quartile",
    "median": "median",
    "upper": "upper quartile",
    "most": "largest",
}
"""Names of the figures of all configurations in a fold."""


def ranking(exhibit: Exhibit) -> Drawn | str:
    """Return the configurations by the metric that selects, best first."""
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
    at = {"y": names_axis(names), "x": number("value", label)}
    point: Spec = {"size": 45, "strokeWidth": 1.5, "opacity": 1}
    layers = [
        *([span(at["y"], label, where=KNOWN, opacity=0.5)] if found.level is not None else []),
        layer("point", at, "!datum.inside", filled=False, color=NAIVE, **point),
        layer("point", at, "datum.inside", filled=True, color=CORRECTED, **point),
    ]
    return Drawn(
        _leader(found, digits),
        _caption(found, len(shown)),
        columns,
        rows,
        spec_of(values, layers, height={"step": 15}),
    )


def _ends(row: Ranked, digits: Digits) -> str:
    if row.lower is None or row.upper is None:
        return "unknown"
    return f"{digits.performance(row.lower)} to {digits.performance(row.upper)}"


def _leader(found: Ranking, digits: Digits) -> str:
    n_inside = sum(row.inside is True for row in found.rows)
    if n_inside:
        return (
            f"{count(n_inside, 'configuration')} of {found.n_configurations} may be the best at "
            f"the level of {percent(found.level or 0)}."
        )
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


def folds(exhibit: Exhibit) -> Drawn | str:
    """Return the winner in each fold, against all configurations."""
    found: tuple[FoldSpread, ...] | None = exhibit.part("folds")
    if not found:
        return exhibit.absent("folds")
    metric = phrases.metrics_of(exhibit.document)[0]
    label, shown = phrases.metric_label(metric), found[:MOST_NAMES]
    digits = phrases.digits_by(metric, [end for fold in found for end in (fold.least, fold.most)])
    names = labels(f"fold {fold.fold}" for fold in shown)
    rows = [
        (
            visible(fold.fold),
            digits.performance(fold.winner, "undefined"),
            *(digits.performance(getattr(fold, name)) for name in SPREAD),
        )
        for fold in found
    ]
    sign = 1 if exhibit.document.estimates[0].direction == "maximize" else -1
    worst = min(found, key=lambda fold: sign * fold.median)
    above = sum(f.winner is not None and sign * (f.winner - f.median) >= 0 for f in found)
    y = names_axis(names)
    median, winner = ({"y": y, "x": number(name, label)} for name in ("median", "winner"))
    layers = [
        span(y, label, ("least", "most"), opacity=0.5),
        span(y, label, strokeWidth=6, opacity=0.3),
        layer("tick", median, color=INK, thickness=2, size=12),
        layer("point", winner, "isValid(datum.winner)", filled=True, color=CORRECTED, **WINNER),
    ]
    return Drawn(
        "The winner is at least as good as the median configuration in "
        f"{above} of {len(found)} folds; the hardest one is fold {name_of(worst.fold)}.",
        "Filled circles: the winner. Thick lines: the middle half of all configurations, with a "
        "tick at the median; thin lines: all of them. A fold holds few samples, and nothing here "
        f"shows how uncertain its figures are.{of_first(len(shown), len(found), ' folds')}",
        ("fold", "winner", *SPREAD.values()),
        rows,
        spec_of(
            [{"name": name, **asdict(fold)} for name, fold in zip(names, shown, strict=True)],
            layers,
            height={"step": 20},
        ),
    )
