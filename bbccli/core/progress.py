"""Progress callbacks; the core never knows about terminals."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with the resamples done and wanted."""


def enter(progress: Progress, phase: str) -> None:
    """Name what is done next, such as `resampling bbc`, to one who shows it.

    Parameters
    ----------
    progress
        Any callable; one that shows phases has a method `enter(phase)`.
    phase
        In a word or two. What is called next counts from 0 again.
    """
    tell = getattr(progress, "enter", None)
    if tell is not None:
        tell(phase)


def silent(done: int, total: int) -> None:
    """Report no progress."""
