"""Parquet -> table; of large files one column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING

from bbccli.core.local import opened
from bbccli.errors import InputError
from bbccli.readers.arrow import holds_lists, is_text, plain, plain_schema
from bbccli.readers.sources.footer import (
    DeclaredColumn,
    EncryptedError,
    FooterError,
    declared_columns,
)
from bbccli.readers.sources.limits import WIDEST, WIDTHS, check_declared, check_texts

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

METADATA_KEY = b"bbc"

_ENCRYPTED = b"PARE"
"""How a file starts whose footer is encrypted."""


@dataclass(frozen=True, slots=True)
class ColumnsOnDisk:
    """The part of an Arrow table that readers use, for a file that is not held in memory."""

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
        """Read one column.

        Raises
        ------
        InputError
            Damage that the end of the file did not show.
        """
        import pyarrow as pa

        try:
            # Arrow takes a dot in a name for nesting, and may bring along "a.b" with "a".
            table = self.file.read(columns=[name])
            table = table.select(table.schema.get_all_field_indices(name)[:1])
        except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError):
            raise _damaged(b"PAR1", self.path) from None
        check_texts(table, self.path)
        return plain(table, self.path).column(0)

    def select(self, columns: list[int]) -> ColumnsOnDisk:
        """Return the same file with some columns only, by their positions."""
        import pyarrow as pa

        return replace(self, schema=pa.schema([self.schema.field(i) for i in columns]))


def read_parquet(source: bytes | Path, path: str) -> tuple[pa.Table | ColumnsOnDisk, bytes | None]:
    """Return the table, and the JSON text under the file-level key `bbc` if there is one.

    A large file stays on disk, unless it holds lists; what is in memory is as it was written.

    Parameters
    ----------
    source
        All bytes, or the path of a large file.
    path
        Name for messages.

    Raises
    ------
    InputError
        Not Parquet, damaged, columns that are not plain, or no rows.
    """
    import pyarrow as pa

    file = None
    try:
        file = _opened(source)
        schema = file.schema_arrow
        refuse_nested(schema, path)
        kinds = zip(schema.names, schema.types, strict=True)
        texts = [name for name, kind in kinds if is_text(kind)]
        file = _opened(source, texts) if texts else file
        packed = len(source) if isinstance(source, bytes) else source.stat().st_size
        _check_declared(file, source, path, packed)
        held = isinstance(source, bytes) or any(map(holds_lists, schema.types))
        table = file.read(use_threads=False) if held else None
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError):
        if file is not None:
            _declared(file, source, path)  # the footer may tell why
        raise _damaged(source[:4] if isinstance(source, bytes) else b"", path) from None
    if file.metadata.num_rows == 0:
        raise InputError("no rows", path=path, hint="one row per sample")
    text = (schema.metadata or {}).get(METADATA_KEY)
    if table is None:
        return ColumnsOnDisk(path, file, plain_schema(schema, path)), text
    check_texts(table, path, packed)
    return table, text


def _opened(source: bytes | Path, texts: Sequence[str] = ()) -> pq.ParquetFile:
    """The file, with texts that repeat kept once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = pa.BufferReader(source) if isinstance(source, bytes) else source
    return pq.ParquetFile(place, read_dictionary=list(texts))


def _check_declared(file: pq.ParquetFile, source: bytes | Path, path: str, packed: int) -> None:
    """Refuse a file that by its footer takes too much memory.

    Without lists a column has as many values as rows; damage is found where all is read at once.
    """
    columns = list(map(file.schema.column, range(len(file.schema))))
    widths = [WIDTHS.get(one.physical_type, WIDEST) for one in columns]
    if isinstance(source, Path) or any(one.max_repetition_level for one in columns):
        walked = _declared(file, source, path)
        sizes = [(one.n_rows, one.n_values, widths[one.position], one.n_bytes) for one in walked]
    else:
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        width = sum(widths)
        sizes = [(one.num_rows, one.num_rows, width, one.total_byte_size) for one in groups]
    check_declared(sizes, path, packed)


def _declared(file: pq.ParquetFile, source: bytes | Path, path: str) -> list[DeclaredColumn]:
    """Walk the footer.

    Raises
    ------
    InputError
        It is damaged, or a column is encrypted.
    """
    columns = map(file.schema.column, range(len(file.schema)))
    levels = [(one.max_repetition_level, one.max_definition_level) for one in columns]
    try:
        return list(declared_columns(_footer(source), levels))
    except EncryptedError:
        raise _damaged(_ENCRYPTED, path) from None
    except FooterError as error:
        raise InputError(
            f"Parquet file is damaged: {error}", path=path, hint="copy or write the file again"
        ) from None


def _footer(source: bytes | Path) -> bytes:
    """The description at the end of a file, whose size stands in front of the last four bytes."""
    if isinstance(source, bytes):
        return source[-8 - int.from_bytes(source[-8:-4], "little") : -8]
    with opened(source) as stream:
        stream.seek(-8, SEEK_END)
        size = int.from_bytes(stream.read(4), "little")
        stream.seek(-8 - size, SEEK_END)
        return stream.read(size)


def refuse_nested(schema: pa.Schema, path: str) -> None:
    """Refuse lists of anything but numbers, structs and maps before reading them."""
    import pyarrow as pa

    for name, kind in zip(schema.names, schema.types, strict=True):
        if pa.types.is_nested(kind) and not holds_lists(kind):
            raise InputError(
                f"columns of type {kind} cannot be read",
                path=path,
                column=name,
                hint="one value per cell: class probabilities as K columns `config::class`",
            )


def _damaged(start: bytes, path: str) -> InputError:
    """Build the error about a file that Arrow refused, by how it starts."""
    if start == b"PAR1" or not start:
        return InputError(
            "Parquet file is truncated or damaged", path=path, hint="copy or write the file again"
        )
    if start == _ENCRYPTED:
        return InputError(
            "Parquet file is encrypted", path=path, hint="write it without encryption"
        )
    return InputError(
        "is not a Parquet file",
        path=path,
        hint="give the file the suffix of its format, such as .csv",
    )
