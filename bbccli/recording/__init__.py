"""Recorder: the out-of-sample predictions of a search or a loop, kept while it runs."""

from __future__ import annotations

from bbccli.recording.recorder import Recorder

__all__ = ["Recorder"]
