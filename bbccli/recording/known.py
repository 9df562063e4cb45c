"""Recognise the test sets of a search by a digest of their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bbccli.errors import OptionError
from bbccli.recording.given import Split
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
        data = rows.data
    if hasattr(data, "iloc"):
        _add_frame(state, data)
        return
    array = _array(data)
    state.update(str(array.shape).encode())
    if array.dtype.hasobject:
        state.update(repr(array.ravel().tolist()).encode())
    else:
        state.update(array.dtype.str.encode())
        state.update(np.ascontiguousarray(array).view(np.uint8) if array.size else b"")


def _add_frame(state: Any, frame: Any) -> None:
    """Add numbers by their bytes, and anything else by pandas: bytes of objects are addresses."""
    dtypes = [frame.dtype] if frame.ndim == 1 else list(frame.dtypes)
    if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes):
        _add(state, frame.to_numpy())
        return
    from pandas.util import hash_pandas_object

    try:
        hashed = hash_pandas_object(frame, index=False)
    except TypeError:  # cells such as lists, which can't be hashed
        hashed = hash_pandas_object(frame.astype(str), index=False)
    state.update(np.ascontiguousarray(hashed.to_numpy()))


def _array(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        return data
    try:
        return np.asarray(data)
    except ValueError:  # rows of different lengths
        array = np.empty(len(data), object)
        array[:] = data
        return array


@dataclass(frozen=True, slots=True)
class Known:
    """By what a test set is recognised.

    Parameters
    ----------
    by_content
        Split by the digest of features and truth; empty where two test sets are equal.
    by_rows
        Split by the digest of the positions that metadata routing brings as `row_id`.
    twins
        Split whose test rows are the training rows of another split, by that other one: the two
        folds of a cross-validation, which `return_train_score=True` would mistake.
    data
        Digest of the features of all test sets.
    """

    by_content: Mapping[bytes, int]
    by_rows: Mapping[bytes, int]
    twins: Mapping[int, int]
    data: str


_ROUTE = (
    "sklearn.set_config(enable_metadata_routing=True) before the recorder is made, and "
    "fit(X, y, row_id=rec.row_id); or rec.write() in a loop of your own"
)


def known_tests(splits: list[Split], features: Any, truth: Any) -> Known:
    """Return by what each test set is recognised.

    Raises
    ------
    OptionError
        No features; or two test sets are equal, and there is no metadata routing to tell them
        apart.
    """
    if features is None:
        raise OptionError("there is no X to recognise test sets by", hint="give the X of the fit")
    rows = [digest_of_rows(test) for _, test in splits]
    contents = [_digest(features, truth, test) for _, test in splits]
    same, alike = _equal_pair(rows), _equal_pair(contents)
    if same:
        raise OptionError(
            f"splits {same[0]} and {same[1]} test the same rows",
            hint="each test set once; a repeated cross-validation needs a shuffle that differs",
        )
    if alike and not _routes():
        raise OptionError(
            f"the test sets of splits {alike[0]} and {alike[1]} are equal, so their predictions "
            "can't be told apart",
            hint=_ROUTE,
        )
    position = {content: split for split, content in enumerate(contents)}
    by_rows = {content: split for split, content in enumerate(rows)} if _routes() else {}
    sizes = {len(test) for _, test in splits}  # only test sets of these sizes are training rows
    trained = {
        split: position.get(_digest(features, truth, train))
        for split, (train, _) in enumerate(splits)
        if len(train) in sizes
    }
    twins = {split: other for split, other in trained.items() if other is not None}
    data = hashlib.blake2b(b"".join(contents), digest_size=8).hexdigest()
    return Known({} if alike else position, by_rows, twins, data)


def _digest(features: Any, truth: Any, rows: Any) -> bytes:
    return digest_of(taken(features, rows), taken(truth, rows))


def _routes() -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing"))


def _equal_pair(digests: Sequence[bytes]) -> tuple[int, int] | None:
    """Return the first two positions that hold the same; None where all differ."""
    first: dict[bytes, int] = {}
    for position, digest in enumerate(digests):
        if digest in first:
            return first[digest], position
        first[digest] = position
    return None
