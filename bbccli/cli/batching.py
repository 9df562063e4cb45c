"""Options of `bbc batch`: how many files are worked through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from bbccli.choices import OnError
from bbccli.option import Option, Panel, Scope


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """How many files are worked through."""

    jobs: Annotated[int | None, Option("Worker processes.", metavar="N", default="all cores")] = (
        None
    )
    resume: Annotated[
        bool,
        Option(
            "Keep the results of files and options that have not changed; do the rest.",
            scope=Scope.RUN,
        ),
    ] = False
    summary: Annotated[bool, Option("Print a table over all files: optimism, winners, gates.")] = (
        False
    )
    dry_run: Annotated[
        bool,
        Option("List the files and what would be done; write nothing.", scope=Scope.RUN),
    ] = False
    on_error: Annotated[
        OnError, Option("What to do after a file without a result.", panel=Panel.RESOURCES)
    ] = OnError.CONTINUE

    @property
    def n_processes(self) -> int:
        """Worker processes."""
        from bbccli.resources import available_cores

        return available_cores() if self.jobs is None else self.jobs

    def check(self) -> None:
        """Find out what is wrong with the options whatever the files.

        Raises
        ------
        OptionError
            A number that no machine has.
        """
        from bbccli.resources import Resources

        Resources(self.n_processes)
