"""When the rows of a table were scored: of an item that was asked again, the newest may count."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.errors import parameter
from bbccli.notes import listing
from bbccli.reading.layout.dialects.base import Layout
from bbccli.reading.numerals import Moment, times_of
from bbccli.reading.table import Table
from bbccli.types import Again


def moments_of(tables: Sequence[Table], layouts: Sequence[Layout]) -> list[Moment]:
    """Return the time of each row, from the one column besides that holds times."""
    of_rows: list[Moment] = []
    for table, layout in zip(tables, layouts, strict=True):
        used = {*layout.roles.values(), *layout.predictions.values(), *layout.configuration}
        columns: dict[str, list[Moment]] = {}
        for name in table.names:
            if name not in used and (moments := times_of(table.column(name).values)):
                columns[name] = moments
        if len(columns) != 1:
            which = listing([*columns]) or "none does"
            raise table.fault(
                f"one column must say when each row was scored, and {which}",
                hint="keep one column of times; or count all rows with "
                + parameter("again", Again.EPOCH),
            )
        of_rows += next(iter(columns.values()))
    return of_rows
