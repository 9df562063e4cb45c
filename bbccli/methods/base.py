"""The record of a method, its needs of the data, and its run; and the registry of methods."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from importlib import import_module
from inspect import getdoc
from types import ModuleType

from bbccli.domain.estimate import Estimate
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import Plan
from bbccli.errors import UndefinedError, UnsupportedError, parameter
from bbccli.metrics import Metric, choose_metric
from bbccli.metrics.capped import with_plan
from bbccli.platform import plugins
from bbccli.platform.arguments import ByName, as_list, coerce_fields, entry
from bbccli.platform.dataclass import dataclass
from bbccli.platform.resources import Progress, silent
from bbccli.stats.case import Answer, Case, maker_of
from bbccli.stats.stopping import less_stopping
from bbccli.types import IntervalKind, Models, Pooling, Select, Task, distinct


def models_of(plan: Plan, matrix: PredictionMatrix) -> Models:
    """Return the plan's models; else `trained` where the predictions come from folds.

    Folds, repeats, a held-out part or the run of a tool mean that models were trained on some
    samples to predict others, and the winner will be trained again on all of them. Fixed are
    prompts, raters and models finished before these samples were seen: scores without folds, whose
    repeats are epochs, and which a tool evaluates without training.
    """
    if plan.models is not None:
        return plan.models
    evaluated = matrix.task is Task.SCORE and matrix.folds is None
    folds = matrix.folds is not None or matrix.repeated_holdout or matrix.n_repeats > 1
    trained = (folds or matrix.source.run is not None) and not evaluated
    return Models.TRAINED if trained else Models.FIXED


class Need(StrEnum):
    """A need of a method beside predictions and outcome."""

    FOLDS = "folds"
    REPEATS = "repeats"
    NESTED = "nested"
    SIZES = "sizes"
    VAULT = "vault"


class Gives(StrEnum):
    """A part of a method's result."""

    POINT = "point"
    INTERVAL = "interval"
    DISTRIBUTION = "distribution"


POINT = frozenset({Gives.POINT})
INTERVAL = POINT | {Gives.INTERVAL}
DISTRIBUTION = INTERVAL | {Gives.DISTRIBUTION}


DEFAULT_PLAN = Plan()


