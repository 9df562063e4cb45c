"""Options of `bbc correct`, partly shared with other commands: everything a document depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bbccli.domain.choices import (
    Again,
    Calibration,
    Errors,
    GateOn,
    Guided,
    IntervalKind,
    Missing,
    Models,
    Pooling,
    RiskDirection,
    Select,
    Side,
    Task,
)
from bbccli.domain.plan import CLIP, Plan, chooses_cut, pooling_of, resamples_of
from bbccli.errors import OptionError, parameter
from bbccli.platform.arguments import Panel, Scope, names_in, option
from bbccli.platform.dataclass import dataclass
from bbccli.use_cases.vault import VaultOptions

if TYPE_CHECKING:
    from bbccli.documents.gate import GateRule
    from bbccli.domain.matrix import PredictionMatrix
    from bbccli.reading import Paths, Request
    from bbccli.reading.sheet import Sheet


def _column(text: str) -> Any:
    return option(None, text, "COL", panel=Panel.COLUMNS)


_input = partial(option, panel=Panel.INPUT)
_interval = partial(option, panel=Panel.INTERVAL)
_method = partial(option, panel=Panel.METHOD)

metric_names = names_in("bbccli.metrics:METRICS")


def metric_option(
    help: str = "Metric; see bbc metrics.", default: str = "the first that fits the task"
) -> Any:
    """Return the option for the only metric of a command."""
    return option(None, help, "NAME", names=metric_names, open=True, default=default)


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """Options of the readers."""

    truth: str | None = _column("True label or value.")
    fold: str | None = _column("Fold of the cross-validation.")
    repeat: str | None = _column("Repeat of the cross-validation.")
    group: str | None = _column("Group of the sample, such as a patient or a site.")
    row_id: str | None = _column("Key of the sample.")
    labels_row_id: str | None = _column("Key in the labels file, if named differently.")
    folds_row_id: str | None = _column("Key in the folds file, if named differently.")
    time: str | None = _column("Survival time.")
    event: str | None = _column("Event: 1 observed, 0 censored.")
    weight: str | None = _column("Weight of the sample.")
    unweighted: bool = option(
        False,
        "Weight all samples equally, even if there is a column weight, weights or "
        "sample_weight; overrides --weight.",
        panel=Panel.COLUMNS,
    )
    outer_fold: str | None = _column("Outer fold of nested predictions.")
    train_size: str | None = _column("Number of samples that trained the model.")
    configuration: str | None = _column("Configuration, in the long layout.")
    prediction: str | None = _column("Prediction, in the long layout.")
    only: Sequence[str] | None = _input(
        None,
        "Use only these configurations, such as 'svm*'; repeatable. A matching column always "
        "counts as a configuration.",
        "PATTERN",
        default="all",
    )
    exclude: Sequence[str] | None = _input(
        None,
        "Leave out these configurations, or columns that are not configurations, such as age; "
        "repeatable.",
        "PATTERN",
    )
    dialect: str | None = _input(
        None,
        "Layout of the files.",
        names=names_in("bbccli.reading.sheet:WIDE", "bbccli.reading.layout.dialects:DIALECTS"),
        default="inferred from the column names",
    )
    positive: str | None = _input(
        None, "Positive class.", "CLASS", default="from the metadata, else the last in sorted order"
    )
    task: Task | None = _input(
        None,
        "Task; score if the file holds a score per sample instead of predictions.",
        default="inferred from the truth",
    )
    bounds: str | None = _input(
        None,
        "Scores: smallest and largest possible score, for the guard of intervals.",
        "LOW,HIGH",
        default="0,1 if every score is 0 or 1, else unknown",
    )
    labels: str | None = _input(
        None,
        "Separate file with the truth, joined by key, or by position if neither file has one.",
        "FILE",
        scope=Scope.RUN,
    )
    folds: str | None = _input(
        None, "Separate file with the folds, joined in the same way.", "FILE", scope=Scope.RUN
    )
    errors: Errors | None = _input(
        None,
        "Logs of evaluations: count failed requests as 0 (zero), leave them out (missing), or "
        "refuse the logs.",
        default="as the framework does",
    )
    again: Again | None = _input(
        None,
        "Scores: if a configuration was asked an item again, count the newest result, by its time "
        "stamp, or all as epochs.",
        default="newest for logs; an error for tables",
    )
    by_position: bool = _input(
        False,
        "Join labels and folds by position even if there is a key: all files have their rows "
        "in the same order.",
    )
    fold_files: bool = _input(
        False,
        "Several files: each holds one fold of a configuration, although nothing in them shows "
        "this.",
    )
    include: Sequence[str] | None = _input(
        None,
        "Include configurations that their flags would exclude: {names}; repeatable.",
        "WHAT",
        names=names_in("bbccli.reading.configuration_filter:INCLUDED"),
        default="none",
    )
    verify: bool = _input(
        True,
        "Recompute the scores that the run reports, and refuse predictions that do not reproduce "
        "them.",
        flags=("--verify/--no-verify",),
    )

    def request(self, missing: Missing | None = None, *, unfinished: bool = False) -> Request:
        """Return the request for the readers."""
        from bbccli.reading.outcome import bounds_of_text
        from bbccli.reading.roles import Request, Roles

        given = {name: getattr(self, name, None) for name in Request.__dataclass_fields__}
        given |= {
            "roles": Roles(**{name: getattr(self, name) for name in Roles.__dataclass_fields__}),
            "missing": missing,
            "unfinished": unfinished,
            "bounds": None if self.bounds is None else bounds_of_text(self.bounds),
        }
        return Request(**{name: value for name, value in given.items() if value is not None})

    def read_files(
        self,
        path: Paths | PredictionMatrix,
        *,
        missing: Missing | None = None,
        unfinished: bool = False,
    ) -> PredictionMatrix:
        """Read files as the options say; return a matrix as it is."""
        return self.understood(path, missing, unfinished=unfinished)[1]

    def understood(
        self,
        path: Paths | PredictionMatrix,
        missing: Missing | None = None,
        *,
        unfinished: bool = False,
    ) -> tuple[Sheet | None, PredictionMatrix]:
        """Return also the sheet of files."""
        from bbccli.domain.matrix import PredictionMatrix
        from bbccli.reading import understand

        if isinstance(path, PredictionMatrix):
            return None, path
        sheet, matrix = understand(path, self.request(missing, unfinished=unfinished))
        if matrix.source.run is None or unfinished or not self.verify:
            return sheet, matrix
        from bbccli.stats.verification import verified

        return sheet, verified(matrix)


@dataclass(frozen=True, kw_only=True)
class GapOptions:
    """Option for configurations that lack predictions."""

    missing: Missing | None = _input(
        None,
        "If some configurations lack predictions: stop (error), drop those configurations, use "
        "only the samples that all of them predict (common-rows), or score each on what it "
        "predicts (available).",
        default="drop; available for scores",
    )


@dataclass(frozen=True, kw_only=True)
class ScoringOptions:
    """Options of scoring."""

    seed: int = option(0, "Seed; same seed, same numbers.", "N")
    pooling: Pooling | None = _method(
        None,
        "Select by the performance on the pooled predictions, by its mean over the folds, or, for "
        "the AUC and concordance, on the pairs of samples within folds.",
        default="from the metadata, else pooled",
    )
    clip: float = _method(
        CLIP,
        "Log-loss: smallest probability of the true class.",
        "EPS",
        default="2 to the -23, about 1.2e-07",
    )
    risk_direction: RiskDirection | None = _method(
        None,
        "Survival: higher predictions mean earlier, or later, events.",
        default="earlier",
    )

    def scored(self, matrix: PredictionMatrix, threshold: float | None) -> PredictionMatrix:
        """Return a matrix with scores cut and risks turned as the options say."""
        if threshold is not None:
            matrix = matrix.with_threshold(threshold)
        direction = self.risk_direction
        return matrix if direction is None else matrix.with_risk_direction(direction)


@dataclass(frozen=True, kw_only=True)
class PlanOptions(ScoringOptions):
    """Options of the plan: selection, resamples and intervals."""

    level: float = _interval(0.95, "Level of the intervals.", "P")
    n_resamples: str | None = _method(
        None,
        "Number of bootstrap resamples, or auto for as many as --tolerance needs.",
        "B",
        default="1000; 200 for a tool's large ensemble",
    )
    tolerance: float | None = _method(
        None, "Largest Monte Carlo standard error with --n-resamples auto.", "E", default="0.001"
    )
    select: str | None = _method(
        None,
        "Select the best configuration, or within one standard error of it the first column "
        "(one-se) or the least complex by the metadata; or make an ensemble of several: "
        "greedy[:ROUNDS], mean:K, or like the tool that wrote the folder (tool).",
        "RULE",
        names=names_in("bbccli.domain.choices:Select"),
        open=True,
        default="tool if its ensemble is reproduced, else best",
    )
    evaluation_share: float = _method(
        0.25,
        "Fraction of the samples held out for evaluation by methods that split; with 0 all samples "
        "select and evaluate.",
        "P",
    )
    side: Side = _interval(
        Side.TWO,
        "Ends of the interval to estimate; the pessimistic end is the one at which the metric is "
        "worse.",
    )
    interval: IntervalKind | None = _interval(
        None,
        "Kind of interval made from the resamples; matched, calibrated and sharp are experimental.",
        default="percentile",
    )
    guard: bool = _interval(
        True,
        "Keep intervals from collapsing if the winner looks perfect; --no-guard gives the "
        "intervals of the papers.",
        flags=("--guard/--no-guard",),
    )
    size_correction: bool = _method(
        True,
        "bbc: correct metrics other than means, such as F1 and RMSE, for the number of samples "
        "left out of a resample; --no-size-correction gives the figure of the paper.",
        flags=("--size-correction/--no-size-correction",),
    )
    models: Models | None = _interval(
        None,
        "How the winner will be used: trained again, or with its models as they are.",
        default="trained if the predictions come from folds, repeats or a tool, else fixed",
    )
    guided: Guided | None = _method(
        None,
        "What the search saw when it made its later configurations: nothing of the earlier ones "
        "(no), their scores, or rows: samples, or the answers to them.",
        default="judged from the order of the configurations",
    )
    cap: float | None = _method(
        None,
        "RMSE, MSE, MAE: cap errors at this quantile of the outcome's distances from its median.",
        "Q",
        default="no cap",
    )

    def plan(self, metadata: Mapping[str, Any]) -> Plan:
        """Return the plan for a file with these metadata."""
        count, tolerance = resamples_of(self.n_resamples, self.tolerance)
        asked: dict[str, Any] = {
            name: getattr(self, name, None) for name in Plan.__dataclass_fields__
        }
        pooling, selection = pooling_of(self.pooling, metadata)
        decided: dict[str, Any] = {"pooling": pooling, "selection": selection}
        decided["select"] = self.select or Select.BEST
        decided["interval"] = self.interval or IntervalKind.PERCENTILE
        return Plan(**asked | decided | {"n_resamples": count, "tolerance": tolerance})


@dataclass(frozen=True, kw_only=True)
class MakingOptions(PlanOptions):
    """Options of the plan, and what is made of the configurations beside an ensemble."""

    threshold: str | None = _method(
        None,
        "Binary tasks: predict the positive class above this score; or above the best cut, chosen "
        "in every resample, for the first metric (tuned), another one (tuned:METRIC), like "
        "scikit-learn's TunedThresholdClassifierCV (sklearn[:METRIC]), or like the tool that wrote "
        "the folder (tool).",
        "X|tuned[:METRIC]|sklearn[:METRIC]|tool",
        default="tool with --select tool; 0.5 for probabilities, none for unbounded scores",
    )
    calibrate: Calibration | None = _method(
        None,
        "Calibrate the probabilities of what is selected, in every resample, before any cut.",
        default="none",
    )

    @property
    def cut(self) -> str | None:
        """The word for a cut that is chosen in every resample."""
        return self.threshold if chooses_cut(str(self.threshold)) else None

    @property
    def fixed_cut(self) -> float | None:
        """The cut that is given; an OptionError if it is no number."""
        if self.threshold is None or self.cut is not None:
            return None
        try:
            return float(self.threshold)
        except ValueError:
            raise OptionError(
                f"{parameter('threshold')} is {self.threshold!r}, not a number",
                hint="give 0.5, tuned, tuned:f1, sklearn or tool",
            ) from None

    def check_cut(self) -> None:
        """Refuse a cut that is wrong for any file."""
        from bbccli.metrics import metric_named

        _ = self.fixed_cut
        if tuned_for := (self.cut or "").partition(":")[2]:
            metric_named(tuned_for)

    def at_cut(self, matrix: PredictionMatrix) -> PredictionMatrix:
        """Return a matrix with scores cut as the options say."""
        if self.cut is None:
            return self.scored(matrix, self.fixed_cut)
        bare = str(matrix.kind) == "score" and matrix.threshold is None
        # what a tuned cut is compared with: where margins predict the positive class
        return self.scored(matrix, 0.0 if bare and matrix.task is Task.BINARY else None)


@dataclass(frozen=True, kw_only=True)
class EstimateOptions:
    """Metrics and methods."""

    metric: Sequence[str] | None = option(
        None,
        "Metric that selects the winner; see bbc metrics. scikit-learn names (roc_auc) and "
        "package.module:NAME work too. Repeatable: the others are also estimated.",
        "NAME",
        names=metric_names,
        open=True,
        default="the first that fits the task",
    )
    method: Sequence[str] | None = option(
        None,
        "Method; see bbc methods. Repeatable, or all for every method that can be computed.",
        "NAME",
        names=names_in("bbccli.methods:METHODS", "bbccli.methods:ALL"),
        open=True,
        default="cvt, tt, bbc; from 8 folds on also bbc-f",
    )
    tight: bool = _interval(
        False,
        "Report the sharp interval of bbc-632: about an eighth narrower than that of bbc, for "
        "bounded metrics.",
        flags=("--tight/--no-tight",),
    )


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """A gate."""

    fail_under: float | None = option(
        None,
        "Exit with 3 if the pessimistic bound of the first metric is below X, with 4 if undecided.",
        "X",
    )
    fail_over: float | None = option(
        None, "The same if above X, for metrics where lower is better.", "X"
    )
    gate_on: GateOn | None = option(
        None, "Judge the pessimistic bound or the estimate.", panel=Panel.GATE, default="bound"
    )
    gate_method: str | None = option(
        None,
        "Method to judge.",
        "NAME",
        panel=Panel.GATE,
        names=names_in("bbccli.methods:METHODS"),
        open=True,
        default="the one to report",
    )

    @property
    def rule(self) -> GateRule | None:
        """The gate, if there is one; an OptionError for both thresholds, or details without one."""
        from bbccli.documents.gate import gate_rule

        return gate_rule(self.fail_under, self.fail_over, self.gate_on, self.gate_method)


@dataclass(frozen=True, kw_only=True)
class Analysis(VaultOptions, GateOptions, MakingOptions, GapOptions, InputOptions, EstimateOptions):
    """All options that a document of `bbc correct` depends on, named as on the command line.

    What only affects speed is not part of it.
    """

    strict: bool = _input(False, "Same as --missing error.", scope=Scope.RUN)

    @property
    def methods(self) -> Sequence[str] | None:
        """Names of the methods, as far as they are known before the data."""
        from bbccli.methods.base import TIGHT_METHODS

        return TIGHT_METHODS if self.tight else self.method

    def check(self) -> None:
        """Refuse options that are wrong for any file."""
        from bbccli.methods import ALL, choose_methods
        from bbccli.metrics import metric_named

        self.plan({})
        if self.tight and (self.method or self.interval):
            given = "method" if self.method else "interval"
            raise OptionError(
                f"{parameter('tight')} chooses the method and the interval, and so does "
                f"{parameter(given)}",
                hint="give one of them",
            )
        choose_methods([name for name in self.method or () if name != ALL])
        self.check_vault()
        self.check_cut()
        for position, name in enumerate(self.metric or ()):
            metric = metric_named(name)
            if position == 0 and self.rule is not None:
                self.rule.check(metric.label, metric.direction, metric.bounds)
        _ = self.rule

    def plan(self, metadata: Mapping[str, Any]) -> Plan:
        """Return the plan for a file with these metadata."""
        plan = super().plan(metadata)
        return replace(plan, interval=IntervalKind.SHARP) if self.tight else plan

    def read(self, path: Paths | PredictionMatrix) -> PredictionMatrix:
        """Read a file as the options say; a matrix is only scored as they say."""
        return self.read_sheet(path)[1]

    def read_sheet(self, path: Paths | PredictionMatrix) -> tuple[Sheet | None, PredictionMatrix]:
        """Return also the sheet of a file."""
        sheet, matrix = self.understood(path, Missing.ERROR if self.strict else self.missing)
        return sheet, self.at_cut(matrix)
