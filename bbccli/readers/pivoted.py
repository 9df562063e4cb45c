"""What a long table becomes: a wide one whose columns are gathered when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bbccli.notes import Note
from bbccli.readers.arrow import as_arrow_or_null
from bbccli.readers.columns import Assignment
from bbccli.readers.frame import Column, Frame
from bbccli.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Pivoted:
    """A long table as a wide one.

    Parameters
    ----------
    frame
        One column per configuration, or per configuration and class.
    columns : (n_rows,) each
        Columns of the roles, one entry per row of `frame`.
    assignment
        Names of the configuration columns.
    notes
        What was noticed.
    """

    frame: Frame
    columns: Mapping[str, Column]
    assignment: Assignment
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class PivotedColumns:
    """The part of an Arrow table that readers use, its columns gathered when asked for.

    Parameters
    ----------
    sources
        Column of predictions behind each wide column, and the configuration's position.
    rows : (C, n_rows)
        Long row of each cell, -1 where there is none.
    schema
        Names and types.
    """

    sources: Mapping[str, tuple[Column, int]]
    rows: IntArray
    schema: pa.Schema

    @property
    def column_names(self) -> list[str]:
        """Names, configuration by configuration."""
        return list(self.sources)

    @property
    def num_rows(self) -> int:
        """Keys, (repeat, sample) and the like."""
        return int(self.rows.shape[1])

    @property
    def columns(self) -> list[pa.ChunkedArray]:
        """All columns."""
        return [self.column(name) for name in self.sources]

    def column(self, name: str) -> pa.ChunkedArray:
        """Gather one column; null where the configuration has no row."""
        import pyarrow as pa

        source, position = self.sources[name]
        return pa.chunked_array([source.values.take(as_arrow_or_null(self.rows[position]))])

    def place(self, name: str) -> tuple[str, IntArray]:
        """Column of the long table, and its row, behind each cell of a wide column."""
        source, position = self.sources[name]
        return source.name, self.rows[position]
