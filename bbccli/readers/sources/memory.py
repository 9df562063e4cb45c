"""Tables and arrays that another library holds in memory, in the types that readers use.

Taken are data frames of pandas, tables and record batches of Arrow, and whatever gives its rows as
an Arrow stream, `__arrow_c_stream__`: polars, DuckDB and others. None of them is imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from itertools import combinations
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bbccli.errors import InputError
from bbccli.readers.arrow import as_arrow, is_text
from bbccli.readers.roles import AMBIGUOUS, NAMES
from bbccli.readers.sources.parquet import METADATA_KEY
from bbccli.readers.table import Table, plain_table

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import TypeIs

ARRAYS = "<arrays>"
"""Name of arrays in messages."""


class ArrowStream(Protocol):
    """A table that gives its rows as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule that holds the stream."""


def in_memory(source: object) -> TypeIs[ArrowStream]:
    """True for a table in memory, False for a path."""
    streams = ("__arrow_c_stream__", "__arrow_c_array__")
    return any(hasattr(source, name) for name in streams) or _is_pandas(source)


def name_in_messages(source: object) -> str:
    """Return the path of a file, or a name for a table in memory."""
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
        if _is_pandas(source):
            table = _from_pandas(source)
        elif isinstance(source, pa.RecordBatch):
            table = pa.Table.from_batches([source])
        else:
            table = source if isinstance(source, pa.Table) else pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"cannot be taken as a table: {' '.join(str(error).split()) or type(error).__name__}",
            path=name,
            hint="columns of numbers, booleans or text, each with a name of its own",
        ) from None
    if table.num_rows == 0:
        raise InputError("no rows", path=name, hint="one row per sample")
    about = (table.schema.metadata or {}).get(METADATA_KEY)
    if _is_pandas(source) and (given := source.attrs.get("bbc")) is not None:
        about = given if isinstance(given, str | bytes) else json.dumps(given, default=str)
    return plain_table(table, name, about=None if about is None else (about, name))


def _is_pandas(source: object) -> bool:
    pandas = sys.modules.get("pandas")  # whoever has a frame of it has imported it
    return pandas is not None and isinstance(source, pandas.DataFrame)


def _from_pandas(frame: Any) -> pa.Table:
    """Columns of a frame, and its index where that has a name; of several levels those of roles."""
    import pyarrow as pa

    taken = {name.casefold() for names in NAMES.values() for name in names}
    levels = list(frame.index.names)
    if len(levels) > 1:  # no level of it is a configuration
        others = [n for n, level in enumerate(levels) if str(level).casefold() not in taken]
        if len(others) == len(levels):
            return pa.Table.from_pandas(frame, preserve_index=False)
        return pa.Table.from_pandas(frame.droplevel(others), preserve_index=True)
    named = levels[0] is not None
    table = pa.Table.from_pandas(frame, preserve_index=named)
    if not named:
        return table
    index = str(levels[0])
    if index.casefold() in taken or "row_id" in table.column_names:
        return table
    return table.rename_columns([*table.column_names[:-1], "row_id"])


def check_order(given: Mapping[str, Any]) -> None:
    """Refuse series and frames of pandas whose indexes say that their rows are in other orders.

    The numbers 0 to N - 1 in their order say nothing, so that what has them, or no index at all,
    goes with any other by position.

    Parameters
    ----------
    given
        Values per row, by the names of their arguments.

    Raises
    ------
    InputError
        Two indexes differ.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    kinds = (pandas.DataFrame, pandas.Series)
    indexed = {name: one.index for name, one in given.items() if isinstance(one, kinds)}
    for (first, index), (name, other) in combinations(indexed.items(), 2):
        if len(index) != len(other) or index.equals(other):
            continue  # another number of rows has an error of its own
        same = len(index.difference(other)) == 0 == len(other.difference(index))
        if same or not any(one.equals(pandas.RangeIndex(len(one))) for one in (index, other)):
            raise InputError(
                f"{first} and {name} have indexes {'in another order' if same else 'that differ'}",
                path=name_in_messages(given[first]),
                hint=f"{name}.loc[{first}.index]; or {name}.to_numpy(), if the rows match as "
                "they are",
            )


