"""The parts of a recording that can be read, and which of them count."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bbccli.recorded import parts
from bbccli.recorded.arrays import DamagedError
from bbccli.recorded.parts import Part

TOLERANCE = 1e-9
"""Between a performance and what scikit-learn said of it."""


def parts_in(folder: Path) -> tuple[list[Part], list[str]]:
    """Return the parts of a recording as they were written, and the names of damaged files."""
    found, damaged = [], []
    for file in parts.paths(folder):
        try:
            found.append(parts.read(file))
        except (DamagedError, OSError):
            damaged.append(file.name)
    return sorted(found, key=lambda part: (part.session, part.time)), damaged


def latest(group: Iterable[Part]) -> list[Part]:
    """Return the parts that count: of several for the same test set one.

    The newest recorder's; of a search its first, because it scores a test set once, and what comes
    later is a model that was fitted to it; of a loop the last.
    """
    chosen: dict[Any, Part] = {}
    for part in group:
        rows = None if part.rows is None or part.fold is not None else part.rows.tobytes()
        key = (part.split, part.repeat, part.fold, rows)
        before = chosen.get(key)
        scored_again = (
            before is not None and before.session == part.session and part.score is not None
        )
        if not scored_again:
            chosen[key] = part
    return list(chosen.values())
