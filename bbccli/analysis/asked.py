"""Everything that a document depends on besides the files: the options of `bbc correct`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from bbccli.analysis.input import GapOptions, InputOptions
from bbccli.analysis.plan import PlanOptions
from bbccli.analysis.rule import GateOptions
from bbccli.choices import Missing
from bbccli.option import Option, Panel, Scope

if TYPE_CHECKING:
    from bbccli.matrix import PredictionMatrix
    from bbccli.readers import Paths


def metric_names() -> Iterable[str]:
    """Return the names of the metrics, which are looked up when they are needed."""
    from bbccli.metrics import METRICS

    return METRICS


def _methods() -> Iterable[str]:
    from bbccli.methods import ALL, METHODS

    return (*METHODS, ALL)


@dataclass(frozen=True, kw_only=True)
class EstimateOptions:
    """What is estimated, and how."""

    metric: Annotated[
        Sequence[str] | None,
        Option(
            "Metric that selects the winner; see bbc metrics. Also a name of scikit-learn's "
            "(roc_auc), or package.module:NAME. Repeatable: the others are estimated too.",
            metavar="NAME",
            names=metric_names,
            open=True,
            default="the first that fits the task",
        ),
    ] = None
    method: Annotated[
        Sequence[str] | None,
        Option(
            "Method; see bbc methods. Repeatable, or all that can be computed.",
            metavar="NAME",
            names=_methods,
            open=True,
            default="cvt, tt, bbc; with 8 folds or more also bbc-f",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Analysis(GateOptions, PlanOptions, GapOptions, InputOptions, EstimateOptions):
    """How files are read, the plan, and the gate.

    Names and defaults are those of the command line. What only changes the speed is not part of it.
    """

    strict: Annotated[
        bool, Option("The same as --missing error.", panel=Panel.INPUT, scope=Scope.RUN)
    ] = False
    threshold: Annotated[
        float | None,
        Option(
            "Binary tasks: predict the positive class above this score.",
            metavar="X",
            panel=Panel.METHOD,
            default="0.5 for probabilities, none for unbounded scores",
        ),
    ] = None

    def check(self) -> None:
        """Find out what is wrong with the options whatever the file.

        Raises
        ------
        OptionError
            An option out of range, options that contradict each other, or an unknown name.
        """
        from bbccli.methods import ALL, choose_methods
        from bbccli.metrics import metric_named

        self.plan({})
        choose_methods([name for name in self.method or () if name != ALL])
        for position, name in enumerate(self.metric or ()):
            metric = metric_named(name)
            if position == 0 and self.rule is not None:
                self.rule.check(metric.label, metric.direction, metric.bounds)
        _ = self.rule

    def read(self, path: Paths) -> PredictionMatrix:
        """Read a file as the options say.

        Raises
        ------
        BbcError
            As `bbccli.readers.read`, `with_threshold` and `with_risk_direction`.
        """
        missing = Missing.ERROR if self.strict else self.missing
        return self.scored(self.read_files(path, missing=missing), self.threshold)
