"""`bbc convert`: the same predictions in another layout or format."""

from __future__ import annotations

from typing import Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import Files, OutputOption, Quiet
from bbccli.domain.choices import TableLayout
from bbccli.platform.arguments import Option
from bbccli.use_cases import InputOptions


@command(reads=True)
def convert(
    files: Files,
    how: InputOptions,
    where: OutputOption,
    layout: Annotated[
        TableLayout,
        Option("Layout: one column per configuration (wide), or one row per prediction (long)."),
    ] = TableLayout.WIDE,
    quiet: Quiet = False,
) -> None:
    """Convert predictions to the wide or the long layout.

    All input of bbc correct becomes Parquet, CSV or TSV: long tables, exports of other tools,
    several files, separate labels and folds. Nothing is dropped but the vault of a recording.
    Metadata are stored in the Parquet file, or next to the CSV in NAME.meta.json.

    Examples:
      bbc convert 'runs/*.arff' --output runs.parquet
      bbc convert predictions.parquet --layout long --output predictions.csv
    """
    from dataclasses import replace

    from bbccli.cli import say
    from bbccli.cli.output import STDOUT, check_writable, tell_written, write_table
    from bbccli.documents.correct import Input
    from bbccli.notes import by_severity
    from bbccli.reading.conversion import convert as lay_out
    from bbccli.reports.forms.predictions import render_predictions
    from bbccli.reports.words import note_line, run_lines
    from bbccli.stats.verification import verified

    check_writable({"--output": where.output})
    everything = replace(how.request(), include=["all"])
    table, metadata, matrix = lay_out(files, everything, layout)
    checked = verified(matrix) if how.verify else matrix
    write_table(render_predictions(table, metadata, where.output), where.output)
    if not quiet:
        lines = [f"run: {line}" for line in run_lines(Input.of(checked))]
        for line in (*lines, *map(note_line, by_severity(matrix.notes))):
            say(line)
        if where.output != STDOUT:
            tell_written([], where.output)
