"""`bbc batch`: many files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bbccli import resources
from bbccli.analysis import Analysis
from bbccli.cli import options as o
from bbccli.cli.correct import correct
from bbccli.cli.inherit import with_options_of
from bbccli.cli.many import carry_out, list_tasks, told_when_interrupted
from bbccli.cli.output import check_writable
from bbccli.cli.places import check_apart
from bbccli.errors import OptionError
from bbccli.resources import Engine, Resources, resources_of
from bbccli.types import OnError

NOT_OF_MANY = frozenset({"files", "format", "output", "distribution", "jobs", "memory", "engine"})
"""Parameters of `bbc correct` that mean something else here, or nothing."""

REPEATABLE = ("metric", "method", "only", "exclude")


@with_options_of(correct, without=NOT_OF_MANY)
def batch(
    sources: o.Sources,
    output: o.Table,
    jobs: o.Processes = None,
    resume: o.Resume = False,
    on_error: o.OnErrorOption = OnError.CONTINUE,
    dry_run: o.DryRun = False,
    summary: o.SummaryOption = False,
    runner: o.RunnerOption = "local",
    scheduler: o.Scheduler = None,
    memory: o.Memory = "auto",
    engine: o.EngineOption = Engine.AUTO,
    quiet: o.Quiet = False,
    **options: Any,
) -> None:
    """Correct many files, and gather the results in one table.

    Each result is kept as soon as it is there, in a journal beside the table; whatever ends the
    batch, continue with --resume, which redoes what has changed. A file without a result is a row
    with its error.

    Exit status: 5 if a file has no result, else 4 if a gate is undecided, else 3 if one is missed.

    Examples:

      bbc batch 'runs/**/predictions.parquet' -o results.parquet

      bbc batch 'runs/*.csv' -o results.csv --metric auc --fail-under 0.8 --resume --summary

      bbc batch manifest.csv -o results.jsonl --runner dask --scheduler tcp://host:8786
    """
    # imported here: other commands need none of it
    from bbccli.batch import Journal, journal_path, sources_of
    from bbccli.reports.batch import table_form

    if scheduler is not None and runner != "dask":
        raise OptionError("--scheduler without --runner dask", hint=f"--runner dask, not {runner}")
    named = {name: tuple(options[name] or ()) or None for name in REPEATABLE}
    analysis = Analysis(**options | named)
    analysis.check()
    processes = resources.available_cores() if jobs is None else jobs
    Resources(processes)
    limits = resources_of(1, memory, engine)
    form, target = table_form(output), Path(output)
    check_writable(output)
    journal_file = journal_path(target)
    found = sources_of(sources, analysis, avoid=(target, journal_file))
    read = {path for one in found for path in (one.analysis.labels, one.analysis.folds)}
    places = {"--output": output, "the journal": str(journal_file)}
    check_apart(places, [one.path for one in found], *read, *sources)
    if dry_run:
        list_tasks(found, journal_file, limits, resume=resume)
        return
    with (
        Journal.opened(journal_file, resume=resume) as journal,
        told_when_interrupted(journal, found),
    ):
        carry_out(
            found,
            journal,
            limits,
            target=target,
            form=form,
            runner=runner,
            processes=processes,
            scheduler=scheduler,
            stop_on_error=on_error is OnError.STOP,
            summary=summary,
            quiet=quiet,
        )
