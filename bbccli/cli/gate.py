"""`bbc gate`: judge results that were saved."""

from __future__ import annotations

import typer

from bbccli.cli import options as o
from bbccli.cli.output import check_writable, exit_by_gates, publish, report_format, write
from bbccli.cli.places import check_apart
from bbccli.documents import Document
from bbccli.errors import OptionError
from bbccli.gate import judged, rule_of
from bbccli.types import GateOutcome


def gate(
    ctx: typer.Context,
    result: o.Result,
    fail_under: o.FailUnder = None,
    fail_over: o.FailOver = None,
    gate_on: o.GateOnOption = None,
    gate_method: o.GateMethod = None,
    format: o.GateFormat = None,
    output: o.Output = "-",
    quiet: o.Quiet = False,
) -> None:
    """Judge saved results: exit with 3 where one is not good enough.

    Nothing is computed again. A file of a batch that has no result counts as one that failed: exit
    with 5. With --format the results are printed with their verdicts, so one
    saved result can become a summary, a dashboard and annotations. Without a threshold the saved
    verdicts count.

    Examples:

      bbc gate result.json --fail-under 0.8

      bbc gate result.json --fail-under 0.8 --format markdown

      bbc gate results.jsonl --fail-over 0.3 --output report.xml

      bbc gate batch.parquet --fail-under 0.8
    """
    from bbccli.reports.sentences import gate_line
    from bbccli.saved import read_documents
    from bbccli.saved_rows import is_table

    rule = rule_of(fail_under, fail_over, gate_on, gate_method)
    chosen = report_format(ctx, format, output)
    check_writable(output)
    check_apart({"--output": output}, [], result)
    if chosen is not None and is_table(result):
        raise OptionError(
            f"{result} is a table, which holds no whole results to print",
            hint="leave out --format and --output, or let bbc batch write .jsonl",
        )
    saved = read_documents(result)
    results = [one if "error" in one else judged(one, rule) for one in saved]
    whole = [one for one in results if "error" not in one]
    if any(document["gate"] is None for document in whole):
        raise OptionError(
            "no threshold is given, and none was when the result was saved",
            hint="--fail-under 0.8, or --fail-over 0.3",
        )
    if chosen is not None:
        publish(results, chosen, output, quiet=quiet)
    elif output != "-" or not quiet:
        # those not met are said on standard error
        shown = [document for document in whole if output != "-" or _is_met(document)]
        write("".join(f"{gate_line(document)}\n" for document in shown), output)
    exit_by_gates(results)


def _is_met(document: Document) -> bool:
    gate = document["gate"]
    return gate is not None and gate["outcome"] == GateOutcome.MET
