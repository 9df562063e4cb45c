"""How files are to be understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bbccli.readers.hints import Hints
from bbccli.readers.metadata import Metadata
from bbccli.readers.roles import Roles
from bbccli.types import Missing, Task

Paths = str | Path | Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class Request:
    """How files are to be understood; see `bbccli.readers.read`."""

    roles: Roles = field(default_factory=Roles)
    task: Task | None = None
    positive: str | None = None
    labels: str | Path | None = None
    folds: str | Path | None = None
    missing: Missing = Missing.DROP
    dialect: str | None = None
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    include: Sequence[str] = ()
    unfinished: bool = False

    @property
    def elsewhere(self) -> frozenset[str]:
        """Roles that come from separate files."""
        truth = ("truth", "time", "event") if self.labels else ()
        return frozenset((*truth, *(("fold",) if self.folds else ())))

    def hints(self, metadata: Metadata) -> Hints:
        """What is known of the files before their layout is."""
        # configurations of a long table are no columns of it
        in_names = metadata.raw.get("layout") != "long"
        declared = frozenset(metadata.configurations if in_names else ())
        return Hints(self.roles, self.task or metadata.task, declared, self.elsewhere)
