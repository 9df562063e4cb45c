"""Arrays in memory, of whatever type, as numbers or text of the types that readers use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bbccli.errors import InputError
from bbccli.readers.arrow import as_arrow, is_text

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "<arrays>"
"""What arrays are called in messages."""


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
            path=NAME,
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
        numbers = np.ascontiguousarray(values)
        single = pa.float32() if values.dtype == np.float32 else pa.float64()
        array = pa.Array.from_buffers(single, len(numbers), [None, pa.py_buffer(numbers)])
        return _without_nan(array)
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
            path=NAME,
            column=name,
            hint="one kind of value per array",
        )
    return array


def _without_nan(array: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.is_nan(array), pa.nulls(len(array), array.type), array)
