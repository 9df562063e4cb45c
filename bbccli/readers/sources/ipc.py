"""Arrow IPC -> table: files, streams, and Feather of both versions.

A file is a stream between two marks and a footer, and is read as one. Arrow unpacks compressed
buffers when a batch is read; the sizes that they unpack to are checked before, in the flatbuffer
that describes each batch (`Message.fbs` of the Arrow format).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from bbccli.errors import InputError
from bbccli.readers.sources.limits import check_ratio, check_size, check_texts

if TYPE_CHECKING:
    import pyarrow as pa

FEATHER_1 = b"FEA1"
FILE = b"ARROW1"
CONTINUED = b"\xff\xff\xff\xff"
MAGIC = (FEATHER_1, FILE, CONTINUED)
"""How Feather of version 1, a file and a stream start."""

_HEADER, _DATA, _ROWS, _BUFFERS, _COMPRESSION = 2, 1, 0, 2, 3
"""Fields by their numbers: of a message, of a dictionary, and of a batch the others."""


def read_ipc(data: bytes, path: str) -> tuple[pa.Table, bytes | None]:
    """Return the table, and the JSON text under the key `bbc` of its schema if there is one.

    Raises
    ------
    InputError
        Not an Arrow file, one that is truncated, damaged or too large, or no rows.
    """
    import pyarrow as pa

    if not data.startswith(MAGIC):
        raise InputError(
            "is not an Arrow file",
            path=path,
            hint="give the file the suffix of its format, such as .csv",
        )
    try:
        if data.startswith(FEATHER_1):
            table = _feather(data)
        else:
            stream = _stream(data)
            size, n_rows = _declared(stream)
            check_size(max(size, 8 * n_rows), path)
            check_ratio(size, len(data), path, "Arrow", "write it without compression")
            table = pa.ipc.open_stream(stream).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, EOFError, ArithmeticError, ValueError, struct.error):
        raise InputError(
            "Arrow file is truncated or damaged", path=path, hint="copy or write the file again"
        ) from None
    if table.num_rows == 0:
        raise InputError("no rows", path=path, hint="one row per sample")
    check_texts(table, path)
    return table, (table.schema.metadata or {}).get(b"bbc")


def _feather(data: bytes) -> pa.Table:
    import warnings

    import pyarrow as pa
    from pyarrow import feather

    if not data.endswith(FEATHER_1):
        raise ValueError("cut off")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that version 1 is deprecated
        return feather.read_table(pa.BufferReader(data), use_threads=False)


def _stream(data: bytes) -> pa.Buffer:
    """The stream in a file; a stream itself. What was cut off after a batch shows at the end."""
    import pyarrow as pa

    whole = pa.py_buffer(data)
    if data.startswith(CONTINUED):
        if not data.endswith(CONTINUED + bytes(4)):
            raise ValueError("cut off")
        return whole
    (footer,) = struct.unpack_from("<i", data, len(data) - 10)
    length = len(data) - 18 - footer
    if not data.endswith(FILE) or footer < 0 or length < 0:
        raise ValueError("cut off")
    return whole.slice(8, length)


def _declared(stream: pa.Buffer) -> tuple[int, int]:
    """Bytes of all buffers, unpacked, and rows of all batches."""
    import pyarrow as pa

    size = n_rows = 0
    for message in pa.ipc.MessageReader.open_stream(stream):
        if message.type not in ("record batch", "dictionary"):
            continue
        about = message.metadata.to_pybytes()
        (message_at,) = struct.unpack_from("<I", about)
        batch = _child(about, message_at, _HEADER)
        if message.type == "dictionary":
            batch = _child(about, batch, _DATA)
        elif place := _place(about, batch, _ROWS):
            n_rows += struct.unpack_from("<q", about, place)[0]
        start = _child(about, batch, _BUFFERS)
        (count,) = struct.unpack_from("<I", about, start)
        buffers = np.frombuffer(about, "<i8", 2 * count, start + 4).reshape(-1, 2)
        packed = _place(about, batch, _COMPRESSION) > 0
        for offset, length in buffers.tolist():
            if offset < 0 or length < 0 or offset + length > message.body.size:
                raise ValueError("a buffer lies outside")
            unpacked = length
            if packed and length:
                (unpacked,) = struct.unpack_from("<q", message.body, offset)
            if unpacked < -1:
                raise ValueError("a negative size")
            size += length if unpacked == -1 else unpacked  # -1 says that it is not packed
    return size, n_rows


def _child(data: bytes, table: int, field: int) -> int:
    """Where the table or list begins that a field of a flatbuffer's table refers to."""
    place = _place(data, table, field)
    if not place:
        raise ValueError("a part is missing")
    return int(place + struct.unpack_from("<I", data, place)[0])


def _place(data: bytes, table: int, field: int) -> int:
    """Where a field of a flatbuffer's table is; 0 where it is absent."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    entry = 4 + 2 * field
    if fields < 0:
        raise ValueError("a negative place")
    if entry >= struct.unpack_from("<H", data, fields)[0]:
        return 0
    offset = struct.unpack_from("<H", data, fields + entry)[0]
    return int(table + offset) if offset else 0
