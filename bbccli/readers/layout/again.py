"""When the rows of a table were scored: of an item that was asked again, the newest may count."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.core.notes import listing
from bbccli.errors import InputError, parameter
from bbccli.readers.evaluations.times import Moment, moment_of
from bbccli.readers.layout.dialects.base import Layout
from bbccli.readers.table import Table
from bbccli.types import Again

_SINCE, _UNTIL = 946_684_800, 4_102_444_800
"""The years 2000 to 2099: other numbers are no times."""

_PROBED = 20


def moments_of(tables: Sequence[Table], layouts: Sequence[Layout]) -> list[Moment]:
    """Return the time of each row, from the one column besides that holds times."""
    found: list[Moment] = []
    for table, layout in zip(tables, layouts, strict=True):
        used = {*layout.roles.values(), *layout.predictions.values(), *layout.configuration}
        columns: dict[str, list[Moment]] = {}
        for name in table.names:
            if name not in used:
                moments = _moments(table.column(name).values[:_PROBED].to_pylist())
                whole = moments and _moments(table.column(name).values.to_pylist())
                columns |= {name: whole} if whole else {}
        if len(columns) != 1:
            which = listing([*columns]) or "none does"
            raise InputError(
                f"one column must tell when each row was scored, and {which}",
                path=table.path,
                hint="keep one column of times; or count all rows: "
                + parameter("again", Again.EPOCH),
            )
        found += next(iter(columns.values()))
    return found


def _moments(values: Sequence[object]) -> list[Moment]:
    """Return the times that values are; none if one is not."""
    found = []
    for value in values:
        moment = moment_of(value)
        if moment is None or not _SINCE <= moment.start < _UNTIL:
            return []
        found.append(moment)
    return found
