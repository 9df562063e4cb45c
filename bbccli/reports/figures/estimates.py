"""Figures of estimates: each with its interval, wins, the search, and many experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import dumps
from math import isfinite

from bbccli.documents.correct import Envelope, doubts_of, is_single, notes_of
from bbccli.domain.estimate import Estimate, SearchCost
from bbccli.platform.text import percent, visible
from bbccli.reports import words as phrases
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import base as vega
from bbccli.reports.figures.base import Drawn, Spec
from bbccli.reports.words.sentences import cost_digits, cost_sentence

TABLED = (1, 2, 3, 5, 7, *(n * 10**p for p in range(1, 8) for n in (1, 1.5, 2, 3, 5, 7)))
"""Numbers of configurations in the table of the search."""


def forest(exhibit: Exhibit) -> Drawn | str:
    """Return the estimates of the first metric, with their intervals and naive figures.

    The one to report comes first, and is heavier than the others.
    """
    document = exhibit.document
    metric = next(iter(document.metrics), None)
    if metric is None:
        return "the result holds no estimate"
    estimates = sorted(
        document.of_metric(metric), key=lambda e: not phrases.is_reported(e, document)
    )
    digits, label = phrases.digits_of(estimates, document), phrases.directed_label(metric)
    reported = [phrases.is_reported(e, document) for e in estimates]
    names = vega.labels(
        f"{e.method} (to report)" if reported_estimate else e.method
        for e, reported_estimate in zip(estimates, reported, strict=True)
    )
    rows = [
        (
            e.method,
            digits.performance(e.naive, "undefined"),
            digits.performance(e.value, "undefined"),
            phrases.interval_text(e.interval, digits) or "none",
            "yes" if reported_estimate else "no",
        )
        for e, reported_estimate in zip(estimates, reported, strict=True)
    ]
    interval_name = phrases.interval_name(document, estimates)
    series = ("naive", phrases.value_name(document, estimates))
    values = [
        {"name": name, **point}
        for name, estimate, row in zip(names, estimates, rows, strict=True)
        for point in _points(estimate, series, row, interval_name)
    ]
    y = vega.names_axis(names)
    lines = vega.span(y, label, where=vega.KNOWN)
    marks = vega.points(y, label, 60, series)
    if any(reported):
        is_first = f"datum.name === {dumps(names[0])}"
        lines["encoding"] |= _heavier(is_first, strokeWidth=(3, 1.2), opacity=(0.8, 0.45))
        marks["encoding"] |= _heavier(is_first, size=(130, 45), opacity=(1, 0.65))
        bold = {"test": f"datum.label === {dumps(names[0])}", "value": "bold"}
        y["axis"]["labelFontWeight"] = {"condition": bold, "value": "normal"}
    return Drawn(
        _optimism(exhibit, estimates),
        "Open circles: naive (apparent) scores, from the data that chose the winner. Filled "
        f"circles: {'corrected figures' if series[1] == 'corrected' else 'estimates'}. Lines: the "
        f"{interval_name} of each method that has one; the notes say what the interval of a "
        "method ignores. The methods are shown for comparison, not to choose from.",
        ("method", *series, interval_name, "to report"),
        rows,
        vega.spec_of(values, [lines, marks], height={"step": 26}),
    )


def _heavier(test: str, **looks: tuple[float, float]) -> dict[str, Spec]:
    """Encode the looks of the marks that pass a test, and of the others."""
    return {
        look: {"condition": {"test": test, "value": heavy}, "value": light}
        for look, (heavy, light) in looks.items()
    }


def _points(
    estimate: Estimate, series: Sequence[str], row: Sequence[str], interval_name: str
) -> Iterator[Spec]:
    lower, upper = phrases.interval_ends(estimate.interval)
    value = None if phrases.is_naive(estimate) else estimate.value
    method, naive, corrected, ends, _ = row
    interval = "no interval" if ends == "none" else f"{interval_name} {ends}"
    said = (f"{method}: naive {naive}", f"{method}: {series[1]} {corrected}, {interval}")
    for name, figure, hover in zip(series, (estimate.naive, value), said, strict=True):
        if figure is not None:
            point = {"series": name, "value": figure, "hover": hover}
            yield {**point, "lower": lower, "upper": upper}


def _optimism(exhibit: Exhibit, estimates: list[Estimate]) -> str:
    document = exhibit.document
    if is_single(document):
        if phrases.alone(document):
            return "There was one configuration, so nothing is corrected."
        return (
            f"It is {phrases.only_one(document)}, and its score is not corrected for that choice."
        )
    reported = next((e for e in estimates if phrases.is_reported(e, document)), None)
    if reported is None or reported.optimism is None:
        return "No method here has an interval to report."
    change = phrases.digits_of(estimates, document).difference(abs(reported.optimism))
    if float(change) == 0:
        said = "the same as the corrected one" if doubts_of(document) else "about right"
        return f"By {phrases.method_name(reported.method)}, the naive score is {said}."
    way = "too good" if reported.optimism > 0 else "too pessimistic"
    return f"By {phrases.method_name(reported.method)}, the naive score is {change} {way}."


def wins(exhibit: Exhibit) -> Drawn | str:
    """Return how often each configuration wins, by the first estimate that has wins."""
    document = exhibit.document
    if document.input.n_configurations == 1:
        return "a single configuration takes part"
    estimate = next((e for e in document.estimates if e.selection), None)
    if estimate is None:
        return "no method here selects in resamples"
    shares, method = estimate.selection, phrases.method_name(estimate.method)
    rows = [(visible(share.configuration), percent(share.share, 1)) for share in shares]
    series = [WINNER if share.configuration == estimate.winner else OTHERS for share in shares]
    names = vega.labels(
        win.configuration + " (winner)" * (kind == WINNER)
        for win, kind in zip(shares, series, strict=True)
    )
    values = [
        {
            "name": name,
            "share": win.share,
            "series": kind,
            "hover": f"{vega.in_prose(win.configuration)}: {share}",
        }
        for name, win, kind, (_, share) in zip(names, shares, series, rows, strict=True)
    ]
    rest = 1 - sum(share.share for share in shares)
    first = ""
    if rest > 1e-9:
        first = f"; the first {len(shares)}"
        rows.append(("all others", percent(rest, 1)))
    winner = vega.in_prose(estimate.winner)
    share = next((share.share for share in shares if share.configuration == estimate.winner), None)
    reading = f"{winner} wins in fewer of the resamples of {method} than the configurations shown."
    if share is not None:
        clear = phrases.stability(estimate)
        so = f"it is {clear}" if clear == phrases.TIED else f"the choice is {clear}"
        reading = f"{winner} wins in {percent(share, 0)} of the resamples of {method}: {so}."
    x = vega.SHARES | {"axis": {"format": "%", "tickCount": 5}}
    kinds = [kind for kind in (WINNER, OTHERS) if kind in series]
    colour = vega.nominal("series", kinds, [{WINNER: vega.CORRECTED}.get(k, GREY) for k in kinds])
    bars = vega.layer(
        "bar", {"y": vega.names_axis(names), "x": x, "color": colour, **vega.HOVER}, size=14
    )
    return Drawn(
        reading,
        f"Share of the resamples of {method} in which each configuration is the best in the "
        f"bag{first}. Shares do not show how close the others are: configurations with similar "
        "predictions split the wins between them.",
        ("configuration", "share of resamples"),
        rows,
        vega.spec_of(values, [bars], height={"step": 22}),
    )


WINNER, OTHERS = "winner", "others"

GREY = "#8a949e"
"""Colour of bars that are not the winner's, legible on white and on black."""