@dataclass(frozen=True, slots=True)
class Method:
    """A way to estimate the winner's performance.

    Parameters
    ----------
    name, label
        Name on the command line; a word or two for the table.
    answer
        The function: a case in, an answer out.
    gives, needs
        Promised in the result; checked before the run.
    summary, reference
        For `bbc methods`; the documentation is the docstring of the module.
    pooling
        Pooling that selects, whatever the plan says; None for the plan's.
    splits
        True if it evaluates on samples held out from the selection.
    ignores_selection
        True if its interval does not account for the selection of the winner.
    experimental
        True while there is little evidence for it.
    done
        What it did, in the past tense, for a paper; `reports.paper` fills in `{resamples}`,
        `{draws}`, `{units}`, `{metric}`, `{held_out}`, `{sidak}` and `{adjusted}`.
    makes
        True if it can repeat what is made of several configurations, such as an ensemble.
    """

    name: str
    label: str
    answer: Callable[[Case], Answer]
    gives: frozenset[Gives]
    summary: str
    reference: str
    needs: frozenset[Need] = frozenset()
    pooling: Pooling | None = None
    splits: bool = False
    ignores_selection: bool = False
    experimental: bool = False
    done: str = ""
    makes: bool = False

    def __post_init__(self) -> None:
        coerce_fields(self, "gives", "needs", "pooling")

    def run(
        self,
        matrix: PredictionMatrix,
        metric: Metric | str,
        plan: Plan = DEFAULT_PLAN,
        *,
        select_by: Metric | str | None = None,
        progress: Progress = silent,
    ) -> Estimate:
        """Estimate, in `metric`, the performance of the winner by `select_by` (the same by
        default).

        Raises
        ------
        OptionError
            No metric has that name.
        UndefinedError
            The matrix lacks what the method needs, or the metric is undefined.
        UnsupportedError
            A metric, a plan or a kind of data that the method is not for.
        """
        if plan.models is None:
            plan = replace(plan, models=models_of(plan, matrix))
        case = self.case(matrix, metric, plan, select_by=select_by, progress=progress)
        case.enter("working out")
        return self._estimate(case, self.answer(case), plan)

    def case(
        self,
        matrix: PredictionMatrix,
        metric: Metric | str,
        plan: Plan,
        *,
        select_by: Metric | str | None = None,
        progress: Progress = silent,
    ) -> Case:
        """Return the question that `run` answers; errors are those of `run`."""
        one_metric = select_by is None or select_by is metric
        metric = with_plan(choose_metric(metric, matrix), plan)
        selector = metric
        if select_by is not None and not one_metric:
            selector = with_plan(choose_metric(select_by, matrix), plan)
        check_needs(self, matrix)
        of_method = plan
        if self.pooling is not None:
            of_method = replace(plan, pooling=self.pooling, selection=None)
        check_makes(self, of_method)
        maker = maker_of(matrix, selector, of_method)
        if maker is not None:
            if maker.chosen_by not in ("", selector.name):
                selector = with_plan(choose_metric(maker.chosen_by, matrix), plan)
            single = of_method.single
            try:
                matrix, of_method = maker.shipped, single
            except UndefinedError:
                _ = Case(matrix, metric, selector, single).choice  # which may know why
                raise
        return Case(matrix, metric, selector, of_method, self.name, progress, maker)

    def _estimate(self, case: Case, answer: Answer, plan: Plan) -> Estimate:
        choice, distribution = answer.choice or case.choice, answer.distribution
        exact = distribution is not None and distribution.exact
        made = Estimate(
            method=self.name,
            metric=case.metric.name,
            selected_by=case.selector.name,
            direction=case.metric.direction,
            winner=case.matrix.configurations[choice.winner],
            naive=choice.naive,
            value=answer.value,
            interval=answer.interval,
            n_resamples=answer.n_resamples,
            exact=exact,
            error=answer.error,
            selection=() if case.maker else answer.selection,
            made=None if case.maker is None else case.maker.described(answer.shares),
            # what is held out to evaluate on took no part in the selection
            ignores_selection=self.ignores_selection
            or (self.splits and answer.n_evaluation is None),
            experimental=self.experimental,
            n_evaluation=answer.n_evaluation,
            n_preselected=answer.n_preselected,
            drop_trace=answer.drop_trace,
            distribution=distribution,
            plan=replace(plan, tolerance=None) if exact else plan,
            notes=choice.notes + answer.notes,
            n_predicted=case.matrix.n_predicted(choice.winner),
            size_correction=answer.size_correction,
            over_folds=choice.over_folds,
            opened=answer.opened,
        )
        return less_stopping(made, case.matrix, case.metric, case.measuring)


def with_preselection(method: Method) -> tuple[Method, Method]:
    """Return a method that splits, and the same for the best of several preselected ones."""
    answer: Callable[..., Answer] = method.answer
    return method, replace(
        method,
        name=f"{method.name}-10p",
        label="split, best of 10%",
        answer=partial(answer, preselect=True),
        summary=f"as {method.name}, for the best of preselected configurations, at Šidák's level",
    )


def check_best(case: Case) -> None:
    """Refuse a rule of selection other than the best, which a method can't correct for."""
    if case.plan.select is not Select.BEST:
        raise UnsupportedError(
            f"{case.method} corrects the selection of the best configuration only",
            hint="bbc and bbc-f resample any rule of selection; or --select best",
        )


def check_makes(method: Method, plan: Plan) -> None:
    """Refuse methods and intervals that are not known to be right for what is made in each bag."""
    asked = plan.making
    if not asked:
        return
    if not method.makes:
        raise UnsupportedError(
            f"{method.name} can't repeat {asked}", hint=f"--method bbc; or leave out {asked}"
        )
    if plan.interval not in (IntervalKind.PERCENTILE, IntervalKind.MATCHED):
        raise UnsupportedError(
            f"too few studies show how {plan.interval} intervals cover {asked}",
            hint=f"leave out {parameter('interval')} or {parameter('tight')}",
        )


