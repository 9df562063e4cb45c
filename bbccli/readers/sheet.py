"""The one form that wide tables and long ones are brought into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bbccli.core.notes import Note
from bbccli.core.source import LeftOut
from bbccli.readers.column import Column
from bbccli.readers.metadata import Metadata
from bbccli.readers.table import Table
from bbccli.types import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

CLASS_SEPARATOR = "::"
"""What stands between configuration and class in the name of a column."""

WIDE = "wide"
"""The layout that no dialect recognises: one column per configuration."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The predictions of a configuration, or of one class by it.

    Parameters
    ----------
    name
        Name of the column that holds them in a wide table.
    source
        Column of the table that they stand in.
    configuration
        Name of the configuration.
    label
        Name of the class; None where the configuration has but one column.
    rows : (n_rows,), optional
        Row of the table behind each row of the sheet, -1 where there is none; None where the rows
        are the same.
    """

    name: str
    source: str
    configuration: str
    label: str | None = None
    rows: IntArray | None = None


@dataclass(frozen=True)
class Sheet:
    """Predictions with one row per repeat and sample, whatever the layout of their table.

    Parameters
    ----------
    table
        Where the predictions stand.
    layout
        Name of the layout or dialect.
    n_rows
        Rows of the sheet.
    roles : (n_rows,) each
        Columns of the roles that are played.
    cells
        Predictions, in the order of the table.
    metadata
        What the metadata say.
    spare
        Columns set aside although their names could play a role.
    notes
        What was noticed so far.
    named
        Configurations named by hand.
    left_out
        Configurations that a flag leaves out.
    n_excluded
        How many an option leaves out.
    by_position
        Files whose rows were matched by their position, for want of a key.
    """

    table: Table
    layout: str
    n_rows: int
    roles: Mapping[str, Column]
    cells: tuple[Cell, ...]
    metadata: Metadata
    spare: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    named: frozenset[str] = frozenset()
    left_out: tuple[LeftOut, ...] = ()
    n_excluded: int = 0
    by_position: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """File, for messages."""
        return self.table.path

    @property
    def by_class(self) -> bool:
        """Whether a configuration has one column per class."""
        return any(cell.label is not None for cell in self.cells)

    @cached_property
    def configurations(self) -> Mapping[str, tuple[Cell, ...]]:
        """Cells of each configuration, in order of first appearance."""
        owned: dict[str, list[Cell]] = {}
        for cell in self.cells:
            owned.setdefault(cell.configuration, []).append(cell)
        return {name: tuple(own) for name, own in owned.items()}

    def type_of(self, cell: Cell) -> pa.DataType:
        """Arrow type of a cell."""
        return self.table.type_of(cell.source)

    def column(self, cell: Cell) -> Column:
        """(n_rows,) predictions of a cell, null where it has none."""
        if cell.rows is None:
            return self.table.column(cell.source)
        if cell.source not in self._shared:
            self._shared[cell.source] = self.table.column(cell.source)
        return self._shared[cell.source].take(cell.rows)

    @cached_property
    def _shared(self) -> dict[str, Column]:
        """Columns of the table that hold several cells each, read once."""
        return {}
