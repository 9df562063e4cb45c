"""Parquet bytes -> table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bbccli.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

METADATA_KEY = b"bbc"


def read_parquet(data: bytes, path: str) -> tuple[pa.Table, bytes | None]:
    """Return the table, and the JSON text under the file-level key `bbc` if there is one.

    Raises
    ------
    InputError
        Not Parquet, damaged, nested columns, or no rows.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        schema = file.schema_arrow
        _refuse_nested(schema, path)
        table = file.read()
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError):
        raise InputError(_damage(data), path=path, hint=_remedy(data)) from None
    if table.num_rows == 0:
        raise InputError("no rows", path=path, hint="one row per sample")
    return table, (schema.metadata or {}).get(METADATA_KEY)


def _refuse_nested(schema: pa.Schema, path: str) -> None:
    """Refuse lists, structs and maps before reading them."""
    import pyarrow as pa

    for field in schema:
        if pa.types.is_nested(field.type):
            raise InputError(
                f"columns of type {field.type} cannot be read",
                path=path,
                column=field.name,
                hint="one value per cell: class probabilities as K columns `config::class`",
            )


def _damage(data: bytes) -> str:
    """Say what is wrong with bytes that Arrow refused."""
    return (
        "Parquet file is truncated or damaged" if data[:4] == b"PAR1" else "is not a Parquet file"
    )


def _remedy(data: bytes) -> str:
    """Say what to do about it."""
    if data[:4] == b"PAR1":
        return "copy or write the file again"
    return "give the file the suffix of its format, such as .csv"
