"""Differences of pairs, or to a baseline, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.records import Comparison
from bbccli.reports import phrases
from bbccli.reports.content import compare as content
from bbccli.reports.content.compare import of_baseline
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
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
    open_and_filled,
    span,
    spec_of,
)
from bbccli.rounding import Digits, percent
from bbccli.text import visible

MEASURED, CORRECTED = "as measured", "corrected"


def differences(exhibit: Exhibit) -> Drawn | str:
    """Return the differences of a comparison: the one that was asked for first, then by size."""
    document: CompareEnvelope = exhibit.document
    compared = isinstance(document, CompareEnvelope)
    found = [one for one in (_once(document) if compared else ()) if one.difference is not None]
    if not found:
        return "it needs a result of bbc compare with a difference"
    shown, digits = found[:MOST_NAMES], content.figures_of(document)
    told = [name_in(one, document, first=one is found[0]) for one in found]
    names = labels(told[: len(shown)])
    values = [
        point
        for name, one in zip(names, shown, strict=True)
        for point in _points(name, one, document.margin)
    ]
    rows = [_row(name, one, document, digits) for name, one in zip(told, found, strict=True)]
    label = f"difference of {phrases.metric_label(document.metric)}, more is better"
    columns = ("comparison", MEASURED, CORRECTED, "interval", "p", "shows")
    corrected = any(one.corrected is not None for one in shown)
    layers = _layers(names, label, document.margin, corrected=corrected)
    dashed = " Dashed: the margin." if document.margin else ""
    caption = _caption(document) + dashed + of_first(len(shown), len(found))
    spec = spec_of(values, layers, height={"step": 22})
    return Drawn(_reading(document, digits), caption, columns, rows, spec)


def _once(document: CompareEnvelope) -> list[Comparison]:
    """Every comparison once: of the winner against a baseline the one with the correction."""
    comparisons = list(getattr(document, "comparisons", ()))
    if not of_baseline(document):
        return comparisons
    first = comparisons[0]
    rest = [one for one in comparisons[1:] if one.first != first.first]
    return [first, *sorted(rest, key=lambda one: -(one.difference or 0))]


def ends_of(comparison: Comparison) -> tuple[float | None, float | None]:
    """Return the ends to draw: the simultaneous ones where there are some, else the interval."""
    if comparison.bound is not None or comparison.bound_above is not None:
        return comparison.bound, comparison.bound_above
    return phrases.ends_of(comparison.interval)


def name_in(comparison: Comparison, document: CompareEnvelope, *, first: bool) -> str:
    """Return what tells a comparison from the others."""
    if of_baseline(document):
        return f"{comparison.first} (winner)" if first else str(comparison.first)
    comparisons = document.comparisons
    pairs = {(one.first, one.second) for one in comparisons}
    if len(pairs) == 1:
        return str(comparison.test)
    pair = f"{comparison.first} - {comparison.second}"
    several = len({one.test for one in comparisons}) > 1
    return f"{pair}, {comparison.test}" if several else pair


def _points(name: str, one: Comparison, margin: float) -> list[dict[str, object]]:
    lower, upper = ends_of(one)
    ends = {"lower": lower, "upper": upper, "zero": 0.0, "margin": margin}
    found = {MEASURED: one.difference, CORRECTED: one.corrected}
    return [
        {"name": name, "series": series, "value": value} | (ends if series == MEASURED else {})
        for series, value in found.items()
        if value is not None
    ]


def _row(name: str, one: Comparison, document: CompareEnvelope, digits: Digits) -> tuple[str, ...]:
    lower, upper = (digits.difference(end, "none") for end in ends_of(one))
    p = one.p if one.p_adjusted is None else one.p_adjusted
    return (
        visible(name),
        content.signed(one.difference, digits),
        content.signed(one.corrected, digits, "none"),
        "none" if (lower, upper) == ("none", "none") else f"{lower} to {upper}",
        content.p_text(p) or "none",
        content.verdict(one, document),
    )


def _reading(document: CompareEnvelope, digits: Digits) -> str:
    first = document.comparisons[0]
    if first.difference is None:
        return "The first comparison has no difference."
    pair = " - ".join(name_of(one) for one in (first.first, first.second) if one)
    return f"{pair}: the difference is {content.difference(first, digits)}."


def _caption(document: CompareEnvelope) -> str:
    level = percent(document.plan.level)
    start = "Open circles: differences as measured, positive where the first is better."
    if of_baseline(document):
        return (
            f"{start} Filled circle: the winner's, corrected for its selection. Lines: from lower "
            f"to upper bounds; the lower ones hold for all configurations at once at {level}, "
            "whichever was selected, and so do the upper ones. They ignore how models change with "
            "their training samples."
        )
    if content.is_selected(document):
        return (
            f"{start} Filled circles: corrected for the selection within both families. Lines: "
            f"{level} intervals of the corrected difference, each of its own comparison."
        )
    return (
        f"{start} Lines: {level} intervals, each of its own test; they hold for pairs that were "
        "named before anybody saw results, and ignore any selection."
    )


def _layers(names: Sequence[str], label: str, margin: float, *, corrected: bool) -> list[Spec]:
    y, points = names_axis(names), open_and_filled(MEASURED, CORRECTED) if corrected else {}
    at_zero, at_margin = (
        {"x": number(name, label, aggregate="max")} for name in ("zero", "margin")
    )
    dashed: Spec = {"strokeDash": [4, 3], "opacity": 0.6}
    return [
        layer("rule", at_zero, color=INK),
        *([layer("rule", at_margin, color=INK, **dashed)] if margin else []),
        span(y, label, where=KNOWN, strokeWidth=2, opacity=0.6),
        layer(
            "point",
            {"y": y, "x": number("value", label), **points},
            size=60,
            strokeWidth=1.5,
            opacity=1,
            color=NAIVE,
        ),
    ]
