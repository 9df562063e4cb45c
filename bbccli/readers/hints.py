"""What is known of a file before its layout is."""

from __future__ import annotations

from dataclasses import dataclass, field

from bbccli.readers.roles import Roles
from bbccli.types import Task


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of a file before its layout is.

    Parameters
    ----------
    roles
        Columns set by hand.
    task
        The task, where known.
    declared
        Configurations named in the metadata.
    elsewhere
        Roles that no column of these files plays, such as those of separate files.
    weight
        Column of the weights by the metadata.
    """

    roles: Roles = field(default_factory=Roles)
    task: Task | None = None
    declared: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    weight: str | None = None
