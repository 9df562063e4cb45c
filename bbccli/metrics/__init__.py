"""The registry of metrics, which of them fit a matrix, and metrics of the user's own."""

from __future__ import annotations

import copyreg
import re
import sys
import traceback
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from bbccli.domain.matrix import PLURAL, PredictionMatrix
from bbccli.domain.source import ToolRun
from bbccli.errors import (
    BbcError,
    InputError,
    OptionError,
    UnsupportedError,
    nearest,
    parameter,
    short,
)
from bbccli.metrics.base import Metric, Scorer, by_column, mean_of, of_totals, pair_share
from bbccli.platform.arguments import ByName, as_list
from bbccli.platform.guarded_files import record_read
from bbccli.platform.text import pattern
from bbccli.types import PredictionKind, Task

__all__ = [
    "ALIASES",
    "METRICS",
    "Metric",
    "Scorer",
    "by_column",
    "choose_metric",
    "choose_metrics",
    "default_metric",
    "fitting",
    "mean_of",
    "metric_named",
    "of_totals",
    "pair_share",
]

_FAMILIES = (
    *("ranking", "probability", "classification", "binary", "multiclass"),
    *("regression", "correlation", "ordinal", "survival", "scores"),
)
_DEFAULTS = {"auc": "ranking", "accuracy": "classification", "rmse": "regression"}
"""Families of metrics that are asked for without the others, and then imported alone."""


def _of(family: str) -> tuple[Metric, ...]:
    metrics: tuple[Metric, ...] = import_module(f"bbccli.metrics.{family}").METRICS
    return metrics


def _ours() -> list[str]:
    return [metric.name for family in _FAMILIES for metric in _of(family)]


def _built_in(name: str) -> Metric:
    families = [_DEFAULTS[name]] if name in _DEFAULTS else _FAMILIES
    return next(metric for family in families for metric in _of(family) if metric.name == name)


METRICS: Mapping[str, Metric] = ByName(_ours, _built_in, "bbccli.metrics", Metric, known=_DEFAULTS)
"""By name: ours, in the order of their families, and those that installed packages declare."""

DEFAULTS = {
    Task.BINARY: ("auc", "accuracy"),
    Task.MULTICLASS: ("accuracy",),
    Task.REGRESSION: ("rmse",),
    Task.SURVIVAL: ("concordance",),
    Task.SCORE: ("mean-score",),
}
"""Metrics used when none is named: the first that fits."""


def fitting(matrix: PredictionMatrix) -> list[Metric]:
    """Return the metrics that can score this matrix, in the order of the registry."""
    return [_as_selected(m, matrix) for m in METRICS.values() if _fits(m, matrix)]


def _as_selected(metric: Metric, matrix: PredictionMatrix) -> Metric:
    """Return the metric with 0 for what is undefined, if the metadata say that this was done."""
    gaps = matrix.available is not None and not matrix.repeated_holdout
    zero = matrix.source.metadata.get("undefined") == 0
    return _zeroed(metric) if zero and not gaps else metric


@cache
def _zeroed(metric: Metric) -> Metric:
    return metric.zeroed


def default_metric(matrix: PredictionMatrix) -> Metric:
    """Return the metric for a matrix when none is named: that of the run, else that of the task.

    Raises
    ------
    UnsupportedError
        No metric fits the task, or the run's metric does not.
    """
    run = matrix.source.run
    if run is not None:
        of_run = canonical(str(run.metric), METRICS)
        if of_run in METRICS and _fits(METRICS[of_run], matrix):
            return _as_selected(METRICS[of_run], matrix)
        if fitting(matrix):
            _refuse_other_metric(matrix, run, of_run)
    for name in DEFAULTS[matrix.task]:
        if _fits(METRICS[name], matrix):
            return _as_selected(METRICS[name], matrix)
    candidates = fitting(matrix)
    if not candidates:
        tasks = sorted({str(task) for metric in METRICS.values() for task in metric.tasks})
        raise UnsupportedError(
            f"there is no metric yet for {matrix.task} tasks whose predictions are "
            f"{PLURAL[matrix.kind]}",
            hint=f"tasks with metrics: {', '.join(tasks)}",
        )
    return candidates[0]


def _refuse_other_metric(matrix: PredictionMatrix, run: ToolRun, of_run: str) -> None:
    """Refuse to guess which metric selects where that of the run can't be computed."""
    from difflib import get_close_matches

    called = run.metric_name or run.metric
    if not called:
        return
    problem = "which bbc does not have"
    if of_run in METRICS:
        problem = f"which {_misfit(METRICS[of_run], matrix)[0]}"
    fit = [metric.name for metric in fitting(matrix)]
    near = get_close_matches(called.lower().replace("_", "-"), fit, 3, 0.5)
    names = ", ".join(dict.fromkeys([*near, *fit]))
    raise UnsupportedError(
        f"the {run.tool} run selects by {called}, {problem}",
        hint=f"--metric NAME selects by another one: {names}",
    )


