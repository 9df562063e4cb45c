"""Figures of a result: Vega-Lite dictionaries made by pure functions, and tables of their data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from bbccli.reports.figures.base import Absent, Drawn

if TYPE_CHECKING:
    from bbccli.reports.exhibit import Exhibit

KINDS = ("forest", "cost", "distribution", "wins", "ranking", "folds", "roc", "calibration")
"""In the order of a page; each is drawn by the module of its name."""

OF_COMPARISONS = ("differences", "cd")
"""Those of `bbc compare`."""

__all__ = ["KINDS", "OF_COMPARISONS", "Absent", "Drawn", "draw"]


def draw(kind: str, exhibit: Exhibit) -> Drawn | Absent:
    """Return a figure of a result, or why there is none."""
    found: Drawn | Absent = import_module(f"bbccli.reports.figures.{kind}").draw(exhibit)
    return found
