"""`bbc plan`: how many rows and configurations a study needs, before it is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bbccli.analysis.input import GapOptions, InputOptions
from bbccli.analysis.plan import PlanOptions
from bbccli.cli.command import command, reads_files
from bbccli.cli.planning_options import PlanningOptions
from bbccli.cli.shared import Jobs, Notes, Output, Quiet, WorkOptions
from bbccli.option import Option, Scope

if TYPE_CHECKING:
    from bbccli.documents import Document
    from bbccli.plan_schema import PlanEnvelope
    from bbccli.progress import Progress

WITHOUT = (
    *("guard", "side", "evaluation_share", "tolerance", "outer_fold", "interval", "models"),
    "select",
)


def _forms() -> Iterable[str]:
    from bbccli.reports import Kind, forms_of

    return forms_of(Kind.PLAN)


Format = Annotated[str, Option("Form of the result.", names=_forms, scope=Scope.COMMAND)]

Pilot = Annotated[
    Sequence[str],
    Option(
        "Pilot: out-of-sample predictions, as for bbc correct. Without one, state values.",
        metavar="FILE...",
        positional=True,
        default="none",
    ),
]


@command(without=WITHOUT)
@reads_files
def plan(
    ctx: typer.Context,
    asked: PlanningOptions,
    planned: PlanOptions,
    gaps: GapOptions,
    how: InputOptions,
    work: WorkOptions,
    files: Pilot = (),
    format: Format = "table",
    notes: Notes = "top",
    output: Output = "-",
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Show how many rows and configurations a study needs.

    Says what to expect of a search before it is made: the naive figure, the honest one, the width
    of the interval, and the rows that a wanted width takes.

    Examples:
      bbc plan pilot.parquet --width 0.10
      bbc plan pilot.parquet --samples 200,400,800 --configurations 10,100,1000
      bbc plan --expected 0.85 --prevalence 0.3 --configurations 200 --width 0.10
    """
    from bbccli import resources
    from bbccli.cli.bar import progress_bar
    from bbccli.cli.output import check_writable, report_format, style_for, write
    from bbccli.reports import FORMS, Kind

    given = planned.plan({})
    asked.question(given.level, given.seed)
    if files:
        asked.check_no_statement()
    else:
        asked.stated()
    form = FORMS[report_format(ctx, format, output, Kind.PLAN) or format]
    check_writable({"--output": output})
    with resources.use(work.resources(jobs)), progress_bar(quiet=quiet) as progress:
        found = (
            _of_pilot(files, asked, planned, gaps, how, progress)
            if files
            else _of_stated(asked, planned, progress)
        )
    if not form.for_people and not quiet:
        _tell(found)
    write(form.render([found], style_for(output, notes), Kind.PLAN), output)


def _of_pilot(
    files: Sequence[str],
    asked: PlanningOptions,
    planned: PlanOptions,
    gaps: GapOptions,
    how: InputOptions,
    progress: Progress,
) -> Document[PlanEnvelope]:
    """Document of a plan by a pilot."""
    from bbccli.analysis.answer import working
    from bbccli.metrics import choose_metrics
    from bbccli.plan_schema import plan_document
    from bbccli.planning import of_pilot, planned_for
    from bbccli.progress import enter

    enter(progress, "reading")
    matrix = planned.scored(how.read_files(files, missing=gaps.missing), None)
    names = [asked.metric] if asked.metric else None
    plan, metric = planned.plan(matrix.source.metadata), choose_metrics(names, matrix)[0]
    enter(progress, "resampling")
    with working(names, matrix):
        basis = of_pilot(matrix, metric, plan)
    enter(progress, "planning")
    question = asked.question(plan.level, plan.seed)
    return plan_document(matrix, plan, planned_for(basis, question, progress))


def _of_stated(
    asked: PlanningOptions, planned: PlanOptions, progress: Progress
) -> Document[PlanEnvelope]:
    """Document of a plan by stated values."""
    from bbccli.metrics import metric_named
    from bbccli.plan_schema import plan_document
    from bbccli.planning import of_stated, planned_for
    from bbccli.progress import enter

    plan, stated = planned.plan({}), asked.stated()
    basis = of_stated(metric_named(asked.metric or "auc"), stated, plan.level)
    enter(progress, "planning")
    question = asked.question(plan.level, plan.seed)
    return plan_document(None, plan, planned_for(basis, question, progress))


def _tell(document: Document[PlanEnvelope]) -> None:
    """Say on standard error what was read, the answer, and what to doubt."""
    from bbccli.cli.gates import tell
    from bbccli.cli.streams import say
    from bbccli.reports.content.plan import answer

    if document["input"] is not None:
        tell([document])
    else:
        for note in document["notes"]:
            say(f"note: {note['text']}; hint: {note['remedy']}")
    say(answer(document.record))
