"""Figures of what predictions tell beyond a result: configurations, folds, the winner's curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from bbccli.core.results import Estimate
from bbccli.core.rounding import Digits, count, percent
from bbccli.core.text import visible
from bbccli.reports import phrases
from bbccli.reports.evidence import Curves, Exhibit, FoldSpread, Histogram, Ranked, Ranking
from bbccli.reports.figures import base as vega
from bbccli.reports.figures.base import Drawn, Spec

MAY_BE = {True: "yes", False: "no", None: "unknown"}

WINNER: Spec = {"filled": True, "color": vega.CORRECTED, "size": 60, "opacity": 1}

SPREAD = {
    "least": "smallest",
    "lower": "lower quartile",
    "median": "median",
    "upper": "upper quartile",
    "most": "largest",
}
"""Names of the figures of all configurations in a fold."""

SERIES = ("naive", "corrected")
SIDE = 270

AT = 10
"""Point of the grid that the sentence on the ROC is about: a false positive rate of 0.1."""

STEP = 5
"""Points of the grid from one row of the table to the next."""


def distribution(exhibit: Exhibit, found: Histogram) -> Drawn:
    """Return the performances of the resamples' winners, with the estimate among them."""
    estimates = phrases.estimates_of(exhibit.document, found.metric)
    estimate = next(e for e in estimates if e.method == found.method)
    digits = phrases.digits_of(estimates, exhibit.document)
    bars = [
        {"low": low, "high": high, "share": share}
        for low, high, share in zip(found.edges, found.edges[1:], found.shares, strict=False)
    ]
    return Drawn(
        f"{percent(found.reaching, 0)} of the resamples reach the naive figure of "
        f"{digits.performance(estimate.naive, 'undefined')} on samples that took no part in the "
        "choice.",
        "Bars: the performance, out of the bag, of whichever configuration won in the bag. Lines: "
        "the naive figure (dashed), the estimate, which is their mean (solid), and the ends of the "
        "interval (dotted). The spread is that of the samples and of the selection; it ignores "
        "that models trained anew on other samples would differ.",
        ("from", "to", "share of resamples"),
        [
            (*(digits.performance(bar[end]) for end in ("low", "high")), percent(bar["share"], 1))
            for bar in bars
        ],
        vega.spec_of(bars, _bars(estimate, phrases.metric_label(found.metric)), height=180),
    )


def _bars(estimate: Estimate, label: str) -> list[Spec]:
    lower, upper = phrases.ends_of(estimate.interval)
    series = ("naive", "estimate", "interval")
    values = (estimate.naive, estimate.value, lower, upper)
    known = [
        {"line": line, "value": value}
        for line, value in zip((*series, "interval"), values, strict=True)
        if value is not None
    ]
    bars = {
        "x": vega.number("low", label, bin={"binned": True}),
        "x2": {"field": "high"},
        "y": vega.SHARES | {"axis": {"format": "%"}},
    }
    marked = {
        "x": vega.number("value", label),
        "color": vega.nominal("line", series, (vega.NAIVE, vega.CORRECTED, vega.INK)),
        "strokeDash": vega.nominal("line", series, (vega.DASHED, vega.SOLID, vega.DOTTED)),
    }
    return [
        vega.layer("bar", bars, color=vega.INK, opacity=0.35, binSpacing=0),
        vega.layer("rule", marked, data=known, strokeWidth=2),
    ]