Lines = dict[str, tuple[float, ...]]


def cost(exhibit: Exhibit) -> Drawn | str:
    """Return the best so far, naive and corrected, against the number of configurations."""
    searched: SearchCost | None = getattr(exhibit.document, "search_cost", None)
    if searched is None:
        if exhibit.evidence is None:
            return "the result was saved without it; save it with bbc correct --cost-of-search"
        if any(note.code == "few-left-out" for note in notes_of(exhibit.document)):
            return "resamples leave out too few samples"
        rule = exhibit.document.plan.single.select
        return "it was not requested" if rule == "best" else f"it is for --select best, not {rule}"
    if len(searched.counts) < 2:
        return "a single configuration takes part"
    label, digits = phrases.metric_label(searched.metric), cost_digits(searched)
    series, tried = {"naive": searched.naive, "corrected": searched.corrected}, ""
    if searched.tried is not None:
        tried = "The thin lines are the best of the first ones in the order in which they were "
        tried += "tried. "
        series["naive, as tried"] = searched.tried.naive
        series["corrected, as tried"] = searched.tried.corrected
    end = "No number is marked, because no smaller number does as well as all of them."
    if searched.enough < searched.counts[-1]:
        shown = "searching stopped helping" if searched.stopped_paying else "no gain is detectable"
        end = f"The dotted line marks the number beyond which {shown}."
    tabled = {*TABLED, searched.enough, searched.counts[-1]}
    return Drawn(
        cost_sentence(searched, exhibit.document.input.n_samples),
        "Average score of the best among n randomly chosen configurations: dashed, as observed; "
        "solid, corrected. The band is two Monte Carlo standard errors of the resampling; it "
        f"does not include sampling uncertainty. {tried}{end}",
        ("configurations", *(f"{label}, {name}" for name in series)),
        [
            [str(n), *(digits.performance(line[i], "undefined") for line in series.values())]
            for i, n in enumerate(searched.counts)
            if n in tabled
        ],
        vega.spec_of(_best_so_far(searched, series), _lines(searched, series), height=210),
    )


