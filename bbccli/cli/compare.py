"""`bbc compare`: compare configurations after selection, in pairs, and across data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import PrintOptions, ThreadOptions, files_argument, form_option
from bbccli.use_cases.compare import WITHOUT, Comparing

Sides = Annotated[
    Sequence[str],
    files_argument(
        "Out-of-sample predictions, as for bbc correct. Several files are families on the same "
        "samples, matched by key, or with --across different data sets."
    ),
]


@command(without=WITHOUT, reads=True)
def compare(
    files: Sides,
    comparing: Comparing,
    work: ThreadOptions,
    format: Annotated[str, form_option("compare")] = "table",
    *,
    where: PrintOptions,
) -> None:
    """Show the confidence set of the best, or if A beats B.

    Examples:
      bbc compare sample_data/progression.parquet
      bbc compare predictions.csv --baseline ridge --fail-unless better
      bbc compare 'runs/*.parquet' --across --by family -o compared.html
    """
    from bbccli.cli.output import form_for, publish
    from bbccli.reports import Kind
    from bbccli.use_cases.command_line import command_line

    comparing.asked(len(files))
    comparing.plan({})
    form = form_for(format, where, Kind.COMPARE) or format
    with work.working(quiet=where.quiet) as progress:
        record = comparing.answer(files, progress=progress)
    text = None
    if form == "html":
        from bbccli.reports.evidence import Exhibit
        from bbccli.reports.page.of_blocks import page_of_blocks

        command = command_line(comparing, files, "compare")
        text = page_of_blocks(Exhibit(record, command=command))
    publish([record], form, where, Kind.COMPARE, text=text)
