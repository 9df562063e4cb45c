"""`bbc plan`: plan the rows and configurations of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from bbccli.cli.command import command
from bbccli.cli.shared import PrintOptions, ThreadOptions, files_argument, form_option
from bbccli.use_cases.plan import WITHOUT, Planning

Pilot = Annotated[
    Sequence[str],
    files_argument(
        "Pilot: out-of-sample predictions, as for bbc correct. Without one, state values.", "none"
    ),
]


@command(without=WITHOUT, reads=True)
def plan(
    planning: Planning,
    work: ThreadOptions,
    files: Pilot = (),
    format: Annotated[str, form_option("plan")] = "table",
    *,
    where: PrintOptions,
) -> None:
    """Show how many samples and configurations a study needs.

    It predicts the result of a search in advance: the apparent score, the expected true score, the
    width of the interval, and the number of samples needed for a given width.

    Examples:
      bbc plan pilot.parquet --width 0.10
      bbc plan pilot.parquet --samples 200,400,800 --configurations 10,100,1000
      bbc plan --expected 0.85 --prevalence 0.3 --configurations 200 --width 0.10
    """
    from bbccli.cli.output import form_for, publish
    from bbccli.reports import Kind

    planning.check_options(pilot=bool(files))
    form = form_for(format, where, Kind.PLAN) or format
    with work.working(quiet=where.quiet) as progress:
        record = planning.answer(files or None, progress)
    publish([record], form, where, Kind.PLAN)