def _best_so_far(cost: SearchCost, series: Lines) -> list[Spec]:
    """The points of all lines, with the band of the corrected one."""
    values: list[Spec] = []
    for name, line in series.items():
        for count, value, error in zip(cost.counts, line, cost.error, strict=True):
            if value is None:
                continue
            band = name == "corrected" and error is not None
            ends = {"lower": value - 2 * error, "upper": value + 2 * error} if band else {}
            values.append({"count": count, "series": name, "value": value, **ends})
    return values


def _lines(cost: SearchCost, series: Lines) -> list[Spec]:
    last, title = cost.counts[-1], phrases.directed_label(cost.metric)
    ticks = [tick * 10**power for power in range(7) for tick in (1, 2, 5)]
    x: Spec = {"field": "count", "type": "quantitative", "title": "configurations tried"}
    x["scale"] = {"type": "log", "nice": False}
    x["axis"] = {"grid": False, "values": [n for n in ticks if n <= last], "format": "d"}
    colours = [vega.CORRECTED if name.startswith("corr") else vega.NAIVE for name in series]
    dashes = [vega.DASHED, vega.SOLID] * (len(series) // 2)
    thin = {"test": "indexof(datum.series, 'tried') >= 0", "value": 1}
    lines: Spec = {
        "x": x,
        "y": vega.number("value", title),
        "color": vega.nominal("series", series, colours),
        "strokeDash": vega.nominal("series", series, dashes),
        "strokeWidth": {"condition": thin, "value": 2.5},
    }
    band = {"x": x, "y": vega.number("lower", title), "y2": {"field": "upper"}}
    shade: Spec = {"color": vega.CORRECTED, "opacity": 0.25}
    stop = [{"count": cost.enough}] if cost.enough < last else []
    return [
        vega.layer("area", band, "datum.series === 'corrected'", **shade),
        vega.layer("line", lines),
        vega.layer("rule", {"x": x}, data=stop, strokeDash=vega.DOTTED, color=vega.INK),
        vega.unseen_points(x, vega.number("value", title), _said_of_best(cost, series)),
    ]


def _said_of_best(cost: SearchCost, series: Lines) -> list[Spec]:
    """Return the points of all lines, with their hover texts."""
    digits = cost_digits(cost)
    return [
        {
            "count": count,
            "value": value,
            "hover": f"best of {count}: {name} {digits.performance(value)}",
        }
        for name, line in series.items()
        for count, value in zip(cost.counts, line, strict=True)
        if value is not None and isfinite(value)
    ]


def experiments(documents: Sequence[Envelope], names: Sequence[str], metric: str) -> Drawn | None:
    """Return a line per named experiment, those that lose most first; None without figures."""
    reported = ((name, d.reported(metric)) for name, d in zip(names, documents, strict=False))
    named = [
        (name, e)
        for name, e in reported
        if e is not None and e.naive is not None and e.value is not None
    ]
    if not named:
        return None
    named.sort(key=lambda gain: -(gain[1].optimism or 0))
    estimates = [e for _, e in named]
    shown, wholes = estimates[: vega.MOST_NAMES], [name for name, _ in named]
    label = phrases.metric_label(metric)
    digits = phrases.digits_by(metric, [v for e in estimates for v in (e.naive, e.value)])
    labels = vega.labels(wholes[: len(shown)])
    values = vega.points_by_name(
        labels,
        shown,
        lambda estimate: [
            {
                "series": series,
                "value": value,
                "to": estimate.value,
                "hover": f"{series} {digits.performance(value)}",
            }
            for series, value in (("naive", estimate.naive), ("corrected", estimate.value))
        ],
    )
    rows = [
        (name, digits.performance(estimate.naive), digits.performance(estimate.value))
        for name, estimate in zip(wholes, shown, strict=False)
    ]
    falls, n_all = sum((e.optimism or 0) > 0 for e in estimates), len(estimates)
    some = f" Shown are the {len(shown)} of {n_all} that lose most." if len(shown) < n_all else ""
    y, title = vega.names_axis(labels), phrases.directed_label(metric)
    layers = [
        vega.span(y, title, ("value", "to"), opacity=0.5),
        vega.points(y, title, 50, ("naive", "corrected")),
    ]
    return Drawn(
        f"In {falls} of {n_all} experiments the naive {label} is too good.",
        f"Open circles: naive (apparent). Filled circles: corrected.{some} The table has the "
        "intervals, without which small differences between experiments are meaningless.",
        ("experiment", f"{label}, naive", f"{label}, corrected"),
        rows,
        vega.spec_of(values, layers, height={"step": 16}),
        "experiments",
        f"From naive to corrected {label}",
    )
