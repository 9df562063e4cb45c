"""`bbc convert`: the same predictions in another layout or format."""

from __future__ import annotations

from bbccli.cli import options as o
from bbccli.cli.output import check_writable, write
from bbccli.cli.places import check_apart, check_metadata
from bbccli.cli.streams import say
from bbccli.readers import Request, Roles
from bbccli.text import visible
from bbccli.types import Missing, TableLayout


def convert(
    files: o.Files,
    output: o.Output = "-",
    layout: o.LayoutOption = TableLayout.WIDE,
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
    quiet: o.Quiet = False,
) -> None:
    """Write the predictions in the wide or the long layout, as Parquet, CSV or TSV.

    Whatever bbc correct reads can be converted: long tables, exports of other tools, several files,
    labels and folds in files of their own. Nothing is dropped. The metadata go into the Parquet
    file, or beside the CSV into NAME.meta.json.

    Examples:

      bbc convert 'runs/*.arff' --output runs.parquet

      bbc convert predictions.parquet --layout long --output predictions.csv
    """
    from bbccli.conversion import convert as lay_out
    from bbccli.reports.predictions import render_predictions

    check_writable(output)
    check_apart({"--output": output}, files, labels, folds)
    columns = (truth, fold, repeat, group, row_id, time, event, weight)
    roles = Roles(*columns, outer_fold, configuration, prediction)
    chosen = (only or (), exclude or ())
    request = Request(roles, task, positive, labels, folds, Missing.DROP, dialect, *chosen)
    converted = lay_out(files, request, layout)
    rendered = render_predictions(converted.table, converted.metadata, output)
    check_metadata(rendered, output)
    for path, data in rendered.items():
        write(data, path)
    for note in () if quiet else converted.matrix.notes:
        say(f"note: {visible(note.text)}" + (f"; hint: {visible(note.remedy)}" * bool(note.remedy)))
