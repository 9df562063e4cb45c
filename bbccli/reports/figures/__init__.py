"""Figures of a result: Vega-Lite dictionaries made by pure functions, and tables of their data."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from bbccli.reports.figures.base import Absent, Drawn

if TYPE_CHECKING:
    from bbccli.reports.exhibit import Exhibit

KINDS = {
    "forest": ("forest", "Estimates of the methods"),
    "cost": ("cost", "What the search cost"),
    "distribution": ("distribution", "Spread over the resamples"),
    "wins": ("wins", "Who wins"),
    "ranking": ("ranking", "All configurations"),
    "folds": ("folds", "Fold by fold"),
    "roc": ("curves", "ROC of the winner"),
    "calibration": ("curves", "Calibration of the winner"),
}
"""Module and title of each, in the order of a page; the function that draws it has its name."""

OF_COMPARISONS = {
    "differences": ("differences", "Differences"),
    "cd": ("cd", "Mean ranks over data sets"),
}
"""Those of `bbc compare`."""

__all__ = ["KINDS", "OF_COMPARISONS", "Absent", "Drawn", "draw"]


def draw(kind: str, exhibit: Exhibit) -> Drawn | Absent:
    """Return a figure of a result, or why there is none."""
    module, title = (KINDS | OF_COMPARISONS)[kind]
    found: Drawn | str = getattr(import_module(f"bbccli.reports.figures.{module}"), kind)(exhibit)
    if isinstance(found, str):
        return Absent(kind, title, found)
    return replace(found, kind=kind, title=title)