def names_of_columns(source: object) -> list[str] | None:
    """Names of the columns of a table in memory; None for an array."""
    if not in_memory(source):
        return None
    arrow = getattr(source, "column_names", None)
    return [str(name) for name in (getattr(source, "columns", ()) if arrow is None else arrow)]


def with_roles(frame: Any, given: Mapping[str, tuple[str, ArrayLike]]) -> Any:
    """Return a table in memory with values per row as columns of their own.

    Parameters
    ----------
    given
        Role and values (N,), by the names of their arguments.

    Raises
    ------
    InputError
        A column plays such a role already, or there are not as many values as rows.
    """
    import pyarrow as pa

    of_pandas, added = _is_pandas(frame), {}
    if given and not of_pandas:
        frame = frame if isinstance(frame, pa.Table) else pa.table(frame)
    path = name_in_messages(frame)
    if of_pandas and frame.columns.nlevels > 1:
        raise InputError(
            f"columns have {frame.columns.nlevels} levels",
            path=path,
            hint="one name for each: predictions.columns = predictions.columns.map(' '.join)",
        )
    for argument, (role, values) in given.items():
        double = columns_of_role(frame, role)
        if double:
            raise InputError(
                f"{argument} is given, and there is a column {double[0]}",
                path=path,
                hint=f"leave out {argument}, or drop the column",
            )
        array = plain_array(values)
        if array.shape != (len(frame),):
            raise InputError(
                f"{argument} has shape {array.shape}, the predictions have {len(frame)} rows",
                path=path,
                hint="one value per row",
            )
        added[role] = array
    if of_pandas:
        pandas = sys.modules["pandas"]
        joined = pandas.concat([frame, pandas.DataFrame(added, index=frame.index)], axis=1)
        joined.attrs = frame.attrs
        return joined
    for role, array in added.items():
        frame = frame.append_column(role, arrow_array(array, role))
    return frame


def columns_of_role(frame: object, role: str) -> list[str]:
    """Columns of a table in memory that are called like a role, and like nothing else."""
    taken = {name.casefold() for name in NAMES[role]} - AMBIGUOUS
    return [name for name in names_of_columns(frame) or () if name.casefold() in taken]


def plain_array(values: ArrayLike) -> NDArray[Any]:
    """Return an array; what is masked is missing, and bytes are text.

    Raises
    ------
    InputError
        Lists of different lengths, or bytes that are no text.
    """
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
    try:
        array = np.asarray(values)
        array = np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array
    except ValueError:
        raise InputError(
            "lists of different lengths, or bytes that are no text, are no array",
            path=ARRAYS,
            hint="as many values in each; text as str",
        ) from None
    return array.astype(np.float32) if array.dtype == np.float16 else array


def arrow_array(values: NDArray[Any], name: str) -> pa.Array:
    """Return values (n,) as Arrow; NaN, None and empty text are null.

    Raises
    ------
    InputError
        They are neither all numbers, booleans nor text.
    """
    import pyarrow as pa

    kind = values.dtype.kind
    if kind in "iu" and values.dtype != np.uint64:
        return as_arrow(values)
    if kind == "f" and values.dtype.itemsize <= 8:
        return as_arrow(values, ~np.isnan(values))
    # NaN alone is not itself
    given = [None if v is None or v == "" or v != v else v for v in values.tolist()]  # noqa: PLR0124
    try:
        array = pa.array(given)
    except (pa.ArrowException, OverflowError):
        array = None
    types = pa.types
    known = (types.is_integer, types.is_floating, types.is_boolean, types.is_null, is_text)
    if array is None or not any(is_such(array.type) for is_such in known):
        raise InputError(
            "holds values that are neither all numbers, booleans nor text",
            path=ARRAYS,
            column=name,
            hint="one kind of value per array",
        )
    return array
