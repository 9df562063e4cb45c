"""Arrow IPC -> table: files, streams, and Feather of both versions.

Arrow decompresses buffers when a batch is read. Their sizes, each in front of its buffer, are
checked before; the flatbuffer of the batch has the positions of the buffers (`Message.fbs` and
`File.fbs` of the Arrow format).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from bbccli.errors import InputError
from bbccli.platform.resources import AGAIN, OF_ITS_FORMAT, check_ratio, check_size
from bbccli.reading.arrow import pa
from bbccli.reading.sources.parquet import check_texts

FEATHER_1 = b"FEA1"
FILE = b"ARROW1"
CONTINUED = b"\xff\xff\xff\xff"
_MALFORMED = (ValueError, struct.error)
MAGIC = (FEATHER_1, FILE, CONTINUED)
"""First bytes of Feather version 1, a file and a stream."""

_HEADER, _DATA, _ROWS, _BUFFERS, _COMPRESSION = 2, 1, 0, 2, 3
_DICTIONARIES, _BATCHES = 2, 3
"""Numbers of fields: of a message, a dictionary, a batch (the last three); and of the footer."""


def read_ipc(data: bytes) -> tuple[pa.Table, bytes | None]:
    """Return the table, and the JSON text under the key `bbc` of its schema, if any."""
    if not data.startswith(MAGIC):
        raise InputError("is not an Arrow file", hint=OF_ITS_FORMAT)
    try:
        end = CONTINUED + bytes(4) if data.startswith(CONTINUED) else data[: len(FILE)]
        if not data.endswith(FEATHER_1 if data.startswith(FEATHER_1) else end):
            raise ValueError("cut off")  # nothing else would reveal it after a batch of a stream
        source = pa.BufferReader(data)
        if data.startswith(FEATHER_1):
            table = _feather(source)
        else:
            _check_declared(data)
            form = pa.ipc.open_file if data.startswith(FILE) else pa.ipc.open_stream
            table = form(source).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, EOFError, ArithmeticError, LookupError, *_MALFORMED):
        raise InputError("Arrow file is truncated or damaged", hint=AGAIN) from None
    if table.num_rows == 0:
        raise InputError("no rows", hint="give one row per sample")
    check_texts(table)
    return table, (table.schema.metadata or {}).get(b"bbc")


def _feather(source: pa.BufferReader) -> pa.Table:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # version 1 is deprecated
        return pa.feather.read_table(source, use_threads=False)


def _check_declared(data: bytes) -> None:
    """Refuse buffers and rows that would take too much memory."""
    size = n_rows = 0
    for message in _messages(data):
        if message.type not in ("record batch", "dictionary"):
            continue
        about = message.metadata.to_pybytes()
        batch = _child(about, _root(about), _HEADER)
        if message.type == "dictionary":
            batch = _child(about, batch, _DATA)
        elif place := _place(about, batch, _ROWS):
            n_rows += struct.unpack_from("<q", about, place)[0]
        packed = _place(about, batch, _COMPRESSION) > 0
        for offset, length in _list(about, batch, _BUFFERS, "<qq"):
            if offset < 0 or length < 0 or offset + length > message.body.size:
                raise ValueError("a buffer is out of range")
            unpacked = length
            if packed and length:
                (unpacked,) = struct.unpack_from("<q", message.body, offset)
            if unpacked < -1:
                raise ValueError("a negative size")
            size += length if unpacked == -1 else unpacked  # -1 means uncompressed
    check_size(max(size, 8 * n_rows))
    check_ratio(size, len(data), "Arrow", "write it without compression")


def _messages(data: bytes) -> Iterator[Any]:
    """Yield the batches: those named in the footer of a file, all of a stream."""
    whole = pa.py_buffer(data)
    if data.startswith(CONTINUED):
        yield from pa.ipc.MessageReader.open_stream(whole)
        return
    (size,) = struct.unpack_from("<i", data, len(data) - 10)
    if not 0 < size <= len(data) - 10:
        raise ValueError("no footer")
    footer = data[-10 - size : -10]
    for part in (_DICTIONARIES, _BATCHES):
        for offset, about, length in _list(footer, _root(footer), part, "<qi4xq"):
            if min(offset, about, length) < 0:
                raise ValueError("a negative place")
            yield pa.ipc.read_message(pa.BufferReader(whole.slice(offset, about + length)))


def _list(data: bytes, table: int, field: int, form: str) -> Iterator[tuple[int, ...]]:
    """Yield the structs of a list in a flatbuffer's table, each unpacked by `struct`."""
    if not _place(data, table, field):
        return
    start = _child(data, table, field)
    (count,) = struct.unpack_from("<I", data, start)
    end = start + 4 + count * struct.calcsize(form)
    if end > len(data):
        raise ValueError("a list is cut off")
    yield from struct.iter_unpack(form, data[start + 4 : end])


def _root(data: bytes) -> int:
    """Return the position of the root table of a flatbuffer."""
    return int(struct.unpack_from("<I", data)[0])


def _child(data: bytes, table: int, field: int) -> int:
    """Return the position of the table or list that a field refers to."""
    place = _place(data, table, field)
    if not place:
        raise ValueError("a part is missing")
    return int(place + struct.unpack_from("<I", data, place)[0])


def _place(data: bytes, table: int, field: int) -> int:
    """Return the position of a field of a flatbuffer's table; 0 if absent."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    entry = 4 + 2 * field
    if fields < 0:
        raise ValueError("a negative place")
    if entry >= struct.unpack_from("<H", data, fields)[0]:
        return 0
    offset = struct.unpack_from("<H", data, fields + entry)[0]
    return int(table + offset) if offset else 0
