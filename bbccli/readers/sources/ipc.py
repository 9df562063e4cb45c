"""Arrow IPC -> table: files, streams, and Feather of both versions.

Arrow unpacks compressed buffers when a batch is read. What they unpack to stands in front of each,
and where they lie in the description of the batch: a table of a flatbuffer, which is walked here
first (`Message.fbs` and `File.fbs` of the Arrow format).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bbccli.errors import InputError
from bbccli.readers.sources.limits import check_ratio, check_size, check_texts

if TYPE_CHECKING:
    import pyarrow as pa

FEATHER_1 = b"FEA1"
FILE = b"ARROW1"
CONTINUED = b"\xff\xff\xff\xff"
MAGIC = (FEATHER_1, FILE, CONTINUED)
"""How Feather of version 1, a file and a stream start."""

_DICTIONARY, _BATCH = 2, 3
_HEADER_TYPE, _HEADER, _DATA, _ROWS, _BUFFERS, _COMPRESSION = 1, 2, 1, 0, 2, 3
_FOOTER_DICTIONARIES, _FOOTER_BATCHES = 2, 3
_END = CONTINUED + bytes(4)
_AS_IT_IS = -1
_MALFORMED = (ValueError, struct.error)


def read_ipc(data: bytes, path: str) -> tuple[pa.Table, bytes | None]:
    """Return the table, and the JSON text under the key `bbc` of its schema if there is one.

    Raises
    ------
    InputError
        No such file, one that is truncated, damaged or too large, or no rows.
    """
    import pyarrow as pa

    if not data.startswith(MAGIC):
        raise InputError(
            "is not an Arrow file",
            path=path,
            hint="give the file the suffix of its format, such as .csv",
        )
    try:
        _check_whole(data)
        if not data.startswith(FEATHER_1):
            _check_unpacked(data, path)
        table = _table(data)
        table.validate(full=True)
    except (pa.ArrowException, OSError, EOFError, ArithmeticError, LookupError, *_MALFORMED):
        raise InputError(
            "Arrow file is truncated or damaged", path=path, hint="copy or write the file again"
        ) from None
    if table.num_rows == 0:
        raise InputError("no rows", path=path, hint="one row per sample")
    check_texts(table, path)
    return table, (table.schema.metadata or {}).get(b"bbc")


def _table(data: bytes) -> pa.Table:
    import pyarrow as pa

    source = pa.BufferReader(data)
    if data.startswith(CONTINUED):
        return pa.ipc.open_stream(source).read_all()
    if data.startswith(FILE):
        return pa.ipc.open_file(source).read_all()
    import warnings

    from pyarrow import feather

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that version 1 is deprecated
        return feather.read_table(source, use_threads=False)


def _check_whole(data: bytes) -> None:
    """Refuse what was cut off where nothing else would show it: after a batch of a stream."""
    start = data[:4] if data.startswith(FEATHER_1) else data[:6]
    if not data.endswith(_END if data.startswith(CONTINUED) else start):
        raise ValueError("cut off")


def _check_unpacked(data: bytes, path: str) -> None:
    """Refuse a file whose buffers and rows take too much memory when they are read."""
    size = rows = 0
    for message in _messages(data):
        header = _Struct.root(message.metadata)
        kind = header.byte(_HEADER_TYPE)
        if kind not in (_DICTIONARY, _BATCH):
            continue
        batch = header.table(_HEADER)
        if kind == _DICTIONARY:
            batch = batch.table(_DATA)
        else:
            rows += batch.number(_ROWS)
        size += _unpacked(batch, message.body)
    check_size(max(size, 8 * rows), path)
    check_ratio(size, len(data), path, "Arrow", "write it without compression")


def _unpacked(batch: _Struct, body: Any) -> int:
    """Bytes of the buffers of a batch, by what stands in front of each that is packed."""
    packed, view, size = batch.has(_COMPRESSION), memoryview(body), 0
    for offset, length in batch.pairs(_BUFFERS):
        if offset < 0 or length < 0 or offset + length > len(view):
            raise ValueError("a buffer lies outside")
        whole = struct.unpack_from("<q", view, offset)[0] if packed and length else _AS_IT_IS
        if whole < _AS_IT_IS:
            raise ValueError("a negative size")
        size += length if whole == _AS_IT_IS else whole
    return size


def _messages(data: bytes) -> Iterator[Any]:
    """Yield the batches: of a file those that its footer names, of a stream all."""
    import pyarrow as pa

    whole = pa.py_buffer(data)
    if data.startswith(CONTINUED):
        yield from pa.ipc.MessageReader.open_stream(pa.BufferReader(whole))
        return
    (size,) = struct.unpack_from("<i", data, len(data) - 10)
    if not 0 < size <= len(data) - 10:
        raise ValueError("no footer")
    footer = _Struct.root(data[-10 - size : -10])
    for part in (_FOOTER_DICTIONARIES, _FOOTER_BATCHES):
        for offset, described, length in footer.blocks(part):
            if min(offset, described, length) < 0:
                raise ValueError("a negative place")
            yield pa.ipc.read_message(pa.BufferReader(whole.slice(offset, described + length)))


class _Struct:
    """A table of a flatbuffer: fields by their numbers, each of which may be absent."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at
        self.fields = at - struct.unpack_from("<i", data, at)[0]
        if self.fields < 0:
            raise ValueError("a negative place")
        (self.size,) = struct.unpack_from("<H", data, self.fields)

    @classmethod
    def root(cls, data: Any) -> _Struct:
        """Return the table that a flatbuffer is."""
        whole = bytes(data)
        return cls(whole, *struct.unpack_from("<I", whole))

    def _place(self, field: int) -> int:
        """Where a field is; 0 where it is absent."""
        entry = 4 + 2 * field
        if entry >= self.size:
            return 0
        (offset,) = struct.unpack_from("<H", self.data, self.fields + entry)
        return self.at + int(offset) if offset else 0

    def has(self, field: int) -> bool:
        """Whether a field is there."""
        return self._place(field) > 0

    def byte(self, field: int) -> int:
        """Return a byte, 0 by default."""
        place = self._place(field)
        return self.data[place] if place else 0

    def number(self, field: int) -> int:
        """Return 64 bits, 0 by default."""
        place = self._place(field)
        return int(struct.unpack_from("<q", self.data, place)[0]) if place else 0

    def table(self, field: int) -> _Struct:
        """Return a table within the table."""
        place = self._place(field)
        if not place:
            raise ValueError("a part is missing")
        return _Struct(self.data, place + struct.unpack_from("<I", self.data, place)[0])

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield offset and length of each buffer."""
        yield from self._structs(field, "<qq")

    def blocks(self, field: int) -> Iterator[tuple[int, int, int]]:
        """Yield the offset of each block, and the lengths of its description and its body."""
        yield from self._structs(field, "<qi4xq")

    def _structs(self, field: int, form: str) -> Iterator[Any]:
        place = self._place(field)
        if not place:
            return
        start = place + struct.unpack_from("<I", self.data, place)[0]
        (count,) = struct.unpack_from("<I", self.data, start)
        end = start + 4 + count * struct.calcsize(form)
        if end > len(self.data):
            raise ValueError("a list is cut off")
        yield from struct.iter_unpack(form, self.data[start + 4 : end])
