"""All that a document depends on besides the files: the options of `bbc correct`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from bbccli.analysis.input import GapOptions, InputOptions
from bbccli.analysis.plan import PlanOptions
from bbccli.core.choices import GateOn, Missing
from bbccli.core.option import Declared, Panel, Scope, option, options_of
from bbccli.core.text import redacted

if TYPE_CHECKING:
    from bbccli.core.matrix import PredictionMatrix
    from bbccli.readers import Paths
    from bbccli.schema.gate import Rule


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

    metric: Sequence[str] | None = option(
        None,
        "Metric that selects the winner; see bbc metrics. Also a name of scikit-learn's "
        "(roc_auc), or package.module:NAME. Repeatable: the others are estimated too.",
        "NAME",
        names=metric_names,
        open=True,
        default="the first that fits the task",
    )
    method: Sequence[str] | None = option(
        None,
        "Method; see bbc methods. Repeatable, or all that can be computed.",
        "NAME",
        names=_methods,
        open=True,
        default="cvt, tt, bbc; with 8 folds or more also bbc-f",
    )


def _of_gates() -> Iterable[str]:
    from bbccli.methods import METHODS

    return METHODS


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """A gate, if there is one."""

    fail_under: float | None = option(
        None,
        "For metrics that are maximised: exit with 3 if the pessimistic bound of the first one "
        "is under X, and with 4 if that can't be decided.",
        "X",
    )
    fail_over: float | None = option(None, "The same for metrics that are minimised, over X.", "X")
    gate_on: GateOn | None = option(
        None, "Judge the pessimistic bound or the estimate.", panel=Panel.GATE, default="bound"
    )
    gate_method: str | None = option(
        None,
        "Judge this method.",
        "NAME",
        panel=Panel.GATE,
        names=_of_gates,
        open=True,
        default="the one to report",
    )

    @property
    def rule(self) -> Rule | None:
        """The gate, if one is asked for.

        Raises
        ------
        OptionError
            Both thresholds, or details of a gate without one.
        """
        from bbccli.schema.gate import rule_of

        return rule_of(self.fail_under, self.fail_over, self.gate_on, self.gate_method)


@dataclass(frozen=True, kw_only=True)
class Analysis(GateOptions, PlanOptions, GapOptions, InputOptions, EstimateOptions):
    """How files are read, the plan, and the gate.

    Names and defaults are those of the command line. What only changes the speed is not part of it.
    """

    strict: bool = option(False, "The same as --missing error.", panel=Panel.INPUT, scope=Scope.RUN)
    threshold: float | None = option(
        None,
        "Binary tasks: predict the positive class above this score.",
        "X",
        panel=Panel.METHOD,
        default="0.5 for probabilities, none for unbounded scores",
    )

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


def command_line(asked: Analysis, files: Sequence[str], command: str = "correct") -> str:
    """Return the command that asks for this, whatever file or variable set its options.

    Examples
    --------
    >>> command_line(Analysis(seed=7, metric=("auc",)), ["p.csv"])
    'bbc correct p.csv --metric auc --seed 7'
    """
    return line_of(command, files, [asked])


def line_of(command: str, files: Sequence[str], groups: Sequence[Any]) -> str:
    """Return the command that asks for what some groups of options hold."""
    words = ["bbc", command, *map(redacted, files)]
    for group in groups:
        kind: type = type(group)
        for one in options_of(kind).values():
            value = getattr(group, one.name)
            if value != one.default and value is not None:
                words += _words(one, value)
    return shlex.join(words)


def _words(option: Declared, value: Any) -> list[str]:
    flag = f"--{option.key}"
    if isinstance(value, bool):
        return [flag if value else f"--no-{option.key}"]
    if option.kind is tuple:  # values of one flag, and not a flag for each
        return [flag, *map(_text, value)]
    if isinstance(value, list | tuple):
        return [word for one in value for word in (flag, _text(one))]
    return [flag, _text(value)]


def _text(value: Any) -> str:
    return redacted(str(value.value if isinstance(value, Enum) else value))
