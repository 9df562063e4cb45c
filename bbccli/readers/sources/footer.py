"""What the footer of a Parquet file declares of its columns, read without pyarrow.

pyarrow ends the process where it is asked about a column whose size statistics are damaged or that
is encrypted. So the footer, a struct in Thrift's compact protocol, is walked here first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

_STOP, _TRUE, _BYTE, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 0, 1, 3, 6, 7, 8, 9, 10, 12

# the numbers that parquet.thrift gives to fields, struct by struct
_GROUPS = 4
_COLUMNS, _GROUP_ROWS = 1, 3
_DESCRIPTION, _ENCRYPTED = 3, 8
_TYPE, _VALUES, _UNPACKED, _SIZES = 1, 5, 6, 16
_TEXT_SIZE, _REPETITIONS, _DEFINITIONS = 1, 2, 3

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
        for group in _Walk(footer).fields((_GROUPS,)).get(_GROUPS, ()):
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


class _Walk:
    """A position in bytes of Thrift's compact protocol."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def fields(self, wanted: Collection[int] = ()) -> dict[int, Any]:
        """Read a struct: its fields by number; of the outermost no more than those wanted."""
        found: dict[int, Any] = {}
        number, data, value = 0, self.data, self.value
        while (head := data[self.at]) != _STOP:
            self.at += 1
            number = number + (head >> 4) if head > 15 else self.value(_I64)
            found[number] = value(head & 15)
            if number in wanted:
                return found
        self.at += 1
        return found

    def value(self, kind: int) -> Any:
        """Read a value; texts and floating-point numbers are passed over."""
        if _BYTE < kind <= _I64:
            number = self.natural()
            return (number >> 1) ^ -(number & 1)
        if kind == _BINARY:
            length = self.natural()
            self.at += length
            return None
        if kind == _STRUCT:
            return self.fields()
        if kind in (_LIST, _SET):
            return self.items()
        self.at += _WIDTHS[kind]
        return None

    def items(self) -> list[Any]:
        """Read a list; one of truth values has a byte for each."""
        head = self.data[self.at]
        self.at += 1
        size, kind = head >> 4, head & 15
        size = self.natural() if size == 15 else size
        if size > len(self.data) - self.at:
            raise FooterError("the footer is malformed")
        kind = _BYTE if kind <= _TRUE + 1 else kind
        return [self.value(kind) for _ in range(size)]

    def natural(self) -> int:
        """Read a whole number of seven bits to a byte."""
        data, at = self.data, self.at
        byte = data[at]
        number, shift = byte & 127, 7
        while byte > 127:
            at += 1
            byte = data[at]
            number |= (byte & 127) << shift
            shift += 7
            if shift > 70:
                raise FooterError("the footer is malformed")
        self.at = at + 1
        return number


_WIDTHS = {_TRUE: 0, _TRUE + 1: 0, _BYTE: 1, _DOUBLE: 8}
"""Bytes of the kinds of one width; truth values of a struct are told by their kind."""
