"""`bbc correct`: the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bbccli.analysis import Analysis
from bbccli.cli.command import command, reads_files
from bbccli.cli.shared import (
    Files,
    Jobs,
    Notes,
    Output,
    Quiet,
    RunnerOptions,
    WorkOptions,
    reports,
)
from bbccli.core.option import Option, Panel, Scope

if TYPE_CHECKING:
    from bbccli.analysis.answer import Answer

Format = Annotated[
    str,
    Option("Form of the result.", names=reports(), default="by the suffix of --output, else table"),
]
Resamples = Annotated[
    str | None,
    Option(
        "Also write the performance and the winner of every resample: .json or .parquet.",
        metavar="PATH",
        panel=Panel.OUTPUT,
        scope=Scope.RUN,
    ),
]
CostOfSearch = Annotated[
    bool,
    Option(
        "Also tell what the search cost: naive and corrected best-so-far against the number of "
        "configurations.",
        panel=Panel.OUTPUT,
        flags=("--cost-of-search",),
    ),
]


@command()
@reads_files
def correct(
    ctx: typer.Context,
    files: Files,
    asked: Analysis,
    where: RunnerOptions,
    work: WorkOptions,
    format: Format = "table",
    output: Output = "-",
    distribution: Resamples = None,
    cost_of_search: CostOfSearch = False,
    notes: Notes = "top",
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Correct the winner's performance for having been selected.

    Select the best configuration by its out-of-sample predictions, show the naive figure that it
    was selected by, and estimate its true performance, with an interval.

    Examples:
      bbc correct sample_data/progression.parquet
      bbc correct predictions.csv --metric accuracy --output result.json
      bbc correct predictions.csv --fail-under 0.8 --format markdown
      bbc correct predictions.csv --output report.html
    """
    from bbccli.analysis.answer import answer
    from bbccli.cli.bar import progress_bar
    from bbccli.cli.gates import exit_by_gates, publish
    from bbccli.cli.output import check_writable, report_format, write
    from bbccli.cli.pages import exhibit_of, publish_page
    from bbccli.errors import UndecidedError
    from bbccli.reports import FORMS

    asked.check()
    form = report_format(ctx, format, output) or "table"
    where.check_work(asked.method, form, cost_of_search=cost_of_search)
    check_writable({"--output": output, "--distribution": distribution})
    with where.working(work.resources(jobs)), progress_bar(quiet=quiet) as progress:
        try:
            found = answer(asked, files, cost=_cost(cost_of_search, form), progress=progress)
        except UndecidedError as error:
            if output != "-" or form != "table":  # on standard output the error says it all
                write(FORMS[form](error.document), output)
            raise
        _write_resamples(found, distribution)
        if form == "html":
            publish_page([exhibit_of(asked, files, found)], output, quiet=quiet)
    if form != "html":
        publish([found.document], form, output, notes=notes, quiet=quiet)
    exit_by_gates([found.document])


def _cost(asked: bool, form: str) -> bool | None:
    """Whether to tell what the search cost: a page does wherever that can be told."""
    return None if form == "html" and not asked else asked


def _write_resamples(found: Answer, path: str | None) -> None:
    """Write every resample of every estimate, where that is asked for."""
    if path is None:
        return
    from bbccli.cli.output import write
    from bbccli.reports.distribution import render_distributions

    write(render_distributions(path, found.matrix.configurations, found.estimates), path)
