"""Reliability of the winner's probabilities, naive and with the selection in it."""

from __future__ import annotations

from bbccli.evidence.records import Curves
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import Absent, Drawn
from bbccli.reports.figures.curves import curve_rows, curves_spec

TITLE = "Calibration of the winner"


def draw(exhibit: Exhibit) -> Drawn | Absent:
    """Return the reliability curves."""
    found = exhibit.evidence.calibration if exhibit.evidence else None
    if found is None:
        return Absent("calibration", TITLE, exhibit.absent("calibration"))
    return Drawn(
        "calibration",
        TITLE,
        _reading(found),
        "Isotonic frequency of the positive class against its predicted probability. Dashed: the "
        "winner on the samples that chose it. Solid: the mean, over "
        f"{found.n_resamples} resamples, of the curve out of the bag of whichever configuration "
        "won in the bag; a mean over smaller samples is smoother and flatter. Shaded: where nine "
        "in ten naive curves would lie, point by point, if the winner's probabilities were right; "
        "the band ignores the selection.",
        ("predicted", "frequency, naive", "frequency, corrected", "band from", "band to"),
        curve_rows(found),
        curves_spec(found, "predicted probability", "observed frequency"),
    )


def _reading(found: Curves) -> str:
    points = [
        (naive, lower, upper)
        for naive, lower, upper in zip(found.naive, found.lower, found.upper, strict=True)
        if naive is not None and lower is not None and upper is not None
    ]
    if not points:
        return "There are too few distinct probabilities for a curve."
    outside = sum(not lower <= naive <= upper for naive, lower, upper in points)
    share = outside / len(points)
    if share <= 0.1:
        return (
            "Nothing speaks against the winner's probabilities: the naive curve keeps to its band."
        )
    return (
        f"Over {share:.0%} of its range the naive curve leaves the band: the winner's "
        "probabilities can't be taken at their word there."
    ).replace("%", " %")
