"""How work says how far it is; the core never knows about terminals."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with the resamples done and wanted."""


def silent(done: int, total: int) -> None:
    """Report no progress."""
