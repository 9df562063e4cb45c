"""Figures of a result: Vega-Lite dictionaries made by pure functions, and tables of their data."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from bbccli.reports.figures.base import Absent, Drawn
from bbccli.reports.words.sentences import shipped

if TYPE_CHECKING:
    from bbccli.reports.evidence import Exhibit

KINDS = {
    "forest": ("estimates", "Estimates by method"),
    "cost": ("estimates", "Gain from searching"),
    "distribution": ("predictions", "Spread of the resamples"),
    "wins": ("estimates", "Who wins"),
    "ranking": ("predictions", "All configurations"),
    "folds": ("predictions", "Fold by fold"),
    "roc": ("predictions", "ROC of the {}"),
    "calibration": ("predictions", "Calibration of the {}"),
}
"""Module and title of each, in the order of a page; the function that draws it has its name. Braces
stand for what is shipped.
"""

OF_COMPARISONS = {
    "differences": ("comparisons", "Differences"),
    "cd": ("comparisons", "Mean ranks over data sets"),
}
"""Those of `bbc compare`."""

OF_PLANS = {"rows": ("planned", "Benefit of more samples")}
"""That of `bbc plan`, on its page alone."""

__all__ = ["KINDS", "OF_COMPARISONS", "Absent", "Drawn", "draw"]


def draw(kind: str, exhibit: Exhibit) -> Drawn | Absent:
    """Return a figure of a result, or why there is none."""
    module, title = (KINDS | OF_COMPARISONS | OF_PLANS)[kind]
    title = title.format(shipped(exhibit.document))
    make = getattr(import_module(f"bbccli.reports.figures.{module}"), kind)
    drawn: Drawn | str
    if module == "predictions":
        part = getattr(exhibit.evidence, kind, None)
        drawn = make(exhibit, part) if part else exhibit.absent(kind)
    else:
        drawn = make(exhibit)
    if isinstance(drawn, str):
        return Absent(kind, title, drawn)
    return replace(drawn, kind=kind, title=title)
