"""From a file and what is asked of it to a document: read, estimate, judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from bbccli import elsewhere, resources
from bbccli.analysis.asked import Analysis
from bbccli.bootstrap.cost_records import SearchCost
from bbccli.case import Case
from bbccli.documents import Document
from bbccli.errors import UndecidedError, UndefinedError, UnsupportedError
from bbccli.gate import judged, left_undecided
from bbccli.matrix import PredictionMatrix
from bbccli.methods import estimate
from bbccli.metrics import Metric, choose_metrics, custom
from bbccli.metrics.planned import attainable, planned
from bbccli.plan import Plan
from bbccli.progress import Progress, enter, silent
from bbccli.readers import Paths
from bbccli.results import Estimate
from bbccli.schema import Envelope, document


@dataclass(frozen=True, slots=True)
class Answer:
    """The document of a file, and what it was made from; the first metric selects."""

    matrix: PredictionMatrix
    metrics: Sequence[Metric]
    estimates: Sequence[Estimate]
    document: Document[Envelope]


def answer(
    asked: Analysis, path: Paths, *, cost: bool | None = False, progress: Progress = silent
) -> Answer:
    """Read a file, estimate, and judge the result.

    Parameters
    ----------
    cost
        Whether to work out what the search cost; None does where that can be.

    Raises
    ------
    UndecidedError
        What a gate judges can't be computed; carries the document.
    BbcError
        Whatever else keeps the file from having a result.
    """
    enter(progress, "reading")
    matrix, rule = asked.read(path), asked.rule
    plan = asked.plan(matrix.source.metadata)
    metrics = choose_metrics(asked.metric, matrix)
    needed = None
    if elsewhere.current() is not None:
        from bbccli.analysis.by_parts import check_parts, per_sample

        check_parts(matrix, metrics, plan)
        needed = per_sample(matrix, metrics, plan)
    try:
        if rule is not None:
            judging = planned(metrics[0], plan)
            rule.check(judging.label, judging.direction, attainable(judging, matrix.outcome))
        with working(asked.metric, matrix, needed):
            estimates, notes = estimate(matrix, metrics, plan, asked.method, progress=progress)
            of_search = _cost(matrix, metrics[0], plan, needed=cost) if cost is not False else None
    except (UndefinedError, UnsupportedError) as error:
        if rule is None:
            raise
        empty = document(matrix, [], plan=plan)
        problem, hint = error.told()
        found = left_undecided(empty, rule, metrics[0].name, problem)
        raise UndecidedError(problem, found, hint=hint) from error
    found = document(matrix, estimates, notes, search_cost=of_search)
    return Answer(matrix, metrics, estimates, judged(found, rule))


def _cost(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, *, needed: bool | None
) -> SearchCost | None:
    from bbccli.bootstrap.search_cost import search_cost

    metric = planned(metric, plan)
    try:
        return search_cost(Case(matrix, metric, metric, plan))
    except (UndefinedError, UnsupportedError):
        if needed:
            raise
        return None


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
