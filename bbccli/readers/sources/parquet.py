"""Parquet -> table; large files are read one column at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bbccli.core.local import bytes_of
from bbccli.errors import InputError
from bbccli.readers.arrow import holds_lists, is_text, none_plain, plain, plain_types
from bbccli.readers.sources.limits import (
    AGAIN,
    HARMLESS_RUNS,
    OF_ITS_FORMAT,
    check_ratio,
    check_size,
    check_texts,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

METADATA_KEY = b"bbc"

_WIDTHS, _WIDEST = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT96": 12}, 8
"""Bytes of a value, by its physical type."""

_AT_ONCE = 8
"""Columns whose first rows are read together."""

_BUFFER = 2**16
"""Bytes of a column read at a time, so that its first rows take no more than that."""

_DAMAGE = (OSError, ValueError, OverflowError)
_LACKING, _BATCH = "Not yet implemented", 1000
_CUT = re.compile("size|magic bytes|length")
_BYTE, _I64, _DOUBLE, _TEXT, _LIST, _SET, _STRUCT = 3, 6, 7, 8, 9, 10, 12
"""Kinds of values in Thrift's compact protocol; below them are the two truths."""


@dataclass(frozen=True, slots=True)
class ColumnsOnDisk:
    """The part of the interface of an Arrow table that readers use, for a file on disk."""

    path: str
    file: pq.ParquetFile
    schema: pa.Schema

    @property
    def column_names(self) -> list[str]:
        """Names in file order."""
        return list(self.schema.names)

    @property
    def num_rows(self) -> int:
        """Data rows."""
        return int(self.file.metadata.num_rows)

    @property
    def columns(self) -> list[pa.ChunkedArray]:
        """All columns, in file order."""
        return [self.column(name) for name in self.column_names]

    def column(self, name: str) -> pa.ChunkedArray:
        """Read one column; damage may show only here."""
        import pyarrow as pa

        try:
            table = _columns(self.file, Path(self.path), self.path, [name])
            table = table.select([0])
        except (pa.ArrowException, *_DAMAGE) as error:
            raise _damaged(error, self.path) from None
        check_texts(table, self.path)
        return plain(table, self.path).column(0)

    def head(self, names: Sequence[str], n: int) -> pa.Table:
        """Read at most n first rows of some columns, and little more of the file."""
        import pyarrow as pa

        columns: list[pa.Array] = []
        try:
            file = _opened(Path(self.path))  # texts as they are: see `_columns`
            # a few at a time: as many unpacked pages are held, and touching memory takes longest
            for start in range(0, len(names), _AT_ONCE):
                some = list(names[start : start + _AT_ONCE])
                batch = next(file.iter_batches(n, columns=some, use_threads=False))
                places = [batch.schema.get_all_field_indices(name)[0] for name in some]
                columns += map(batch.column, places)
        except (pa.ArrowException, *_DAMAGE) as error:
            raise _damaged(error, self.path) from None
        return plain(pa.table(columns, list(names)), self.path)

    def select(self, columns: list[int]) -> ColumnsOnDisk:
        """Return the same file with some columns only, by position."""
        import pyarrow as pa

        return replace(self, schema=pa.schema([self.schema.field(i) for i in columns]))


def read_parquet(
    source: bytes | Path, path: str
) -> tuple[pa.Table | ColumnsOnDisk, bytes | None, tuple[str, ...]]:
    """Return the table, the JSON text under the file-level key `bbc`, if any, and the names of
    columns that cannot be read, such as structs.

    `source` are all bytes, or the path of a large file, which stays on disk unless it holds lists.
    """
    import pyarrow as pa

    try:
        file = _opened(source)
        schema = file.schema_arrow
        plain_of = plain_types(schema)
        nested = tuple(field.name for field in schema if field.type not in plain_of)
        if isinstance(source, Path) and any(map(holds_lists, plain_of)):
            source = bytes_of(source)
        texts = []
        if any(map(is_text, plain_of)):
            texts = [field.name for field in schema if is_text(field.type)]
        file = _opened(source, texts) if texts else file
        packed = len(source) if isinstance(source, bytes) else source.stat().st_size
        size = _declared_size(file, source, path)
        _check_packed(size, packed, path)
        names = [name for name in schema.names if name not in nested] if nested else None
        table = None
        if isinstance(source, bytes) and names != []:
            table = _columns(file, source, path, names)
    except (pa.ArrowException, *_DAMAGE) as error:
        raise _damaged(error, path, source[:4] if isinstance(source, bytes) else b"") from None
    if file.metadata.num_rows == 0:
        raise InputError("no rows", path=path, hint="give one row per sample")
    text = (schema.metadata or {}).get(METADATA_KEY)
    if names == []:
        raise none_plain(schema, path)
    if table is None:
        fields = [f.with_type(plain_of[f.type]) for f in schema if f.type in plain_of]
        return ColumnsOnDisk(path, file, pa.schema(fields)), text, nested
    _check_packed(check_texts(table, path), packed, path)
    return table, text, nested


