"""Tables of figures, and how they come onto the pages."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.tables import Row, Table, as_markdown

DOCS = Path(__file__).resolve().parents[2] / "docs"

WORDS = frozenset({"rule", "metric", "method"})
"""Columns set to the left."""


def between(text: str, name: str, block: str) -> str:
    """Put a block between the comments `name` and `end of name`; everything else is kept."""
    part = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)
    return part.sub(lambda _: f"\n{block}\n\n" if block else "\n", text)


def table(title: str, names: Sequence[str], rows: Iterable[Row]) -> str:
    """A table of the rows that hold more than what they are, under a heading; or nothing."""
    complete = [row for row in rows if set(row) - set(names)]
    if not complete:
        return ""
    every = dict.fromkeys([*names, *(name for row in complete for name in row)])
    columns = {name: str if name in WORDS else shown for name in every}
    return as_markdown(Table(title, title, columns, complete))


def shown(value: object) -> str:
    """Any value; not `str` itself, which would set its column to the left."""
    return f"{value}"