def check_needs(method: Method, matrix: PredictionMatrix) -> None:
    """Raise UndefinedError unless the matrix has what the method needs."""
    for need in method.needs:
        if lack := _lack(need, matrix):
            text, hint = lack
            raise UndefinedError(f"{method.name} needs {text}", hint=hint)


def _lack(need: Need, matrix: PredictionMatrix) -> tuple[str, str] | None:
    """Return the lack and its remedy; None where the need is met."""
    lack: tuple[str, str] | None = None
    hint = "use bbc, which resamples the rows: --method bbc"
    match need:
        case Need.NESTED if not matrix.nested:
            hint = "add a column 'outer_fold', and rows with an inner 'fold' for what it trained on"
            lack = "the inner predictions of a nested cross-validation", hint
        case Need.VAULT if not (matrix.vault and matrix.vault.openings):
            hint = "Recorder(vault=0.2), and rec.open(name, model) after the search; or bbc vault "
            hint += "before it, and --vault"
            lack = "rows that were sealed before the search, and opened", hint
        case Need.SIZES if len(matrix.smaller) < 2:
            text = "at least three training sizes; there are two"
            if not matrix.smaller:
                text = "predictions at several training sizes (a column train_size)"
            hint = "rows of models that were trained on fewer samples, in three sizes or more"
            lack = text, hint
        case Need.REPEATS if matrix.n_repeats < 2:
            hint = "repeats are rows with the same row_id and another value in a column 'repeat'"
            lack = "at least two repeats of the cross-validation; there is one", hint
        case Need.FOLDS if matrix.repeated_holdout:
            text = "folds that share out the samples; in repeated hold-out each repeat is a "
            lack = text + "separate part, and parts overlap", hint
        case Need.FOLDS if matrix.folds is None and matrix.task is Task.SCORE:
            lack = "the folds of a cross-validation; these scores have none", hint
        case Need.FOLDS if matrix.source.run and matrix.source.run.refolded:
            lack = "folds that all configurations share; here each has its own", hint
        case Need.FOLDS if matrix.folds is None:
            hint = "add a fold column (--fold NAME) or a folds file (--folds FILE)"
            lack = "to know the fold of each sample", hint
        case Need.FOLDS if matrix.n_folds == 1:
            lack = "at least two folds; there is one", hint
    return lack


MODULES = {
    "cvt": "cvt",
    "tt": "cvt",
    "bbc": "bbc",
    "bbc-f": "cvt",
    "bbc-632": "bbc",
    "bbc-632plus": "literature.bbc_632plus",
    "bbc-eb": "bbc",
    "bbcd": "bbcd",
    "cvm-cv": "literature.cvm_cv",
    "wmc": "literature.wmc",
    "wmcs": "literature.wmc",
    "ipl": "literature.ipl",
    "delong": "literature.auc",
    "delong-10p": "literature.auc",
    "hanley-mcneil": "literature.auc",
    "hanley-mcneil-10p": "literature.auc",
    "tilting": "literature.tilting",
    "tilting-10p": "literature.tilting",
    "mabt": "literature.tilting",
    "nested-selection": "literature.nested_selection",
    "vault": "vault",
    "ncv": "ncv",
    "ncv-interval": "ncv",
    "naive": "literature.naive",
    "naive-f": "literature.naive",
    "wald": "literature.proportion",
    "wilson": "literature.proportion",
    "clopper-pearson": "literature.proportion",
    "jeffreys": "literature.proportion",
    "t-folds": "literature.student",
    "t-corrected": "literature.student",
    "influence": "literature.cv_influence",
    "clustered": "literature.clustered",
}
"""Module of each method, which is imported when the method is first asked for.

In this order methods are listed, and documented by the docstrings of their modules.
"""


def module_of(name: str) -> ModuleType:
    """Return the module that declares a method."""
    if name not in MODULES:
        return import_module(plugins.entry_points_of("bbccli.methods")[name].module)
    return import_module(f"bbccli.methods.{MODULES[name]}")


def _declared(name: str) -> Method:
    method: Method = next(m for m in module_of(name).METHODS if m.name == name)
    return method