def _columns(
    file: pq.ParquetFile, source: bytes | Path, path: str, names: Sequence[str] | None
) -> pa.Table:
    """Read the columns of these names, all if None.

    Arrow keeps texts of some encodings (of Spark, and of pages of version 2) once only if they are
    not decoded as such: these are read in batches, since their size is declared nowhere.
    """
    import pyarrow as pa

    try:
        table = file.read(columns=names, use_threads=names is not None and len(names) == 1)
    except OSError as error:
        if _LACKING not in str(error):
            raise
        packed = len(source) if isinstance(source, bytes) else source.stat().st_size
        batches, size = [], 0
        for batch in _opened(source).iter_batches(_BATCH, columns=names, use_threads=False):
            batches.append(batch)
            size += batch.nbytes
            _check_packed(size, packed, path)
        table = pa.Table.from_batches(batches, schema=None if batches else pa.schema([]))
    if names is None:
        return table
    # Arrow takes a dot in a name for nesting, and may return "a.b" with "a".
    return table.select([i for i, name in enumerate(table.column_names) if name in names])


def _check_packed(size: int, packed: int, path: str) -> None:
    """Refuse columns that take more memory than `--max-input`, or than the file size explains."""
    check_size(size, path)
    remedy = "write it without dictionaries and compression"
    check_ratio(size, packed, path, "Parquet", remedy, HARMLESS_RUNS)


def _opened(source: bytes | Path, texts: Sequence[str] = ()) -> pq.ParquetFile:
    """Open the file, with repeated texts kept once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = pa.BufferReader(source) if isinstance(source, bytes) else source
    return pq.ParquetFile(place, read_dictionary=list(texts), buffer_size=_BUFFER, pre_buffer=False)


def _declared_size(file: pq.ParquetFile, source: bytes | Path, path: str) -> int:
    """Return the unpacked size of all columns by the footer; repeated values may pack into nothing.

    Only row groups are used: pyarrow ends the process on damaged descriptions of columns.
    """
    columns = list(map(file.schema.column, range(len(file.schema))))
    widths = [_WIDTHS.get(one.physical_type, _WIDEST) for one in columns]
    lists = any(one.max_repetition_level for one in columns)
    n_values = _n_values(source) if lists and isinstance(source, bytes) else None
    size = 0
    for i, group in enumerate(map(file.metadata.row_group, range(file.num_row_groups))):
        sizes = [group.num_rows * sum(widths), group.total_byte_size]
        if n_values:
            sizes.append(sum(n * width for n, width in zip(n_values[i], widths, strict=True)))
        if min(sizes) < 0:
            problem = "Parquet file is damaged: it declares negative sizes"
            raise InputError(problem, path=path, hint=AGAIN)
        size += max(sizes)
    return size


def _n_values(data: bytes) -> list[list[int]]:
    """Return the number of values in each column of each row group: more than rows for lists."""
    footer = _Thrift(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])
    try:  # FileMetaData.row_groups[].columns[].meta_data.num_values, as numbered in parquet.thrift
        return [[int(column[3][5]) for column in group[1]] for group in footer.struct()[4]]
    except (LookupError, TypeError, RecursionError):
        raise ValueError("the footer is malformed") from None


class _Thrift:
    """A position in bytes of Thrift's compact protocol."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        """Read a byte."""
        self.at += 1
        return self.data[self.at - 1]

    def natural(self) -> int:
        """Read a variable-length integer."""
        number = shift = 0
        while (byte := self.byte()) > 127:
            number |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("too long a number")
        return number | byte << shift

    def struct(self) -> dict[int, Any]:
        """Read a struct: its fields by number."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head > 15 else self.value(_I64)
            fields[number] = self.value(head & 15)
        return fields

    def value(self, kind: int) -> Any:
        """Read a value; skip booleans, texts and floating-point numbers."""
        if kind == _STRUCT:
            return self.struct()
        if kind in (_LIST, _SET):
            head = self.byte()
            size, kind = self.natural() if head >> 4 == 15 else head >> 4, head & 15
            if size > len(self.data) - self.at:
                raise ValueError("a list is cut off")
            return [self.value(kind) for _ in range(size)]
        if _BYTE < kind <= _I64:
            number = self.natural()
            return (number >> 1) ^ -(number & 1)
        length = self.natural() if kind == _TEXT else {_BYTE: 1, _DOUBLE: 8}.get(kind, 0)
        self.at += length
        return None


def _damaged(error: Exception, path: str, start: bytes = b"") -> InputError:
    """Return the error about a file refused by Arrow, from its message and the first bytes."""
    if "crypt" in str(error):
        problem, hint = "Parquet file is encrypted", "write it without encryption"
    elif start not in (b"", b"PAR1"):
        problem, hint = "is not a Parquet file", OF_ITS_FORMAT
    elif isinstance(error, NotImplementedError) or _LACKING in str(error):
        problem = f"Parquet file uses what pyarrow does not support: {_cause(error)}"
        hint = "write it with PLAIN encoding and snappy compression, or as CSV"
    elif type(error).__name__ == "ArrowInvalid" and not _CUT.search(str(error)):
        problem = f"Parquet file can't be read by pyarrow: {_cause(error)}"
        hint = "write it again, or as CSV"
    else:
        problem, hint = "Parquet file is truncated or damaged", AGAIN
    return InputError(problem, path=path, hint=hint)


def _cause(error: Exception) -> str:
    """Return the message of Arrow in one line."""
    return " ".join(str(error).split()).removeprefix(f"{_LACKING}: ").rstrip(".")
