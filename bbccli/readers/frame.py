"""A table in memory: plain columns that remember which file and row each value came from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.arrow import as_arrow, is_text, null_mask, to_codes, to_numbers
from bbccli.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

    from bbccli.readers.parquet import ColumnsOnDisk

# Whole numbers up to here are exact in float64, so 1.0 and 1 may share the name "1".
EXACT_INTEGERS = 2.0**53


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
    """

    path: str
    name: str
    values: pa.Array
    rows: IntArray

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

    def fault(self, problem: str, entry: int, *, hint: str) -> InputError:
        """Build the error about one entry: file, column, row and value."""
        return InputError(
            problem,
            path=self.path,
            row=int(self.rows[entry]),
            column=self.name,
            value=self.values[int(entry)].as_py(),
            hint=hint,
        )

    def present(self, role: str, *, hint: str) -> Column:
        """Return the column itself, every entry of which has a value.

        Raises
        ------
        InputError
            The first entry without one.
        """
        if len(self.nulls):
            raise self.fault(f"{role} is missing", int(self.nulls[0]), hint=hint)
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
            raise self.fault(f"{role} is text", first_text(self), hint="numbers are needed here")
        numbers: FloatArray = to_numbers(self.values).astype(np.float64, copy=False)
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite):
            raise self.fault(f"{role} is infinite", int(infinite[0]), hint="correct the value")
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
    """

    path: str
    table: pa.Table | ColumnsOnDisk
    sha256: str
    metadata: tuple[str | bytes, str] | None = None

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
        return Column(self.path, name, values, np.arange(self.n_rows))


def check_names(frame: Frame) -> None:
    """Refuse columns without a name and names that occur twice.

    Raises
    ------
    InputError
        The first such column.
    """
    seen: set[str] = set()
    for position, name in enumerate(frame.names):
        if not name.strip():
            raise InputError(
                f"column {position} has no name",
                path=frame.path,
                hint="name it `row_id` if it identifies samples, or write the file without a row "
                "index (pandas: index=False)",
            )
        if name in seen:
            raise InputError(
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


def first_text(column: Column) -> int:
    """Entry of the first text that is no number; the first entry when all are numbers."""
    codes, values = column.codes()
    text = [math.isnan(number_of(value)) for value in values.to_pylist()]
    found = np.flatnonzero(np.array([*text, False])[codes])
    return int(found[0]) if len(found) else int(np.flatnonzero(codes >= 0)[0])
