"""Options that several commands have, besides those of an analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from bbccli.option import Option, Panel, Scope
from bbccli.resources import Engine, Resources, resources_of


def reports() -> Iterable[str]:
    """Return the names of the reports on a result."""
    from bbccli.reports import Kind, forms_of

    return forms_of(Kind.CORRECT)


def table_or_json() -> Iterable[str]:
    """Return the names of the reports on what is not a result."""
    return ("table", "json")


Files = Annotated[
    Sequence[str],
    Option(
        "Out-of-sample predictions: .parquet, .csv, .csv.gz, .jsonl, .arff ...; "
        "- is standard input. Several files, or a quoted pattern: one configuration in each, named "
        "by what differs in the paths.",
        metavar="FILE...",
        positional=True,
    ),
]

Output = Annotated[
    str,
    Option(
        "Output file.",
        metavar="PATH",
        default="-, standard output",
        flags=("--output", "-o"),
        scope=Scope.RUN,
    ),
]

Quiet = Annotated[
    bool,
    Option("Print only errors on standard error.", panel=Panel.OUTPUT, flags=("--quiet", "-q")),
]

ALL_NOTES = "all"

Notes = Annotated[
    str,
    Option(
        "Notes of the table: top, the three that matter most, or all.",
        panel=Panel.OUTPUT,
        names=lambda: ("top", ALL_NOTES),
    ),
]

Jobs = Annotated[
    int | None,
    Option("Threads.", metavar="N", panel=Panel.RESOURCES, default="all cores of the process"),
]


@dataclass(frozen=True, kw_only=True)
class RunnerOptions:
    """Where the work is done; no result depends on it."""

    runner: Annotated[
        str,
        Option(
            "On this machine, or on workers of dask.distributed.",
            panel=Panel.RESOURCES,
            scope=Scope.COMMAND,
            names=lambda: ("local", "dask"),
        ),
    ] = "local"
    scheduler: Annotated[
        str | None,
        Option(
            "Address of the dask scheduler, such as tcp://host:8786.",
            metavar="ADDRESS",
            panel=Panel.RESOURCES,
            default="a cluster on this machine",
            scope=Scope.COMMAND,
        ),
    ] = None

    def check(self) -> None:
        """Find out whether the options go together.

        Raises
        ------
        OptionError
            A scheduler for the local runner.
        """
        from bbccli.errors import OptionError

        if self.scheduler is not None and self.runner != "dask":
            raise OptionError(
                "--scheduler without --runner dask", hint=f"--runner dask, not {self.runner}"
            )


@dataclass(frozen=True, kw_only=True)
class WorkOptions:
    """How the work is done, whatever the threads; no result depends on it."""

    memory: Annotated[
        str,
        Option(
            "Approximate working memory, excluding the predictions; auto is 256MB, or as much as "
            "large predictions take.",
            metavar="SIZE",
            panel=Panel.RESOURCES,
        ),
    ] = "auto"
    engine: Annotated[
        Engine, Option("Implementation; results are identical.", panel=Panel.RESOURCES)
    ] = Engine.AUTO

    def resources(self, jobs: int | None) -> Resources:
        """Return what may be used by so many threads; None for all cores."""
        return resources_of(jobs, self.memory, self.engine)
