"""Arrow arrays to numpy and back, by their buffers.

Arrow's own conversions import pandas, which would take most of the time of a small run.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.functions import apply, cast
from bbccli.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

_NUMPY_NAMES = {"float": "float32", "double": "float64"}


def as_arrow(integers: IntArray) -> pa.Array:
    """(n,) int64 as Arrow."""
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(integers, dtype=np.int64))
    return pa.Array.from_buffers(pa.int64(), len(integers), [None, buffer])


def as_arrow_or_null(integers: IntArray) -> pa.Array:
    """(n,) int64 as Arrow, null where negative."""
    import pyarrow as pa

    if integers.min(initial=0) >= 0:
        return as_arrow(integers)
    bits = np.packbits(integers >= 0, bitorder="little")
    buffer = pa.py_buffer(np.ascontiguousarray(integers, dtype=np.int64))
    return pa.Array.from_buffers(pa.int64(), len(integers), [pa.py_buffer(bits), buffer])


def to_numbers(values: pa.Array | pa.ChunkedArray) -> FloatArray:
    """(n,) numbers or booleans: float32 stays, all else becomes float64; null becomes NaN."""
    import pyarrow as pa

    if pa.types.is_boolean(values.type):
        values = cast(values, pa.uint8())
    single = pa.types.is_float32(values.type)
    numbers: FloatArray = np.full(len(values), np.nan, np.float32 if single else np.float64)
    start = 0
    for chunk in values.chunks if isinstance(values, pa.ChunkedArray) else [values]:
        part = numbers[start : start + len(chunk)]
        start += len(chunk)
        if chunk.null_count < len(chunk):
            part[:] = _fixed_width(chunk)
            if chunk.null_count:
                part[null_mask(chunk)] = np.nan
    return numbers


def to_codes(indices: pa.Array) -> IntArray:
    """(n,) int64 indices of a dictionary, -1 where null."""
    if indices.null_count == len(indices):
        return np.full(len(indices), -1, dtype=np.int64)
    codes: IntArray = _fixed_width(indices).astype(np.int64)
    codes[null_mask(indices)] = -1
    return codes


def null_mask(values: pa.Array) -> BoolArray:
    """(n,) True where an array has no value."""
    if values.null_count in (0, len(values)):
        return np.full(len(values), values.null_count > 0)
    bits = np.unpackbits(np.frombuffer(values.buffers()[0], np.uint8), bitorder="little")
    return np.asarray(bits[values.offset : values.offset + len(values)] == 0)


def is_text(kind: pa.DataType) -> bool:
    """Whether a plain type holds strings."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def is_nothing(kind: pa.DataType) -> bool:
    """Whether a plain type holds nothing but nulls."""
    import pyarrow as pa

    return bool(pa.types.is_null(kind))


def is_integer(kind: pa.DataType) -> bool:
    """Whether a plain type holds whole numbers."""
    import pyarrow as pa

    return bool(pa.types.is_integer(kind))


def is_number(kind: pa.DataType) -> bool:
    """Whether a plain type holds whole or real numbers."""
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def plain(table: pa.Table, path: str) -> pa.Table:
    """Reduce every column to numbers, booleans, text or null; empty text becomes null.

    Raises
    ------
    InputError
        A column of lists, structs, bytes or another type that is not one of these.
    """
    import pyarrow as pa

    names = [field.name for field in table.schema]
    pairs = zip(table.columns, names, strict=True)
    return pa.Table.from_arrays([_plain(column, name, path) for column, name in pairs], names=names)


def plain_schema(schema: pa.Schema, path: str) -> pa.Schema:
    """Return the schema of `plain` of a table with this one.

    Raises
    ------
    InputError
        As `plain`, as far as the types tell.
    """
    import pyarrow as pa

    kinds = []
    for field in schema:
        try:
            kinds.append(_plain_type(field.type))
        except TypeError:
            raise _strange(field.type, field.name, path) from None
    return pa.schema(zip(schema.names, kinds, strict=True))


def _strange(kind: pa.DataType, name: str, path: str) -> InputError:
    """Build the error about a column that is neither numbers, booleans nor text."""
    return InputError(
        f"columns of type {kind} cannot be read",
        path=path,
        column=name,
        hint="store numbers, booleans or text, one value per cell; or drop the column",
    )


def _fixed_width(values: pa.Array) -> Any:
    """(n,) numbers of an array, whatever stands where it is null."""
    dtype = np.dtype(_NUMPY_NAMES.get(str(values.type), str(values.type)))
    return np.frombuffer(values.buffers()[1], dtype)[values.offset : values.offset + len(values)]


def _plain(column: pa.ChunkedArray, name: str, path: str) -> pa.ChunkedArray:
    """One column of a plain type."""
    import pyarrow as pa

    try:
        kind = _plain_type(column.type)
        column = column if kind == column.type else cast(column, kind)
        if not pa.types.is_floating(column.type):
            column.validate(full=True)
    except (pa.ArrowException, TypeError):
        raise _strange(column.type, name, path) from None
    if is_text(column.type):
        filled = cast(apply("binary_length", column), pa.bool_())
        column = apply("if_else", filled, column, pa.nulls(len(column), column.type))
    return column


@cache  # a file of a thousand columns has one or two types
def _plain_type(kind: pa.DataType) -> pa.DataType:
    """The plain type that holds the values of another."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if types.is_float16(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_temporal(kind) or str(kind) == "string_view":
        return pa.string()
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return kind
    if types.is_null(kind) or is_text(kind):
        return kind
    raise TypeError(kind)
