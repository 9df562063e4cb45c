"""`bbc compare`: who is better, after selection, of fixed pairs, and across data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from bbccli.analysis.input import GapOptions, InputOptions
from bbccli.analysis.plan import PlanOptions
from bbccli.cli.command import command, reads_files
from bbccli.cli.comparing import Asked, CompareOptions, answered
from bbccli.cli.shared import Jobs, Notes, Output, Quiet, WorkOptions, form_option
from bbccli.core.option import Option

Format = Annotated[
    str,
    form_option("compare"),
]

Sides = Annotated[
    Sequence[str],
    Option(
        "Out-of-sample predictions, as for bbc correct. Several: families of the same samples, "
        "matched by their key; with --across each is a data set.",
        metavar="FILE...",
        positional=True,
    ),
]


@command(without=("guard", "side", "evaluation_share", "tolerance", "outer_fold"))
@reads_files
def compare(
    ctx: typer.Context,
    files: Sides,
    asked: CompareOptions,
    planned: PlanOptions,
    gaps: GapOptions,
    how: InputOptions,
    work: WorkOptions,
    format: Format = "table",
    notes: Notes = "top",
    output: Output = "-",
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Show which may be the best, or if the winner beats another.

    Examples:
      bbc compare sample_data/progression.parquet
      bbc compare predictions.csv --baseline ridge --fail-unless better
      bbc compare 'runs/*.parquet' --across --by family -o compared.html
    """
    from bbccli.cli.bar import progress_bar
    from bbccli.cli.gates import publish
    from bbccli.cli.output import check_writable, report_format, write
    from bbccli.cli.streams import say
    from bbccli.core import resources
    from bbccli.core.text import visible
    from bbccli.reports import Kind
    from bbccli.reports.content.compare import requirement
    from bbccli.schema import gate

    asked.question(len(files))
    planned.plan({})
    form = report_format(ctx, format, output, Kind.COMPARE) or format
    check_writable({"--output": output})
    with resources.use(work.resources(jobs)), progress_bar(quiet=quiet) as progress:
        found = answered(Asked(asked, planned, gaps, how), files, progress)
    if form == "html":
        from bbccli.cli.pages import page_of_comparison

        write(page_of_comparison((asked, planned, gaps, how), files, found), output)
    else:
        publish([found], form, output, Kind.COMPARE, notes=notes, quiet=quiet)
    status = gate.status([found])
    if status:
        say(visible(f"{found['input']['path']}: {requirement(found.record)}"))
        raise typer.Exit(status)
