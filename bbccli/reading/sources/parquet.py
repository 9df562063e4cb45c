"""Parquet -> table; large files are read some columns at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from bbccli.errors import InputError, naming
from bbccli.platform.dataclass import dataclass
from bbccli.platform.guarded_files import bytes_of
from bbccli.platform.resources import AGAIN, OF_ITS_FORMAT, RUNS, check_ratio, check_size
from bbccli.platform.text import pattern
from bbccli.reading.arrow import (
    cast,
    is_text,
    kinds_of,
    none_plain,
    pa,
    plain,
    to_codes,
    to_lengths,
)

METADATA_KEY = b"bbc"

_WIDTHS, _WIDEST = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT96": 12}, 8
"""Bytes of a value, by its physical type."""

_AT_ONCE, _VALUES = 8, 2**17
"""Columns whose first rows are read together; more of few rows, up to so many values."""

_FEW_ROWS, _TOGETHER = 1024, 500
"""Rows of a file of many columns that is read as a whole, and columns that are read together."""

_BUFFER = 2**16
"""Bytes of a column read at a time, so that its first rows take no more than that."""

_LACKING, _BATCH = "Not yet implemented", 1000
_CUT = pattern("size|magic bytes|length")
_BYTE, _I64, _DOUBLE, _TEXT, _LIST, _SET, _STRUCT = 3, 6, 7, 8, 9, 10, 12
"""Kinds of values in Thrift's compact protocol; below them are the two truths."""


