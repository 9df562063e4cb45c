"""Every option, declared once; choices come from the registries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from bbccli.dropping import EVERY, RULES
from bbccli.methods import DEFAULT_METHODS, ENOUGH_FOLDS, METHODS
from bbccli.metrics import METRICS
from bbccli.readers.layout.dialects import DIALECTS
from bbccli.readers.sheet import WIDE
from bbccli.reports import REPORTS
from bbccli.reports.inspection import INSPECTIONS
from bbccli.resources import Engine
from bbccli.types import (
    GateOn,
    IntervalKind,
    Missing,
    OnError,
    Pooling,
    RiskDirection,
    Select,
    Side,
    TableLayout,
    Task,
)


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
        "input. Several files or a quoted pattern: one configuration each, named by what differs "
        "in their paths.",
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
Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Configurations that take part, such as 'svm*'; repeatable. What it matches is a "
        "configuration, whatever it looks like. [default: all]",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Configurations that take no part, such as a column age; repeatable.",
    ),
]
OuterFold = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the outer folds of nested predictions.")
]


def _starting(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return what completes a word of the shell to one of `names`."""
    known = tuple(names)
    return lambda incomplete: [name for name in known if name.startswith(incomplete)]


Result = Annotated[
    str,
    typer.Argument(
        metavar="RESULT",
        help="A saved result: .json, or .jsonl with one on each line; the .parquet table of a "
        "batch; - reads standard input.",
    ),
]

MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        autocompletion=_starting(METRICS),
        help=f"Of: {', '.join(METRICS)}; or a name of scikit-learn's such as roc_auc; or "
        "package.module:NAME. Repeatable: the first selects, all are estimated. "
        "[default: the first that fits the task]",
    ),
]
MethodNames = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        autocompletion=_starting(METHODS),
        help=f"Repeatable; of: {', '.join(METHODS)}; or all, as far as they can be computed. "
        f"[default: {', '.join(DEFAULT_METHODS)}, as far as they can be computed; bbc-f with "
        f"{ENOUGH_FOLDS} folds or more]",
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
    Pooling | None,
    typer.Option(
        "--pooling",
        help="Select by the performance over pooled rows, by the mean over folds, or (AUC, "
        "concordance) over the pairs of samples within folds. "
        "[default: the metadata's selection, else pooled]",
    ),
]
EvaluationShare = Annotated[
    float,
    typer.Option(
        "--evaluation-share",
        metavar="P",
        help="Share of the samples that methods with a split evaluate on; 0: select and evaluate "
        "on all.",
    ),
]
SelectOption = Annotated[
    Select,
    typer.Option(
        "--select",
        help="The best; or, within one standard error of it, the first column (one-se) or the "
        "least complex by the metadata.",
    ),
]
IntervalOption = Annotated[
    IntervalKind,
    typer.Option(
        "--interval", help="How the interval is made of the resamples; matched is experimental."
    ),
]
Guard = Annotated[
    bool,
    typer.Option(
        "--guard/--no-guard",
        help="Keep intervals from collapsing where the winner looks perfect; --no-guard gives the "
        "papers' intervals.",
    ),
]
Clip = Annotated[
    float,
    typer.Option(
        "--clip",
        metavar="EPS",
        show_default=False,
        help="Log-loss: the true class has at least this probability, whatever type the file has. "
        "[default: 1.2e-07, exactly 2 to the -23]",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Same seed, same numbers.")]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        parser=_choice(REPORTS),
        metavar="|".join(REPORTS),
        autocompletion=_starting(REPORTS),
        help="Form of the result. Without it, the suffix of --output chooses: .json, .jsonl, "
        ".csv, .md, .xml.",
    ),
]
GateFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        parser=_choice(REPORTS),
        metavar="|".join(REPORTS),
        autocompletion=_starting(REPORTS),
        help="Print the whole result in this form. Without it, the suffix of --output chooses. "
        "[default: one line per gate]",
    ),
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        metavar="X",
        help="Exit with 3 unless the pessimistic bound of the first metric reaches X, and with 4 "
        "if it can't be computed. For metrics that are maximised.",
    ),
]
FailOver = Annotated[
    float | None,
    typer.Option("--fail-over", metavar="X", help="The same for metrics that are minimised."),
]
GateOnOption = Annotated[
    GateOn | None,
    typer.Option("--gate-on", help="Judge the pessimistic bound or the estimate. [default: bound]"),
]
GateMethod = Annotated[
    str | None,
    typer.Option(
        "--gate-method",
        metavar="NAME",
        autocompletion=_starting(METHODS),
        help="Judge this method. [default: the first with an interval]",
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
Memory = Annotated[
    str,
    typer.Option(
        metavar="SIZE",
        help="Approximate working memory, excluding the predictions. auto: 256MB, or as much as "
        "large predictions take.",
    ),
]
EngineOption = Annotated[
    Engine,
    typer.Option("--engine", help="Form of the hot loops; all give the same numbers."),
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


# of `bbc drop`

MetricName = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="Decides who is worse; see bbc metrics. [default: the first that fits the task]",
    ),
]
ReplayFlag = Annotated[
    bool,
    typer.Option(
        "--replay",
        help="FILE is a finished cross-validation: say what dropping would have saved.",
    ),
]
RuleNames = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="NAME",
        help=f"Of: {', '.join(RULES)}. With --replay repeatable, or {EVERY}. [default: bbcd]",
    ),
]
DropThreshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="P",
        help="Drop above this confidence. [default: the rule's own, 0.99 for bbcd]",
    ),
]
MinSamples = Annotated[
    int,
    typer.Option(metavar="N", help="Drop nothing before so many samples are predicted."),
]
ListNames = Annotated[
    str | None,
    typer.Option(
        "--list",
        parser=_choice(("drop", "keep")),
        metavar="drop|keep",
        help="Print only names, one per line: not to train any more, or to train on.",
    ),
]
NFolds = Annotated[
    int | None,
    typer.Option(
        metavar="F",
        help="Folds of the whole cross-validation, of all repeats, to count what is saved. "
        "[default: seen from FILE if it has rows of the folds to come]",
    ),
]
FoldOrder = Annotated[
    str | None,
    typer.Option(metavar="F1,F2,...", help="With --replay: the folds in the order to walk."),
]
Orders = Annotated[
    int | None,
    typer.Option(metavar="N", help="With --replay: walk so many random orders instead."),
]
DropResamples = Annotated[
    int, typer.Option("--n-resamples", metavar="B", help="Bootstrap draws after each fold.")
]
DropFormat = Annotated[
    str,
    typer.Option(
        "--format",
        parser=_choice(("table", "json")),
        metavar="table|json",
        help="Form of the result.",
    ),
]
Cut = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Cut scores of a binary task into classes above this, as --threshold of bbc correct "
        "does.",
    ),
]


