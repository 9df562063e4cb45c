"""Options shared by several commands, besides those of an analysis; and the progress bar."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from typing import Annotated, Any

from bbccli.errors import OptionError
from bbccli.platform import resources
from bbccli.platform.arguments import Option, Panel, Scope, declare, option
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import (
    Engine,
    Progress,
    Resources,
    Workers,
    resources_of,
    silent,
    use_workers,
)


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
        with resources.use(self.limits), progress_bar(quiet=quiet) as progress:
            yield progress


PATIENCE_SECONDS = 1.0
"""Work shorter than this shows no progress bar."""


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Yield a progress callback: a bar on a terminal once the work takes long, else a no-op."""
    if not _is_shown(quiet=quiet):
        yield silent
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def batch_bar(total: int, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback of files done and failed: a bar on a terminal, else a no-op."""
    if not _is_shown(quiet=quiet):
        yield lambda done, failed: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        Remaining(),
        TextColumn("{task.fields[failed]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, rate="", failed="")

        def show(done: int, failed: int) -> None:
            speed = bar.tasks[0].speed
            bar.update(
                task,
                completed=done,
                rate=f"{speed:.1f} files/s" if speed else "",
                failed=f"{failed} failed" if failed else "",
            )

        yield show


def _is_shown(*, quiet: bool) -> bool:
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


class _Bar:
    """A rich progress bar that appears only after a while, and is never full.

    Work of unknown length, such as reading and summing up, shows a pulsing bar.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._lock = threading.RLock()
        self._progress: Any = None
        self._task: Any = None
        self._open = True
        self._phase, self._done, self._total = "resampling", 0, 0
        # reading reports no progress
        self._timer = threading.Timer(max(PATIENCE_SECONDS, 0.0), self._appear)
        self._timer.daemon = True
        self._timer.start()

    def enter(self, phase: str) -> None:
        """Start a new phase."""
        self._set(phase, 0, 0)

    def __call__(self, done: int, total: int) -> None:
        self._set(self._phase, done, total)
        if time.monotonic() - self._started > PATIENCE_SECONDS:
            self._appear()

    def _set(self, phase: str, done: int, total: int) -> None:
        with self._lock:
            before = self._phase, self._goal()
            self._phase, self._done, self._total = phase, done, total
            self._draw(anew=before != (phase, self._goal()))

    def close(self) -> None:
        """Remove the bar, if shown."""
        self._timer.cancel()
        with self._lock:
            self._open = False
            if self._progress is not None:
                self._progress.stop()

    def _appear(self) -> None:
        with self._lock:
            if self._progress is not None or not self._open:
                return
            self._progress = _columns()
            self._progress.start()
            self._draw(anew=True)

    def _goal(self) -> int | None:
        """Return the total while something is left."""
        return self._total if self._done < self._total else None

    def _draw(self, *, anew: bool) -> None:
        """Update the bar; `anew` if it changes its kind."""
        if self._progress is None:
            return
        if anew:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._task = self._progress.add_task(self._phase, total=self._goal(), counted="")
        known = self._goal() is not None
        counted = f"{self._done:,} of {self._total:,}" if known else ""
        if self._total and not known:
            counted = f"{self._total:,} done, summing up"
        self._progress.update(self._task, completed=self._done * known, counted=counted)


def _columns() -> Any:
    """Return the columns of the bar."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    return RichProgress(
        # as markup, a name in brackets would be a colour
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[counted]}"),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
