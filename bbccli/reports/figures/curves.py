"""Curves of the winner, naive and with the selection in it: ROC and calibration."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.reports.evidence import Curves, Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    DASHED,
    INK,
    NAIVE,
    SOLID,
    Drawn,
    Spec,
    layer,
    nominal,
    spec_of,
)

SERIES = ("naive", "corrected")
SIDE = 270

AT = 10
"""Point of the grid that the sentence on the ROC is about: a false positive rate of 0.1."""

STEP = 5
"""Points of the grid from one row of the table to the next."""


def roc(exhibit: Exhibit) -> Drawn | str:
    """Return the ROC curves."""
    found: Curves | None = exhibit.part("roc")
    if found is None:
        return exhibit.absent("roc")
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


def calibration(exhibit: Exhibit) -> Drawn | str:
    """Return the reliability curves."""
    found: Curves | None = exhibit.part("calibration")
    if found is None:
        return exhibit.absent("calibration")
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
        "color": nominal("series", SERIES, (NAIVE, CORRECTED)),
        "strokeDash": nominal("series", SERIES, (DASHED, SOLID)),
    }
    diagonal = [{"x": end, "y": end} for end in (0, 1)]
    layers = [
        *([layer("area", area, data=band, color=INK, opacity=0.15)] if band else []),
        layer("line", at, data=diagonal, color=INK, strokeWidth=1, opacity=0.6),
        layer("line", lines, strokeWidth=2.5),
    ]
    return spec_of(values, layers) | {"width": SIDE, "height": SIDE, "autosize": "pad"}


def _rows(curves: Curves) -> list[tuple[str, ...]]:
    """Return every few points of the curves, two decimals each."""
    lines: list[Sequence[float | None]] = [curves.naive, curves.corrected]
    lines += [curves.lower, curves.upper] if curves.lower else []
    return [
        (f"{x:.2f}", *("none" if line[i] is None else f"{line[i]:.2f}" for line in lines))
        for i, x in enumerate(curves.x)
        if i % STEP == 0
    ]
