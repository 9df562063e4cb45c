"""What an inspection finds: one line per check that passes, one per problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bbccli.errors import BbcError, InputError


class Status(StrEnum):
    """How a check ended."""

    PASS = "pass"
    WARNING = "warning"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, or one problem that it found."""

    check: str = field(metadata={"doc": "name of the check"})
    status: Status = field(metadata={"doc": "how it ended"})
    text: str = field(metadata={"doc": "what was found, in one sentence"})
    remedy: str = field(default="", metadata={"doc": "what can be done about it; may be empty"})
    path: str | None = field(default=None, metadata={"doc": "file; null where it does not matter"})
    row: int | None = field(
        default=None, metadata={"doc": "first row concerned, 0-based below the header"}
    )
    column: str | None = field(default=None, metadata={"doc": "column concerned"})
    n_rows: int | None = field(
        default=None, metadata={"doc": "rows with this problem; null where it is of no row"}
    )


@dataclass(slots=True)
class Findings:
    """Findings in the order in which they were made."""

    found: list[Finding] = field(default_factory=list)

    def passed(self, check: str, text: str) -> None:
        """Note that a check found nothing wrong."""
        self.found.append(Finding(check, Status.PASS, text))

    def warn(self, check: str, text: str, remedy: str = "") -> None:
        """Note something doubtful."""
        self.found.append(Finding(check, Status.WARNING, text, remedy))

    def skip(self, check: str, text: str) -> None:
        """Note that a check could not be made."""
        self.found.append(Finding(check, Status.SKIPPED, text))

    def error(self, check: str, error: BbcError) -> None:
        """Note a problem, once."""
        known = {one.text for one in self.found if one.status is Status.ERROR}
        place: dict[str, Any] = {}
        text, hint = error.told()
        if isinstance(error, InputError):
            rows = None if error.row is None else error.further + 1
            place = {"path": error.path, "row": error.row, "column": error.column, "n_rows": rows}
            if error.further:
                text += f" and {error.further} more row" + "s" * (error.further > 1)
        if text not in known:
            self.found.append(Finding(check, Status.ERROR, text, hint, **place))

    def count(self, status: Status) -> int:
        """How many findings ended so."""
        return sum(one.status is status for one in self.found)
