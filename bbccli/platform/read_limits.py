"""Limits on reading: network timeouts, and size and form of the files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bbccli.errors import OptionError, parameter
from bbccli.platform.dataclass import dataclass
from bbccli.platform.option import Panel, option
from bbccli.platform.resources import parse_memory

TIMEOUT = 30.0
"""Seconds to wait for a silent server."""

MAX_INPUT = 4 * 2**30
"""Largest unpacked size of one input, in bytes."""

_LEAST = 2**20


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


@contextmanager
def use(reading: Reading) -> Iterator[Reading]:
    """Put limits in force for the body of a `with` statement."""
    token = _CURRENT.set(reading)
    try:
        yield reading
    finally:
        _CURRENT.reset(token)