METHODS: Mapping[str, Method] = ByName(MODULES, _declared, "bbccli.methods", Method)

DEFAULT_METHODS = ("cvt", "tt", "bbc", "bbc-f")

TIGHT_METHODS = ("cvt", "tt", "bbc-632")
"""The same where the tighter interval is to be reported: that of `bbc-632`, of kind `sharp`."""

ENOUGH_FOLDS = 8
"""From so many folds on `bbc-f` is a default: with five its intervals score worse than BBC's."""


def default_methods(matrix: PredictionMatrix, *, tight: bool) -> list[str]:
    """Return the default methods for a matrix.

    Methods over folds are left out without folds, which a note on unknown folds already says.
    `bbc-f` needs `ENOUGH_FOLDS` folds in each repeat. A file with nested predictions also gets
    `ncv`, and one with opened rows of a vault `vault`.
    """
    methods, left_out = TIGHT_METHODS if tight else DEFAULT_METHODS, set()
    if matrix.folds is None:
        left_out = {name for name in methods if Need.FOLDS in METHODS[name].needs}
    elif min(len(distinct(row)) for row in matrix.folds) < ENOUGH_FOLDS:
        left_out = {"bbc-f"}
    nested = ["ncv"] if matrix.nested and not tight else []
    sealed = ["vault"] if matrix.vault and matrix.vault.openings else []
    return [*(name for name in methods if name not in left_out), *sealed, *nested]


def choose_methods(names: str | Method | Sequence[str | Method]) -> list[Method]:
    """Return the methods of these names, each once, in the order given.

    Raises
    ------
    OptionError
        No method has that name.
    """
    return list(dict.fromkeys(entry(METHODS, name, "method", Method) for name in as_list(names)))


ASSUMED = (
    "the file holds **all** configurations among which the choice was made;",
    "the predictions are out-of-sample: no step that saw the outcome (feature selection, "
    "imputation) was fitted on the sample that is predicted. Stopping the training where the fold "
    "that scores it is best is such a step: see [early "
    "stopping](which-number.md#early-stopping);",
    "the samples, or the groups that they come in (patients, sites), are independent draws from "
    "the population that the result is for. With a `group` column `bbc` draws whole groups; for "
    "`tt` and `bbc-f` the folds have to keep them together;",
    "the list of configurations would have been the same on other samples: it was fixed, drawn at "
    "random, or guided by scores in few directions. Tuning up to about six hyperparameters costs "
    "at most a few hundredths. A search that builds on whatever scored best (subsets of features, "
    "prompts, evolution with many switches, an agent) fits the samples themselves, and every "
    "method here is too good: see [guided searches](guided.md).",
)
"""Assumptions of every method, in Markdown."""


def description(name: str) -> str:
    """Return the documentation of a method in `METHODS`, in Markdown: a title, and paragraphs."""
    return _sections(module_of(name)).get(name) or METHODS[name].summary


def part(name: str, start: str) -> str:
    """Return the paragraph of a method that begins with a given word such as `Source`, without the
    word.

    >>> part("bbc-f", "Assumptions")
    'those above, and folds of about equal size.'
    """
    match = re.search(rf"^{start}: (.*?)(?:\n\n|\Z)", description(name), re.M | re.S)
    return " ".join(match[1].split()) if match else ""


def formula(name: str) -> list[str]:
    """Return the lines of a method's formula: what is in it, and its block if it has one.

    >>> formula("wilson")
    ['(p + z²/2N ∓ z √(p (1 - p)/N + z²/4N²)) / (1 + z²/N).']
    """
    match = re.search(
        r"^Formula[:,] (.*?)(?:\n\n```text\n(.*?)\n```)?\n\n", description(name), re.M | re.S
    )
    return [] if match is None else [" ".join(match[1].split()), *(match[2] or "").splitlines()]


def _sections(module: ModuleType) -> dict[str, str]:
    """Text by method; text before the first heading belongs to none."""
    text = (getdoc(module) or "").strip()
    if len(module.METHODS) == 1:
        return {module.METHODS[0].name: text}
    parts = re.split(r"^## (.+)\n\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
