"""`bbc leaderboard`: all configurations, best first."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import GATE, VAULT, Files, PrintOptions, ThreadOptions, form_option
from bbccli.platform.arguments import Option, Scope
from bbccli.reports.content import MOST_ROWS, n_shown
from bbccli.use_cases import Analysis

Top = Annotated[
    int | None,
    Option(
        "Show only the best N.",
        "N",
        default=f"{MOST_ROWS} in a table, else all",
        scope=Scope.COMMAND,
    ),
]
Wins = Annotated[
    bool,
    Option(
        "Resample to show how often each is selected, and the corrected score of the winner.",
        flags=("--wins/--no-wins",),
        scope=Scope.COMMAND,
    ),
]


@command(without=(*GATE, *VAULT, "method", "evaluation_share"), reads=True)
def leaderboard(
    files: Files,
    analysis: Analysis,
    work: ThreadOptions,
    top: Top = None,
    wins: Wins = True,
    format: Annotated[str, form_option("leaderboard")] = "table",
    *,
    where: PrintOptions,
) -> None:
    """Rank all configurations, and correct the winner's score.

    The first metric decides the order. The performances in the table are not corrected.

    Examples:
      bbc leaderboard predictions.csv
      bbc leaderboard predictions.csv --metric auc --metric accuracy --top 5
      bbc leaderboard sample_data/digits.parquet --no-wins -o leaderboard.csv
    """
    from bbccli.cli.output import form_for, publish
    from bbccli.documents.leaderboard import ranked_record
    from bbccli.errors import OptionError
    from bbccli.platform.resources import enter
    from bbccli.reports import FORMS, Kind
    from bbccli.use_cases.correct import measured, of_deployed, working

    analysis.check()
    if top is not None and top < 1:
        raise OptionError(f"--top is {top}", hint="an integer from 1")
    form = FORMS[form_for(format, where, Kind.LEADERBOARD) or format]
    with work.working(quiet=where.quiet) as progress:
        enter(progress, "reading")
        matrix = analysis.read(files)
        if top is None and form.writer:
            top = n_shown(matrix.n_configurations)
        enter(progress, "scoring")
        plan = analysis.plan(matrix.source.metadata)
        matrix, metrics = measured(analysis, analysis.metric, matrix)
        with working(analysis.metric, matrix):
            plan, matrix, notes = of_deployed(analysis, matrix, plan, metrics[0])
            matrix = replace(matrix, notes=(*matrix.notes, *notes))
            tight = analysis.tight
            record = ranked_record(matrix, metrics, plan, wins, top, progress, tight=tight)
    publish([record], form.name, where, Kind.LEADERBOARD)
