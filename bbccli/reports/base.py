"""What a report is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Style:
    """How text may look where it goes."""

    width: int = 80
    colour: bool = False


class Report(Protocol):
    """Text of a document, ending in a newline."""

    def __call__(self, document: dict[str, Any], style: Style = ..., /) -> str:
        """Render the document."""
