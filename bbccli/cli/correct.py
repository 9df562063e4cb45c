"""`bbc correct`: correct the winner's performance."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import Files, PrintOptions, RunnerOptions, ThreadOptions, reports
from bbccli.platform.arguments import Option, Panel, Scope
from bbccli.use_cases import Analysis

Format = Annotated[
    str,
    Option(
        "Output format: {names}.",
        "FORM",
        names=reports(),
        group="bbccli.forms",
        default="by the suffix of --output, else table",
    ),
]
Resamples = Annotated[
    str | None,
    Option(
        "Also write the performance and the winner of every resample: .json or .parquet.",
        "PATH",
        panel=Panel.OUTPUT,
        scope=Scope.RUN,
    ),
]
CostOfSearch = Annotated[
    bool,
    Option(
        "Also report the gain from searching (the cost of search): naive and corrected "
        "best-so-far against the number of configurations.",
        panel=Panel.OUTPUT,
        flags=("--cost-of-search",),
    ),
]


@command(reads=True)
def correct(
    files: Files,
    analysis: Analysis,
    runner: RunnerOptions,
    work: ThreadOptions,
    format: Format = "table",
    distribution: Resamples = None,
    cost_of_search: CostOfSearch = False,
    *,
    where: PrintOptions,
) -> None:
    """Correct the winner's performance for its selection.

    Select the best configuration by its out-of-sample predictions, and estimate its true
    performance, next to the naive figure that selected it.

    Examples:
      bbc correct sample_data/progression.parquet
      bbc correct predictions.csv --metric accuracy --output result.json
      bbc correct predictions.csv --fail-under 0.8 --format markdown
      bbc correct predictions.csv --output report.html
    """
    from bbccli.cli.output import form_for, publish, write
    from bbccli.cli.shared import progress_bar
    from bbccli.errors import UndecidedError
    from bbccli.reports import FORMS
    from bbccli.use_cases.correct import answer

    analysis.check()
    form = form_for(format, where, distribution=distribution) or "table"
    runner.check()
    # a page shows the cost of the search if it can be computed
    cost = None if form == "html" and not cost_of_search else cost_of_search
    text = None
    painting: AbstractContextManager[None] = nullcontext()
    if form == "html":
        from bbccli.reports.figures import rendering

        painting = rendering.painting()
    with painting, runner.working(work.limits), progress_bar(quiet=where.quiet) as progress:
        try:
            analysed = answer(analysis, files, cost=cost, progress=progress)
        except UndecidedError as error:
            if where.output != "-" or form != "table":  # on standard output the error is enough
                write(FORMS[form](error.record), where.output)
            raise
        if distribution is not None:
            from bbccli.reports.forms.tables import render_distributions

            names = analysed.matrix.configurations
            write(render_distributions(distribution, names, analysed.estimates), distribution)
        if form == "html":
            from bbccli.reports.evidence.gathering import exhibit_of
            from bbccli.reports.page.page import page
            from bbccli.use_cases.command_line import command_line

            text = page([exhibit_of(analysis, analysed, command_line(analysis, files))])
    publish([analysed.record], form, where, text=text)
