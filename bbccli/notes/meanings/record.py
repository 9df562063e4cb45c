"""What a note means, and how much it matters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """What a note does to a result; the most important first, in every report that chooses."""

    DOUBT = 0
    CARE = 1
    HARMLESS = 2

    @property
    def words(self) -> str:
        """What it says of a result."""
        return _WORDS[self]


_WORDS = {
    Severity.DOUBT: "the figure or its interval may be wrong",
    Severity.CARE: "the figure stands, for what the note says and no more",
    Severity.HARMLESS: "nothing is wrong",
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is behind the one sentence of a note.

    Attributes
    ----------
    code
        That of the note.
    severity
        How much it matters.
    text
        What was seen and what it does to the result, in Markdown on one line.
    remedy
        What can be done, in Markdown on one line; may be empty.
    """

    code: str
    severity: Severity
    text: str
    remedy: str = ""

    def __post_init__(self) -> None:
        for name in ("text", "remedy"):
            object.__setattr__(self, name, " ".join(getattr(self, name).split()))
