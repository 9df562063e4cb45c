"""Arrays of numpy -> table: `.npy`, `.npz`, or a dictionary of arrays in Python.

An array (N,) is the prediction of its file, or a column named as in the archive. An array (N, K)
whose rows sum to 1 has the classes of one configuration, ordered as in lists of Parquet; the
columns of any other array (N, C) are configurations, `name[:, 0]` and so on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bbccli.errors import InputError
from bbccli.platform.arrays import DamagedError, array_of, unpacked
from bbccli.platform.rounding import count
from bbccli.reading.arrow import SUM_TOLERANCE
from bbccli.reading.sources.memory import arrow_array, plain_array

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"\x93NUMPY"


def read_numpy(data: bytes, name: str) -> pa.Table:
    """Return the table of a file, whose only array is called `name`; pickles are never loaded."""
    try:
        arrays = {name: array_of(data)} if data.startswith(MAGIC) else unpacked(data)
        if data.startswith(MAGIC) and arrays[name].ndim == 1:
            arrays = {"prediction": arrays[name]}  # whatever role the name of the file has
    except DamagedError as error:
        raise InputError(
            f"is not a file of plain NumPy arrays: {error}",
            hint="save arrays of numbers with numpy.save or numpy.savez",
        ) from None
    return table_of_arrays(arrays)


def table_of_arrays(arrays: Mapping[Any, Any]) -> pa.Table:
    """Return the table of arrays (N,), (N, C) or (N, K) by name."""
    import pyarrow as pa

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
