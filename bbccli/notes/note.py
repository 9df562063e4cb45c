"""What a note is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader of the result must know."""

    code: str = field(metadata={"doc": "stable identifier, such as `few-folds`"})
    text: str = field(metadata={"doc": "what was seen, in one sentence"})
    remedy: str = field(default="", metadata={"doc": "what can be done about it; may be empty"})


def listing(names: Sequence[str], most: int = 5) -> str:
    """Join names, the first `most` of them in full and the rest as a count."""
    head = ", ".join(names[:most])
    return head if len(names) <= most else f"{head} and {len(names) - most} more"
