"""From a file and its options to a document: read, estimate, judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import numpy as np

from bbccli.analysis.options import Analysis
from bbccli.core import resources, workers
from bbccli.core.documents import Document
from bbccli.core.matrix import PredictionMatrix
from bbccli.core.plan import Plan
from bbccli.core.progress import Progress, enter, silent
from bbccli.core.resources import PER_SAMPLE
from bbccli.core.results import Estimate, SearchCost
from bbccli.errors import OptionError, UndecidedError, UndefinedError, UnsupportedError
from bbccli.methods import METHODS, estimate
from bbccli.metrics import Metric, choose_metrics, custom
from bbccli.metrics.planned import POWERS, attainable, planned
from bbccli.readers import Paths
from bbccli.schema.correct import Envelope, document, to_report
from bbccli.schema.gate import judged, left_undecided
from bbccli.stats.bootstrap.by_rows import addable
from bbccli.stats.case import Case
from bbccli.stats.selection.candidates import by_repeat
from bbccli.types import Select


@dataclass(frozen=True, slots=True)
class Analysed:
    """The document of a file, and what it was made from; the first metric selects."""

    matrix: PredictionMatrix
    metrics: Sequence[Metric]
    estimates: Sequence[Estimate]
    document: Document[Envelope]


def answer(
    analysis: Analysis,
    path: Paths | PredictionMatrix,
    *,
    cost: bool | None = False,
    progress: Progress = silent,
) -> Analysed:
    """Read a file, estimate, and judge the result.

    Parameters
    ----------
    path
        The file, or the matrix that was read.
    cost
        True to work out the cost of the search; None where that is possible.

    Raises
    ------
    UndecidedError
        The figure that a gate judges can't be computed; carries the document.
    BbcError
        Anything else that keeps the file from having a result.
    """
    enter(progress, "reading")
    matrix, rule = analysis.read(path), analysis.rule
    plan = analysis.plan(matrix.source.metadata)
    metrics = choose_metrics(analysis.metric, matrix)
    needed = None
    if workers.current() is not None:
        check_parts(matrix, metrics, plan)
        needed = per_sample(matrix, metrics, plan)
    try:
        if rule is not None:
            judging = planned(metrics[0], plan)
            rule.check(judging.label, judging.direction, attainable(judging, matrix.outcome))
        with working(analysis.metric, matrix, needed):
            estimates, notes = estimate(
                matrix, metrics, plan, analysis.method, tight=analysis.tight, progress=progress
            )
            of_search = None
            if cost is not False:
                of_search = cost_of_search(matrix, metrics[0], plan, needed=cost is True)
            capped = _capped(matrix, metrics, plan, estimates)
    except (UndefinedError, UnsupportedError) as error:
        if rule is None:
            raise
        empty = document(matrix, [], plan=plan)
        problem, hint = error.told()
        found = left_undecided(empty, rule, metrics[0].name, problem)
        raise UndecidedError(problem, found, hint=hint) from error
    found = document(matrix, estimates, notes, search_cost=of_search, capped=capped)
    return Analysed(matrix, metrics, estimates, judged(found, rule))


def cost_of_search(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, *, needed: bool = False
) -> SearchCost | None:
    """Return naive and corrected best-so-far against the number of configurations tried.

    Where they can't be computed it is None, unless they are `needed`: then the error is raised.
    """
    from bbccli.stats.bootstrap.search_cost import search_cost

    metric = planned(metric, plan)
    with suppress(*(() if needed else (UndefinedError, UnsupportedError))):
        return search_cost(Case(matrix, metric, metric, plan))
    return None


CAP = 0.95
"""Quantile at which errors are capped beside an error without a worst value."""


def _capped(
    matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan, estimates: Sequence[Estimate]
) -> list[Estimate]:
    """Return what `--cap` would give of each error without a worst value that is reported."""
    found = []
    for metric in metrics if plan.cap is None else ():
        reported = to_report([one for one in estimates if one.metric == metric.name])
        if reported is not None and metric.name in POWERS:
            method = METHODS[reported.method]
            of_cap = replace(plan, cap=CAP)
            found.append(method.run(matrix, metric, of_cap, select_by=metrics[0]))
    return found


@contextmanager
def working(
    names: Sequence[str] | None, matrix: PredictionMatrix, per_sample: int | None = None
) -> Iterator[None]:
    """Work on a matrix within the memory that it needs; what fails in a metric of one's own is its.

    Parameters
    ----------
    per_sample : optional
        Bytes that each sample takes, as `Resources.for_predictions` has it.

    Yields
    ------
    None
        While metrics are scored.
    """
    with (
        resources.use(resources.current().for_predictions(*matrix.size, per_sample)),
        custom.blamed(names or (), matrix.source.path),
        np.errstate(over="ignore"),
    ):
        yield


OF_A_COLUMN = 60
"""Bytes per sample without which one configuration can't be looked at and scored."""

APART = ("cvt", "tt", "bbc", "bbc-f")
"""Methods that need no more of a configuration than its performances."""

METRICS = (
    "means of a loss per sample, shares of pairs and functions of counts: accuracy, auc, brier"
)
"""Metrics whose figures are the same to the last bit whatever is scored beside them."""


def check_methods(names: Sequence[str] | None) -> None:
    """Refuse methods that need all predictions in one place.

    Raises
    ------
    OptionError
        Names the first of them.
    """
    for name in names or ():
        if name not in APART:
            raise OptionError(
                f"--method {name} needs all predictions in one place, which --runner dask is not",
                hint=f"--method {', '.join(APART)}; or leave out --runner dask",
            )


def per_sample(matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan) -> int:
    """Return the bytes per sample that a worker needs, of a column or of a block of resamples."""
    apart = all(addable(matrix, planned(metric, plan), plan.pooling) for metric in metrics)
    return OF_A_COLUMN if apart else PER_SAMPLE


def check_parts(matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan) -> None:
    """Refuse metrics and selections that parts of the configurations can't be worked on by.

    Raises
    ------
    OptionError
        Names the first of them.
    """
    if plan.select is not Select.BEST:
        raise OptionError(
            f"--runner dask selects the best configuration, not by --select {plan.select}",
            hint="--select best, or leave out --runner dask",
        )
    for metric in metrics:
        columns = np.array([0, min(1, matrix.n_configurations - 1)])
        scorer = by_repeat(matrix, metric, columns)[0]
        if not getattr(scorer, "steady", False):
            raise OptionError(
                f"--runner dask has no {metric.name}: in parts it is another in the last digits",
                hint=f"{METRICS} and others; or leave out --runner dask",
            )
