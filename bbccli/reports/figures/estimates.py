"""Figures of estimates: each with its interval, wins, the search, and many experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from bbccli.core.results import Estimate, SearchCost
from bbccli.core.rounding import percent
from bbccli.core.text import visible
from bbccli.reports import phrases
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import base as vega
from bbccli.reports.figures.base import Drawn, Spec
from bbccli.reports.sentences import cost_digits, cost_sentence
from bbccli.schema.correct import Envelope

TABLED = (1, 2, 3, 5, 7, *(n * 10**p for p in range(1, 8) for n in (1, 1.5, 2, 3, 5, 7)))
"""Numbers of configurations in the table of the search."""


def forest(exhibit: Exhibit) -> Drawn | str:
    """Return the estimates of the first metric, each with its interval and the naive figure."""
    document = exhibit.document
    metric = next(iter(phrases.metrics_of(document)), None)
    if metric is None:
        return "the result holds no estimate"
    estimates = phrases.estimates_of(document, metric)
    digits, label = phrases.digits_of(estimates, document), phrases.metric_label(metric)
    reported = [phrases.is_reported(e, document) for e in estimates]
    names = vega.labels(
        f"{e.method} (to report)" if to_report else e.method
        for e, to_report in zip(estimates, reported, strict=True)
    )
    rows = [
        (
            e.method,
            digits.performance(e.naive, "undefined"),
            digits.performance(e.value, "undefined"),
            phrases.interval_text(e.interval, digits) or "none",
            "yes" if to_report else "no",
        )
        for e, to_report in zip(estimates, reported, strict=True)
    ]
    interval_name = phrases.interval_name(document, estimates)
    y = vega.names_axis(names)
    layers = [
        vega.span(y, label, where=vega.KNOWN, strokeWidth=2, opacity=0.6),
        vega.points(y, label, 70, ("naive", "estimate")),
    ]
    return Drawn(
        _optimism(exhibit, estimates),
        f"Open circles: naive figures, of the data that chose the winner. Filled circles: "
        f"estimates. Lines: the {interval_name} of each method that has one; what an interval "
        "ignores stands in the notes on its method. The methods are shown for comparison, not to "
        "choose from.",
        ("method", "naive", "estimate", interval_name, "to report"),
        rows,
        vega.spec_of(vega.named(names, estimates, _points), layers, height={"step": 26}),
    )


def _points(estimate: Estimate) -> Iterator[Spec]:
    """The naive figure and the estimate, each with the ends of the interval."""
    lower, upper = phrases.ends_of(estimate.interval)
    value = None if phrases.is_naive(estimate) else estimate.value
    for series, figure in (("naive", estimate.naive), ("estimate", value)):
        if figure is not None:
            yield {"series": series, "value": figure, "lower": lower, "upper": upper}


def _optimism(exhibit: Exhibit, estimates: list[Estimate]) -> str:
    document = exhibit.document
    if document.input.n_configurations == 1:
        if phrases.alone(document):
            return "There was one configuration: nothing is corrected."
        return f"It is {phrases.only_one(document)}: its figure is not corrected for the choice."
    reported = next((e for e in estimates if phrases.is_reported(e, document)), None)
    if reported is None or reported.optimism is None:
        return "No method here has an interval to report."
    change = phrases.digits_of(estimates, document).difference(abs(reported.optimism))
    way = "too good" if reported.optimism > 0 else "too bad"
    return f"By {phrases.method_name(reported.method)}, the naive figure is {change} {way}."


def wins(exhibit: Exhibit) -> Drawn | str:
    """Return how often each configuration wins, of the first estimate that tells."""
    document = exhibit.document
    if document.input.n_configurations == 1:
        return "a single configuration takes part"
    estimate = next((e for e in document.estimates if e.selection), None)
    if estimate is None:
        return "no method here selects in resamples"
    shares, method = estimate.selection, phrases.method_name(estimate.method)
    names = vega.labels(one.configuration for one in shares)
    values = vega.named(names, shares, lambda one: [{"share": one.share}])
    rows = [(visible(one.configuration), percent(one.share, 1)) for one in shares]
    rest = 1 - sum(one.share for one in shares)
    if rest > 1e-9:
        rows.append(("all others together", percent(rest, 1)))
    winner = vega.name_of(estimate.winner)
    share = next((one.share for one in shares if one.configuration == estimate.winner), None)
    reading = f"{winner} wins in fewer of the resamples of {method} than those shown."
    if share is not None:
        fair = "the choice is fairly stable"
        doubt = "another sample would mostly have chosen another one" if share < 0.5 else fair
        reading = f"{winner} wins in {percent(share, 0)} of the resamples of {method}: {doubt}."
    x = vega.SHARES | {"axis": {"format": "%", "tickCount": 5}}
    bars = vega.layer("bar", {"y": vega.names_axis(names), "x": x}, color=vega.CORRECTED)
    return Drawn(
        reading,
        f"Share of the resamples of {method} in which a configuration is the best one in the bag; "
        f"the first {len(shares)}. Shares ignore how close the others are: configurations that "
        "predict nearly the same share the wins between them.",
        ("configuration", "share of resamples"),
        rows,
        vega.spec_of(values, [bars], height={"step": 22}),
    )


Lines = dict[str, tuple[float, ...]]


def cost(exhibit: Exhibit) -> Drawn | str:
    """Return the best so far, naive and corrected, against the number of configurations."""
    found: SearchCost | None = getattr(exhibit.document, "search_cost", None)
    if found is None:
        if exhibit.evidence is None:
            return "the result was saved without it: `bbc correct --cost-of-search` keeps it"
        return exhibit.evidence.missing.get("cost", "it was not asked for")
    if len(found.counts) < 2:
        return "a single configuration takes part"
    label, digits = phrases.metric_label(found.metric), cost_digits(found)
    series, tried = {"naive": found.naive, "corrected": found.corrected}, ""
    if found.tried is not None:
        tried = "The thin lines are the best of the first ones in the order in which they were "
        tried += "tried. "
        series["naive, as tried"] = found.tried.naive
        series["corrected, as tried"] = found.tried.corrected
    end = "The dotted line marks where searching stopped paying."
    if found.enough == found.counts[-1]:
        end = "There is no number after which searching stopped paying."
    tabled = {*TABLED, found.enough, found.counts[-1]}
    return Drawn(
        cost_sentence(found),
        "Best of so many configurations, as a mean over all sets of that size: dashed, by the "
        "figure that chose it; solid, corrected for the choice. The band is two Monte-Carlo "
        "standard errors of the resampling: it ignores that other samples would give other curves. "
        f"{tried}{end}",
        ("configurations", *(f"{label}, {name}" for name in series)),
        [
            [str(n), *(digits.performance(line[i], "undefined") for line in series.values())]
            for i, n in enumerate(found.counts)
            if n in tabled
        ],
        vega.spec_of(_best_so_far(found, series), _lines(found, series, label), height=210),
    )


def _best_so_far(cost: SearchCost, series: Lines) -> list[Spec]:
    """The points of all lines; of the corrected one with the ends of its band."""
    values: list[Spec] = []
    for name, line in series.items():
        for count, value, error in zip(cost.counts, line, cost.error, strict=True):
            if value is None:
                continue
            band = name == "corrected" and error is not None
            ends = {"lower": value - 2 * error, "upper": value + 2 * error} if band else {}
            values.append({"count": count, "series": name, "value": value, **ends})
    return values


def _lines(cost: SearchCost, series: Lines, label: str) -> list[Spec]:
    last = cost.counts[-1]
    ticks = [tick * 10**power for power in range(7) for tick in (1, 2, 5)]
    x: Spec = {"field": "count", "type": "quantitative", "title": "configurations tried"}
    x["scale"] = {"type": "log", "nice": False}
    x["axis"] = {"grid": False, "values": [n for n in ticks if n <= last], "format": "d"}
    colours = [vega.CORRECTED if name.startswith("corr") else vega.NAIVE for name in series]
    dashes = [vega.DASHED, vega.SOLID] * (len(series) // 2)
    thin = {"test": "indexof(datum.series, 'tried') >= 0", "value": 1}
    lines: Spec = {
        "x": x,
        "y": vega.number("value", label),
        "color": vega.nominal("series", series, colours),
        "strokeDash": vega.nominal("series", series, dashes),
        "strokeWidth": {"condition": thin, "value": 2.5},
    }
    band = {"x": x, "y": vega.number("lower", label), "y2": {"field": "upper"}}
    shade: Spec = {"color": vega.CORRECTED, "opacity": 0.25}
    stop = [{"count": cost.enough}] if cost.enough < last else []
    return [
        vega.layer("area", band, "datum.series === 'corrected'", **shade),
        vega.layer("line", lines),
        vega.layer("rule", {"x": x}, data=stop, strokeDash=vega.DOTTED, color=vega.INK),
    ]


def experiments(documents: Sequence[Envelope]) -> Drawn | None:
    """Return a line per experiment, those that lose most first; None without a common metric."""
    reported = [(d.input.path, e) for d in documents if (e := phrases.reported(d)) is not None]
    found = [(path, e) for path, e in reported if e.naive is not None and e.value is not None]
    if not found or len({e.metric for _, e in found}) > 1:
        return None
    found.sort(key=lambda one: -(one[1].optimism or 0))
    estimates = [e for _, e in found]
    shown, paths = estimates[: vega.MOST_NAMES], short_paths([path for path, _ in found])
    label = phrases.metric_label(shown[0].metric)
    digits = phrases.digits_by(shown[0].metric, [v for e in estimates for v in (e.naive, e.value)])
    names = vega.labels(paths[: len(shown)])
    values = vega.named(
        names,
        shown,
        lambda one: [
            {"series": "naive", "value": one.naive, "to": one.value},
            {"series": "corrected", "value": one.value, "to": one.value},
        ],
    )
    rows = [
        (path, digits.performance(one.naive), digits.performance(one.value))
        for path, one in zip(paths, shown, strict=False)
    ]
    falls, n_all = sum((e.optimism or 0) > 0 for e in estimates), len(estimates)
    some = f" The {len(shown)} of {n_all} that lose most." if len(shown) < n_all else ""
    y = vega.names_axis(names)
    layers = [
        vega.span(y, label, ("value", "to"), opacity=0.5),
        vega.points(y, label, 50, ("naive", "corrected")),
    ]
    return Drawn(
        f"In {falls} of {n_all} experiments the naive figure is too good.",
        f"Open circles: naive. Filled circles: corrected for the choice.{some} Intervals stand in "
        "the table: without them small differences between experiments say nothing.",
        ("experiment", f"{label}, naive", f"{label}, corrected"),
        rows,
        vega.spec_of(values, layers, height={"step": 16}),
        "experiments",
        "From naive to corrected",
    )


def short_paths(paths: Sequence[str]) -> list[str]:
    """Return what tells paths apart: without the folder, and the name, that all of them have.

    Examples
    --------
    >>> short_paths(["runs/a/p.csv", "runs/b/p.csv"]), short_paths(["runs/a/p.csv"])
    (['a', 'b'], ['runs/a/p.csv'])
    >>> short_paths(["/runs/a.csv", "/runs/b.csv"])
    ['a.csv', 'b.csv']
    """
    parts = [PurePath(path).parts for path in paths]
    shortest = min(map(len, parts), default=0) - 1
    first = next((i for i in range(shortest) if len({p[i] for p in parts}) > 1), shortest)
    same_name = first < shortest and len({p[-1] for p in parts}) == 1
    told = [str(PurePath(*p[first : -1 if same_name else None])) for p in parts]
    return told if len(set(told)) == len(set(paths)) > 1 else list(paths)
