"""Figures from predictions, beyond the result: configurations, folds, the winner's curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from bbccli.documents.correct import Envelope, is_single
from bbccli.domain.estimate import Estimate
from bbccli.platform.text import Digits, percent, visible
from bbccli.reports import words as phrases
from bbccli.reports.evidence import Curves, Exhibit, FoldSpread, Histogram, Ranked, Ranking
from bbccli.reports.figures import base as vega
from bbccli.reports.figures.base import Drawn, Spec
from bbccli.reports.words.comparison_sentences import both_ends, in_set
from bbccli.reports.words.sentences import shipped

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

SIDE = 270

AT = 10
"""Point of the grid that the sentence on the ROC is about: a false positive rate of 0.1."""

STEP = 5
"""Points of the grid from one row of the table to the next."""


def distribution(exhibit: Exhibit, histogram: Histogram) -> Drawn:
    """Return the performances of the resamples' winners, with the estimate among them."""
    document = exhibit.document
    estimates = document.of_metric(histogram.metric)
    estimate = next(e for e in estimates if e.method == histogram.method)
    digits = phrases.digits_of(estimates, document)
    rows = [
        (digits.performance(low), digits.performance(high), percent(share, 1))
        for low, high, share in zip(
            histogram.edges, histogram.edges[1:], histogram.shares, strict=False
        )
    ]
    bars = [
        {"low": low, "high": high, "share": share, "hover": f"{row[0]} to {row[1]}: {row[2]}"}
        for low, high, share, row in zip(
            histogram.edges, histogram.edges[1:], histogram.shares, rows, strict=False
        )
    ]
    series = (
        "naive",
        phrases.value_name(document, estimates),
        phrases.interval_name(document, estimates),
    )
    (_, chosen), _ = _subject(exhibit)
    return Drawn(
        f"{percent(histogram.reaching, 0)} of resamples reach the naive "
        f"{digits.performance(estimate.naive, 'undefined')} on data not used for selection.",
        f"Bars: out-of-bag score of the {chosen} in each resample. Lines: the naive score "
        "(dashed), the estimate (solid), and the ends of the interval (dotted). The spread "
        "includes sampling and selection, but not how models would vary if trained on other "
        "samples.",
        ("from", "to", "share of resamples"),
        rows,
        vega.spec_of(bars, _bars(estimate, series, digits), height=180),
    )


def _bars(estimate: Estimate, series: Sequence[str], digits: Digits) -> list[Spec]:
    label = phrases.directed_label(estimate.metric)
    lower, upper = phrases.interval_ends(estimate.interval)
    values = (estimate.naive, estimate.value, lower, upper)
    known = [
        {"line": line, "value": value, "hover": f"{line}: {digits.performance(value)}"}
        for line, value in zip((*series, series[-1]), values, strict=True)
        if value is not None
    ]
    bars = {
        "x": vega.number("low", label, bin={"binned": True}),
        "x2": {"field": "high"},
        "y": vega.SHARES | {"axis": {"format": "%"}},
        **vega.HOVER,
    }
    marked = {
        **vega.HOVER,
        "x": vega.number("value", label),
        "color": vega.nominal("line", series, (vega.NAIVE, vega.CORRECTED, vega.INK)),
        "strokeDash": vega.nominal("line", series, (vega.DASHED, vega.SOLID, vega.DOTTED)),
    }
    return [
        vega.layer("bar", bars, color=vega.INK, opacity=0.35, binSpacing=0),
        vega.layer("rule", marked, data=known, strokeWidth=2),
    ]


