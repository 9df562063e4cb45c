"""What `bbc plan` says as rows of CSV, one for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO

from bbccli.documents import Json
from bbccli.reports.base import Style
from bbccli.reports.csv import write_rows

COLUMNS = (
    *("path", "metric", "n_samples", "n_configurations", "naive", "honest"),
    *("optimism", "optimism_lower", "optimism_upper", "width", "level", "near_best", "within"),
    "chosen",
)


def render(documents: Sequence[Json], style: Style) -> str:
    """Return a row per cell, the chosen one among them; numbers in full."""
    buffer = StringIO(newline="")
    write_rows((row for document in documents for row in _rows(document)), COLUMNS, buffer)
    return buffer.getvalue()


def _rows(document: Json) -> Iterator[Json]:
    read, planned = document["input"], document["planned"]
    about = {
        "path": "" if read is None else read["path"],
        "metric": document["metric"],
        "level": document["plan"]["level"],
        "within": planned["within"],
    }
    cells, chosen = planned["cells"], planned["chosen"]
    for cell in cells if chosen in cells else [chosen, *cells]:
        yield about | cell | {"chosen": cell == chosen}
