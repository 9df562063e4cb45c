"""All configurations as rows of CSV, one for each metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO

from bbccli.documents import Json
from bbccli.reports.base import Style
from bbccli.reports.csv import write_rows

COLUMNS = (
    *("path", "metric", "pooling", "rank", "configuration", "winner"),
    *("value", "pooled", "fold_mean", "fold_sd", "wins", "n_predictions", "flags"),
)
TIME = "seconds"
"""A column only where a time is known."""


def render(documents: Sequence[Json], style: Style) -> str:
    """Return a row per configuration and metric; numbers in full, nothing for null."""
    rows = [row for document in documents for row in _rows(document)]
    timed = any(row[TIME] is not None for row in rows)
    buffer = StringIO(newline="")
    write_rows(rows, (*COLUMNS, *([TIME] if timed else [])), buffer)
    return buffer.getvalue()


def _rows(document: Json) -> Iterator[Json]:
    about = {"path": document["input"]["path"], "pooling": document["plan"]["pooling"]}
    for row in document["rows"]:
        won = {"winner": row["configuration"] == document["winner"]}
        for performance in row["performances"]:
            yield about | row | performance | won | {"flags": " ".join(row["flags"])}
