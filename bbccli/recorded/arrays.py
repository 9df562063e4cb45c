"""Arrays in a `.npz` file that holds nothing else: never a pickle, whatever the file says."""

from __future__ import annotations

import io
import math
import struct
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_KINDS = "biufU"
_LONGEST_HEADER = 10_000
_NOT_ARRAYS = (
    ValueError,
    TypeError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    MemoryError,
    struct.error,
    zipfile.BadZipFile,
    SyntaxError,
)


class DamagedError(ValueError):
    """A file does not hold what it should."""


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a `.npz` file of arrays of numbers or texts, as numpy reads it."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return sink.getvalue()


def unpacked(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a `.npz` file that is not compressed; nothing in it is executed.

    Raises
    ------
    DamagedError
        Anything else than arrays of numbers, booleans and texts, or of another size than said.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if any(m.compress_type != zipfile.ZIP_STORED for m in members):
                raise DamagedError("compressed")
            if sum(member.file_size for member in members) > len(content):
                raise DamagedError("members larger than the file")
            return {m.filename.removesuffix(".npy"): _array(archive.read(m)) for m in members}
    except _NOT_ARRAYS as error:
        raise DamagedError(str(error) or type(error).__name__) from None


def array_of(content: bytes) -> NDArray[Any]:
    """Return the array of a `.npy` file; nothing in it is executed.

    Raises
    ------
    DamagedError
        As `unpacked`.
    """
    try:
        return _array(content)
    except _NOT_ARRAYS as error:
        raise DamagedError(str(error) or type(error).__name__) from None


def _array(member: bytes) -> NDArray[Any]:
    """One array: its header, and then exactly its bytes."""
    stream = io.BytesIO(member)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    shape, fortran, dtype = readers[np.lib.format.read_magic(stream)](
        stream, max_header_size=_LONGEST_HEADER
    )
    data = member[stream.tell() :]
    if dtype.kind not in _KINDS or dtype.hasobject or min(shape, default=0) < 0:
        raise DamagedError(f"an array of {dtype}")
    if math.prod(shape) * dtype.itemsize != len(data) or dtype.itemsize == 0:
        raise DamagedError("an array of another size than its header says")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
