"""Recorder: keep the out-of-sample predictions of a search or a loop while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bbccli.recording.recorder import Recorder

__all__ = ["Recorder"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # Readers of folders need only the format.
    if name != "Recorder":
        raise AttributeError(f"module 'bbccli.recording' has no attribute {name!r}")
    from bbccli.recording.recorder import Recorder

    return Recorder
