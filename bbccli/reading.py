"""How careful files are read: how long to wait for the network, and what text may hold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from bbccli.errors import OptionError

TIMEOUT = 30.0
"""Seconds after which a server that says nothing is given up."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What holds for every file that is read; no result depends on it.

    Parameters
    ----------
    timeout
        Seconds that each answer of a server may take.
    quoted_newlines
        Whether a quoted value of CSV or TSV may go on in the next line.

    Raises
    ------
    OptionError
        No time at all.
    """

    timeout: float = TIMEOUT
    quoted_newlines: bool = False

    def __post_init__(self) -> None:
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise OptionError(f"--timeout is {self.timeout:g}", hint="seconds, for example 30")


_CURRENT: ContextVar[Reading] = ContextVar("reading")


def current() -> Reading:
    """Return what is in force: that of `use`, or the defaults."""
    return _CURRENT.get(None) or Reading()


@contextmanager
def use(reading: Reading) -> Iterator[Reading]:
    """Put rules in force for the body of a `with` statement."""
    token = _CURRENT.set(reading)
    try:
        yield reading
    finally:
        _CURRENT.reset(token)
