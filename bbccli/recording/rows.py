"""Rows of data as scikit-learn cuts them, and a digest by which a test set is recognised."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from bbccli.types import IntArray

_SIZE = 16


def taken(data: Any, rows: IntArray) -> Any:
    """Return some rows of an array, a data frame, a sparse matrix or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "tocsr"):
        return data.tocsr()[rows]
    if isinstance(data, list | tuple):
        return [data[row] for row in rows]
    return np.asarray(data)[rows] if not hasattr(data, "shape") else data[rows]


def digest_of(features: Any, truth: Any) -> bytes:
    """Return a digest of the rows of a test set: equal content, equal digest, in any process."""
    state = hashlib.blake2b(digest_size=_SIZE)
    _add(state, features)
    _add(state, truth)
    return state.digest()


def digest_of_rows(rows: Any) -> bytes:
    """Return the same of positions."""
    content = np.ascontiguousarray(rows, np.int64)
    return hashlib.blake2b(content.tobytes(), digest_size=_SIZE).digest()


def _add(state: Any, data: Any) -> None:
    if hasattr(data, "tocsr"):
        rows = data.tocsr()
        for part in (rows.indptr, rows.indices):
            state.update(np.ascontiguousarray(part, np.int64))
        _add_array(state, rows.data)
    elif hasattr(data, "iloc"):
        _add_frame(state, data)
    else:
        _add_array(state, _array(data))


def _add_frame(state: Any, frame: Any) -> None:
    """Numbers by their bytes; anything else by pandas, for objects have addresses for bytes."""
    dtypes = [frame.dtype] if frame.ndim == 1 else list(frame.dtypes)
    if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
        _add_array(state, frame.to_numpy())
        return
    from pandas.util import hash_pandas_object

    try:
        hashed = hash_pandas_object(frame, index=False)
    except TypeError:  # cells such as lists, which can't be hashed
        hashed = hash_pandas_object(frame.astype(str), index=False)
    state.update(np.ascontiguousarray(hashed.to_numpy()))


def _add_array(state: Any, array: Any) -> None:
    state.update(str(array.shape).encode())
    if array.dtype.hasobject:
        state.update(repr(array.ravel().tolist()).encode())
    else:
        state.update(array.dtype.str.encode())
        state.update(np.ascontiguousarray(array).view(np.uint8) if array.size else b"")


def _array(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        return data
    try:
        return np.asarray(data)
    except ValueError:  # rows of different lengths
        array = np.empty(len(data), object)
        array[:] = data
        return array