@dataclass(frozen=True, slots=True)
class ColumnsOnDisk:
    """The part of the interface of an Arrow table that readers use, for a file on disk."""

    path: str
    file: Any
    bare: Any
    """The same file, of which texts are read as they are: see `_columns`."""
    schema: pa.Schema
    leaves: Mapping[str, Sequence[int]]
    """See `_leaves`."""

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
        """Read one column."""
        return self.read([name]).column(0)

    def read(self, names: Sequence[str]) -> pa.Table:
        """Read some columns together, in a fifth of the time; damage may show only here."""
        with naming(self.path):
            with _undamaged():
                packed = Path(self.path).stat().st_size
                table = _columns(self.file, self.bare, packed, _places_of(names, self.leaves))
                table = table.select(_places(table, names))
            check_texts(table)
            return plain(table)

    def all_columns(self) -> pa.Table:
        """Read all columns, in groups: together they would take twice the memory."""
        names, columns = self.column_names, list[pa.ChunkedArray]()
        for start in range(0, len(names), _TOGETHER):
            columns += self.read(names[start : start + _TOGETHER]).columns
        return pa.Table.from_arrays(columns, names=names)

    def head(self, names: Sequence[str], n: int) -> pa.Table:
        """Read at most n first rows of some columns, and little more of the file."""
        groups, columns = range(self.bare.num_row_groups), list[pa.Array]()
        with naming(self.path):
            # a few at a time: as many unpacked pages are held, and touching memory takes longest
            width = max(_AT_ONCE, _VALUES // min(n, self.num_rows))
            for start in range(0, len(names), width):
                leaves = _places_of(some := list(names[start : start + width]), self.leaves)
                with _undamaged():
                    batch = next(self.bare.iter_batches(n, groups, leaves, False))
                columns += map(batch.column, _places(batch, some))
            return plain(pa.table(columns, list(names)))

    def select(self, columns: list[int]) -> ColumnsOnDisk:
        """Return the same file with some columns only, by position."""
        return replace(self, schema=pa.schema([self.schema.field(i) for i in columns]))


def read_parquet(
    source: bytes | Path,
) -> tuple[pa.Table | ColumnsOnDisk, bytes | None, tuple[str, ...]]:
    """Return the table, the JSON text under the file-level key `bbc`, if any, and the names of
    columns that cannot be read, such as structs.

    `source` are all bytes, or the path of a large file, which stays on disk unless it holds lists,
    or few rows, of which a look at the first ones is a look at all.
    """
    table, leaves = None, None
    with _undamaged(source[:4] if isinstance(source, bytes) else b""):
        bare = file = opened_parquet(source)
        schema = file.schema_arrow
        kinds = kinds_of(schema)
        nested = kinds.nested
        if isinstance(source, Path) and kinds.lists:
            source = bytes_of(source)
        if kinds.texts:
            file = opened_parquet(source, read_dictionary=[*kinds.texts], metadata=bare.metadata)
        packed = len(source) if isinstance(source, bytes) else source.stat().st_size
        _check_packed(_declared_size(file, source, lists=bool(nested or kinds.lists)), packed)
        if nested:
            leaves = _places_of([name for name in kinds.names if name not in nested], _leaves(file))
        if isinstance(source, bytes) and leaves != []:
            table = _columns(file, bare, packed, leaves)
    if file.metadata.num_rows == 0:
        raise InputError("no rows", hint="give one row per sample")
    text = (schema.metadata or {}).get(METADATA_KEY)
    if leaves == []:
        raise none_plain(schema)
    if table is None:
        fields = [f.with_type(kinds.plain[f.type]) for f in schema if f.type in kinds.plain]
        on_disk = ColumnsOnDisk(str(source), file, bare, pa.schema(fields), _leaves(file))
        few = file.metadata.num_rows <= _FEW_ROWS
        return on_disk.all_columns() if few else on_disk, text, nested
    _check_packed(check_texts(table), packed)
    return table, text, nested


def _columns(file: Any, bare: Any, packed: int, leaves: Sequence[int] | None) -> pa.Table:
    """Read the columns with these leaves, all if None.

    Arrow keeps texts of some encodings (of Spark, and of pages of version 2) once only if they are
    not decoded as such: these are read in batches, since their size is declared nowhere.
    """
    try:
        return file.read_all(leaves, leaves is not None and len(leaves) == 1)
    except OSError as error:
        if _LACKING not in str(error):
            raise
        batches, size = [], 0
        for batch in bare.iter_batches(_BATCH, range(bare.num_row_groups), leaves, False):
            batches.append(batch)
            size += batch.nbytes
            _check_packed(size, packed)
        return pa.Table.from_batches(batches, schema=None if batches else pa.schema([]))


def _leaves(file: Any) -> dict[str, list[int]]:
    """Return the positions of the values of each column, of a struct those of its fields."""
    leaves: dict[str, list[int]] = {}
    for i, (name, *_) in enumerate(file.column_paths):  # to other functions "a.b" is a field of "a"
        leaves.setdefault(name, []).append(i)
    return leaves


def _places_of(names: Sequence[str], leaves: Mapping[str, Sequence[int]]) -> list[int]:
    return sorted({i for name in names for i in leaves.get(name, ())})


def _places(table: pa.Table | pa.RecordBatch, names: Sequence[str]) -> list[int]:
    """Return the position of each column, of the first where several have its name."""
    places = {name: i for i, name in reversed([*enumerate(table.schema.names)])}
    return [places[name] for name in names]


def _check_packed(size: int, packed: int) -> None:
    """Refuse columns that take more memory than `--max-input`, or than the file size explains."""
    check_size(size)
    check_ratio(size, packed, "Parquet", "write it without dictionaries and compression", RUNS)


def check_texts(table: pa.Table) -> int:
    """Return the bytes that repeated texts, stored once, would take if written out."""
    size = 0
    for position in kinds_of(table.schema).encoded:
        for chunk in table.column(position).chunks:
            texts = chunk.dictionary
            if str(texts.type) == "string_view":
                try:
                    texts = cast(texts, pa.large_string())
                except pa.ArrowNotImplementedError:  # older versions of pyarrow refuse the column
                    continue
            if not is_text(texts.type):
                continue
            lengths = np.append(to_lengths(texts), 0)  # the last one for -1, of what is missing
            try:
                size += int(lengths[to_codes(chunk.indices)].sum(dtype=np.int64))
            except IndexError as error:
                problem = "file is damaged: it refers to texts that it does not hold"
                raise InputError(problem, hint=AGAIN) from error
            check_size(size)
    return size


def opened_parquet(source: bytes | Path | BinaryIO, **how: Any) -> Any:
    """Open a file by what is behind `pq.ParquetFile`, whose module imports file systems, and `ssl`
    for them: a tenth of the time of a small run.
    """
    place = pa.BufferReader(source) if isinstance(source, bytes) else source
    how |= {"buffer_size": 0 if place is not source else _BUFFER, "pre_buffer": False}
    try:
        reader = pa._parquet.ParquetReader()
        reader.open(place, arrow_extensions_enabled=True, **how)
    except (AttributeError, TypeError):  # of another version
        reader = pa.parquet.ParquetFile(place, **how).reader
    return reader


def _declared_size(file: Any, source: bytes | Path, *, lists: bool) -> int:
    """Return the unpacked size of all columns by the footer; repeated values may pack into nothing.

    Only row groups are used: pyarrow ends the process on damaged descriptions of columns.
    """
    columns = list(map(file.metadata.schema.column, range(file.metadata.num_columns)))
    widths = [_WIDTHS.get(column.physical_type, _WIDEST) for column in columns]
    lists = lists and any(column.max_repetition_level for column in columns)
    n_values = _n_values(source) if lists and isinstance(source, bytes) else None
    size = 0
    for i, group in enumerate(map(file.metadata.row_group, range(file.num_row_groups))):
        sizes = [group.num_rows * sum(widths), group.total_byte_size]
        if n_values:
            sizes.append(sum(n * width for n, width in zip(n_values[i], widths, strict=True)))
        if min(sizes) < 0:
            problem = "Parquet file is damaged: it declares negative sizes"
            raise InputError(problem, hint=AGAIN)
        size += max(sizes)
    return size


def _n_values(data: bytes) -> list[list[int]]:
    """Return the number of values in each column of each row group: more than rows for lists."""
    footer = BytesIO(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])
    try:  # FileMetaData.row_groups[].columns[].meta_data.num_values, as numbered in parquet.thrift
        groups = _thrift(footer, _STRUCT)[4]
        return [[int(column[3][5]) for column in group[1]] for group in groups]
    except (LookupError, TypeError, RecursionError):
        raise ValueError("the footer is malformed") from None


