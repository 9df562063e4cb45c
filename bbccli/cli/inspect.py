"""`bbc inspect`: show how files are understood, and everything that is wrong with them."""

from __future__ import annotations

from typing import Annotated

import typer

from bbccli.cli.command import command
from bbccli.cli.shared import Files, PrintOptions, WorkOptions, form_option
from bbccli.use_cases import GapOptions, InputOptions


@command(reads=True)
def inspect(
    files: Files,
    how: InputOptions,
    gaps: GapOptions,
    work: WorkOptions,
    format: Annotated[str, form_option("inspect")] = "table",
    *,
    where: PrintOptions,
) -> None:
    """Show how files are understood, and what is wrong with them.

    All checks are made, so that one problem does not hide another. The exit status is 2 if there is
    an error, and 0 if bbc correct can use the files.

    Examples:
      bbc inspect predictions.parquet
      bbc inspect 'runs/*.arff' --format json --output inspection.json
    """
    from bbccli.cli.output import STDOUT, exit_by_verdicts, form_for, style_for, tell_written, write
    from bbccli.platform import resources
    from bbccli.reports import FORMS, Kind
    from bbccli.types import GateOutcome
    from bbccli.use_cases.inspection import inspect as look

    form = form_for(format, where, Kind.INSPECTION) or format
    with resources.use(work.resources(None)):
        inspection = look(files, how.request(gaps.missing), verify=how.verify)
    write(FORMS[form].render([inspection], style_for(where), Kind.INSPECTION), where.output)
    if where.output != STDOUT and not where.quiet:
        tell_written([inspection], where.output)
    if inspection.n_errors:
        raise typer.Exit(2)
    exit_by_verdicts([inspection], where, [] if where.quiet else list(GateOutcome))