def ranking(exhibit: Exhibit, found: Ranking) -> Drawn | str:
    """Return the configurations by the metric that selects, best first."""
    if not found.rows:
        return exhibit.absent("ranking")
    label, shown = phrases.metric_label(found.metric), found.rows[: vega.MOST_NAMES]
    digits = phrases.digits_by(found.metric, [row.performance for row in found.rows])
    names = vega.labels(row.configuration for row in shown)
    values = vega.named(names, shown, _point)
    columns, rows = ["rank", "configuration", f"{label}, naive"], []
    if found.level is not None:
        columns += [f"{percent(found.level)} simultaneous interval", "may be the best"]
    for rank, row in enumerate(found.rows, 1):
        cells = [str(rank), visible(row.configuration), digits.performance(row.performance)]
        if found.level is not None:
            cells += [_ends(row, digits), MAY_BE[row.inside]]
        rows.append(cells)
    at = {"y": vega.names_axis(names), "x": vega.number("value", label)}
    point: Spec = {"size": 45, "strokeWidth": 1.5, "opacity": 1}
    intervals = vega.span(at["y"], label, where=vega.KNOWN, opacity=0.5)
    layers = [
        *([intervals] if found.level is not None else []),
        vega.layer("point", at, "!datum.inside", filled=False, color=vega.NAIVE, **point),
        vega.layer("point", at, "datum.inside", filled=True, color=vega.CORRECTED, **point),
    ]
    return Drawn(
        _leader(found, digits),
        _caption(found, len(shown)),
        columns,
        rows,
        vega.spec_of(values, layers, height={"step": 15}),
    )


def _point(row: Ranked) -> list[Spec]:
    ends = {"lower": row.lower, "upper": row.upper}
    return [{"value": row.performance, **ends, "inside": row.inside is True}]


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
        f"{vega.name_of(first.configuration)} leads the one in the middle by {apart}; that lead is "
        "partly luck, for which the estimate is corrected and this list is not."
    )


def _caption(found: Ranking, n_shown: int) -> str:
    more = vega.of_first(n_shown, found.n_configurations)
    if found.level is None:
        why = f": {vega.name_of(found.without)}" if found.without else ""
        return f"Naive figures, of all samples, not corrected.{more} There are no intervals{why}."
    level = percent(found.level)
    return (
        f"Naive figures, not corrected.{more} The {level} intervals hold for all configurations at "
        "once, so also for the first one, though it was selected. Filled: may be the best; the set "
        f"of these holds the truly best one with a probability of {level}. Both are of these "
        "predictions as they stand: they ignore how models change with their training samples."
    )


def folds(exhibit: Exhibit, found: tuple[FoldSpread, ...]) -> Drawn:
    """Return the winner in each fold, against all configurations."""
    metric = phrases.metrics_of(exhibit.document)[0]
    label, shown = phrases.metric_label(metric), found[: vega.MOST_NAMES]
    digits = phrases.digits_by(metric, [end for fold in found for end in (fold.least, fold.most)])
    names = vega.labels(f"fold {fold.fold}" for fold in shown)
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
    y = vega.names_axis(names)
    median, winner = ({"y": y, "x": vega.number(name, label)} for name in ("median", "winner"))
    layers = [
        vega.span(y, label, ("least", "most"), opacity=0.5),
        vega.span(y, label, strokeWidth=6, opacity=0.3),
        vega.layer("tick", median, color=vega.INK, thickness=2, size=12),
        vega.layer("point", winner, "isValid(datum.winner)", **WINNER),
    ]
    return Drawn(
        "The winner is at least as good as the median configuration in "
        f"{above} of {len(found)} folds; the hardest one is fold {vega.name_of(worst.fold)}.",
        "Filled circles: the winner. Thick lines: the middle half of all configurations, with a "
        "tick at the median; thin lines: all of them. A fold holds few samples, and nothing here "
        f"shows how uncertain its figures are.{vega.of_first(len(shown), len(found), ' folds')}",
        ("fold", "winner", *SPREAD.values()),
        rows,
        vega.spec_of(
            vega.named(names, shown, lambda fold: [asdict(fold)]), layers, height={"step": 20}
        ),
    )


