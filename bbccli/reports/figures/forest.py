"""The estimates of the methods, each with its interval and the naive figure."""

from __future__ import annotations

from bbccli.reports import counts, phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    KNOWN,
    Drawn,
    labels,
    layer,
    names_axis,
    number,
    open_and_filled,
    span,
    spec_of,
)
from bbccli.results import Estimate


def forest(exhibit: Exhibit) -> Drawn | str:
    """Return the estimates of the first metric."""
    document = exhibit.document
    metric = next(iter(phrases.metrics_of(document)), None)
    if metric is None:
        return "the result holds no estimate"
    estimates = phrases.estimates_of(document, metric)
    digits, label = phrases.digits_of(estimates, document), phrases.metric_label(metric)
    names = labels(
        f"{e.method} (to report)" if phrases.is_reported(e, document) else e.method
        for e in estimates
    )
    values = [point for name, e in zip(names, estimates, strict=True) for point in _points(name, e)]
    rows = [
        (
            e.method,
            digits.performance(e.naive, "undefined"),
            digits.performance(e.value, "undefined"),
            phrases.interval_text(e.interval, digits) or "none",
            "yes" if phrases.is_reported(e, document) else "no",
        )
        for e in estimates
    ]
    interval_name = phrases.interval_name(document, estimates)
    y = names_axis(names)
    points = {"y": y, "x": number("value", label), **open_and_filled("naive", "estimate")}
    layers = [
        span(y, label, where=KNOWN, strokeWidth=2, opacity=0.6),
        layer("point", points, size=70, strokeWidth=1.5, opacity=1),
    ]
    return Drawn(
        _reading(exhibit, metric),
        f"Open circles: naive figures, of the data that chose the winner. Filled circles: "
        f"estimates. Lines: the {interval_name} of each method that has one; what an interval "
        "ignores stands in the notes on its method. The methods are shown for comparison, not to "
        "choose from.",
        ("method", "naive", "estimate", interval_name, "to report"),
        rows,
        spec_of(values, layers, height={"step": 26}),
    )


def _points(name: str, estimate: Estimate) -> list[dict[str, object]]:
    """The naive figure and the estimate, each with the ends of the interval."""
    lower, upper = phrases.ends_of(estimate.interval)
    ends = {"lower": lower, "upper": upper}
    own = {"naive": estimate.naive, "estimate": estimate.value}
    if phrases.is_naive(estimate):
        del own["estimate"]
    return [
        {"name": name, "series": series, "value": value, **ends}
        for series, value in own.items()
        if value is not None
    ]


def _reading(exhibit: Exhibit, metric: str) -> str:
    document = exhibit.document
    estimates = phrases.estimates_of(document, metric)
    reported = next((e for e in estimates if phrases.is_reported(e, document)), None)
    if document.input.n_configurations == 1:
        if counts.alone(document):
            return "There was one configuration: nothing is corrected."
        return f"It is {counts.only_one(document)}: its figure is not corrected for the choice."
    if reported is None or reported.optimism is None:
        return "No method here has an interval to report."
    digits = phrases.digits_of(estimates, document)
    change = digits.difference(abs(reported.optimism))
    way = "too good" if reported.optimism > 0 else "too bad"
    return f"By {phrases.method_name(reported.method)}, the naive figure is {change} {way}."
