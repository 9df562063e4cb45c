"""`bbc inspect`: show how files are understood, and everything that is wrong with them."""

from __future__ import annotations

from typing import Annotated

import typer

from bbccli.analysis.options import GapOptions, InputOptions
from bbccli.cli.command import command
from bbccli.cli.shared import Files, NotesOptions, WorkOptions, form_option


@command(reads=True)
def inspect(
    files: Files,
    how: InputOptions,
    gaps: GapOptions,
    work: WorkOptions,
    format: Annotated[str, form_option("inspect")] = "table",
    *,
    where: NotesOptions,
) -> None:
    """Show how files are understood, and what is wrong with them.

    All checks are made, so that one problem does not hide another. The exit status is 2 if there is
    an error, and 0 if bbc correct can use the files.

    Examples:
      bbc inspect predictions.parquet
      bbc inspect 'runs/*.arff' --format json --output inspection.json
    """
    from bbccli.analysis.inspection import inspect as look
    from bbccli.cli.output import form_for, style_for, write
    from bbccli.core import resources
    from bbccli.core.documents import Document
    from bbccli.reports import FORMS, Kind

    form = form_for(format, where, Kind.INSPECTION) or format
    with resources.use(work.resources(None)):
        found = look(files, how.request(gaps.missing), verify=how.verify)
    style = style_for(where.output, where.notes)
    text = FORMS[form].render([Document.of(found)], style, Kind.INSPECTION)
    write(text, where.output)
    if found.n_errors:
        raise typer.Exit(2)