def choose_metrics(
    names: str | Metric | Sequence[str | Metric] | None, matrix: PredictionMatrix
) -> list[Metric]:
    """Return these metrics, or those of these names, each once; without any, the default alone.

    Raises
    ------
    OptionError, UnsupportedError
        As `choose_metric` and `default_metric`.
    """
    chosen = dict.fromkeys(choose_metric(name, matrix) for name in as_list(names))
    return list(chosen) or [default_metric(matrix)]


_OF_QUERIES = pattern(
    r"n?dcg|m?rr(?:-?@|$)|map(?:-|@|$)|mean-(?:average|reciprocal)|recip(?:rocal)?-rank|bpref$"
    r"|hit-?(?:rate|ratio)|(?:recall|precision|[pr]|hits?|success|f1)(?:-?@|-(?:\d+|k)$)"
)
"""Names of metrics of ranked answers to queries, hyphened."""


def metric_named(name: str | Metric) -> Metric:
    """Return the metric of a name: ours, scikit-learn's, or ``package.module:NAME``.

    A metric itself is returned as it is.

    Raises
    ------
    OptionError
        No metric has that name; the hint has the nearest one.
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise OptionError(f"{parameter('metric')} is {short(name)}", hint="a Metric, or its name")
    known_name = canonical(name, METRICS)
    if known_name in METRICS:
        return METRICS[known_name]
    if ":" in name:
        return load_metric(name)
    spellings = [*METRICS, *(alias.replace("_", "-") for alias in ALIASES)]
    spelling = name.lower().replace("_", "-")
    near = nearest(meant_by(spelling), spellings, f"one of: {', '.join(METRICS)}")
    if _OF_QUERIES.match(spelling):
        near = (
            "give a table of scores per query, a row for each and a column per system: "
            "bbc correct scores.csv --task score --bounds 0,1"
        )
    raise OptionError(f"no metric named {name!r}", hint=near)


def choose_metric(name: str | Metric, matrix: PredictionMatrix) -> Metric:
    """Return a metric, or the one of a name as in `metric_named`, that fits the matrix.

    Raises
    ------
    OptionError
        No metric has that name.
    UnsupportedError
        The metric does not fit the task or the kind of predictions.
    """
    metric = metric_named(name)
    if metric.name == "qwk" and metric is METRICS["qwk"] and matrix.task.is_classification:
        metric = METRICS["qwk-classes"]
    if _fits(metric, matrix):
        return _as_selected(metric, matrix)
    problem, remedy = _misfit(metric, matrix)
    fit = f"use one of: {', '.join(m.name for m in fitting(matrix))}"
    raise UnsupportedError(
        f"{metric.label} {problem}", hint="; ".join(part for part in (remedy, fit) if part)
    )


def _fits(metric: Metric, matrix: PredictionMatrix) -> bool:
    return matrix.task in metric.tasks and matrix.offers(metric.wants)


def _misfit(metric: Metric, matrix: PredictionMatrix) -> tuple[str, str]:
    """Return the problem, and the predictions that the metric would need."""
    if matrix.task not in metric.tasks:
        tasks = " and ".join(sorted(str(task) for task in metric.tasks))
        return f"is for {tasks} tasks; this one is {matrix.task}", ""
    remedy = ""
    if matrix.kind is PredictionKind.LABEL:
        remedy = f"write {_NEEDED[metric.wants]} instead of classes"
    elif metric.wants is PredictionKind.LABEL:
        remedy = "--threshold X predicts the positive class where the score is above X"
    elif metric.wants is PredictionKind.PROBABILITY:
        remedy = "write probabilities from 0 to 1, not percentages"
    return f"needs {_NEEDED[metric.wants]}; these predictions are {PLURAL[matrix.kind]}", remedy


_NEEDED = PLURAL | {PredictionKind.SCORE: "probabilities or scores"}

ALIASES = {
    "roc_auc": "auc",
    "roc_auc_ovr": "auc-ovr",
    "roc_auc_ovo": "auc-ovo",
    "average_precision": "average-precision",
    "neg_log_loss": "log-loss",
    "neg_brier_score": "brier",
    "balanced_accuracy": "balanced-accuracy",
    "matthews_corrcoef": "mcc",
    **{
        f"{name}_{mean}": f"{name}-{mean}"
        for name in ("precision", "recall", "f1")
        for mean in ("macro", "micro", "weighted")
    },
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
    "neg_median_absolute_error": "medae",
    "neg_mean_absolute_percentage_error": "mape",
    "neg_mean_poisson_deviance": "poisson-deviance",
    "explained_variance": "explained-variance",
}
"""Names of scikit-learn's scorers, other than ours. A loss has our sign: positive, minimised."""