def ranking(exhibit: Exhibit, ranked: Ranking) -> Drawn | str:
    """Return the configurations by the metric that selects, best first."""
    if not ranked.rows:
        return exhibit.absent("ranking")
    label, winner = phrases.metric_label(ranked.metric), _winner(exhibit, ranked)
    digits = phrases.digits_by(ranked.metric, [row.performance for row in ranked.rows])
    columns, rows = ["rank", "configuration", f"{label}, naive"], []
    if ranked.level is not None:
        columns += [f"{percent(ranked.level)} simultaneous CI", "in the confidence set"]
    for rank, row in enumerate(ranked.rows, 1):
        cells = [str(rank), visible(row.configuration), digits.performance(row.performance)]
        if ranked.level is not None:
            cells += [both_ends(row, digits.performance), MAY_BE[row.inside]]
        rows.append(cells)
    roles = _roles(winner, ranked)
    shown = [row for row, _ in roles]
    names = vega.labels(
        f"{row.configuration} ({role})" if role else row.configuration for row, role in roles
    )
    values = vega.points_by_name(names, shown, lambda row: [_point(row, winner, ranked, digits)])
    title = phrases.directed_label(ranked.metric)
    at = {"y": vega.names_axis(names), "x": vega.number("value", title)}
    kinds = [kind for kind in MARKS if any(value["series"] == kind for value in values)]
    marks = {
        "shape": vega.nominal("series", kinds, [MARKS[kind][0] for kind in kinds]),
        "fill": vega.nominal("series", kinds, [MARKS[kind][1] for kind in kinds]),
        "stroke": vega.nominal("series", kinds, [MARKS[kind][2] for kind in kinds]),
        "size": {"condition": {"test": "datum.series === 'winner'", "value": 150}, "value": 50},
    }
    point: Spec = {"strokeWidth": 1.5, "opacity": 1}
    layers = [
        *([vega.span(at["y"], title, where=vega.KNOWN, opacity=0.5)] if ranked.level else []),
        vega.layer("point", at | marks | vega.HOVER, **point),
    ]
    return Drawn(
        _leader(ranked, digits),
        _caption(ranked, shown, ranked.rows.index(winner) + 1 if winner else 0),
        columns,
        rows,
        vega.spec_of(values, layers, height={"step": 18}),
    )


MARKS = {
    "winner": ("diamond", vega.CORRECTED, vega.CORRECTED),
    "in the confidence set": ("circle", vega.CORRECTED, vega.CORRECTED),
    "others": ("circle", "transparent", vega.NAIVE),
}
"""Shape, fill and stroke of the points of a ranking, by what they are."""


def _winner(exhibit: Exhibit, ranked: Ranking) -> Ranked | None:
    """The row of the configuration that was selected, which need not be the first, nor listed."""
    document, name = exhibit.document, None
    if not isinstance(document, Envelope):
        name = document.best_set.winner
    elif document.estimates:
        name = (document.reported() or document.estimates[0]).winner
    if name is None:
        return ranked.rows[0]
    return next((row for row in ranked.rows if row.configuration == name), None)


def _roles(winner: Ranked | None, ranked: Ranking) -> list[tuple[Ranked, str]]:
    """The rows that are drawn, and what each is.

    They are the first ones, with the winner as the last if it is not among them; but where all of
    these are in the confidence set, those at the edge of the set.
    """
    rows, first = ranked.rows, list(ranked.rows[: vega.MOST_NAMES])
    if len(rows) == len(first) or not all(row.inside for row in first):
        shown = first if winner is None or winner in first else [*first[:-1], winner]
        return [(row, "winner" * (row is winner)) for row in shown]
    last = [row for row in rows if row.inside][-1]
    out = [row for row in rows if row.inside is False][:MOST_OUT]
    roles: dict[str, list[Ranked]] = {
        "winner": [] if winner is None else [winner],
        "simplest": [row for row in rows if row.configuration == ranked.simplest],
        "last in": [last],
        "out": out,
    }
    named = [(row, ", ".join(role for role, at in roles.items() if row in at)) for row in rows]
    return [(row, names) for row, names in named if names]


MOST_OUT = 3
"""Rows beyond the edge of the set."""


def _point(row: Ranked, winner: Ranked | None, ranked: Ranking, digits: Digits) -> Spec:
    hover = f"{vega.in_prose(row.configuration)}: {digits.performance(row.performance)}"
    if (ends := both_ends(row, digits.performance)) != "none":
        hover += f", {percent(ranked.level or 0)} simultaneous CI {ends}"
    series = "in the confidence set" if row.inside else "others"
    return {
        "series": "winner" if row is winner else series,
        "value": row.performance,
        "lower": row.lower,
        "upper": row.upper,
        "hover": hover,
    }


