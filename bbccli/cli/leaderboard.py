"""`bbc leaderboard`: all configurations, best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bbccli.analysis import Analysis
from bbccli.cli.command import command, reads_files
from bbccli.cli.shared import Files, Jobs, Notes, Output, Quiet, WorkOptions, form_option
from bbccli.core.option import Option, Scope

if TYPE_CHECKING:
    from bbccli.core.documents import Document
    from bbccli.schema.leaderboard import LeaderboardEnvelope

MOST_ROWS = 30
"""Configurations in a table unless more are asked for."""

GATE = ("fail_under", "fail_over", "gate_on", "gate_method")


Top = Annotated[
    int | None,
    Option(
        "Show only the best N.",
        metavar="N",
        default=f"{MOST_ROWS} in a table, else all",
        scope=Scope.COMMAND,
    ),
]
Wins = Annotated[
    bool,
    Option(
        "Resample, to show how often each is selected and what to report of the winner.",
        flags=("--wins/--no-wins",),
        scope=Scope.COMMAND,
    ),
]
Format = Annotated[str, form_option("leaderboard")]


@command(without=(*GATE, "method", "evaluation_share"))
@reads_files
def leaderboard(
    ctx: typer.Context,
    files: Files,
    asked: Analysis,
    work: WorkOptions,
    top: Top = None,
    wins: Wins = True,
    format: Format = "table",
    output: Output = "-",
    notes: Notes = "top",
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Show all configurations, best first; nothing is corrected.

    The first metric sorts. To report the winner's performance, use bbc correct.

    Examples:
      bbc leaderboard predictions.csv
      bbc leaderboard predictions.csv --metric auc --metric accuracy --top 5
      bbc leaderboard sample_data/digits.parquet --no-wins --output leaderboard.csv
    """
    from bbccli.cli.gates import publish
    from bbccli.cli.output import check_writable, report_format
    from bbccli.core import resources
    from bbccli.errors import OptionError
    from bbccli.reports import FORMS, Kind

    asked.check()
    if top is not None and top < 1:
        raise OptionError(f"--top is {top}", hint="a whole number from 1")
    form = FORMS[report_format(ctx, format, output, Kind.LEADERBOARD) or format]
    check_writable({"--output": output})
    if top is None and form.for_people:
        top = MOST_ROWS
    with resources.use(work.resources(jobs)):
        found = _ranked(asked, files, wins=wins, top=top, quiet=quiet)
    publish([found], form.name, output, Kind.LEADERBOARD, notes=notes, quiet=quiet)


def _ranked(
    asked: Analysis, files: Sequence[str], *, wins: bool, top: int | None, quiet: bool
) -> Document[LeaderboardEnvelope]:
    """Document of the configurations in some files."""
    from bbccli.analysis.answer import working
    from bbccli.cli.bar import progress_bar
    from bbccli.core.progress import enter
    from bbccli.metrics import choose_metrics
    from bbccli.schema.leaderboard import leaderboard as ranked

    with progress_bar(quiet=quiet) as progress:
        enter(progress, "reading")
        matrix = asked.read(files)
        enter(progress, "scoring")
        plan, metrics = asked.plan(matrix.source.metadata), choose_metrics(asked.metric, matrix)
        with working(asked.metric, matrix):
            return ranked(matrix, metrics, plan, wins=wins, top=top, progress=progress)