def _thrift(stream: BytesIO, kind: int) -> Any:
    """Read a value of Thrift's compact protocol, a struct as its fields by number.

    Booleans, texts and floating-point numbers are skipped.
    """
    if kind == _STRUCT:
        fields: dict[int, Any] = {}
        number = 0
        while head := stream.read(1)[0]:
            number = number + (head >> 4) if head > 15 else _thrift(stream, _I64)
            fields[number] = _thrift(stream, head & 15)
        return fields
    if kind in (_LIST, _SET):
        head = stream.read(1)[0]
        size = _natural(stream) if head >> 4 == 15 else head >> 4
        if size > len(stream.getbuffer()):
            raise ValueError("a list is cut off")
        return [_thrift(stream, head & 15) for _ in range(size)]
    if _BYTE < kind <= _I64:
        number = _natural(stream)
        return (number >> 1) ^ -(number & 1)
    stream.read(_natural(stream) if kind == _TEXT else {_BYTE: 1, _DOUBLE: 8}.get(kind, 0))
    return None


def _natural(stream: BytesIO) -> int:
    """Read an integer of variable length."""
    number = 0
    for shift in range(0, 70, 7):
        byte = stream.read(1)[0]
        number |= (byte & 127) << shift
        if byte < 128:
            return number
    raise ValueError("too long a number")


@contextmanager
def _undamaged(start: bytes = b"") -> Iterator[None]:
    """Say why Arrow refuses a file, from its message and the first bytes of the file."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
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
        raise InputError(problem, hint=hint) from None


def _cause(error: Exception) -> str:
    """Return the message of Arrow in one line."""
    return " ".join(str(error).split()).removeprefix(f"{_LACKING}: ").rstrip(".")