def _leader(ranked: Ranking, digits: Digits) -> str:
    n_inside = sum(row.inside is True for row in ranked.rows)
    if n_inside:
        said = in_set(n_inside, ranked.n_configurations, ranked.level or 0)
        return f"{said[0].upper()}{said[1:]}."
    first, middle = ranked.rows[0], ranked.rows[len(ranked.rows) // 2]
    apart = digits.difference(abs(first.performance - middle.performance))
    return (
        f"{vega.in_prose(first.configuration)} leads the median configuration by {apart}; part of "
        "that lead is luck, for which the estimate is corrected and this list is not."
    )


def _caption(ranked: Ranking, shown: Sequence[Ranked], place: int) -> str:
    n_shown = len(shown)
    more = vega.of_first(n_shown, ranked.n_configurations)
    if n_shown < min(vega.MOST_NAMES, len(ranked.rows)):
        more = f" Shown, of {ranked.n_configurations}: {'the winner, ' * bool(place)}"
        more += f"{'the simplest and ' * bool(ranked.simplest)}the last of the confidence set"
        out = sum(point.inside is False for point in shown)
        more += f", and the first {out} outside it." if out else "."
    elif place > n_shown:
        more = (
            f" Shown are the first {n_shown - 1} of {ranked.n_configurations}, and the winner, at "
            f"{place}."
        )
    if ranked.level is None:
        why = f": {vega.in_prose(ranked.without)}" if ranked.without else ""
        return (
            f"Naive (apparent) scores on all samples, not corrected.{more} There are no "
            f"intervals{why}."
        )
    level = percent(ranked.level)
    return (
        f"Naive (apparent) scores, not corrected.{more} The {level} intervals hold for all "
        "configurations at once, so also for the winner, although it was selected. The confidence "
        f"set includes the truly best configuration with a probability of {level}. Both take these "
        "predictions as given: they do not include how models vary with their training samples."
    )


def folds(exhibit: Exhibit, spreads: tuple[FoldSpread, ...]) -> Drawn:
    """Return the winner in each fold, against all configurations."""
    metric = phrases.metrics_of(exhibit.document)[0]
    label, shown = phrases.directed_label(metric), spreads[: vega.MOST_NAMES]
    digits = phrases.digits_by(metric, [end for fold in spreads for end in (fold.least, fold.most)])
    names = vega.labels(f"fold {fold.fold}" for fold in shown)
    rows = [
        (
            visible(fold.fold),
            digits.performance(fold.winner, "undefined"),
            *(digits.performance(getattr(fold, name)) for name in SPREAD),
        )
        for fold in spreads
    ]
    sign = 1 if exhibit.document.estimates[0].direction == "maximize" else -1
    worst, what = min(spreads, key=lambda fold: sign * fold.median), shipped(exhibit.document)
    above = sum(f.winner is not None and sign * (f.winner - f.median) >= 0 for f in spreads)
    y = vega.names_axis(names)
    median, winner = ({"y": y, "x": vega.number(name, label)} for name in ("median", "winner"))
    layers = [
        vega.span(y, label, ("least", "most"), opacity=0.5),
        vega.span(y, label, strokeWidth=6, opacity=0.3),
        vega.layer("tick", median | vega.HOVER, color=vega.INK, thickness=2, size=12),
        vega.layer("point", winner | vega.HOVER, "isValid(datum.winner)", **WINNER),
    ]
    return Drawn(
        f"The {what} is at least as good as the median configuration in "
        f"{above} of {len(spreads)} folds; the hardest one is fold {vega.in_prose(worst.fold)}.",
        f"Filled circles: the {what}. Thick lines: the middle half of all configurations, with a "
        "tick at the median; thin lines: all of them. A fold holds few samples, and the "
        "uncertainty of its scores is not shown."
        f"{vega.of_first(len(shown), len(spreads), ' folds')}",
        ("fold", what, *SPREAD.values()),
        rows,
        vega.spec_of(
            [
                {"name": name, **asdict(fold), "hover": _said_of_fold(row, what)}
                for name, fold, row in zip(names, shown, rows, strict=False)
            ],
            layers,
            height={"step": 20},
        ),
    )


def _said_of_fold(row: Sequence[str], what: str) -> str:
    name, winner, _, lower, median, upper, _ = row
    middle = f"median {median}, middle half {lower} to {upper}"
    return f"fold {vega.in_prose(name)}: {what} {winner}; {middle}"


def roc(exhibit: Exhibit, curves: Curves) -> Drawn:
    """Return the ROC curves."""
    naive, corrected = curves.naive[AT], curves.corrected[AT]
    (subject, chosen), _ = _subject(exhibit)
    reading = "The curves can't be compared at a false positive rate of 0.10."
    if naive is not None and corrected is not None:
        reading = (
            f"At a false positive rate of 0.10 the {subject} seems to find {naive:.2f} of the "
            f"positives; expect {corrected:.2f}."
        )
    return Drawn(
        reading,
        f"Dashed: the {subject} on the samples that chose it. Solid: the mean, over "
        f"{curves.n_resamples} resamples, of the out-of-bag curve of the {chosen} in "
        "each resample, so that it includes the selection. Predictions of all folds are pooled. "
        "No band is shown: the curves are about as uncertain as the estimate.",
        ("false positive rate", *(f"true positive rate, {name}" for name in _series(exhibit))),
        _rows(curves),
        _spec(curves, _series(exhibit), "false positive rate", "true positive rate"),
    )


def calibration(exhibit: Exhibit, curves: Curves) -> Drawn:
    """Return the reliability curves."""
    (subject, chosen), fitted = _subject(exhibit)
    return Drawn(
        "The calibration was fitted to these samples, so the dashed curve is too good: look at "
        "the solid one."
        if fitted
        else _reliability(curves, subject),
        "Isotonic frequency of the positive class against its predicted probability. Dashed: the "
        f"{subject} on the samples that chose it. Solid: the mean, over {curves.n_resamples} "
        f"resamples, of the out-of-bag curve of the {chosen} in each resample; a "
        "mean over smaller samples is smoother and flatter. Shaded: where 90% of naive curves "
        f"would lie, point by point, if the {subject} were perfectly calibrated; the band ignores "
        "the selection.",
        (
            "predicted",
            *(f"frequency, {name}" for name in _series(exhibit)),
            "band from",
            "band to",
        ),
        _rows(curves),
        _spec(curves, _series(exhibit), "predicted probability", "observed frequency"),
    )


def _series(exhibit: Exhibit) -> tuple[str, str]:
    """Names of both curves; with a single configuration nothing is corrected."""
    return "naive", "estimate" if is_single(exhibit.document) else "corrected"


def _subject(exhibit: Exhibit) -> tuple[tuple[str, str], bool]:
    """Return what curves are of, on all samples and in a resample, and if it was calibrated."""
    made, what = exhibit.document.made, shipped(exhibit.document)
    fitted = made is not None and made.calibration is not None
    chosen = {"winner": "configuration selected", "ensemble": "ensemble made"}[what]
    start = "calibrated " * fitted
    return (f"{start}{what}", f"{start}{chosen}"), fitted


def _reliability(curves: Curves, subject: str) -> str:
    points = [
        (naive, lower, upper)
        for naive, lower, upper in zip(curves.naive, curves.lower, curves.upper, strict=True)
        if naive is not None and lower is not None and upper is not None
    ]
    if not points:
        return "There are too few distinct probabilities for a curve."
    share = sum(not lower <= naive <= upper for naive, lower, upper in points) / len(points)
    if share <= 0.1:
        return "There is no evidence of miscalibration: the naive curve stays within its band."
    return (
        f"Over {percent(share, 0)} of its range the naive curve leaves the band: the {subject} is "
        "miscalibrated there."
    )


def _spec(curves: Curves, series: Sequence[str], x_title: str, y_title: str) -> Spec:
    """Return a square with the naive curve dashed, the corrected one solid, and the diagonal."""
    values = [
        {"x": x, "series": name, "y": y}
        for name, line in zip(series, (curves.naive, curves.corrected), strict=True)
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
        "color": vega.nominal("series", series, (vega.NAIVE, vega.CORRECTED)),
        "strokeDash": vega.nominal("series", series, (vega.DASHED, vega.SOLID)),
    }
    diagonal = [{"x": end, "y": end} for end in (0, 1)]
    layers = [
        *([vega.layer("area", area, data=band, color=vega.INK, opacity=0.15)] if band else []),
        vega.layer("line", at, data=diagonal, color=vega.INK, strokeWidth=1, opacity=0.6),
        vega.layer("line", lines, strokeWidth=2.5),
        vega.unseen_points(at["x"], at["y"], _said_of_curves(curves, series, x_title)),
    ]
    return vega.spec_of(values, layers) | {
        "width": SIDE,
        "height": SIDE,
        "autosize": {"type": "pad"},
    }


def _said_of_curves(curves: Curves, series: Sequence[str], x_title: str) -> list[Spec]:
    """Return points of both curves, thinned, with their hover texts."""
    return [
        {"x": x, "y": y, "hover": f"{x_title} {x:.2f}: {name} {y:.2f}"}
        for name, line in zip(series, (curves.naive, curves.corrected), strict=True)
        for x, y in zip(curves.x[::STEP], line[::STEP], strict=True)
        if y is not None
    ]


def _rows(curves: Curves) -> list[tuple[str, ...]]:
    lines: list[Sequence[float | None]] = [curves.naive, curves.corrected]
    lines += [curves.lower, curves.upper] if curves.lower else []
    return [
        (f"{x:.2f}", *("none" if line[i] is None else f"{line[i]:.2f}" for line in lines))
        for i, x in enumerate(curves.x)
        if i % STEP == 0
    ]
