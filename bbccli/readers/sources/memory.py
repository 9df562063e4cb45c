"""Tables that another library holds in memory -> table.

Taken are data frames of pandas, tables and record batches of Arrow, and whatever gives its rows as
an Arrow stream, `__arrow_c_stream__`: polars, DuckDB and others. None of them is imported.
"""

from __future__ import annotations

import json
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

from bbccli.errors import InputError
from bbccli.readers.arrow import levels_of, plain, spread_lists
from bbccli.readers.roles import NAMES
from bbccli.readers.sources.parquet import METADATA_KEY, refuse_nested
from bbccli.readers.table import Table

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import TypeIs


class ArrowStream(Protocol):
    """A table that gives its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule that holds the stream."""


def in_memory(source: object) -> TypeIs[ArrowStream]:
    """Whether something is a table in memory and no path."""
    streams = ("__arrow_c_stream__", "__arrow_c_array__")
    return any(hasattr(source, name) for name in streams) or _is_pandas(source)


def name_in_messages(source: object) -> str:
    """Return the path of a file; what a table in memory is called where a file would have it."""
    if isinstance(source, str | PurePath):
        return str(source)
    return "<DataFrame>" if type(source).__name__ == "DataFrame" else "<table>"


def table_in_memory(source: Any) -> Table:
    """Return the table of plain columns that another library holds.

    The metadata are those under the key `bbc` of the schema, or of `attrs` of a pandas frame. A
    named index of such a frame is the key of its samples, an unnamed one is left out.

    Raises
    ------
    InputError
        Columns that are not plain or whose names occur twice, no rows, or an object that Arrow
        can't take.
    """
    import pyarrow as pa

    name = name_in_messages(source)
    try:
        table = _from_pandas(source) if _is_pandas(source) else _from_arrow(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"cannot be taken as a table: {_in_a_line(error)}",
            path=name,
            hint="columns of numbers, booleans or text, each with a name of its own",
        ) from None
    refuse_nested(table.schema, name)
    if table.num_rows == 0:
        raise InputError("no rows", path=name, hint="one row per sample")
    said = _metadata(source, table)
    levels = levels_of(table)
    table, unnamed = spread_lists(table, name)
    metadata = None if said is None else (said, name)
    return Table(name, plain(table, name), "", metadata, unnamed=unnamed, levels=levels)


def _is_pandas(source: object) -> bool:
    pandas = sys.modules.get("pandas")  # whoever has a frame of it has imported it
    return pandas is not None and isinstance(source, pandas.DataFrame)


def _from_arrow(source: Any) -> pa.Table:
    import pyarrow as pa

    if isinstance(source, pa.Table):
        return source
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    return pa.table(source)


def _from_pandas(frame: Any) -> pa.Table:
    """Columns of a frame, and its index where that has a name."""
    import pyarrow as pa

    levels = list(frame.index.names)
    named = any(level is not None for level in levels)
    table = pa.Table.from_pandas(frame, preserve_index=named)
    if not named or len(levels) > 1:
        return table
    taken = {name.casefold() for names in NAMES.values() for name in names}
    index = str(levels[0])
    if index.casefold() in taken or "row_id" in table.column_names:
        return table
    return table.rename_columns([*table.column_names[:-1], "row_id"])


def _metadata(source: Any, table: pa.Table) -> str | bytes | None:
    """JSON text of the metadata: an object of JSON may stand in `attrs` as it is."""
    said = getattr(source, "attrs", {}).get("bbc") if _is_pandas(source) else None
    if said is None:
        found: bytes | None = (table.schema.metadata or {}).get(METADATA_KEY)
        return found
    return said if isinstance(said, str | bytes) else json.dumps(said, default=str)


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
