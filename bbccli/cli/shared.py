"""Options shared by several commands, besides those of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from typing import Annotated

from bbccli.errors import OptionError
from bbccli.platform import resources
from bbccli.platform.dataclass import dataclass
from bbccli.platform.option import Option, Panel, Scope, declare, option
from bbccli.platform.resources import Engine, Progress, Resources, resources_of
from bbccli.platform.workers import Workers
from bbccli.platform.workers import use as use_workers


def reports(kind: str = "correct") -> Callable[[], Iterable[str]]:
    """Return a function that lists the reports for a kind of result."""
    return lambda: import_module("bbccli.reports").forms_of(kind)


def form_option(kind: str) -> Option:
    """Return the option for the form of a kind of result, specific to each command."""
    return Option("Output format.", names=reports(kind), group="bbccli.forms", scope=Scope.COMMAND)


def files_argument(text: str, default: str = "") -> Option:
    """Return the argument for the input files of a command."""
    return Option(text, "FILE...", default=default, positional=True)


def output_option(text: str, metavar: str = "PATH", default: str = "") -> Option:
    """Return the option for the output file of a command."""
    return Option(text, metavar, flags=("--output", "-o"), default=default, scope=Scope.RUN)


Files = Annotated[
    Sequence[str],
    files_argument(
        "Out-of-sample predictions: .parquet, .csv, .csv.gz, .jsonl, .arff ...; "
        "- is standard input. Several files, or a quoted pattern: one configuration per file, "
        "named by what differs in the paths."
    ),
]

GATE = ("fail_under", "fail_over", "gate_on", "gate_method")
"""Options of a gate, left out by commands that judge nothing."""

VAULT = ("vault", "reach", "stricter")
"""Options of sealed rows, left out by commands that open none."""

ALL_NOTES = "all"

_QUIET = Option("Print only errors to standard error.", panel=Panel.OUTPUT, flags=("--quiet", "-q"))
Quiet = Annotated[bool, _QUIET]


FAIL_ON = Option(
    "Also exit with 3 if a note puts the result in doubt.",
    panel=Panel.GATE,
    names=lambda: ("doubt",),
    default="none",
)


@dataclass(frozen=True, kw_only=True)
class OutputOption:
    """Output file."""

    output: str = declare("-", output_option("Output file.", default="-, standard output"))


@dataclass(frozen=True, kw_only=True)
class NotesOptions(OutputOption):
    """Output file, and notes."""

    notes: str = option(
        "top",
        "Notes to show in the table: the three most important (top), or all.",
        panel=Panel.OUTPUT,
        names=lambda: ("top", ALL_NOTES),
    )
    fail_on: str | None = declare(None, FAIL_ON)


@dataclass(frozen=True, kw_only=True)
class PrintOptions(NotesOptions):
    """Output file, notes, and messages on standard error."""

    quiet: bool = declare(False, _QUIET)


@dataclass(frozen=True, kw_only=True)
class RunnerOptions:
    """The machine that computes; results do not depend on it."""

    runner: str = option(
        "local",
        "Run on this machine, or on workers of dask.distributed.",
        panel=Panel.RESOURCES,
        scope=Scope.COMMAND,
        names=lambda: ("local", "dask"),
    )
    scheduler: str | None = option(
        None,
        "Address of the dask scheduler, such as tcp://host:8786.",
        "ADDRESS",
        panel=Panel.RESOURCES,
        default="a cluster on this machine",
        scope=Scope.COMMAND,
    )

    def check(self) -> None:
        """Refuse a scheduler for the local runner."""
        if self.scheduler is not None and self.runner != "dask":
            raise OptionError(
                "--scheduler needs --runner dask", hint=f"use --runner dask, not {self.runner}"
            )

    @contextmanager
    def working(self, limits: Resources) -> Iterator[None]:
        """Work within limits, of each worker too; raises as `workers_of_dask`."""
        context: AbstractContextManager[Workers | None] = nullcontext()
        if self.runner == "dask":
            from bbccli.batch.parts import workers_of_dask

            context = workers_of_dask(limits, self.scheduler)
        with context as workers, resources.use(limits), use_workers(workers):
            yield


@dataclass(frozen=True, kw_only=True)
class WorkOptions:
    """Memory and engine; results do not depend on them."""

    memory: str = option(
        "auto",
        "Approximate working memory in addition to the predictions; auto is 256MB, or as much as "
        "the predictions use if that is more.",
        "SIZE",
        panel=Panel.RESOURCES,
    )
    engine: Engine = option(
        Engine.AUTO, "Implementation; results are identical.", panel=Panel.RESOURCES
    )

    def resources(self, jobs: int | None) -> Resources:
        """Return the resources for this many threads; None for all cores."""
        return resources_of(jobs, self.memory, self.engine)


@dataclass(frozen=True, kw_only=True)
class ThreadOptions(WorkOptions):
    """Memory, engine and threads of this process."""

    jobs: int | None = option(
        None, "Threads.", "N", panel=Panel.RESOURCES, default="all cores of the process"
    )

    @property
    def limits(self) -> Resources:
        """Return the resources that may be used."""
        return self.resources(self.jobs)

    @contextmanager
    def working(self, *, quiet: bool) -> Iterator[Progress]:
        """Work within the limits; yield the progress callback."""
        from bbccli.cli.bar import progress_bar

        with resources.use(self.limits), progress_bar(quiet=quiet) as progress:
            yield progress
