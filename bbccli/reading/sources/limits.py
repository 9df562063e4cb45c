"""Limits on the decompressed size of an input, checked before it fills the memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bbccli.errors import InputError
from bbccli.platform import read_limits
from bbccli.reading.arrow import apply, cast, is_text, kinds_of, take

if TYPE_CHECKING:
    import pyarrow as pa

RATIO = 200
"""Largest compression ratio; tables of numbers reach about ten."""

HARMLESS = 2**26
"""Up to this many bytes any ratio is allowed: a column of zeros compresses well."""

RUNS = 2**28
"""The same for Parquet, which always packs runs: sorted labels with few errors reach 600 times."""

_PIECE = 2**24
_TOOLS = {"gzip": "gzip -d", "zstd": "zstd -d", "zip": "unzip, or inspect log convert"}
AGAIN = "copy or write the file again"
"""Remedy for a damaged file."""
OF_ITS_FORMAT = "give the file the suffix of its format, such as .csv"
"""Remedy for a file of another format."""


def read_within(stream: Any, check: Callable[[int], None] | None = None) -> bytes:
    """Return all of a stream, at most `--max-input`; `check` looks at what has been read."""
    pieces, size = [], 0
    while piece := stream.read(_PIECE):
        size += len(piece)
        (check or check_size)(size)
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def unpack_within(stream: Any, packing: str, packed: int) -> bytes:
    """Return all of a decompressing stream, at most `--max-input` and `RATIO` times `packed`
    bytes.
    """

    def check(size: int) -> None:
        check_ratio(size, packed, packing, f"unpack the file first: {_TOOLS[packing]}")
        check_size(size)

    return read_within(stream, check)


def check_size(size: int, path: str = "") -> None:
    """Refuse a size over `--max-input`."""
    if size > read_limits.current().max_input:
        raise InputError(
            f"holds more than {read_limits.in_words(read_limits.current().max_input)}, unpacked",
            path=path,
            hint="use --max-input 16GiB or the like, if the machine has enough memory",
        )


def check_ratio(size: int, packed: int, what: str, remedy: str, harmless: int = HARMLESS) -> None:
    """Refuse data that unpack to over `RATIO` times their size, if that is over `harmless`
    bytes.
    """
    if size > max(RATIO * packed, harmless):
        raise InputError(
            f"{packed / 1e6:.3g} MB of {what} data unpack to more than {RATIO} times as much",
            hint=f"if that is intended, {remedy}",
        )


def check_texts(table: pa.Table) -> int:
    """Return the bytes that repeated texts, stored once, would take if written out."""
    import pyarrow as pa

    size = 0
    for position in kinds_of(table.schema).encoded:
        for chunk in table.column(position).chunks:
            texts = chunk.dictionary
            if str(texts.type) == "string_view":
                try:
                    texts = cast(texts, pa.large_string())
                except (
                    pa.ArrowNotImplementedError
                ):  # in older versions of pyarrow: the column is refused
                    continue
            if not is_text(texts.type):
                continue
            lengths = cast(apply("binary_length", texts), pa.int64())
            try:
                size += apply("sum", take(lengths, chunk.indices)).as_py() or 0
            except pa.ArrowException as error:  # a missing text
                problem = "file is damaged: it refers to texts that it does not hold"
                raise InputError(problem, hint=AGAIN) from error
            check_size(size)
    return size
