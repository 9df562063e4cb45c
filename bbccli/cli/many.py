"""How a batch shows on the command line: its progress, its list, its last words."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from bbccli.atomic import replacing, sweep
from bbccli.choices import OnError
from bbccli.cli.output import cannot_write, style_for_stdout, write
from bbccli.cli.streams import say
from bbccli.errors import BbcError
from bbccli.local import note
from bbccli.readers.sources.opening import metadata_path
from bbccli.readers.sources.urls import is_url, local_path
from bbccli.resources import Resources
from bbccli.rounding import count
from bbccli.text import redacted, visible

if TYPE_CHECKING:
    from bbccli.batch import Journal, Source, Tally
    from bbccli.cli.batch import BatchOptions
    from bbccli.cli.shared import RunnerOptions
    from bbccli.reports import Form


def carry_out(
    sources: Sequence[Source],
    journal: Journal,
    limits: Resources,
    many: BatchOptions,
    where: RunnerOptions,
    target: Path,
    form: Form,
    *,
    quiet: bool,
) -> None:
    """Do what is left, write the table, say what came of it, and leave with the status."""
    from bbccli.batch import FAILED, RUNNERS, Tally, drive, results, todo
    from bbccli.reports.summary import Summary

    sweep(target)
    _tell_damage(journal)
    tasks, stop = todo(sources, journal.entries, limits), many.on_error is OnError.STOP
    tell = (lambda line: None) if quiet else say
    n_processes = min(many.n_processes, len(sources))
    groups = RUNNERS[where.runner](tasks, n_processes, where.scheduler, tell)
    with batch_bar(len(sources), quiet=quiet) as progress:
        course = drive(groups, journal, stop_on_error=stop, progress=progress)
    if not course.complete:
        say(f"failed: {visible(course.problem)}")
        say(f"stopped; {_kept(journal, sources)}")
        raise typer.Exit(FAILED)
    tally, seen = Tally(unchanged=course.unchanged), Summary()
    try:
        with replacing(target) as file:
            form.write_batch(seen.watch(results(sources, journal, tally)), file)
    except OSError as error:
        raise cannot_write(str(target), error.strerror or str(error)) from error
    if many.summary:
        write(seen.render(style_for_stdout()), "-")
    _end(tally, target, quiet=quiet)


def foresee(sources: Iterable[Source]) -> None:
    """Refuse to write over anything that workers, in their own processes, will read.

    Of a folder, that is whatever lies in it.
    """
    for source in sources:
        asked = source.analysis
        for given in filter(None, (source.path, asked.labels, asked.folds)):
            path = _local(given)
            if path is None:
                continue
            note(path, given)
            note(metadata_path(path))
            for folder, _, names in os.walk(path):
                for name in names:
                    note(os.path.join(folder, name))  # noqa: PTH118


def _local(path: str) -> str | None:
    """Path on this machine; None where it is elsewhere, or can't be told."""
    if not is_url(path):
        return path
    with suppress(BbcError):  # said when it is read
        return local_path(path)
    return None


def _end(tally: Tally, target: Path, *, quiet: bool) -> None:
    """Say how many files have a result and which have none; leave with the status."""
    if tally.status or not quiet:
        for problem in tally.problems:
            say(f"failed: {visible(problem)}")
        say(_last_words(tally, target))
    if tally.status:
        raise typer.Exit(tally.status)


def list_tasks(
    sources: Sequence[Source], journal_file: Path, limits: Resources, *, resume: bool
) -> None:
    """Print each file after what would be done with it: do or keep."""
    from bbccli.batch import Journal, is_current, todo

    journal = Journal.glance(journal_file) if resume else None
    if journal is not None:
        _tell_damage(journal)
    for task in todo(sources, journal.entries if journal else {}, limits):
        word = "keep" if is_current(task) else "do"
        write(f"{word}\t{visible(redacted(task.source.path))}\n", "-")


@contextmanager
def told_when_interrupted(journal: Journal, sources: Sequence[Source]) -> Iterator[None]:
    """Say what is kept when Ctrl-C ends the batch."""
    try:
        yield
    except KeyboardInterrupt:
        say(_kept(journal, sources))
        raise


@contextmanager
def batch_bar(total: int, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback of files done and failed: a bar on a terminal, else nothing."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
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


def _tell_damage(journal: Journal) -> None:
    """Say what a journal has lost, also when all else is quiet: a disk may be failing."""
    if journal.damage:
        say(f"{journal.damage}; what is whole is kept")


def _kept(journal: Journal, sources: Sequence[Source]) -> str:
    from bbccli.batch import key_of

    done = sum(key_of(source) in journal.entries for source in sources)
    return f"{done} of {len(sources)} files are kept in {journal.path}; continue with --resume"


def _last_words(tally: Tally, target: Path) -> str:
    """What became of the files, in one line."""
    parts = [f"{count(tally.files, 'file')} in {target}"]
    for number, words in (
        (tally.unchanged, "unchanged"),
        (tally.failed, "without a result"),
        (tally.undecided, "with an undecided gate"),
        (tally.missed, "with a missed gate"),
    ):
        if number:
            parts.append(f"{number} {words}")
    return ", ".join(parts)
