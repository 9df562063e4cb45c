"""`bbc inspect`: what was understood of some files, and everything that is wrong with them."""

from __future__ import annotations

import typer

from bbccli.cli import options as o
from bbccli.cli.output import check_writable, report_format, style_for_stdout, write
from bbccli.cli.places import check_apart
from bbccli.readers import Request, Roles
from bbccli.reports import FORMS, Kind, Style
from bbccli.types import Missing


def inspect(
    ctx: typer.Context,
    files: o.Files,
    format: o.InspectionFormat = "table",
    output: o.Output = "-",
    truth: o.Truth = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    group: o.Group = None,
    row_id: o.RowId = None,
    time: o.Time = None,
    event: o.Event = None,
    weight: o.Weight = None,
    outer_fold: o.OuterFold = None,
    configuration: o.Configuration = None,
    prediction: o.Prediction = None,
    only: o.Only = None,
    exclude: o.Exclude = None,
    dialect: o.Dialect = None,
    positive: o.Positive = None,
    task: o.TaskOption = None,
    labels: o.Labels = None,
    folds: o.Folds = None,
    missing: o.MissingOption = Missing.DROP,
) -> None:
    """Tell what is understood of the files, and everything that is wrong or doubtful.

    Every check is made, so that one problem does not hide another. The exit status is 2 where there
    is an error, and 0 where bbc correct can use the files.

    Examples:

      bbc inspect predictions.parquet

      bbc inspect 'runs/*.arff' --format json --output inspection.json
    """
    from bbccli.inspection import inspect as look

    form = report_format(ctx, format, output, Kind.INSPECTION) or format
    check_writable(output)
    check_apart({"--output": output}, files, labels, folds)
    columns = (truth, fold, repeat, group, row_id, time, event, weight)
    roles = Roles(*columns, outer_fold, configuration, prediction)
    chosen = (only or (), exclude or ())
    request = Request(roles, task, positive, labels, folds, missing, dialect, *chosen)
    found = look(files, request)
    style = style_for_stdout() if output == "-" else Style()
    write(FORMS[form].render([found.as_json()], style, Kind.INSPECTION), output)
    if found.n_errors:
        raise typer.Exit(2)
