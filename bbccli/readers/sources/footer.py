"""What the footer of a Parquet file declares of its columns, read without pyarrow.

pyarrow ends the process where it is asked about a column whose size statistics are damaged or that
is encrypted. So the footer, a struct in Thrift's compact protocol, is walked here first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_STOP, _TRUE, _BYTE, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 0, 1, 3, 6, 7, 8, 9, 10, 12

# the numbers that parquet.thrift gives to fields, struct by struct
_GROUPS = 4
_COLUMNS, _GROUP_ROWS = 1, 3
_DESCRIPTION, _ENCRYPTED = 3, 8
_TYPE, _VALUES, _UNPACKED, _SIZES = 1, 5, 6, 16
_TEXT_SIZE, _REPETITIONS, _DEFINITIONS = 1, 2, 3

_NUMBERS = frozenset((4, 5, _I64, _BINARY))
"""Kinds that start with a number: whole numbers, and the length of a text."""

_BYTE_ARRAY = 6


class FooterError(ValueError):
    """A footer that is cut off, malformed, or tells of columns that can't be read."""


class EncryptedError(FooterError):
    """A column is encrypted."""


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """A column of a row group: its position, numbers of rows and values, and unpacked bytes."""

    position: int
    n_rows: int
    n_values: int
    n_bytes: int


def declared_columns(footer: bytes, levels: list[tuple[int, int]]) -> Iterator[DeclaredColumn]:
    """Yield the columns of all row groups in order.

    Parameters
    ----------
    footer
        Bytes of the struct `FileMetaData`.
    levels
        For each column the largest repetition and definition level, by the schema.

    Raises
    ------
    FooterError
        The footer is malformed, or a column has statistics that pyarrow can't bear.
    EncryptedError
        A column is encrypted.
    """
    try:
        for group in _struct(footer, 0, _GROUPS)[0].get(_GROUPS, ()):
            for position, column in enumerate(group.get(_COLUMNS, ())):
                yield _declared(position, group[_GROUP_ROWS], column, levels[position])
    except (IndexError, KeyError, AttributeError, TypeError, RecursionError):
        raise FooterError("the footer is malformed") from None


def _declared(
    position: int, n_rows: int, column: dict[int, Any], levels: tuple[int, int]
) -> DeclaredColumn:
    if _ENCRYPTED in column:
        raise EncryptedError
    about = column[_DESCRIPTION]
    sizes = about.get(_SIZES, {})
    for field, level in zip((_REPETITIONS, _DEFINITIONS), levels, strict=True):
        if sizes.get(field) and len(sizes[field]) != level + 1:
            raise FooterError("a column has a histogram of another length than its levels")
    if _TEXT_SIZE in sizes and about[_TYPE] != _BYTE_ARRAY:
        raise FooterError("a column of numbers has the size of texts")
    declared = DeclaredColumn(position, n_rows, about[_VALUES], about[_UNPACKED])
    if not all(isinstance(number, int) for number in (n_rows, declared.n_values, declared.n_bytes)):
        raise FooterError("the footer is malformed")
    return declared


def _struct(data: bytes, at: int, wanted: int = 0) -> tuple[dict[int, Any], int]:
    """Read a struct: its fields by number up to the one wanted, and where it ends.

    Texts and floating-point numbers are passed over. One loop without calls for the numbers, of
    which a footer has some forty a column.
    """
    fields: dict[int, Any] = {}
    number = 0
    while (head := data[at]) != _STOP:
        kind, at = head & 15, at + 1
        if head > 15:
            number += head >> 4
        else:
            number, at = _integer(data, at)
        if kind in _NUMBERS:
            value = data[at]
            at += 1
            if value > 127:
                value, at = _natural(data, at - 1)
            fields[number] = (value >> 1) ^ -(value & 1) if kind != _BINARY else None
            if kind == _BINARY:
                at += value
        elif kind == _STRUCT:
            fields[number], at = _struct(data, at)
        elif kind == _LIST or kind == _SET:
            fields[number], at = _list(data, at)
        else:
            fields[number], at = None, at + _WIDTHS[kind]
        if number == wanted:
            return fields, at
    return fields, at + 1


def _list(data: bytes, at: int) -> tuple[list[Any], int]:
    """Read a list and where it ends; a truth value has a byte."""
    size, kind = data[at] >> 4, data[at] & 15
    size, at = _natural(data, at + 1) if size == 15 else (size, at + 1)
    if size > len(data) - at:
        raise FooterError("the footer is malformed")
    items: list[Any] = [None] * size
    if kind == _STRUCT:
        for i in range(size):
            items[i], at = _struct(data, at)
    elif _BYTE < kind <= _I64:
        for i in range(size):
            items[i], at = _integer(data, at)
    elif kind == _BINARY:
        for _ in range(size):
            length, at = _natural(data, at)
            at += length
    elif kind in (_LIST, _SET):
        for i in range(size):
            items[i], at = _list(data, at)
    else:
        at += size * (_WIDTHS[kind] or 1)
    return items, at


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """Read a number with its sign in the last bit, and where it ends."""
    number, at = _natural(data, at)
    return (number >> 1) ^ -(number & 1), at


def _natural(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits to a byte, and where it ends."""
    byte = data[at]
    number, shift = byte & 127, 7
    while byte > 127:
        at += 1
        byte = data[at]
        number |= (byte & 127) << shift
        shift += 7
        if shift > 70:
            raise FooterError("the footer is malformed")
    return number, at + 1


_WIDTHS = {_TRUE: 0, _TRUE + 1: 0, _BYTE: 1, _DOUBLE: 8}
"""Bytes of the kinds of one width; truth values of a struct are told by their kind."""
