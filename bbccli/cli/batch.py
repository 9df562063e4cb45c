"""`bbc batch`: many files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from bbccli.analysis import Analysis
from bbccli.choices import OnError
from bbccli.cli.command import command, reads_files
from bbccli.cli.shared import Quiet, RunnerOptions, WorkOptions
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


Sources = Annotated[
    Sequence[str],
    Option(
        "Files, URLs and quoted patterns, in which ** stands for any folders; or one table (.csv, "
        ".tsv, .parquet) with a column path, and columns named as options.",
        metavar="FILE...",
        positional=True,
    ),
]
Table = Annotated[
    str,
    Option(
        "File for the table: .parquet, .csv, .jsonl (whole results), or .metrics.json.",
        metavar="PATH",
        flags=("--output", "-o"),
        scope=Scope.RUN,
    ),
]


@command()
@reads_files
def batch(
    sources: Sources,
    output: Table,
    many: BatchOptions,
    where: RunnerOptions,
    asked: Analysis,
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
    from bbccli.batch import Journal, journal_path, sources_of
    from bbccli.cli.many import carry_out, foresee, list_tasks, told_when_interrupted
    from bbccli.cli.output import check_apart, check_writable
    from bbccli.reports.batch import table_form

    where.check()
    many.check()
    limits = work.resources(1)
    asked.check()
    form, target, journal_file = table_form(output), Path(output), journal_path(Path(output))
    check_writable({"--output": output})
    found = sources_of(sources, asked, avoid=(target, journal_file))
    check_apart({"--output": output, "the journal": str(journal_file)})
    foresee(found)
    if many.dry_run:
        return list_tasks(found, journal_file, limits, resume=many.resume)
    with (
        Journal.opened(journal_file, resume=many.resume) as journal,
        told_when_interrupted(journal, found),
    ):
        carry_out(found, journal, limits, many, where, target, form, quiet=quiet)
