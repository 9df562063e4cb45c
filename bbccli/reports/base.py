"""How text may look where it goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Width and colour."""

    width: int = 80
    colour: bool = False
