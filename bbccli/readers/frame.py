"""A table in memory: plain columns that remember which file and row each value came from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import as_arrow, is_text, null_mask, to_codes, to_numbers
from bbccli.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

    from bbccli.readers.parquet import ColumnsOnDisk
    from bbccli.readers.pivoted import PivotedColumns

# Whole numbers up to here are exact in float64, so 1.0 and 1 may share the name "1".
EXACT_INTEGERS = 2.0**53


@dataclass(frozen=True, slots=True)
class Origin:
    """One of the files whose rows make up a table.

    Parameters
    ----------
    path
        Name of the file for messages.
    start
        First row of the table that is the file's.
    names
        Name in the file of each column of the table that has another.
    """

    path: str
    start: int = 0
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of numbers, booleans or text; NaN and empty text are null.

    Parameters
    ----------
    path
        File that the values came from.
    name
        Name of the column in that file.
    values : (n,)
        Arrow array.
    rows : (n,)
        Row of that file behind each value.
    origins
        Where the rows are those of several files: which, in their order.
    """

    path: str
    name: str
    values: pa.Array
    rows: IntArray
    origins: tuple[Origin, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_text(self) -> bool:
        """Whether the values are strings."""
        return is_text(self.values.type)

    @property
    def is_integer(self) -> bool:
        """Whether the values are stored as whole numbers."""
        import pyarrow as pa

        return bool(pa.types.is_integer(self.values.type))

    @property
    def is_boolean(self) -> bool:
        """Whether the values are stored as true and false."""
        import pyarrow as pa

        return bool(pa.types.is_boolean(self.values.type))

    @property
    def nulls(self) -> IntArray:
        """Entries without a value."""
        return np.flatnonzero(null_mask(self.values))

    def take(self, entries: IntArray) -> Column:
        """Return the given entries, in their order."""
        return replace(self, values=self.values.take(as_arrow(entries)), rows=self.rows[entries])

    def place(self, entry: int) -> tuple[str, str, int]:
        """Return file, column and row of an entry."""
        row = int(self.rows[entry])
        for origin in reversed(self.origins):
            if row >= origin.start:
                return origin.path, origin.names.get(self.name, self.name), row - origin.start
        return self.path, self.name, row

    def fault(self, problem: str, entries: int | IntArray, *, hint: str) -> InputError:
        """Build the error about the first of some entries: file, column, row and value."""
        wrong = np.atleast_1d(entries)
        entry = int(wrong[0])
        path, column, row = self.place(entry)
        return InputError(
            problem,
            path=path,
            row=row,
            column=column,
            value=self.values[entry].as_py(),
            hint=hint,
            further=len(wrong) - 1,
        )

    def present(self, role: str, *, hint: str) -> Column:
        """Return the column itself, every entry of which has a value.

        Raises
        ------
        InputError
            The first entry without one.
        """
        if len(self.nulls):
            raise self.fault(f"{role} is missing", self.nulls, hint=hint)
        return self

    def codes(self) -> tuple[IntArray, pa.Array]:
        """(n,) codes in order of first appearance, -1 where null; and the distinct values."""
        encoded = self.values.dictionary_encode()
        return to_codes(encoded.indices), encoded.dictionary

    def named_codes(self) -> tuple[IntArray, tuple[str, ...]]:
        """(n,) codes into the distinct names, -1 where null."""
        codes, values = self.codes()
        names = [name_of(value) for value in values.to_pylist()]
        unique = {name: code for code, name in enumerate(dict.fromkeys(names))}
        merged = np.array([unique[name] for name in names] + [-1], dtype=np.int64)
        return merged[codes], tuple(unique)

    def numbers(self, role: str) -> FloatArray:
        """(n,) float64, NaN where null.

        Raises
        ------
        InputError
            Text, or an infinite number.
        """
        if self.is_text:
            raise self.fault(f"{role} is text", text_entries(self), hint="numbers are needed here")
        numbers: FloatArray = to_numbers(self.values).astype(np.float64, copy=False)
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite):
            raise self.fault(f"{role} is infinite", infinite, hint="correct the value")
        return numbers


@dataclass(frozen=True, slots=True)
class Frame:
    """Columns of one file.

    Parameters
    ----------
    path
        Name for messages: the path as given, or `<stdin>`.
    table
        Arrow table of plain columns, see `arrow.plain`.
    sha256
        Hash of the file's bytes.
    metadata
        Text of the metadata, and the name of the place it was found at; None when there is none.
    origins
        The files, where the rows are those of several or columns were renamed.
    places
        Column of the file, and its row, behind each value of a column; None where they are those
        of the table.
    """

    path: str
    table: pa.Table | ColumnsOnDisk | PivotedColumns
    sha256: str
    metadata: tuple[str | bytes, str] | None = None
    origins: tuple[Origin, ...] = ()
    places: Callable[[str], tuple[str, IntArray]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in file order."""
        return tuple(self.table.column_names)

    @property
    def n_rows(self) -> int:
        """Data rows; the header does not count."""
        return int(self.table.num_rows)

    def type_of(self, name: str) -> pa.DataType:
        """Arrow type of a column."""
        return self.table.schema.field(name).type

    def column(self, name: str) -> Column:
        """One column, with NaN made null."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values = self.table.column(name).combine_chunks()
        if isinstance(values, pa.ChunkedArray):
            values = pa.concat_arrays(values.chunks)
        if pa.types.is_floating(values.type):
            values = pc.if_else(pc.is_nan(values), pa.nulls(len(values), values.type), values)
        source, rows = self.places(name) if self.places else (name, np.arange(self.n_rows))
        return Column(self.path, source, values, rows, self.origins)


def check_names(frame: Frame) -> None:
    """Refuse columns without a name and names that occur twice.

    Raises
    ------
    InputError
        The first such column.
    """
    for fault in name_faults(frame):
        raise fault


def name_faults(frame: Frame) -> Iterator[InputError]:
    """Yield an error for each column without a name and each name that occurs again."""
    seen: set[str] = set()
    for position, name in enumerate(frame.names):
        if not name.strip():
            yield InputError(
                f"column {position} has no name",
                path=frame.path,
                hint="name it `row_id` if it identifies samples, or write the file without a row "
                "index (pandas: index=False)",
            )
        elif name in seen:
            yield InputError(
                "column name occurs twice",
                path=frame.path,
                column=name,
                hint="rename or drop one of the two columns",
            )
        seen.add(name)


def name_of(value: object) -> str:
    """Name of a class or fold: 1, 1.0 and "1" are all called "1"."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT_INTEGERS:
        return str(int(value))
    return str(value)


def number_of(name: str) -> float:
    """Return the finite number that a text stands for, else NaN; True is 1 and False is 0."""
    booleans = {"true": 1.0, "false": 0.0}
    try:
        number = booleans.get(name.casefold(), math.nan) if name.isalpha() else float(name)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def text_entries(column: Column) -> IntArray:
    """Entries of text that is no number; the first entry when all are numbers."""
    codes, values = column.codes()
    text = [math.isnan(number_of(value)) for value in values.to_pylist()]
    found = np.flatnonzero(np.array([*text, False])[codes])
    return found if len(found) else np.flatnonzero(codes >= 0)[:1]
