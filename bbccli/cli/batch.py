"""`bbc batch`: many files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bbccli.analysis.options import Analysis
from bbccli.cli.command import command
from bbccli.cli.shared import Quiet, RunnerOptions, WorkOptions, files_argument, output_option
from bbccli.cli.streams import say
from bbccli.core.choices import OnError
from bbccli.core.option import Panel, Scope, option
from bbccli.core.resources import Resources
from bbccli.core.text import redacted, visible
from bbccli.errors import BbcError, OptionError

if TYPE_CHECKING:
    from bbccli.batch.journal import Journal
    from bbccli.batch.run import Tally
    from bbccli.batch.sources import BatchFile
    from bbccli.reports import Form


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """Options of the batch, whatever the files."""

    jobs: int | None = option(None, "Worker processes.", "N", default="all cores")
    resume: bool = option(
        False,
        "Keep the results of files and options that have not changed; do the rest.",
        scope=Scope.RUN,
    )
    summary: bool = option(False, "Print a table over all files: optimism, winners, gates.")
    dry_run: bool = option(
        False, "List the files and what would be done; write nothing.", scope=Scope.RUN
    )
    on_error: OnError = option(
        OnError.CONTINUE, "What to do after a file without a result.", panel=Panel.RESOURCES
    )

    @property
    def n_processes(self) -> int:
        """Worker processes."""
        from bbccli.core.resources import available_cores

        return available_cores() if self.jobs is None else self.jobs

    def check(self) -> None:
        """Refuse options that are wrong for any file.

        Raises
        ------
        OptionError
            A number that no machine has.
        """
        from bbccli.core.resources import Resources

        Resources(self.n_processes)


Sources = Annotated[
    Sequence[str],
    files_argument(
        "Files, URLs and quoted patterns, in which ** stands for any folders; or one table (.csv, "
        ".tsv, .parquet) with a column path, and columns named as options."
    ),
]
Table = Annotated[
    str,
    output_option("File for the table: .parquet, .csv, .jsonl (whole results), or .metrics.json."),
]


@command(reads=True)
def batch(
    sources: Sources,
    output: Table,
    many: BatchOptions,
    runner: RunnerOptions,
    analysis: Analysis,
    work: WorkOptions,
    quiet: Quiet = False,
) -> None:
    """Correct many files, and gather the results in one table.

    Each result is kept as soon as it is there, in a journal next to the table. Whatever ends the
    batch, continue with --resume: files that have changed are done again. A file without a result
    is a row with its error.

    Exit status: 5 if a file has no result, else 4 if a gate is undecided, else 3 if one is missed.

    Examples:
      bbc batch 'runs/**/predictions.parquet' -o results.parquet
      bbc batch 'runs/*.csv' -o results.csv --metric auc --fail-under 0.8 --resume --summary
      bbc batch manifest.csv -o results.jsonl --runner dask --scheduler tcp://host:8786
    """
    from bbccli.batch.journal import Journal, journal_path
    from bbccli.batch.run import RUNNERS, Tally, drive, results, todo
    from bbccli.batch.sources import sources_of
    from bbccli.cli.bar import batch_bar
    from bbccli.cli.output import check_apart, check_writable, style_for_stdout, write
    from bbccli.core.atomic import cannot_write, replacing, sweep
    from bbccli.reports.summary import Summary
    from bbccli.schema.gate import FAILED

    runner.check()
    many.check()
    limits = work.resources(1)
    analysis.check()
    form, target, journal_file = _table_form(output), Path(output), journal_path(Path(output))
    check_writable({"--output": output})
    found = sources_of(sources, analysis, avoid=(target, journal_file))
    check_apart({"--output": output, "the journal": str(journal_file)})
    _foresee(found)
    if many.dry_run:
        return _list_tasks(found, journal_file, limits, resume=many.resume)
    stop, tell = many.on_error is OnError.STOP, (lambda line: None) if quiet else say
    with Journal.opened(journal_file, resume=many.resume) as journal:
        try:
            sweep(target)
            _tell_damage(journal)
            tasks, n_processes = todo(found, journal.entries, limits), many.n_processes
            run_tasks = RUNNERS[runner.runner]
            groups = run_tasks(tasks, min(n_processes, len(found)), runner.scheduler, tell)
            with batch_bar(len(found), quiet=quiet) as progress:
                unchanged, problem = drive(groups, journal, stop_on_error=stop, progress=progress)
            if problem:
                say(f"failed: {visible(problem)}")
                say(f"stopped; {_kept(journal, found)}")
                raise typer.Exit(FAILED)
            tally, seen = Tally(unchanged=unchanged), Summary()
            try:
                with replacing(target) as file:
                    form.write_batch(seen.watch(results(found, journal, tally)), file)
            except OSError as error:
                raise cannot_write(str(target), error.strerror or str(error)) from error
            if many.summary:
                write(seen.render(style_for_stdout()), "-")
            _end(tally, target, quiet=quiet)
        except KeyboardInterrupt:
            say(_kept(journal, found))
            raise


def _table_form(path: str) -> Form:
    """Return the form of table that the suffix of a path asks for.

    Raises
    ------
    OptionError
        Another suffix.
    """
    from bbccli.reports import Kind, forms_of, suffix_of

    known = {end: form for form in forms_of(Kind.BATCH).values() for end in form.suffixes}
    suffix = suffix_of(path, known)
    if suffix not in known:
        raise OptionError(
            f"--output is {path!r}, which is not the name of a table",
            hint=f"a file that ends in {', '.join(known)}",
        )
    return known[suffix]


def _foresee(sources: Iterable[BatchFile]) -> None:
    """Refuse to write over anything that workers, in their own processes, will read.

    Of a folder, that is whatever lies in it.
    """
    from bbccli.core.local import note
    from bbccli.readers.sources.opening import metadata_path

    for source in sources:
        analysis = source.analysis
        for given in filter(None, (source.path, analysis.labels, analysis.folds)):
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
    from bbccli.readers.sources.urls import is_url, local_path

    if not is_url(path):
        return path
    with suppress(BbcError):  # said when it is read
        return local_path(path)
    return None


def _end(tally: Tally, target: Path, *, quiet: bool) -> None:
    """Say how many files have a result and which have none; leave with the status."""
    from bbccli.core.rounding import count

    parts = [f"{count(tally.files, 'file')} in {target}"]
    for number, words in (
        (tally.unchanged, "unchanged"),
        (tally.failed, "without a result"),
        (tally.undecided, "with an undecided gate"),
        (tally.missed, "with a missed gate"),
    ):
        if number:
            parts.append(f"{number} {words}")
    if tally.status or not quiet:
        for problem in tally.problems:
            say(f"failed: {visible(problem)}")
        say(", ".join(parts))
    if tally.status:
        raise typer.Exit(tally.status)


def _list_tasks(
    sources: Sequence[BatchFile], journal_file: Path, limits: Resources, *, resume: bool
) -> None:
    """Print each file after what would be done with it: do or keep."""
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
    """Say what a journal has lost, also when all else is quiet: a disk may be failing."""
    if journal.damage:
        say(f"{journal.damage}; what is whole is kept")


def _kept(journal: Journal, sources: Sequence[BatchFile]) -> str:
    from bbccli.batch.worker import key_of

    done = sum(key_of(source) in journal.entries for source in sources)
    return f"{done} of {len(sources)} files are kept in {journal.path}; continue with --resume"
