"""Tables and arrays of other libraries in memory, converted for the readers.

That is pandas data frames, Arrow tables and record batches, and anything with an Arrow stream,
`__arrow_c_stream__`: polars, DuckDB and others. None of them is imported. And arrays of numpy, in a
dictionary or in a file, `.npy` or `.npz`: see `table_of_arrays`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bbccli.errors import InputError, naming
from bbccli.platform.arrays import DamagedError, array_of, arrays_in_npz
from bbccli.platform.text import count
from bbccli.reading.arrow import SUM_TOLERANCE, as_arrow, is_text, pa
from bbccli.reading.roles import AMBIGUOUS, NAMES
from bbccli.reading.sources.parquet import METADATA_KEY
from bbccli.reading.table import Table, in_memory, is_pandas, plain_table

_NUMPY = b"\x93NUMPY"
ARRAYS = "<arrays>"
"""Name of arrays in messages."""


def name_in_messages(source: object) -> str:
    """Return the path of a file, or a name for a table in memory."""
    if isinstance(source, str | PurePath):
        return str(source)
    return "<DataFrame>" if type(source).__name__ == "DataFrame" else "<table>"


def table_in_memory(source: Any) -> Table:
    """Return the table of plain columns of another library's object.

    Metadata are those under the key `bbc` of the schema, or of `attrs` of a pandas frame. A named
    index of such a frame is the key of its samples; an unnamed one is left out.
    """
    name = name_in_messages(source)
    try:
        if is_pandas(source):
            table = _from_pandas(source)
        else:
            table = source if isinstance(source, pa.Table) else pa.table(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"can't be read as a table: {' '.join(str(error).split()) or type(error).__name__}",
            path=name,
            hint="give columns of numbers, booleans or text with unique names",
        ) from None
    if table.num_rows == 0:
        raise InputError("no rows", path=name, hint="give one row per sample")
    about = (table.schema.metadata or {}).get(METADATA_KEY)
    if is_pandas(source) and (given := source.attrs.get("bbc")) is not None:
        about = given if isinstance(given, str | bytes) else json.dumps(given, default=str)
    return plain_table(table, name, about=None if about is None else (about, name))


def _from_pandas(frame: Any) -> pa.Table:
    """Return the columns of a frame, and its index if named; of several levels those of roles."""
    taken = {name.casefold() for names in NAMES.values() for name in names}
    levels = list(frame.index.names)
    if len(levels) > 1:  # no level is a configuration
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


def names_of_columns(source: object) -> list[str] | None:
    """Return the column names of a table in memory; None for an array."""
    if not in_memory(source):
        return None
    arrow = getattr(source, "column_names", None)
    return [str(name) for name in (getattr(source, "columns", ()) if arrow is None else arrow)]


@naming(ARRAYS)
def with_roles(frame: Any, given: Mapping[str, tuple[str, ArrayLike]]) -> Any:
    """Add values per row, given as role and values (N,) by argument, to a table as columns."""
    of_pandas, added = is_pandas(frame), {}
    if given and not of_pandas:
        frame = frame if isinstance(frame, pa.Table) else pa.table(frame)
    path = name_in_messages(frame)
    if of_pandas and frame.columns.nlevels > 1:
        raise InputError(
            f"columns have {frame.columns.nlevels} levels",
            path=path,
            hint="give each one name: predictions.columns = predictions.columns.map(' '.join)",
        )
    for argument, (role, values) in given.items():
        double = columns_of_role(frame, role)
        if double:
            raise InputError(
                f"{argument} is given, but there is also a column {double[0]}",
                path=path,
                hint=f"leave out {argument}, or drop the column",
            )
        array = plain_array(values)
        if array.shape != (len(frame),):
            raise InputError(
                f"{argument} has shape {array.shape}, but the predictions have {len(frame)} rows",
                path=path,
                hint="give one value per row",
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
    """Return columns of a table in memory whose name means this role and no other."""
    taken = {name.casefold() for name in NAMES[role]} - AMBIGUOUS
    return [name for name in names_of_columns(frame) or () if name.casefold() in taken]


def plain_array(values: ArrayLike) -> NDArray[Any]:
    """Return an array; masked values are missing, and bytes are text."""
    try:
        array = np.asarray(values)
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            real = array.dtype.kind == "f"  # integers lose no digits
            array = array.astype(array.dtype if real else object)
            array[np.ma.getmaskarray(values)] = np.nan if real else None
        array = np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array
    except ValueError:
        raise InputError(
            "not an array: lists of different lengths, or bytes that are not text",
            hint="give as many values in each; text as str",
        ) from None
    return array.astype(np.float32) if array.dtype == np.float16 else array


def arrow_array(values: NDArray[Any], name: str) -> pa.Array:
    """Return values (n,) as Arrow; NaN, None and empty text are null."""
    kind = values.dtype.kind
    if kind in "iu" and values.dtype != np.uint64:
        return as_arrow(values)
    if kind == "f" and values.dtype.itemsize <= 8:
        return as_arrow(values, ~np.isnan(values))
    # only NaN differs from itself
    plain = [None if v is None or v == "" or v != v else v for v in values.tolist()]  # noqa: PLR0124
    try:
        array = pa.array(plain)
    except (pa.ArrowException, OverflowError):
        array = None
    types = pa.types
    readable = (types.is_integer, types.is_floating, types.is_boolean, types.is_null, is_text)
    if array is None or not any(is_such(array.type) for is_such in readable):
        problem, hint = (
            "values that are neither all numbers, booleans nor text",
            "use one kind of value per array",
        )
        if array is not None and types.is_temporal(array.type):
            problem, hint = "dates or durations", "give numbers (of days), or text for classes"
        elif kind == "u":
            problem, hint = "integers over 2**63", "give smaller numbers, or text for classes"
        raise InputError(f"holds {problem}", column=name, hint=hint)
    return array


def read_numpy(data: bytes, name: str) -> pa.Table:
    """Return the table of a file, whose only array is called `name`; pickles are never loaded."""
    try:
        arrays = {name: array_of(data)} if data.startswith(_NUMPY) else arrays_in_npz(data)
        if data.startswith(_NUMPY) and arrays[name].ndim == 1:
            arrays = {"prediction": arrays[name]}  # whatever role the name of the file has
    except DamagedError as error:
        raise InputError(
            f"is not a file of plain NumPy arrays: {error}",
            hint="save arrays of numbers with numpy.save or numpy.savez",
        ) from None
    return table_of_arrays(arrays)


def table_of_arrays(arrays: Mapping[Any, Any]) -> pa.Table:
    """Return the table of arrays by name.

    An array (N,) is the prediction of its file, or a column named as in the archive. An array
    (N, K) whose rows sum to 1 has the classes of one configuration, ordered as in lists of Parquet;
    the columns of any other array (N, C) are configurations, `name[:, 0]` and so on.
    """
    if not arrays:
        raise InputError("there is no array", hint="give one per configuration")
    columns: dict[str, pa.Array] = {}
    for key, given in arrays.items():
        name, values = str(key), plain_array(given)
        if values.ndim not in (1, 2) or not values.size:
            raise InputError(
                f"the array {name!r} has shape {values.shape}",
                hint="give (N,) predictions, (N, K) probabilities of K classes, or (N, C)",
            )
        if values.ndim == 1:
            columns[name] = arrow_array(values, name)
        elif _are_classes(values):
            flat = pa.array(np.ascontiguousarray(values, np.float64).ravel())
            columns[name] = pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
        else:
            parts = enumerate(values.T)
            columns |= {f"{name}[:, {k}]": arrow_array(part, name) for k, part in parts}
    lengths = {name: len(column) for name, column in columns.items()}
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise InputError(
                f"{name!r} has {count(length, 'value')}, but {first!r} has {lengths[first]}",
                hint="give one value per sample in each array, in the same order",
            )
    return pa.table(columns)


def _are_classes(values: NDArray[Any]) -> bool:
    """True for rows of probabilities that sum to 1."""
    if values.dtype.kind != "f" or values.shape[1] < 2 or not np.isfinite(values).all():
        return False
    sums = values.sum(axis=1, dtype=np.float64)
    return bool(values.min() >= 0 and np.abs(sums - 1).max() <= SUM_TOLERANCE)
