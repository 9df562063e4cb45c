"""`bbc gate`: judge results that were saved."""

from __future__ import annotations

from typing import Annotated

import typer

from bbccli.analysis.asked import GateOptions
from bbccli.cli.command import command
from bbccli.cli.shared import Notes, Output, Quiet, reports
from bbccli.core.option import Option, Scope

Result = Annotated[
    str,
    Option(
        "Saved results: .json; .jsonl with one on each line; the .parquet table of a batch; - is "
        "standard input.",
        metavar="RESULT",
        positional=True,
    ),
]

Format = Annotated[
    str | None,
    Option(
        "Print the results in this form.",
        names=reports(),
        default="by the suffix of --output, else one line per gate",
        scope=Scope.COMMAND,
    ),
]


@command()
def gate(
    ctx: typer.Context,
    result: Result,
    limit: GateOptions,
    format: Format = None,
    output: Output = "-",
    notes: Notes = "top",
    quiet: Quiet = False,
) -> None:
    """Judge saved results: exit with 3 if one is not good enough.

    Nothing is computed again. A file of a batch that has no result counts as failed: exit with 5.
    With --format the results are printed with their verdicts, so that one saved result can become a
    summary, a dashboard and annotations. Without a threshold the saved verdicts count.

    Examples:
      bbc gate result.json --fail-under 0.8
      bbc gate result.json --fail-under 0.8 --format markdown
      bbc gate results.jsonl --fail-over 0.3 --output report.xml
      bbc gate batch.parquet --fail-under 0.8
    """
    from bbccli.cli.gates import exit_by_gates, print_verdicts, publish
    from bbccli.cli.output import check_writable, report_format
    from bbccli.errors import OptionError
    from bbccli.schema.gate import judged
    from bbccli.schema.saved import is_table, read_documents

    rule = limit.rule
    chosen = report_format(ctx, format, output)
    check_writable({"--output": output})
    if chosen is not None and is_table(result):
        raise OptionError(
            f"{result} is a table, which holds no whole results to print",
            hint="leave out --format and --output, or let bbc batch write .jsonl",
        )
    saved = read_documents(result)
    results = [one if "error" in one else judged(one, rule) for one in saved]
    if any(one["gate"] is None for one in results if "error" not in one):
        raise OptionError(
            "no threshold is given, and none was when the result was saved",
            hint="--fail-under 0.8, or --fail-over 0.3",
        )
    if chosen is not None:
        publish(results, chosen, output, notes=notes, quiet=quiet)
    elif output != "-" or not quiet:
        print_verdicts(results, output)
    exit_by_gates(results)
