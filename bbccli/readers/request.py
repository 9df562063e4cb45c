"""Options of reading files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bbccli.core.arguments import as_list, settle
from bbccli.readers.column import name_of
from bbccli.readers.metadata import Metadata
from bbccli.readers.roles import Hints, Roles
from bbccli.readers.sources.memory import ArrowStream, in_memory
from bbccli.types import Errors, Missing, Task

OUTCOME = frozenset({"truth", "time", "event"})
"""Roles of the truth."""


@dataclass(frozen=True, slots=True)
class Request:
    """Options of reading files; see `bbccli.readers.read`."""

    roles: Roles = field(default_factory=Roles)
    task: Task | None = None
    positive: str | None = None
    labels: str | Path | ArrowStream | None = None
    folds: str | Path | ArrowStream | None = None
    missing: Missing | None = None
    dialect: str | None = None
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    include: Sequence[str] = ()
    unfinished: bool = False
    bounds: tuple[float, float] | None = None
    by_position: bool = False
    unweighted: bool = False
    errors: Errors | None = None

    def __post_init__(self) -> None:
        settle(self)
        if self.positive is not None:
            object.__setattr__(self, "positive", name_of(self.positive))
        for name in ("only", "exclude", "include"):
            object.__setattr__(self, name, as_list(getattr(self, name)))

    @property
    def separate_roles(self) -> frozenset[str]:
        """Roles that come from separate files."""
        truth = OUTCOME if is_given(self.labels) else frozenset()
        return truth | (frozenset({"fold"}) if is_given(self.folds) else frozenset())

    def hints(self, metadata: Metadata) -> Hints:
        """Facts that help to recognise the layout."""
        # configurations of a long table are not columns of it
        in_names = metadata.raw.get("layout") != "long"
        declared = frozenset(metadata.configurations if in_names else ())
        task, absent = self.task or metadata.task, self.separate_roles
        if task is Task.SCORE:  # a column that is called like a truth is one, and set aside
            absent |= OUTCOME
        if self.unweighted:
            absent |= {"weight"}
        return Hints(self.roles, task, declared, absent, metadata.weight)


def is_given(source: object) -> bool:
    """Return True if a separate file or table is named; tables have no truth value."""
    return in_memory(source) or bool(source)
