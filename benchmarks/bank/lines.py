"""Shared parts of the tables of the pages: names, figures and Markdown."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from benchmarks.bank.figures import MEASURES, Sums, figures
from benchmarks.bank.searches import MAIN
from benchmarks.bank.variants import MAIN_METHODS
from benchmarks.tables import Row, Table, as_markdown
from benchmarks.validation.page import shown

FEWEST = 5
"""Repetitions below which a cell is not in the tables: a ratio of two spreads would say nothing."""


def markdown(
    title: str, rows: Iterable[Row], note: str = "", words: set[str] | frozenset[str] = frozenset()
) -> str:
    """A table whose words stand to the left, and whose figures to the right."""
    listed = list(rows)
    left = {"method", "interval", *words}
    show: dict[str, Callable[[Any], str]] = {
        name: str if name in left else shown for row in listed for name in row
    }
    return as_markdown(Table(title, title, show, listed, note))


def lines(sums: Sums, names: Iterable[str] = MEASURES) -> list[Row]:
    """One row for each variant."""
    return [
        name_of(variant) | {name: of_variant[name] for name in names}
        for variant, of_variant in figures(sums).items()
    ]


def name_of(variant: tuple[str, str]) -> Row:
    return {"method": f"`{variant[0]}`", "interval": variant[1] or "none"}


def main_ones(frame: pd.DataFrame) -> pd.DataFrame:
    """The main methods with the guard, on the main search."""
    kinds = ~frame["interval"].str.contains("guard") & (frame["interval"] != "t")
    return frame[(frame["search"] == MAIN) & frame["method"].isin(MAIN_METHODS) & kinds]
