"""How text may look where it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bbccli.core.arguments import settle

if TYPE_CHECKING:
    from bbccli.core.notes import Note
    from bbccli.core.plan import Plan


class Result(Protocol):
    """What the results of all commands hold."""

    @property
    def input(self) -> Any:
        """What was read; None where nothing was."""

    @property
    def plan(self) -> Plan:
        """What the numbers depend on."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know of it."""


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
