"""`bbc correct`: the main job."""

from __future__ import annotations

from bbccli.cli import options as o
from bbccli.cli.output import progress_bar, say, style_for_stdout, write
from bbccli.methods import estimate
from bbccli.metrics import choose_metric
from bbccli.plan import Plan
from bbccli.readers import Roles, read
from bbccli.reports import REPORTS, Style, remarks
from bbccli.schema import document
from bbccli.types import Pooling, Side


def correct(
    file: o.File,
    metric: o.MetricName = None,
    method: o.MethodNames = None,
    n_resamples: o.NResamples = 1000,
    level: o.Level = 0.95,
    side: o.SideOption = Side.TWO,
    pooling: o.PoolingOption = Pooling.POOLED,
    seed: o.Seed = 0,
    format: o.Format = "table",
    output: o.Output = "-",
    truth: o.Truth = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    group: o.Group = None,
    positive: o.Positive = None,
    task: o.TaskOption = None,
    labels: o.Labels = None,
    folds: o.Folds = None,
    strict: o.Strict = False,
    quiet: o.Quiet = False,
) -> None:
    """Correct the winner's performance for having been selected.

    Select the best configuration from its out-of-sample predictions, show the naive figure that it
    was selected by, and estimate what it will really do, with an interval.

    Examples:

      bbc correct sample_data/progression.parquet

      bbc correct predictions.csv --metric accuracy --format json --output result.json
    """
    plan = Plan(n_resamples=n_resamples, level=level, side=side, pooling=pooling, seed=seed)
    roles = Roles(truth=truth, fold=fold, repeat=repeat, group=group)
    matrix = read(
        file,
        roles=roles,
        task=task,
        positive=positive,
        labels=labels,
        folds=folds,
        strict=strict,
    )
    chosen = choose_metric(metric, matrix)
    with progress_bar(quiet=quiet) as progress:
        estimates, notes = estimate(matrix, chosen, plan, method, progress=progress)
    result = document(matrix, estimates, notes)
    if format != "table" and not quiet:
        for line in remarks(result):
            say(line)
    style = style_for_stdout() if output == "-" else Style()
    write(REPORTS[format](result, style), output)