# of `bbc methods` and `bbc metrics`

MethodToShow = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", autocompletion=_starting(METHODS), help="Tell all about this one."
    ),
]
MetricToShow = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", autocompletion=_starting(METRICS), help="Tell all about this one."
    ),
]
CatalogueFormat = Annotated[
    str,
    typer.Option(
        "--format",
        parser=_choice(("table", "json")),
        metavar="table|json",
        help="Form of the list.",
    ),
]


# of `bbc batch`

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Files, URLs, quoted patterns in which ** stands for any folders; or one table "
        "(.csv, .tsv, .parquet) with a column path and columns named as options.",
    ),
]
Table = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="PATH", help="The table: .parquet, .csv, or .jsonl (all of it)."
    ),
]
Processes = Annotated[
    int | None,
    typer.Option("--jobs", metavar="N", help="Worker processes. [default: all cores]"),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Keep what is done with the same files and options; do the rest."
    ),
]
OnErrorOption = Annotated[
    OnError, typer.Option("--on-error", help="After a file without a result.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="List the files and what would be done; write nothing.")
]
SummaryOption = Annotated[
    bool,
    typer.Option("--summary", help="Print a table over all files: optimism, winners, gates."),
]
RunnerOption = Annotated[
    str,
    typer.Option(
        "--runner",
        parser=_choice(("local", "dask")),
        metavar="local|dask",
        help="Processes of this machine, or workers of dask.distributed.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of dask, such as tcp://host:8786. [default: a cluster on this machine]",
    ),
]
