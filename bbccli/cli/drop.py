"""`bbc drop`: losers leave during the cross-validation, or in a replay of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from bbccli.analysis.input import InputOptions
from bbccli.analysis.plan import ScoringOptions
from bbccli.cli.command import command, reads_files
from bbccli.cli.dropping import DropOptions
from bbccli.cli.shared import Files, Jobs, Notes, Output, Quiet, WorkOptions, table_or_json
from bbccli.option import Option, Scope

if TYPE_CHECKING:
    from bbccli.documents import Document
    from bbccli.drop_schema import DropEnvelope
    from bbccli.matrix import PredictionMatrix
    from bbccli.metrics import Metric
    from bbccli.plan import Plan
    from bbccli.progress import Progress


Format = Annotated[str, Option("Form of the result.", names=table_or_json, scope=Scope.COMMAND)]


@command(without=("outer_fold",))
@reads_files
def drop(
    ctx: typer.Context,
    files: Files,
    asked: DropOptions,
    scoring: ScoringOptions,
    how: InputOptions,
    work: WorkOptions,
    format: Format = "table",
    output: Output = "-",
    notes: Notes = "top",
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Show which configurations need no further training.

    Call it between the folds of a cross-validation, on the predictions so far. Configurations
    without predictions that others have were dropped earlier, and stay dropped.

    Examples:
      bbc drop partial.csv
      bbc drop partial.parquet --list drop
      bbc drop --replay sample_data/digits.parquet --rule all --metric accuracy
    """
    from bbccli import resources
    from bbccli.cli.bar import progress_bar
    from bbccli.cli.output import check_writable, report_format
    from bbccli.metrics import custom
    from bbccli.plan import Plan
    from bbccli.reports import Kind

    rules = asked.rules()
    plan = Plan(asked.n_resamples, clip=scoring.clip, seed=scoring.seed)
    limits = work.resources(jobs)
    form = format if asked.list_ else report_format(ctx, format, output, Kind.DROP) or format
    check_writable({"--output": output})
    with progress_bar(quiet=quiet) as progress:
        matrix, metric, plan = _read(files, asked, scoring, how, plan, progress)
        with (
            resources.use(limits.for_predictions(*matrix.size)),
            custom.blamed([asked.metric or ""], matrix.source.path),
        ):
            found: tuple[Document[DropEnvelope], list[str] | None] = (
                _replayed(matrix, metric, plan, asked, rules, progress)
                if asked.replay_
                else _decided(matrix, metric, plan, asked, rules[0])
            )
    _print(*found, form, output, notes=notes, quiet=quiet)


def _read(
    files: Sequence[str],
    asked: DropOptions,
    scoring: ScoringOptions,
    how: InputOptions,
    plan: Plan,
    progress: Progress,
) -> tuple[PredictionMatrix, Metric, Plan]:
    """Predictions so far, who judges them, and the plan with the pooling that they ask for."""
    from bbccli.metrics import choose_metrics
    from bbccli.plan import pooling_of
    from bbccli.progress import enter

    enter(progress, "reading")
    matrix = scoring.scored(how.read_files(files, unfinished=not asked.replay_), asked.cut)
    metric = choose_metrics([asked.metric] if asked.metric else None, matrix)[0]
    enter(progress, "resampling")
    return (
        matrix,
        metric,
        replace(plan, pooling=pooling_of(scoring.pooling, matrix.source.metadata)),
    )


def _replayed(
    matrix: PredictionMatrix,
    metric: Metric,
    plan: Plan,
    asked: DropOptions,
    rules: list[str],
    progress: Progress,
) -> tuple[Document[DropEnvelope], None]:
    """Document of what each rule would have saved."""
    from bbccli.drop_schema import drop_document
    from bbccli.dropping import replay

    replays, notes = replay(
        matrix,
        metric,
        plan,
        rules=rules,
        threshold=asked.threshold,
        min_samples=asked.min_samples,
        order=asked.fold_order.split(",") if asked.fold_order else None,
        n_orders=asked.orders,
        progress=progress,
    )
    return drop_document(matrix, plan, replays, notes), None


def _decided(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, asked: DropOptions, rule: str
) -> tuple[Document[DropEnvelope], list[str] | None]:
    """Document of what is dropped now, and the names that --list asks for."""
    from bbccli.drop_schema import drop_document
    from bbccli.dropping import drop as decide

    decision = decide(
        matrix,
        metric,
        plan,
        rule=rule,
        threshold=asked.threshold,
        min_samples=asked.min_samples,
        n_folds=asked.n_folds,
    )
    names = list(getattr(decision, asked.list_)) if asked.list_ else None
    return drop_document(matrix, plan, decision, decision.notes), names


def _print(
    result: Document[DropEnvelope],
    names: list[str] | None,
    form: str,
    output: str,
    *,
    notes: str,
    quiet: bool,
) -> None:
    """Write the names if they are asked for, else the report; tell the notes it leaves out."""
    from bbccli.cli.gates import tell
    from bbccli.cli.output import style_for, write
    from bbccli.reports import FORMS, Kind
    from bbccli.text import visible

    if (names is not None or form != "table") and not quiet:
        tell([result])
    if names is not None:
        write("".join(f"{visible(name)}\n" for name in names), output)
    else:
        write(FORMS[form].render([result], style_for(output, notes), Kind.DROP), output)
