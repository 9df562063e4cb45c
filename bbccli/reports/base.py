"""How text may look where it goes."""

from __future__ import annotations

from dataclasses import dataclass

from bbccli.arguments import settle


@dataclass(frozen=True, slots=True)
class Style:
    """Width, colour, and how much is said.

    Attributes
    ----------
    width
        Columns.
    colour
        Whether escape sequences are understood.
    all_notes
        Whether all notes are printed, not only those that matter most.
    """

    width: int = 80
    colour: bool = False
    all_notes: bool = False

    def __post_init__(self) -> None:
        settle(self)
