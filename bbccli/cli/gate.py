"""`bbc gate`: judge results that were saved."""

from __future__ import annotations

import typer

from bbccli.cli import options as o
from bbccli.cli.output import check_writable, exit_by_gates, publish, report_format, write
from bbccli.cli.places import check_apart
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

    Nothing is computed again. With --format the results are printed with their verdicts, so one
    saved result can become a summary, a dashboard and annotations. Without a threshold the saved
    verdicts count.

    Examples:

      bbc gate result.json --fail-under 0.8

      bbc gate result.json --fail-under 0.8 --format markdown

      bbc gate results.jsonl --fail-over 0.3 --output report.xml
    """
    from bbccli.reports.words import gate_line
    from bbccli.saved import read_documents

    rule = rule_of(fail_under, fail_over, gate_on, gate_method)
    check_writable(output)
    check_apart({"--output": output}, [], result)
    results = [judged(document, rule) for document in read_documents(result)]
    if any(document["gate"] is None for document in results):
        raise OptionError(
            "no threshold is given, and none was when the result was saved",
            hint="--fail-under 0.8, or --fail-over 0.3",
        )
    chosen = report_format(ctx, format, output)
    if chosen is not None:
        publish(results, chosen, output, quiet=quiet)
    elif output != "-" or not quiet:
        # those not met are said on standard error
        shown = [r for r in results if output != "-" or r["gate"]["outcome"] == GateOutcome.MET]
        write("".join(f"{gate_line(document)}\n" for document in shown), output)
    exit_by_gates(results)
