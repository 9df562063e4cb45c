"""Arrow's functions by their names, and those of them that readers use.

The methods of arrays import `pyarrow.compute`, which writes a documented function for each of 280:
a tenth of the time of a small run. What these call is what it calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def apply(name: str, *values: Any, options: Any = None) -> Any:
    """Return what a function of Arrow makes of arrays, with its default options if none are given.

    Raises
    ------
    pa.ArrowException
        It can't be applied to them.
    """
    try:
        from pyarrow._compute import call_function
    except ImportError:  # wherever it moves, this one stays
        from pyarrow.compute import call_function
    return call_function(name, list(values), options)


def cast(values: Any, kind: pa.DataType) -> Any:
    """Return an array as one of another type.

    Raises
    ------
    pa.ArrowException
        A value that the type can't hold.
    """
    try:
        from pyarrow._compute import CastOptions
    except ImportError:
        from pyarrow.compute import CastOptions
    return apply("cast", values, options=CastOptions.safe(kind))


def take(values: Any, entries: pa.Array) -> Any:
    """Return the given entries (n,) of an array, null where an entry is.

    Raises
    ------
    pa.ArrowException
        An entry that is not there.
    """
    return apply("take", values, entries)
