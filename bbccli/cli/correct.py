"""`bbc correct`: the main job."""

from __future__ import annotations

import typer

from bbccli import resources
from bbccli.cli import options as o
from bbccli.cli.output import (
    check_writable,
    exit_by_gates,
    progress_bar,
    publish,
    report_format,
    write,
)
from bbccli.gate import judged, never_a_pass, rule_of
from bbccli.methods import estimate
from bbccli.metrics import choose_metrics
from bbccli.plan import Plan, resamples_of
from bbccli.readers import Roles, read
from bbccli.reports.distribution import render_distributions
from bbccli.resources import Engine, Resources, parse_memory
from bbccli.schema import document
from bbccli.types import IntervalKind, Missing, Pooling, Select, Side


def correct(
    ctx: typer.Context,
    files: o.Files,
    metric: o.MetricNames = None,
    method: o.MethodNames = None,
    n_resamples: o.NResamples = "1000",
    tolerance: o.Tolerance = None,
    level: o.Level = 0.95,
    side: o.SideOption = Side.TWO,
    pooling: o.PoolingOption = Pooling.POOLED,
    select: o.SelectOption = Select.BEST,
    interval: o.IntervalOption = IntervalKind.PERCENTILE,
    guard: o.Guard = False,
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
    dialect: o.Dialect = None,
    task: o.TaskOption = None,
    labels: o.Labels = None,
    folds: o.Folds = None,
    missing: o.MissingOption = Missing.DROP,
    strict: o.Strict = False,
    threshold: o.Threshold = None,
    risk_direction: o.RiskOption = None,
    jobs: o.Jobs = None,
    memory: o.Memory = "256MB",
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
    count, tolerance = resamples_of(n_resamples, tolerance)
    plan = Plan(
        n_resamples=count,
        level=level,
        side=side,
        pooling=pooling,
        select=select,
        interval=interval,
        guard=guard,
        evaluation_share=evaluation_share,
        seed=seed,
        tolerance=tolerance,
    )
    limits = Resources(
        resources.available_cores() if jobs is None else jobs, parse_memory(memory), engine
    )
    rule = rule_of(fail_under, fail_over, gate_on, gate_method)
    check_writable(output, distribution)
    columns = (truth, fold, repeat, group, row_id, time, event, weight)
    roles = Roles(*columns, outer_fold, configuration, prediction)
    matrix = read(
        files,
        roles=roles,
        task=task,
        positive=positive,
        labels=labels,
        folds=folds,
        missing=Missing.ERROR if strict else missing,
        dialect=dialect,
    )
    if threshold is not None:
        matrix = matrix.with_threshold(threshold)
    if risk_direction is not None:
        matrix = matrix.with_risk_direction(risk_direction)
    metrics = choose_metrics(metric, matrix)
    if rule is not None:
        rule.check(metrics[0].label, metrics[0].direction)
    with never_a_pass(rule), resources.use(limits), progress_bar(quiet=quiet) as progress:
        estimates, notes = estimate(matrix, metrics, plan, method, progress=progress)
    result = judged(document(matrix, estimates, notes), rule)
    if distribution is not None:
        write(render_distributions(distribution, matrix.configurations, estimates), distribution)
    publish([result], report_format(ctx, format, output) or "table", output, quiet=quiet)
    exit_by_gates([result])
