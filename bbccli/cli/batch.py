"""`bbc batch`: many files."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from bbccli.cli import say
from bbccli.cli.command import command
from bbccli.cli.shared import (
    FAIL_ON,
    VAULT,
    Quiet,
    RunnerOptions,
    WorkOptions,
    files_argument,
    output_option,
)
from bbccli.domain.choices import OnError
from bbccli.errors import BbcError, OptionError, parameter
from bbccli.platform.arguments import Panel, Scope, option
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Resources
from bbccli.platform.text import redacted, visible
from bbccli.use_cases import Analysis

if TYPE_CHECKING:
    from bbccli.batch.journal import Journal
    from bbccli.batch.run import Tally
    from bbccli.batch.sources import BatchFile
    from bbccli.platform.records import Json
    from bbccli.reports import Form
    from bbccli.reports.forms.summary import Summary


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """Options of the batch as a whole."""

    jobs: int | None = option(None, "Worker processes.", "N", default="all cores")
    resume: bool = option(
        False,
        "Keep results that are up to date, and compute the rest.",
        scope=Scope.RUN,
    )
    shard: str | None = option(
        None,
        "Only every Nth file, from the Ith on: part I of N, for arrays of jobs.",
        "I/N",
        default="all files",
        scope=Scope.RUN,
    )
    summary: bool = option(False, "Print a summary of all files: optimism, winners, gates.")
    dry_run: bool = option(
        False,
        "List the files and what would be done, without writing anything.",
        panel=Panel.OUTPUT,
        scope=Scope.RUN,
    )
    on_error: OnError = option(
        OnError.CONTINUE, "What to do when a file gives no result.", panel=Panel.RESOURCES
    )

    @property
    def n_processes(self) -> int:
        """Worker processes."""
        from bbccli.platform.resources import available_cores

        return available_cores() if self.jobs is None else self.jobs

    def check(self) -> None:
        """Refuse more jobs than any machine runs, and a part that does not exist."""
        from bbccli.platform.resources import Resources

        Resources(self.n_processes)
        self.part_of([])

    def part_of(self, files: list[BatchFile]) -> list[BatchFile]:
        """Return the files of the part that is asked for."""
        if self.shard is None:
            return files
        numbers = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", self.shard)
        part, n_parts = map(int, numbers.groups()) if numbers else (0, 0)
        if not 1 <= part <= n_parts:
            raise OptionError(
                f"{parameter('shard')} is {self.shard!r}, not part I of N",
                hint="1/4 to 4/4 for four jobs",
            )
        if files and part > len(files):
            raise OptionError(
                f"{parameter('shard', self.shard)} has no file: there are only {len(files)}",
                hint="as many parts as files, or fewer",
            )
        return files[part - 1 :: n_parts]


Sources = Annotated[
    Sequence[str],
    files_argument(
        "Files, URLs and quoted patterns, where ** matches any folders; or one table (.csv, "
        ".tsv, .parquet) with a column path and columns named after options."
    ),
]
Table = Annotated[
    str | None,
    output_option(
        "File for the table: .parquet, .csv, .jsonl or .ndjson (whole results), .metrics.json, or "
        ".html, a page.",
        default="print a table",
    ),
]


@command(without=VAULT, reads=True)
def batch(
    sources: Sources,
    many: BatchOptions,
    runner: RunnerOptions,
    analysis: Analysis,
    work: WorkOptions,
    output: Table = None,
    fail_on: Annotated[str | None, FAIL_ON] = None,
    quiet: Quiet = False,
) -> None:
    """Correct many files, and collect the results in one table.

    Each result is saved at once; a stopped batch continues with --resume.

    Exit status: 5 if a file has no result, else 4 if a gate is undecided, else 3 if one failed
    or, with --fail-on doubt, a result is in doubt.

    Examples:
      bbc batch 'runs/**/predictions.parquet' -o results.parquet
      bbc batch manifest.csv -o results.jsonl --runner dask
    """
    from bbccli.batch.journal import Journal, journal_path
    from bbccli.batch.run import Tally, drive, results, runner_named, todo
    from bbccli.batch.sources import batch_sources
    from bbccli.cli.output import check_apart, check_writable, style_for_stdout, write
    from bbccli.cli.shared import batch_bar
    from bbccli.documents.gate import FAILED
    from bbccli.platform.atomic import sweep
    from bbccli.reports.forms.summary import Summary

    runner.check()
    many.check()
    limits = work.resources(1)
    analysis.check()
    if output is None and many.resume:
        raise OptionError(
            "--resume needs --output", hint=("give -o results.csv, the same as in the first run")
        )
    form = None if output is None else _table_form(output)
    with _place(output) as target:
        journal_file = journal_path(target)
        if output is not None:
            check_writable({"--output": output})
        files = many.part_of(batch_sources(sources, analysis, avoid=(target, journal_file)))
        check_apart({"--output": str(target), "the journal": str(journal_file)})
        _foresee(files)
        if many.dry_run:
            return _list_tasks(files, journal_file, limits, resume=many.resume)
        stop, tell = many.on_error is OnError.STOP, (lambda line: None) if quiet else say
        with Journal.opened(journal_file, resume=many.resume) as journal:
            try:
                sweep(target)
                _tell_damage(journal)
                tasks = todo(files, journal.entries, limits)
                jobs = min(many.n_processes, len(files))
                groups = runner_named(runner.runner, jobs)(tasks, jobs, runner.scheduler, tell)
                with batch_bar(len(files), quiet=quiet) as bar:
                    unchanged, problem = drive(groups, journal, stop_on_error=stop, progress=bar)
                if problem:
                    say(f"failed: {visible(problem)}")
                    say("; ".join(["stopped", *_kept(journal, files, output)]))
                    raise typer.Exit(FAILED)
                tally, seen = Tally(unchanged=unchanged), Summary(listed=output is None)
                _gather(seen.watch(results(files, journal, tally)), form, target)
                if shown := many.summary or output is None:
                    write(seen.render(style_for_stdout()), "-")
                _end(tally, seen, output, fail_on=fail_on, shown=shown, quiet=quiet)
            except KeyboardInterrupt:
                for line in _kept(journal, files, output):
                    say(line)
                raise


@contextmanager
def _place(output: str | None) -> Iterator[Path]:
    """Yield the path of the table; without one a path in a folder that is gone at the end."""
    if output is not None:
        yield Path(output)
        return
    with TemporaryDirectory() as folder:
        yield Path(folder) / "batch"


def _gather(records: Iterable[Json], form: Form | None, target: Path) -> None:
    """Write the records as a table, if one is wanted; else let them pass by.

    Raises
    ------
    OptionError
        The table can't be written.
    """
    from bbccli.platform.atomic import cannot_write, replacing

    if form is None:
        deque(records, maxlen=0)
        return
    try:
        with replacing(target) as file:
            form.write_batch(records, file)
    except OSError as error:
        raise cannot_write(str(target), error.strerror or str(error)) from error


def _table_form(path: str) -> Form:
    """Return the form of table for the suffix of a path; an OptionError if there is none."""
    from bbccli.reports import Kind, forms_of, suffix_of

    known = {end: form for form in forms_of(Kind.BATCH).values() for end in form.suffixes}
    suffix = suffix_of(path, known)
    if suffix not in known:
        raise OptionError(
            f"--output is {path!r}, whose ending is not that of a table",
            hint=f"name a file that ends in {', '.join(known)}",
        )
    return known[suffix]


def _foresee(sources: Iterable[BatchFile]) -> None:
    """Refuse to overwrite any file that worker processes will read, including all files of
    folders.
    """
    from bbccli.platform.guarded_files import record_read
    from bbccli.reading.sources import metadata_path

    for source in sources:
        analysis = source.analysis
        for given in filter(None, (source.path, analysis.labels, analysis.folds)):
            path = _local(given)
            if path is None:
                continue
            record_read(path, given)
            record_read(metadata_path(path))
            for folder, _, names in os.walk(path):
                for name in names:
                    record_read(os.path.join(folder, name))  # noqa: PTH118


def _local(path: str) -> str | None:
    """Return a path on this machine; None if it is elsewhere or unknown."""
    from bbccli.platform.guarded_files import is_url
    from bbccli.reading.sources.urls import local_path

    if not is_url(path):
        return path
    with suppress(BbcError):  # reported when it is read
        return local_path(path)
    return None


def _end(
    tally: Tally,
    seen: Summary,
    output: str | None,
    *,
    fail_on: str | None,
    shown: bool,
    quiet: bool,
) -> None:
    """Report the answer, unless it is `shown`, and how many files have none; exit by the status."""
    from bbccli.documents.gate import STATUS
    from bbccli.platform.text import count
    from bbccli.reports.words import note_line
    from bbccli.types import GateOutcome

    parts = [f"{count(tally.files, 'file')} done"]
    for number, words in (
        (tally.unchanged, "unchanged"),
        (seen.reasons.total(), "without a result"),
        (tally.undecided, "with an undecided gate"),
        (tally.missed, "with a failed gate"),
        (seen.n_doubted, "with doubts"),
    ):
        if number:
            parts.append(f"{number} {words}")
    status = tally.status or (STATUS[GateOutcome.MISSED] if fail_on and seen.n_doubted else 0)
    if status or not quiet:
        doubts = [] if shown else map(note_line, seen.doubts_by_kind())
        for line in [] if shown or quiet else seen.answer():
            say(line)
        for line in doubts:
            say(line)
        for problem in tally.problems:
            say(f"failed: {visible(problem)}")
        if tally.problems and tally.files == 1:
            say(f"hint: {visible(tally.hint)}")
        say(", ".join(parts) + ("" if output else "; nothing is kept without -o results.csv"))
    if output is not None and not quiet:
        say(f"wrote {visible(output)}")
    if status:
        raise typer.Exit(status)


def _list_tasks(
    sources: Sequence[BatchFile], journal_file: Path, limits: Resources, *, resume: bool
) -> None:
    """Print each file with what would be done: do or keep."""
    from bbccli.batch.journal import Journal
    from bbccli.batch.run import todo
    from bbccli.batch.worker import is_current
    from bbccli.cli.output import write

    journal = Journal.glance(journal_file) if resume else None
    if journal is not None:
        _tell_damage(journal)
    for task in todo(sources, journal.entries if journal else {}, limits):
        word = "keep" if is_current(task) else "do"
        write(f"{word}\t{visible(redacted(task.source.path))}\n", "-")


def _tell_damage(journal: Journal) -> None:
    """Report damage to a journal, even if --quiet: a disk may be failing."""
    if journal.damage:
        say(f"{journal.damage}; intact lines are kept")


def _kept(journal: Journal, sources: Sequence[BatchFile], output: str | None) -> list[str]:
    """Say how many files a journal keeps; nothing of one that goes with the command."""
    from bbccli.batch.worker import key_of

    if output is None:
        return []
    done = sum(key_of(source) in journal.entries for source in sources)
    return [f"{done} of {len(sources)} files are kept in {journal.path}; continue with --resume"]
