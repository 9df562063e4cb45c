"""Every option, declared once; choices come from the registries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from bbccli.methods import DEFAULT_METHODS, METHODS
from bbccli.metrics import METRICS
from bbccli.readers.dialects import DIALECTS, WIDE
from bbccli.reports import REPORTS
from bbccli.reports.inspection import INSPECTIONS
from bbccli.resources import Engine
from bbccli.types import Missing, Pooling, RiskDirection, Side, TableLayout, Task


def _choice(names: Iterable[str]) -> Callable[[str], str]:
    """Return a parser that accepts one of `names`."""
    known = tuple(names)

    def parse(value: str) -> str:
        if value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.")
        return value

    return parse


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Predictions: .parquet, .csv, .tsv, .csv.gz, .csv.zst, .arff ...; - reads standard "
        "input. Several files or a quoted pattern: one configuration each, named by the file.",
    ),
]
Dialect = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        parser=_choice((WIDE, *DIALECTS)),
        metavar="NAME",
        help=f"How the files are written: {', '.join((WIDE, *DIALECTS))}. "
        "[default: seen from the names of the columns]",
    ),
]
Configuration = Annotated[
    str | None, typer.Option(metavar="COL", help="Long layout: column of the configurations.")
]
Prediction = Annotated[
    str | None, typer.Option(metavar="COL", help="Long layout: column of the predictions.")
]
OuterFold = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the outer folds of nested predictions.")
]

MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help=f"Of: {', '.join(METRICS)}; or package.module:NAME. "
        "Repeatable: the first selects, all are estimated. "
        "[default: the first that fits the task]",
    ),
]
MethodNames = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help=f"Repeatable; of: {', '.join(METHODS)}. "
        f"[default: {', '.join(DEFAULT_METHODS)}, as far as they can be computed]",
    ),
]
NResamples = Annotated[
    str,
    typer.Option(
        "--n-resamples",
        metavar="B",
        help="Bootstrap resamples, or auto: as many as --tolerance needs.",
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        metavar="E",
        help="Largest Monte-Carlo standard error with --n-resamples auto. [default: 0.001]",
    ),
]
Level = Annotated[float, typer.Option(metavar="P", help="Level of the intervals.")]
SideOption = Annotated[
    Side,
    typer.Option(
        "--side", help="Ends of the interval; the pessimistic one is where the metric is worse."
    ),
]
PoolingOption = Annotated[
    Pooling,
    typer.Option(
        "--pooling", help="Select by the performance over pooled rows, or by the mean over folds."
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Same seed, same numbers.")]
Format = Annotated[
    str,
    typer.Option(
        "--format", parser=_choice(REPORTS), metavar="|".join(REPORTS), help="Form of the result."
    ),
]
LayoutOption = Annotated[
    TableLayout, typer.Option("--layout", help="One column, or one row, per configuration.")
]
InspectionFormat = Annotated[
    str,
    typer.Option(
        "--format",
        parser=_choice(INSPECTIONS),
        metavar="|".join(INSPECTIONS),
        help="Form of the result.",
    ),
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="PATH", help="Where to write; - is the screen.")
]
DistributionFile = Annotated[
    str | None,
    typer.Option(
        "--distribution",
        metavar="PATH",
        help="Also write every resample's performance and winner: .json or .parquet.",
    ),
]
Jobs = Annotated[
    int | None, typer.Option(metavar="N", help="Threads. [default: all cores of the process]")
]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="Memory beside the predictions, about.")]
EngineOption = Annotated[
    Engine,
    typer.Option(
        "--engine", envvar="BBC_ENGINE", help="Form of the hot loops; all give the same numbers."
    ),
]
RowId = Annotated[str | None, typer.Option(metavar="COL", help="Column of the samples' keys.")]
Time = Annotated[str | None, typer.Option(metavar="COL", help="Column of survival times.")]
Event = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of events: 1 seen, 0 censored.")
]
Truth = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the true labels or values.")
]
Fold = Annotated[str | None, typer.Option(metavar="COL", help="Column of the folds.")]
Repeat = Annotated[str | None, typer.Option(metavar="COL", help="Column of the repeats.")]
Group = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of groups (patients, sites).")
]
Weight = Annotated[str | None, typer.Option(metavar="COL", help="Column of sample weights.")]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Cut scores of a binary task into classes above this. [default: 0.5 for "
        "probabilities, none for unbounded scores]",
    ),
]
RiskOption = Annotated[
    RiskDirection | None,
    typer.Option(
        "--risk-direction",
        help="Survival: what higher predictions mean. [default: earlier events]",
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS", help="Positive class. [default: the metadata's, else the last one sorted]"
    ),
]
TaskOption = Annotated[
    Task | None, typer.Option("--task", help="What is predicted. [default: seen from the truth]")
]
Labels = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Truth in a file of its own, by row_id or by position."),
]
Folds = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Folds in a file of their own, by row_id or by position."),
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Where some configurations lack predictions: refuse, drop those configurations, "
        "use only the samples that all predict, or score each on what it predicts.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="The same as --missing error.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on standard error but errors.")]