MEANT = {
    "sensitivity": "recall",
    "tpr": "recall",
    "ppv": "precision",
    "tnr": "specificity",
    "auroc": "auc",
    "auc-roc": "auc",
    **dict.fromkeys(("auprc", "pr-auc", "auc-pr", "aucpr"), "average-precision"),
    "cross-entropy": "log-loss",
    "cohen-kappa": "kappa",
    **dict.fromkeys(("quadratic-weighted-kappa", "quadratic-kappa", "weighted-kappa"), "qwk"),
    **dict.fromkeys(("c-index", "cindex"), "concordance"),
}
"""Names that others use, for hints: what is spelled most like one of them may be its opposite."""


def meant_by(name: str) -> str:
    """Return the metric that a name means elsewhere, as in hyphened names of scikit-learn's
    functions; any other name as it is.

    >>> meant_by("sensitivity"), meant_by("f1-score"), meant_by("acuracy")
    ('recall', 'f1', 'acuracy')
    """
    bare = re.sub(r"-(score|loss|score-loss)$", "", name)
    meant = MEANT.get(bare, bare), canonical(bare, METRICS), canonical(f"neg-{name}", METRICS)
    return next((one for one in meant if one in METRICS), name)


def canonical(name: str, names: Container[str]) -> str:
    """Return bbc's name of a metric; an unknown name as it is.

    >>> canonical("neg_log_loss", ["log-loss"]), canonical("Log_Loss", ["log-loss"])
    ('log-loss', 'log-loss')
    """
    if name in names:
        return name
    plain = name.lower().replace("-", "_")
    if plain in ALIASES:
        return ALIASES[plain]
    hyphened = plain.replace("_", "-")
    return hyphened if hyphened in names else name


def _by_name(metric: Metric) -> Any:
    """Return how `pickle` and `copy` find a metric: one of ours by its unique name."""
    known = METRICS.get(metric.name)
    if known is metric:
        return metric_named, (metric.name,)
    if known is not None and _zeroed(known) == metric:
        return _zeroed, (known,)
    return object.__reduce_ex__(metric, 4)


copyreg.pickle(Metric, _by_name)


EXAMPLE = "for example --metric mypackage.metrics:COST, where COST is a bbccli.metrics.Metric"


def load_metric(name: str) -> Metric:
    """Import the metric called ``package.module:NAME``; the current folder is searched last.

    Raises OptionError: the module or the name in it does not exist, it can't be imported, or it is
        no `Metric`.
    """
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), attribute]):
        raise OptionError(f"{name!r} is not the name of a module and a metric in it", hint=EXAMPLE)
    with suppress(OSError):  # the current folder may be gone
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise OptionError(f"cannot import {module_name!r}: {error}", hint=EXAMPLE) from error
    except (Exception, SystemExit) as error:
        raise OptionError(
            f"cannot import {module_name!r}: {_in_a_line(error)}", hint="correct the module"
        ) from error
    record_read(getattr(module, "__file__", None) or "")
    names = [key for key, value in vars(module).items() if isinstance(value, Metric)]
    metrics_there = f"metrics in it: {', '.join(names)}" if names else "there is no metric in it"
    if not hasattr(module, attribute):
        raise OptionError(f"{module_name} has no {attribute!r}", hint=metrics_there)
    metric = getattr(module, attribute)
    if not isinstance(metric, Metric):
        raise OptionError(
            f"{name} is {_kind_of(metric)}, not a bbccli.metrics.Metric", hint=metrics_there
        )
    return metric


@contextmanager
def blamed(names: Iterable[str], path: str) -> Iterator[None]:
    """Turn an error or an exit of the user's own metric into an error that names it.

    names: all metrics in use; nothing is changed where none is the user's own.
    path: the predictions to be scored.
    Raises InputError: a metric of the user's own failed.
    """
    custom = [name for name in names if ":" in str(name)]
    try:
        yield
    except (BbcError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if not custom:
            raise
        files = {
            getattr(sys.modules.get(name.partition(":")[0]), "__file__", ""): name
            for name in custom
        }
        steps = [
            step for step in traceback.extract_tb(error.__traceback__) if step.filename in files
        ]
        name = files[steps[-1].filename] if steps else ", ".join(custom)
        where = f" ({steps[-1].filename}, line {steps[-1].lineno})" if steps else ""
        raise InputError(
            f"the metric {name} fails: {_in_a_line(error)}{where}",
            path=path,
            hint="correct the metric: help(bbccli.metrics.Metric) says what it gets and returns",
        ) from error


def _in_a_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")


def _kind_of(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value):
        return "a function"
    return f"of type {type(value).__name__}"
