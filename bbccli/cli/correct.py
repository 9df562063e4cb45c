"""`bbc correct`: the main job."""

from __future__ import annotations

import typer

from bbccli import resources
from bbccli.analysis import Analysis
from bbccli.cli import options as o
from bbccli.cli.output import (
    check_writable,
    exit_by_gates,
    progress_bar,
    publish,
    report_format,
    write,
)
from bbccli.cli.places import check_apart
from bbccli.errors import UndecidedError
from bbccli.plan import CLIP
from bbccli.reports import FORMS
from bbccli.reports.distribution import render_distributions
from bbccli.resources import Engine, resources_of
from bbccli.types import IntervalKind, Missing, Select, Side


def correct(
    ctx: typer.Context,
    files: o.Files,
    metric: o.MetricNames = None,
    method: o.MethodNames = None,
    n_resamples: o.NResamples = "1000",
    tolerance: o.Tolerance = None,
    level: o.Level = 0.95,
    side: o.SideOption = Side.TWO,
    pooling: o.PoolingOption = None,
    select: o.SelectOption = Select.BEST,
    interval: o.IntervalOption = IntervalKind.PERCENTILE,
    guard: o.Guard = True,
    clip: o.Clip = CLIP,
    evaluation_share: o.EvaluationShare = 0.25,
    seed: o.Seed = 0,
    format: o.Format = "table",
    output: o.Output = "-",
    distribution: o.DistributionFile = None,
    fail_under: o.FailUnder = None,
    fail_over: o.FailOver = None,
    gate_on: o.GateOnOption = None,
    gate_method: o.GateMethod = None,
    truth: o.Truth = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    group: o.Group = None,
    row_id: o.RowId = None,
    time: o.Time = None,
    event: o.Event = None,
    weight: o.Weight = None,
    positive: o.Positive = None,
    outer_fold: o.OuterFold = None,
    configuration: o.Configuration = None,
    prediction: o.Prediction = None,
    only: o.Only = None,
    exclude: o.Exclude = None,
    dialect: o.Dialect = None,
    task: o.TaskOption = None,
    labels: o.Labels = None,
    folds: o.Folds = None,
    missing: o.MissingOption = Missing.DROP,
    strict: o.Strict = False,
    threshold: o.Threshold = None,
    risk_direction: o.RiskOption = None,
    jobs: o.Jobs = None,
    memory: o.Memory = "auto",
    engine: o.EngineOption = Engine.AUTO,
    quiet: o.Quiet = False,
) -> None:
    """Correct the winner's performance for having been selected.

    Select the best configuration from its out-of-sample predictions, show the naive figure that it
    was selected by, and estimate what it will really do, with an interval.

    Examples:

      bbc correct sample_data/progression.parquet

      bbc correct predictions.csv --metric accuracy --output result.json

      bbc correct predictions.csv --fail-under 0.8 --format markdown
    """
    analysis = Analysis(
        metric=metric,
        method=method,
        n_resamples=n_resamples,
        tolerance=tolerance,
        level=level,
        side=side,
        pooling=pooling,
        select=select,
        interval=interval,
        guard=guard,
        clip=clip,
        evaluation_share=evaluation_share,
        seed=seed,
        fail_under=fail_under,
        fail_over=fail_over,
        gate_on=gate_on,
        gate_method=gate_method,
        truth=truth,
        fold=fold,
        repeat=repeat,
        group=group,
        row_id=row_id,
        time=time,
        event=event,
        weight=weight,
        positive=positive,
        task=task,
        labels=labels,
        folds=folds,
        missing=missing,
        strict=strict,
        threshold=threshold,
        risk_direction=risk_direction,
        dialect=dialect,
        outer_fold=outer_fold,
        configuration=configuration,
        prediction=prediction,
        only=only,
        exclude=exclude,
    )
    analysis.check()
    limits = resources_of(jobs, memory, engine)
    form = report_format(ctx, format, output) or "table"
    check_writable(output, distribution)
    check_apart({"--output": output, "--distribution": distribution}, files, labels, folds)
    with resources.use(limits), progress_bar(quiet=quiet) as progress:
        try:
            answer = analysis.run(files, progress=progress)
        except UndecidedError as error:
            if output != "-" or form != "table":  # on the screen the error says it all
                write(FORMS[form](error.document), output)
            raise
    if distribution is not None:
        shown = render_distributions(distribution, answer.matrix.configurations, answer.estimates)
        write(shown, distribution)
    result = answer.document
    publish([result], form, output, quiet=quiet)
    exit_by_gates([result])
