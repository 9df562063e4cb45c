"""The performances of the resamples' winners out of their bags, with the estimate among them."""

from __future__ import annotations

from bbccli.evidence.records import Histogram
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    DASHED,
    DOTTED,
    INK,
    NAIVE,
    SOLID,
    Drawn,
    Spec,
    layer,
    nominal,
    number,
    spec_of,
)
from bbccli.results import Estimate
from bbccli.rounding import Digits, percent


def distribution(exhibit: Exhibit) -> Drawn | str:
    """Return the distribution of the estimate that is reported."""
    found: Histogram | None = exhibit.part("distribution")
    if found is None:
        return exhibit.absent("distribution")
    document = exhibit.document
    estimates = phrases.estimates_of(document, found.metric)
    (estimate,) = [e for e in estimates if e.method == found.method][:1]
    digits, label = phrases.digits_of(estimates, document), phrases.metric_label(found.metric)
    bars = [
        {"low": low, "high": high, "share": share}
        for low, high, share in zip(found.edges, found.edges[1:], found.shares, strict=False)
    ]
    return Drawn(
        _reading(found.reaching, estimate, digits),
        "Bars: the performance, out of the bag, of whichever configuration won in the bag. Lines: "
        "the naive figure (dashed), the estimate, which is their mean (solid), and the ends of the "
        "interval (dotted). The spread is that of the samples and of the selection; it ignores "
        "that models trained anew on other samples would differ.",
        ("from", "to", "share of resamples"),
        [
            (*(digits.performance(bar[end]) for end in ("low", "high")), percent(bar["share"], 1))
            for bar in bars
        ],
        spec_of(bars, _layers(estimate, label), height=180),
    )


def _reading(reaching: float, estimate: Estimate, digits: Digits) -> str:
    figure = digits.performance(estimate.naive, "undefined")
    return (
        f"{percent(reaching, 0)} of the resamples reach the naive figure of {figure} "
        "on samples that took no part in the choice."
    )


def _layers(estimate: Estimate, label: str) -> list[Spec]:
    lower, upper = phrases.ends_of(estimate.interval)
    lines = [
        ("naive", estimate.naive),
        ("estimate", estimate.value),
        ("interval", lower),
        ("interval", upper),
    ]
    series = ("naive", "estimate", "interval")
    known = [{"line": line, "value": value} for line, value in lines if value is not None]
    shares = {"field": "share", "type": "quantitative", "title": "share of resamples"}
    bars = {
        "x": number("low", label, bin={"binned": True}),
        "x2": {"field": "high"},
        "y": shares | {"axis": {"format": "%"}},
    }
    marked = {
        "x": number("value", label),
        "color": nominal("line", series, (NAIVE, CORRECTED, INK)),
        "strokeDash": nominal("line", series, (DASHED, SOLID, DOTTED)),
    }
    return [
        layer("bar", bars, color=INK, opacity=0.35, binSpacing=0),
        layer("rule", marked, data=known, strokeWidth=2),
    ]
