"""The winner in each fold, against all configurations."""

from __future__ import annotations

from dataclasses import asdict

from bbccli.evidence.records import FoldSpread
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    INK,
    MOST_NAMES,
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
from bbccli.text import visible

POINT: Spec = {"size": 60, "opacity": 1}
COLUMNS = ("fold", "winner", "smallest", "lower quartile", "median", "upper quartile", "largest")


def folds(exhibit: Exhibit) -> Drawn | str:
    """Return the winner in the folds."""
    found: tuple[FoldSpread, ...] | None = exhibit.part("folds")
    if not found:
        return exhibit.absent("folds")
    metric = phrases.metrics_of(exhibit.document)[0]
    label, shown = phrases.metric_label(metric), found[:MOST_NAMES]
    digits = phrases.digits_by(
        metric, [value for fold in found for value in (fold.least, fold.most)]
    )
    names = labels(f"fold {fold.fold}" for fold in shown)
    values = [{"name": name, **asdict(fold)} for name, fold in zip(names, shown, strict=True)]
    rows = [
        (
            visible(fold.fold),
            digits.performance(fold.winner, "undefined"),
            *(
                digits.performance(value)
                for value in (fold.least, fold.lower, fold.median, fold.upper, fold.most)
            ),
        )
        for fold in found
    ]
    return Drawn(
        _reading(found, exhibit),
        "Filled circles: the winner. Thick lines: the middle half of all configurations, with a "
        "tick at the median; thin lines: all of them. A fold holds few samples, and nothing here "
        f"shows how uncertain its figures are.{of_first(len(shown), len(found), ' folds')}",
        COLUMNS,
        rows,
        spec_of(values, _layers(names, label), height={"step": 20}),
    )


def _reading(found: tuple[FoldSpread, ...], exhibit: Exhibit) -> str:
    sign = 1 if exhibit.document.estimates[0].direction == "maximize" else -1
    worst = min(found, key=lambda fold: sign * fold.median)
    above = sum(f.winner is not None and sign * (f.winner - f.median) >= 0 for f in found)
    return (
        f"The winner is at least as good as the median configuration in {above} of {len(found)} "
        f"folds; the hardest one is fold {name_of(worst.fold)}."
    )


def _layers(names: list[str], label: str) -> list[Spec]:
    y = names_axis(names)
    winner = {"y": y, "x": number("winner", label)}
    return [
        span(y, label, ("least", "most"), opacity=0.5),
        span(y, label, strokeWidth=6, opacity=0.3),
        layer("tick", {"y": y, "x": number("median", label)}, color=INK, thickness=2, size=12),
        layer("point", winner, "isValid(datum.winner)", color=CORRECTED, filled=True, **POINT),
    ]