def roc(exhibit: Exhibit, found: Curves) -> Drawn:
    """Return the ROC curves."""
    naive, corrected = found.naive[AT], found.corrected[AT]
    reading = "The curves can't be compared at a false positive rate of 0.10."
    if naive is not None and corrected is not None:
        reading = (
            f"At a false positive rate of 0.10 the winner seems to find {naive:.2f} of the "
            f"positives; expect {corrected:.2f}."
        )
    return Drawn(
        reading,
        "Dashed: the winner on the samples that chose it. Solid: the mean, over "
        f"{found.n_resamples} resamples, of the curve out of the bag of whichever configuration "
        "won in the bag, so that the selection is in it. Predictions of all folds are pooled. "
        "There is no band: the curves themselves are uncertain by about as much as the estimate.",
        ("false positive rate", "true positive rate, naive", "true positive rate, corrected"),
        _rows(found),
        _spec(found, "false positive rate", "true positive rate"),
    )


def calibration(exhibit: Exhibit, found: Curves) -> Drawn:
    """Return the reliability curves."""
    return Drawn(
        _reliability(found),
        "Isotonic frequency of the positive class against its predicted probability. Dashed: the "
        "winner on the samples that chose it. Solid: the mean, over "
        f"{found.n_resamples} resamples, of the curve out of the bag of whichever configuration "
        "won in the bag; a mean over smaller samples is smoother and flatter. Shaded: where nine "
        "in ten naive curves would lie, point by point, if the winner's probabilities were right; "
        "the band ignores the selection.",
        ("predicted", "frequency, naive", "frequency, corrected", "band from", "band to"),
        _rows(found),
        _spec(found, "predicted probability", "observed frequency"),
    )


def _reliability(found: Curves) -> str:
    points = [
        (naive, lower, upper)
        for naive, lower, upper in zip(found.naive, found.lower, found.upper, strict=True)
        if naive is not None and lower is not None and upper is not None
    ]
    if not points:
        return "There are too few distinct probabilities for a curve."
    share = sum(not lower <= naive <= upper for naive, lower, upper in points) / len(points)
    if share <= 0.1:
        return (
            "Nothing speaks against the winner's probabilities: the naive curve keeps to its band."
        )
    return (
        f"Over {share:.0%} of its range the naive curve leaves the band: the winner's "
        "probabilities can't be taken at their word there."
    ).replace("%", " %")


def _spec(curves: Curves, x_title: str, y_title: str) -> Spec:
    """Return a square with the naive curve dashed, the corrected one solid, and the diagonal."""
    values = [
        {"x": x, "series": series, "y": y}
        for series, line in zip(SERIES, (curves.naive, curves.corrected), strict=True)
        for x, y in zip(curves.x, line, strict=True)
        if y is not None
    ]
    band = [
        {"x": x, "y": lower, "upper": upper}
        for x, lower, upper in zip(curves.x, curves.lower, curves.upper, strict=False)
        if lower is not None and upper is not None
    ]
    at = {
        name: {"field": name, "type": "quantitative", "title": title, "scale": {"domain": [0, 1]}}
        for name, title in (("x", x_title), ("y", y_title))
    }
    area = at | {"y2": {"field": "upper"}}
    lines = at | {
        "color": vega.nominal("series", SERIES, (vega.NAIVE, vega.CORRECTED)),
        "strokeDash": vega.nominal("series", SERIES, (vega.DASHED, vega.SOLID)),
    }
    diagonal = [{"x": end, "y": end} for end in (0, 1)]
    layers = [
        *([vega.layer("area", area, data=band, color=vega.INK, opacity=0.15)] if band else []),
        vega.layer("line", at, data=diagonal, color=vega.INK, strokeWidth=1, opacity=0.6),
        vega.layer("line", lines, strokeWidth=2.5),
    ]
    return vega.spec_of(values, layers) | {"width": SIDE, "height": SIDE, "autosize": "pad"}


def _rows(curves: Curves) -> list[tuple[str, ...]]:
    """Return every few points of the curves, two decimals each."""
    lines: list[Sequence[float | None]] = [curves.naive, curves.corrected]
    lines += [curves.lower, curves.upper] if curves.lower else []
    return [
        (f"{x:.2f}", *("none" if line[i] is None else f"{line[i]:.2f}" for line in lines))
        for i, x in enumerate(curves.x)
        if i % STEP == 0
    ]
