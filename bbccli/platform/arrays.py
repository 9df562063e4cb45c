"""Arrays in a `.npz` file without pickles, whatever the file claims."""

from __future__ import annotations

import functools
import io
import math
import struct
import tokenize
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

_KINDS = "biufU"
_LONGEST_HEADER = 10_000
_NOT_ARRAYS = (
    *(ValueError, TypeError, KeyError, RuntimeError, EOFError, MemoryError, OverflowError),
    *(struct.error, zipfile.BadZipFile, SyntaxError, tokenize.TokenError),
)


class DamagedError(ValueError):
    """A file with invalid content."""


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a `.npz` file with arrays of numbers or texts."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            if array.dtype.kind not in _KINDS:
                raise ValueError(f"an array of {array.dtype} can't be kept")
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return sink.getvalue()


def arrays_in_npz(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an uncompressed `.npz` file; nothing in it is executed."""
    with _faults(), zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise DamagedError("compressed")
        if sum(member.file_size for member in members) > len(content):
            raise DamagedError("members larger than the file")
        arrays = {m.filename.removesuffix(".npy"): _array(archive.read(m)) for m in members}
        if len(arrays) < len(members):
            raise DamagedError("two members of one name")
    return arrays


def array_of(content: bytes) -> NDArray[Any]:
    """Return the array of a `.npy` file; nothing in it is executed."""
    with _faults():
        return _array(content)


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except _NOT_ARRAYS as error:
        raise DamagedError(str(error) or type(error).__name__) from None


def _array(member: bytes) -> NDArray[Any]:
    """Return one array: a header, then exactly its bytes."""
    shape, fortran, dtype, start = _read_header(member[:_LONGEST_HEADER])
    data = member[start:]
    if dtype.kind not in _KINDS or dtype.hasobject or min(shape, default=0) < 0:
        raise DamagedError(f"an array of {dtype}")
    if math.prod(shape) * dtype.itemsize != len(data) or dtype.itemsize == 0:
        raise DamagedError("an array of another size than its header says")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")


def _read_header(beginning: bytes) -> tuple[tuple[int, ...], bool, Any, int]:
    """Return shape, order and type from the header of a member, and where the header ends."""
    version = np.lib.format.read_magic(io.BytesIO(beginning))
    width = {(1, 0): 2, (2, 0): 4}[version]
    end = 8 + width + int.from_bytes(beginning[8 : 8 + width], "little")
    return _parsed_header(beginning[:end])


@functools.lru_cache(maxsize=256)
def _parsed_header(header: bytes) -> tuple[tuple[int, ...], bool, Any, int]:
    stream = io.BytesIO(header)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about headers written by Python 2
        shape, fortran, dtype = readers[np.lib.format.read_magic(stream)](
            stream, max_header_size=_LONGEST_HEADER
        )
    return shape, fortran, dtype, stream.tell()
