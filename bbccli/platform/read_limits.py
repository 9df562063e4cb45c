"""Limits on reading: network timeouts, and size and form of the files."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from bbccli.errors import InputError, OptionError, parameter
from bbccli.platform.arguments import Panel, option
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import in_force, parse_memory

TIMEOUT = 30.0
"""Seconds to wait for a silent server."""

MAX_INPUT = 4 * 2**30
"""Largest unpacked size of one input, in bytes."""

_LEAST = 2**20

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


def _size(text: str) -> int:
    return parse_memory(text, "max_input")


@dataclass(frozen=True, slots=True)
class Reading:
    """Limits for every file that is read; no result depends on them.

    Parameters
    ----------
    timeout
        Seconds to wait for each answer of a server.
    quoted_newlines
        True if quoted values of CSV or TSV may contain line breaks.
    max_input
        Largest unpacked size of one input, in bytes.
    follow_links
        True if links in the folder of a run may lead out of it.

    Raises
    ------
    OptionError
        `timeout` is not positive and finite, or `max_input` is less than 1 MiB.
    """

    timeout: float = option(
        TIMEOUT, "Seconds to wait for each answer of a server.", "S", panel=Panel.INPUT
    )
    quoted_newlines: bool = option(
        False,
        "Allow line breaks in quoted values of CSV and TSV. Otherwise each row is one line, "
        "and an unclosed quote is an error.",
        panel=Panel.INPUT,
        flags=("--quoted-newlines",),
    )
    max_input: int = option(
        MAX_INPUT,
        "Largest size of one input, unpacked.",
        "SIZE",
        panel=Panel.INPUT,
        parse=_size,
        default="4GiB",
    )
    follow_links: bool = option(
        False,
        "Follow links that lead out of the folder of a run, and let ** in a batch follow "
        "links to folders.",
        panel=Panel.INPUT,
        flags=("--follow-links",),
    )

    def __post_init__(self) -> None:
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise OptionError(
                f"{parameter('timeout')} is {self.timeout:g}", hint="seconds, for example 30"
            )
        if self.max_input < _LEAST:
            raise OptionError(
                f"{parameter('max_input')} is {in_words(self.max_input)}",
                hint="at least 1 MiB; 4GiB is usual",
            )


def in_words(size: int) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> in_words(4 * 2**30), in_words(5 * 10**8)
    ('4 GiB', '500 MB')
    """
    for name, unit in (("GiB", 2**30), ("MiB", 2**20)):
        if size and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size / 10**6:g} MB"


_CURRENT: ContextVar[Reading] = ContextVar("reading")


def current() -> Reading:
    """Return the limits in force: those of `use`, or the defaults."""
    return _CURRENT.get(None) or Reading()


def use(reading: Reading) -> AbstractContextManager[Reading]:
    """Put limits in force for the body of a `with` statement."""
    return in_force(_CURRENT, reading)


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
    if size > current().max_input:
        raise InputError(
            f"holds more than {in_words(current().max_input)}, unpacked",
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
